// SPDX-License-Identifier: Apache-2.0
// Scratch memory of a parallel loop: one buffer for each worker that takes part, made by that worker and not
// cleared. A vector for all of them would be cleared by one thread, for processors that may get nothing to
// do.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/fft/aligned_buffer.hpp"

namespace spyctrum {

template <class T>
class WorkerBuffers {
 public:
  /// `size` elements for each of `workers`; whoever makes these books them.
  WorkerBuffers(std::size_t workers, std::size_t size) : size_(size), buffers_(workers) {}

  /// To be called by that worker of the loop only. The content is whatever its last use left.
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
