// SPDX-License-Identifier: Apache-2.0
// CUDA's resources as values that free themselves, every call checked. What fails goes to Host::fail(), which
// throws; destructors only free. Inside the module only.
#pragma once

#include <cuda_runtime_api.h>
#include <cufft.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// Throws through `host` unless `code` is success; clears CUDA's own record of it, so that the next call is
/// not blamed.
void check(Host& host, cudaError_t code, const char* what);
void check(Host& host, cufftResult code, const char* what);

/// Makes a device the calling thread's for as long as it lives.
class DeviceScope {
 public:
  DeviceScope(Host& host, int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = 0;
};

/// `count` elements on the device, counted in the job's ledger.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Host& host, std::uint64_t count, const char* purpose);
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : host_(std::exchange(other.host_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceBuffer();
  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  Host* host_ = nullptr;
  T* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Host memory that the device copies to at full speed.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(Host& host, std::uint64_t bytes);
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : host_(std::exchange(other.host_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~PinnedBuffer();
  [[nodiscard]] float* values() const { return static_cast<float*>(data_); }

 private:
  Host* host_ = nullptr;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// A stream of its own; its destructor waits for what was put on it, so that buffers made before it outlive
/// the work that uses them.
class Stream {
 public:
  explicit Stream(Host& host);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void synchronize() { check(host_, cudaStreamSynchronize(stream_), "waiting for the device"); }

 private:
  Host& host_;
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(Host& host);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) { check(host_, cudaEventRecord(event_, stream), "recording an event"); }
  void synchronize() { check(host_, cudaEventSynchronize(event_), "waiting for an event"); }
  [[nodiscard]] cudaEvent_t get() const { return event_; }
  [[nodiscard]] double seconds_since(const Event& earlier);

 private:
  Host& host_;
  cudaEvent_t event_ = nullptr;
};

/// How cuFFT's advanced layout says it. `sizes`: outermost first; `stride_in`, `stride_out`: elements from
/// one transform of the batch to the next; `embed_in`, `embed_out`: storage sizes by dimension.
struct FftLayout {
  explicit FftLayout(const FftShape& shape);
  cufftType type;
  std::vector<long long> sizes;
  std::vector<long long> embed_in;
  std::vector<long long> embed_out;
  long long stride_in;
  long long stride_out;
  long long batch;
};

/// A plan without a work area of its own, which has to have `work_bytes`.
[[nodiscard]] cufftHandle make_plan(Host& host, FftLayout& layout, std::size_t& work_bytes);

/// See Module::fft_work_bytes().
[[nodiscard]] std::uint64_t fft_work_bytes(const FftShape& shape, Host& host);

/// A call for which the driver keeps other threads waiting for up to some hundred milliseconds: loading code,
/// planning, mapping and unmapping memory. The thread that draws asks first (Pictures::try_enter).
class LongCall {
 public:
  LongCall() : lock_(mutex()) {}
  [[nodiscard]] static bool try_enter() { return mutex().try_lock(); }
  static void leave() { mutex().unlock(); }

 private:
  static std::recursive_mutex& mutex();
  std::lock_guard<std::recursive_mutex> lock_;
};

/// A batched cuFFT plan whose work area is a DeviceBuffer of ours.
class FftPlan {
 public:
  FftPlan(Host& host, const FftShape& shape, cudaStream_t stream) : FftPlan(host, FftLayout(shape), stream) {}
  FftPlan(Host& host, const FftLayout& wanted, cudaStream_t stream);
  ~FftPlan();
  FftPlan(const FftPlan&) = delete;
  FftPlan& operator=(const FftPlan&) = delete;
  void complex(cufftComplex* data, int direction) { complex(data, data, direction); }
  void complex(cufftComplex* in, cufftComplex* out, int direction) {
    execute([&] { return cufftExecC2C(plan_, in, out, direction); });
  }
  void complex(cufftDoubleComplex* data, int direction) {
    execute([&] { return cufftExecZ2Z(plan_, data, data, direction); });
  }
  void real(cufftReal* in, cufftComplex* out) {
    execute([&] { return cufftExecR2C(plan_, in, out); });
  }

 private:
  /// The first execution may load the library's kernels.
  template <class Call>
  void execute(Call call) {
    std::optional<LongCall> first;
    if (!std::exchange(is_loaded_, true)) first.emplace();
    check(host_, call(), "cuFFT");
  }
  bool is_loaded_ = false;
  Host& host_;
  cufftHandle plan_ = 0;
  DeviceBuffer<char> work_;
};

/// Waits for the default stream, for which Stream does not wait: cudaMemset and copies from pageable memory
/// may return before they have ended.
void finish_default_stream(Host& host, const char* purpose);

/// Host values on the device. The copy is finished when the call returns.
template <class T>
[[nodiscard]] DeviceBuffer<T> upload(Host& host, const T* values, std::uint64_t count, const char* purpose) {
  DeviceBuffer<T> buffer(host, count, purpose);
  if (count == 0) return buffer;
  check(host, cudaMemcpy(buffer.get(), values, count * sizeof(T), cudaMemcpyHostToDevice), purpose);
  finish_default_stream(host, purpose);
  return buffer;
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

/// Bytes that an allocation of `bytes` really takes: cudaMalloc hands out multiples of 512.
[[nodiscard]] constexpr std::uint64_t rounded_bytes(std::uint64_t bytes) { return (bytes + 511) / 512 * 512; }

void* allocate_device(Host& host, std::uint64_t bytes, const char* purpose);
void free_device(Host& host, void* data, std::uint64_t bytes) noexcept;

template <class T>
DeviceBuffer<T>::DeviceBuffer(Host& host, std::uint64_t count, const char* purpose)
    : host_(&host), bytes_(rounded_bytes(count * sizeof(T))) {
  if (bytes_ != 0) data_ = static_cast<T*>(allocate_device(host, bytes_, purpose));
}

template <class T>
DeviceBuffer<T>::~DeviceBuffer() {
  if (data_ != nullptr) free_device(*host_, data_, bytes_);
}

}  // namespace spyctrum::cuda
