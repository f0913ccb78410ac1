// SPDX-License-Identifier: Apache-2.0
// Device memory of three lives: scratch of one call on a stream, taken from and given back to CUDA's pool
// without waiting for the device; data that stays between calls; and the pool's own spare bytes, which count
// as free and go back to the device when an allocation fails.
#pragma once

#include <type_traits>

#include "core/cuda/runtime/runtime.hpp"

namespace spyctrum::cuda {

/// Booked while the caller holds it. Where the device has no pools, cudaMalloc() and cudaFree().
[[nodiscard]] void* take_scratch(Host& host, std::uint64_t bytes, const char* purpose, cudaStream_t stream);
void give_back_scratch(Host& host, void* data, std::uint64_t bytes, cudaStream_t stream) noexcept;

/// What the pool of a device holds and nobody uses.
[[nodiscard]] std::uint64_t spare_scratch(int device) noexcept;
/// Gives the spare bytes of the current device's pool back.
void release_scratch() noexcept;

/// `count` elements for work on `stream`, and on others only once that work is known to be done.
template <class T>
class ScratchBuffer {
 public:
  ScratchBuffer() = default;
  ScratchBuffer(Host& host, std::uint64_t count, const char* purpose, cudaStream_t stream)
      : host_(&host), stream_(stream), bytes_(rounded_bytes(count * sizeof(T))) {
    if (bytes_ != 0) data_ = static_cast<T*>(take_scratch(host, bytes_, purpose, stream));
  }
  ScratchBuffer(ScratchBuffer&& other) noexcept { swap(other); }
  ScratchBuffer& operator=(ScratchBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ScratchBuffer(const ScratchBuffer&) = delete;
  ScratchBuffer& operator=(const ScratchBuffer&) = delete;
  ~ScratchBuffer() {
    if (data_ != nullptr) give_back_scratch(*host_, data_, bytes_, stream_);
  }
  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void swap(ScratchBuffer& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(stream_, other.stream_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  Host* host_ = nullptr;
  cudaStream_t stream_ = nullptr;
  T* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Device memory that belongs to no job once settle() has been called: until then it is booked by the one
/// that fills it, so that this one is refused where it does not fit.
class ResidentBuffer {
 public:
  ResidentBuffer() = default;
  ResidentBuffer(Host& host, std::uint64_t bytes, const char* purpose);
  ResidentBuffer(ResidentBuffer&& other) noexcept { swap(other); }
  ResidentBuffer& operator=(ResidentBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ResidentBuffer(const ResidentBuffer&) = delete;
  ResidentBuffer& operator=(const ResidentBuffer&) = delete;
  ~ResidentBuffer();
  void settle() noexcept;
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void swap(ResidentBuffer& other) noexcept {
    std::swap(booked_by_, other.booked_by_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  Host* booked_by_ = nullptr;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// To a kept buffer; `values` must live until the stream has come here.
template <class T>
void copy_up(Host& host, const ResidentBuffer& to, const T* values, std::uint64_t count, cudaStream_t stream,
             const char* what) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (count != 0)
    check(host, cudaMemcpyAsync(to.as<T>(), values, count * sizeof(T), cudaMemcpyHostToDevice, stream), what);
}

}  // namespace spyctrum::cuda
