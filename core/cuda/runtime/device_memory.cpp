// SPDX-License-Identifier: Apache-2.0
// Memory comes from CUDA's stream-ordered allocator (cudaMallocAsync), whose pool keeps up to an eighth of
// the device's memory for later calls: a plane takes dozens of buffers and a new matrix ten, each of which
// cudaMalloc() would map and cudaFree() unmap in some 70 microseconds.
#include "core/cuda/runtime/device_memory.hpp"

#include <bit>
#include <mutex>
#include <optional>
#include <vector>

namespace spyctrum::cuda {

namespace {

constexpr std::uint64_t kUnusedShare = 8;  // the pool keeps at most 1/8 of the device's memory

/// The memory pool of the current device; null if the device has no pools.
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

/// Raises the number of unused bytes that the pool keeps, unless it was changed from CUDA's default of 0,
/// with which the pool releases all unused memory at each synchronisation.
void raise_threshold(cudaMemPool_t pool) noexcept {
  std::uint64_t threshold = 0;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  if (cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess &&
      threshold == 0 && cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess) {
    threshold = total_bytes / kUnusedShare;
    (void)cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  }
  (void)cudaGetLastError();
}

std::uint64_t unused_of(cudaMemPool_t pool) noexcept {
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  if (cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) != cudaSuccess ||
      cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return reserved > used ? reserved - used : 0;
}

/// Page-locked memory that no job uses, kept for the next job, since locking and unlocking 67 MB take 40 ms.
/// At most kMost bytes; the memory is valid for all devices and stays until the process ends.
class UnusedPinned {
 public:
  /// The smallest buffer of `bytes` to kLargest·`bytes`, and its capacity; null if there is none.
  [[nodiscard]] std::pair<void*, std::uint64_t> take(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    auto best = buffers_.end();
    for (auto at = buffers_.begin(); at != buffers_.end(); ++at)
      if (at->second >= bytes && at->second <= kLargest * bytes &&
          (best == buffers_.end() || at->second < best->second))
        best = at;
    if (best == buffers_.end()) return {nullptr, 0};
    const std::pair<void*, std::uint64_t> taken = *best;
    held_ -= taken.second;
    buffers_.erase(best);
    return taken;
  }
  /// Keeps the buffer; returns false if the caller should free it.
  [[nodiscard]] bool keep(void* data, std::uint64_t bytes) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      if (held_ + bytes > kMost) return false;
      buffers_.emplace_back(data, bytes);
      held_ += bytes;
      return true;
    } catch (...) {
      return false;  // the list cannot grow
    }
  }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{96} << 20U;
  static constexpr std::uint64_t kLargest = 8;
  std::mutex mutex_;
  std::vector<std::pair<void*, std::uint64_t>> buffers_;
  std::uint64_t held_ = 0;
};

/// Never destroyed: when statics are destroyed, the driver may already be unloaded.
UnusedPinned& unused_pinned() {
  static auto* unused = new UnusedPinned;
  return *unused;
}

}  // namespace

void* allocate_device(Host& host, std::uint64_t bytes, const char* purpose) {
  host.book(bytes, purpose);
  void* data = nullptr;
  const auto attempt = [&] {
    const LongCall call;
    return cudaMalloc(&data, bytes);
  };
  cudaError_t code = attempt();
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    release_unused_bytes();
    (void)host.reclaim();
    code = attempt();
  }
  if (code != cudaSuccess) host.unbook(bytes);
  check(host, code, purpose);
  return data;
}

PinnedBuffer::PinnedBuffer(Host& host, std::uint64_t bytes) {
  if (bytes == 0) return;
  host.book_host(bytes, "staging memory");
  auto [data, capacity] = unused_pinned().take(bytes);
  cudaError_t code = cudaSuccess;
  if (data == nullptr) {
    const LongCall call;
    capacity = std::bit_ceil(bytes);
    code = cudaMallocHost(&data, capacity);
  }
  if (code != cudaSuccess) host.unbook_host(bytes);
  check(host, code, "staging memory of the host");
  data_ = {static_cast<float*>(data), FreePinned{&host, bytes, capacity}};
}

void FreePinned::operator()(float* data) const noexcept {
  if (!unused_pinned().keep(data, capacity)) {
    const LongCall call;
    (void)cudaFreeHost(data);
  }
  host->unbook_host(bytes);
}

void* take_memory(Host& host, std::uint64_t bytes, const char* purpose, cudaStream_t stream) {
  cudaMemPool_t pool = pool_of_current_device();
  if (pool == nullptr) return allocate_device(host, bytes, purpose);
  raise_threshold(pool);
  host.book(bytes, purpose);
  void* data = nullptr;
  const auto attempt = [&] {
    std::optional<LongCall> call;  // only if the pool has to map more memory
    if (unused_of(pool) < bytes) call.emplace();
    return cudaMallocAsync(&data, bytes, stream);
  };
  cudaError_t code = attempt();
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    (void)cudaStreamSynchronize(stream);
    release_unused_bytes();
    (void)host.reclaim();
    code = attempt();
  }
  // Streams of the class Stream do not wait for the stream on which the allocation is ordered.
  if (code == cudaSuccess && stream == cudaStreamLegacy) {
    code = cudaStreamSynchronize(stream);
    if (code != cudaSuccess) (void)cudaFreeAsync(data, stream);
  }
  if (code != cudaSuccess) host.unbook(bytes);
  check(host, code, purpose);
  return data;
}

void return_memory(Host& host, void* data, std::uint64_t bytes, cudaStream_t stream) noexcept {
  return_memory(data, stream);
  host.unbook(bytes);
}

void return_memory(void* data, cudaStream_t stream) noexcept {
  // After an exception a stream of the job may still use the memory. (cudaFree() waits as well.)
  if (stream == cudaStreamLegacy) (void)cudaDeviceSynchronize();
  if (pool_of_current_device() != nullptr)
    (void)cudaFreeAsync(data, stream);
  else
    (void)cudaFree(data);
}

std::uint64_t unused_bytes(int device) noexcept {
  const DeviceScope scope(device);
  cudaMemPool_t pool = scope.is_chosen() ? pool_of_current_device() : nullptr;
  const std::uint64_t unused = pool == nullptr ? 0 : unused_of(pool);
  (void)cudaGetLastError();
  return unused;
}

void release_unused_bytes() noexcept {
  cudaMemPool_t pool = pool_of_current_device();
  if (pool != nullptr) {
    const LongCall call;
    (void)cudaMemPoolTrimTo(pool, 0);
  }
  (void)cudaGetLastError();
}

ResidentBuffer::ResidentBuffer(Host& host, std::uint64_t bytes, const char* purpose, cudaStream_t stream)
    : bytes_(rounded_bytes(bytes)) {
  if (bytes_ == 0) return;
  check(host, cudaGetDevice(&device_), purpose);
  data_ = take_memory(host, bytes_, purpose, stream);
  booked_by_ = &host;
}

ResidentBuffer::~ResidentBuffer() {
  finish_upload();
  if (data_ == nullptr) return;
  const DeviceScope scope(device_);
  return_memory(data_, cudaStreamLegacy);
}

void ResidentBuffer::finish_upload() noexcept {
  if (booked_by_ != nullptr) booked_by_->unbook(bytes_);
  booked_by_ = nullptr;
}

void finish_default_stream(Host& host, const char* purpose) {
  check(host, cudaStreamSynchronize(cudaStreamLegacy), purpose);
}

}  // namespace spyctrum::cuda
