// SPDX-License-Identifier: Apache-2.0
// CUDA's stream-ordered allocator (cudaMallocAsync) with a threshold, below which it keeps what was given
// back.
#include "core/cuda/runtime/device_memory.hpp"

#include <optional>

namespace spyctrum::cuda {

namespace {

constexpr std::uint64_t kSpareShare = 8;  // of the device's memory, at most, waits in the pool

/// Of the current device; null where it has none.
cudaMemPool_t pool_of_current_device() noexcept {
  int device = 0;
  int supported = 0;
  cudaMemPool_t pool = nullptr;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device) != cudaSuccess ||
      supported == 0 || cudaDeviceGetDefaultMemPool(&pool, device) != cudaSuccess) {
    (void)cudaGetLastError();
    return nullptr;
  }
  return pool;
}

/// Its threshold is 0 until somebody needs it: then the pool would give everything back at each
/// synchronisation.
void let_keep(cudaMemPool_t pool) noexcept {
  std::uint64_t threshold = 0;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  if (cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess &&
      threshold == 0 && cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess) {
    threshold = total_bytes / kSpareShare;
    (void)cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  }
  (void)cudaGetLastError();
}

std::uint64_t spare_of(cudaMemPool_t pool) noexcept {
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  if (cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) != cudaSuccess ||
      cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return reserved > used ? reserved - used : 0;
}

}  // namespace

void* take_scratch(Host& host, std::uint64_t bytes, const char* purpose, cudaStream_t stream) {
  cudaMemPool_t pool = pool_of_current_device();
  if (pool == nullptr) return allocate_device(host, bytes, purpose);
  let_keep(pool);
  host.book(bytes, purpose);
  void* data = nullptr;
  const auto attempt = [&] {
    std::optional<LongCall> grows;  // the pool, by mapping memory
    if (spare_of(pool) < bytes) grows.emplace();
    return cudaMallocAsync(&data, bytes, stream);
  };
  cudaError_t code = attempt();
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    (void)cudaStreamSynchronize(stream);
    release_scratch();
    (void)host.reclaim();
    code = attempt();
  }
  if (code != cudaSuccess) host.unbook(bytes);
  check(host, code, purpose);
  return data;
}

void give_back_scratch(Host& host, void* data, std::uint64_t bytes, cudaStream_t stream) noexcept {
  if (pool_of_current_device() != nullptr)
    (void)cudaFreeAsync(data, stream);
  else
    (void)cudaFree(data);
  host.unbook(bytes);
}

std::uint64_t spare_scratch(int device) noexcept {
  int before = 0;
  (void)cudaGetDevice(&before);
  cudaMemPool_t pool = cudaSetDevice(device) == cudaSuccess ? pool_of_current_device() : nullptr;
  const std::uint64_t spare = pool == nullptr ? 0 : spare_of(pool);
  (void)cudaGetLastError();
  (void)cudaSetDevice(before);
  return spare;
}

void release_scratch() noexcept {
  cudaMemPool_t pool = pool_of_current_device();
  if (pool != nullptr) {
    const LongCall call;
    (void)cudaMemPoolTrimTo(pool, 0);
  }
  (void)cudaGetLastError();
}

ResidentBuffer::ResidentBuffer(Host& host, std::uint64_t bytes, const char* purpose)
    : bytes_(rounded_bytes(bytes)) {
  if (bytes_ == 0) return;
  data_ = allocate_device(host, bytes_, purpose);
  booked_by_ = &host;
}

ResidentBuffer::~ResidentBuffer() {
  settle();
  if (data_ == nullptr) return;
  const LongCall call;
  (void)cudaFree(data_);
}

void ResidentBuffer::settle() noexcept {
  if (booked_by_ != nullptr) booked_by_->unbook(bytes_);
  booked_by_ = nullptr;
}

}  // namespace spyctrum::cuda
