// SPDX-License-Identifier: Apache-2.0
// Scratch memory of a parallel loop: one uninitialised buffer per worker, allocated by that worker on its
// first use. A single zeroed vector would be written by one thread, also for workers that get no share of the
// loop.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/fft/aligned_buffer.hpp"

namespace spyctrum {

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
