// SPDX-License-Identifier: Apache-2.0
// Memory for the kernels: aligned to 64 bytes for vector loads, not initialised (so that the thread that uses
// a page writes it first). Large arrays ask the system for large pages, since the lattice engine reads
// columns.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace spyctrum {

template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t count) : data_(allocate(count)), size_(count) {}

  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t k) { return data_.get()[k]; }
  const T& operator[](std::size_t k) const { return data_.get()[k]; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  static T* allocate(std::size_t count) {
    constexpr std::size_t kHugePage = std::size_t{1} << 21;
    const std::size_t bytes = count * sizeof(T);
    const std::size_t alignment = bytes >= 2 * kHugePage ? kHugePage : 64;
    void* p = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
    if (p == nullptr) throw std::bad_alloc();
    if (alignment == kHugePage) madvise(p, bytes, MADV_HUGEPAGE);  // a hint: failure changes nothing
    return static_cast<T*>(p);
  }

  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

/// Scratch memory of a parallel loop: one uninitialised buffer per worker, allocated by that worker on its
/// first use. A single zeroed vector would be written by one thread, also for workers that get no share of
/// the loop.
template <class T>
class WorkerBuffers {
 public:
  /// Each of `workers` buffers has `size` elements; the caller books their bytes.
  WorkerBuffers(std::size_t workers, std::size_t size) : size_(size), buffers_(workers) {}

  /// The buffer of `worker`; only that worker may call this. Its content is unspecified.
  [[nodiscard]] std::span<T> of(unsigned worker) {
    AlignedBuffer<T>& buffer = buffers_[worker];
    if (buffer.data() == nullptr) buffer = AlignedBuffer<T>(size_);
    return {buffer.data(), size_};
  }

 private:
  std::size_t size_;
  std::vector<AlignedBuffer<T>> buffers_;
};

}  // namespace spyctrum
