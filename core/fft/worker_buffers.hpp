// SPDX-License-Identifier: Apache-2.0
// Scratch memory of a parallel loop: one buffer per worker that takes part, allocated by that worker and not
// initialised. One zeroed vector for all workers would be written by one thread, also for workers that get no
// range of the loop.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/fft/aligned_buffer.hpp"

namespace spyctrum {

template <class T>
class WorkerBuffers {
 public:
  /// `size` elements for each of `workers`; the caller books their bytes.
  WorkerBuffers(std::size_t workers, std::size_t size) : size_(size), buffers_(workers) {}

  /// The buffer of `worker`, for that worker only. Its content is uninitialised or left from its last use.
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
