// SPDX-License-Identifier: Apache-2.0
// Memory of the device and page-locked memory of the host:
//   DeviceBuffer    for a job, or for one call on a stream;
//   ResidentBuffer  for data that stays on the device between jobs;
//   PinnedBuffer    on the host.
// The first two are taken from CUDA's pool. All are booked in the job's ledgers (Host::book()). Unused bytes
// of the pool count as free and are released to the device when an allocation fails.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/cuda/runtime/calls.hpp"

namespace spyctrum::cuda {

/// Bytes that an allocation of `bytes` takes: cudaMalloc allocates multiples of 512.
[[nodiscard]] constexpr std::uint64_t rounded_bytes(std::uint64_t bytes) { return (bytes + 511) / 512 * 512; }

/// cudaMalloc(), booked; tried again after unused memory was released if the first attempt fails.
void* allocate_device(Host& host, std::uint64_t bytes, const char* purpose);

/// Memory of CUDA's pool for the work on `stream`, booked until it is returned; from cudaMalloc() if the
/// device has no pools. cudaStreamLegacy stands for all streams of a job: the allocation has then ended when
/// the call returns, and return_memory() waits for the device.
[[nodiscard]] void* take_memory(Host& host, std::uint64_t bytes, const char* purpose, cudaStream_t stream);
void return_memory(Host& host, void* data, std::uint64_t bytes, cudaStream_t stream) noexcept;
/// As return_memory(), of bytes that are no longer booked.
void return_memory(void* data, cudaStream_t stream) noexcept;
/// Unused bytes of a device's pool.
[[nodiscard]] std::uint64_t unused_bytes(int device) noexcept;
/// Releases the unused bytes of the current device's pool.
void release_unused_bytes() noexcept;

/// `count` elements on the device: for all streams of a job, or for work on `stream` alone, without waiting
/// for the device; other streams may then use them only after that work has ended.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Host& host, std::uint64_t count, const char* purpose, cudaStream_t stream = cudaStreamLegacy) {
    const std::uint64_t bytes = rounded_bytes(count * sizeof(T));
    if (bytes != 0)
      data_ = {static_cast<T*>(take_memory(host, bytes, purpose, stream)), Return{&host, bytes, stream}};
  }
  [[nodiscard]] T* get() const { return data_.get(); }

 private:
  struct Return {
    Host* host = nullptr;
    std::uint64_t bytes = 0;
    cudaStream_t stream = nullptr;
    void operator()(T* data) const noexcept { return_memory(*host, data, bytes, stream); }
  };
  std::unique_ptr<T, Return> data_;
};

/// Device memory that stays between jobs. The job that fills it, by work on `stream`, books its bytes until
/// finish_upload(), so that the job is refused if there is too little memory; afterwards no job books them.
/// The destructor waits for the device.
class ResidentBuffer {
 public:
  ResidentBuffer() = default;
  ResidentBuffer(Host& host, std::uint64_t bytes, const char* purpose, cudaStream_t stream);
  ResidentBuffer(ResidentBuffer&& other) noexcept { swap(other); }
  ResidentBuffer& operator=(ResidentBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ResidentBuffer(const ResidentBuffer&) = delete;
  ResidentBuffer& operator=(const ResidentBuffer&) = delete;
  ~ResidentBuffer();
  void finish_upload() noexcept;
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void swap(ResidentBuffer& other) noexcept {
    std::swap(booked_by_, other.booked_by_);
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  Host* booked_by_ = nullptr;
  int device_ = 0;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

struct FreePinned {
  Host* host = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t capacity = 0;
  void operator()(float* data) const noexcept;
};

/// Page-locked host memory, to which the device copies at full speed. The bytes allocated are a power of two,
/// so that a later buffer of similar size can reuse them.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(Host& host, std::uint64_t bytes);
  [[nodiscard]] float* values() const { return data_.get(); }

 private:
  std::unique_ptr<float, FreePinned> data_;
};

/// Waits for the default stream: cudaMemset and copies from pageable memory may return before they have
/// ended, and streams of class Stream do not wait for the default stream.
void finish_default_stream(Host& host, const char* purpose);

/// Puts a copy of `count` elements on `stream`; the host array must exist until the copy has ended.
template <class T>
void copy_to_device(Host& host, T* to, const void* from, std::uint64_t count, cudaStream_t stream,
                    const char* what) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (count != 0)
    check(host, cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyHostToDevice, stream), what);
}
template <class T>
void copy_to_host(Host& host, void* to, const T* from, std::uint64_t count, cudaStream_t stream,
                  const char* what) {
  if (count != 0)
    check(host, cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, stream), what);
}

/// Puts a fill with zeros on `stream`.
template <class T>
void set_zero(Host& host, T* values, std::uint64_t count, cudaStream_t stream, const char* what) {
  if (count != 0) check(host, cudaMemsetAsync(values, 0, count * sizeof(T), stream), what);
}

/// Copies to the host; the copy has ended when the call returns.
template <class T>
void download(Host& host, void* to, const T* from, std::uint64_t count, const char* what) {
  if (count != 0) check(host, cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost), what);
}

/// Copies host values to the device; the copy has ended when the call returns.
template <class T>
[[nodiscard]] DeviceBuffer<T> upload(Host& host, const T* values, std::uint64_t count, const char* purpose) {
  DeviceBuffer<T> buffer(host, count, purpose);
  if (count == 0) return buffer;
  check(host, cudaMemcpy(buffer.get(), values, count * sizeof(T), cudaMemcpyHostToDevice), purpose);
  finish_default_stream(host, purpose);
  return buffer;
}

/// Stores in CUB, for the current device, the architecture for which CUB's kernels were compiled. Otherwise
/// the first call of CUB determines it: if CUDA cannot select the device then, an exception leaves CUB's
/// store locked, and every later call of CUB waits for it without end (CCCL 3.0, PerDeviceAttributeCache).
void store_architecture_in_cub(Host& host);

/// Calls an algorithm of CUB: call(nullptr, bytes) returns the bytes of its work area, call(work, bytes) runs
/// it.
template <class Call>
void run_with_work_area(Host& host, cudaStream_t stream, const char* what, Call call) {
  store_architecture_in_cub(host);
  std::size_t bytes = 0;
  check(host, call(nullptr, bytes), what);
  const DeviceBuffer<char> work(host, bytes, "work area of a sum or sort", stream);
  check(host, call(work.get(), bytes), what);
}

/// Zeros on the device, written when the call returns.
template <class T>
[[nodiscard]] DeviceBuffer<T> zeros(Host& host, std::uint64_t count, const char* purpose) {
  DeviceBuffer<T> buffer(host, count, purpose);
  if (count == 0) return buffer;
  check(host, cudaMemset(buffer.get(), 0, count * sizeof(T)), purpose);
  finish_default_stream(host, purpose);
  return buffer;
}

}  // namespace spyctrum::cuda
