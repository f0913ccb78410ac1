// SPDX-License-Identifier: Apache-2.0
// The entries that a thread block adds to its rows.
#pragma once

#include <cstdint>

#include "core/cuda/cosets/coset_kernels.hpp"

namespace spyctrum::cuda {

/// The entries of a block's rows, of which each thread takes every kThreadCount-th. The first two of a thread
/// are loaded ahead. The rows may go beyond the last of all `count` entries, and continue with the first.
template <int kThreadCount>
class BlockEntries {
 public:
  /// Those of `rows` rows from `first` on.
  __device__ BlockEntries(const OrderedEntries& ordered, std::uint32_t first, std::uint32_t rows)
      : BlockEntries(ordered.entries, ordered.begin[first], ordered.begin[first + rows], ~0U) {}
  /// Those from place `begin` to `end`; place `count` is that of the first entry again.
  __device__ BlockEntries(const CosetEntry* entries, std::uint32_t begin, std::uint32_t end,
                          std::uint32_t count)
      : entries_(entries), at_(begin + threadIdx.x), end_(end), count_(count) {
    load(first_, at_);
    load(second_, at_ + kThreadCount);
  }
  /// Calls add(entry) for each entry of the thread.
  template <class Add>
  __device__ __forceinline__ void for_each(const Add& add) {
    for (; at_ < end_; at_ += kThreadCount) {
      const CosetEntry entry = first_;
      first_ = second_;
      load(second_, at_ + 2 * kThreadCount);
      add(entry);
    }
  }

 private:
  __device__ void load(CosetEntry& to, std::uint32_t t) const {
    if (t < end_) to = entries_[t < count_ ? t : t - count_];
  }
  const CosetEntry* entries_;
  std::uint32_t at_;
  std::uint32_t end_;
  std::uint32_t count_;
  CosetEntry first_;
  CosetEntry second_;
};

/// The entries of which each is spread onto `taps` of `cells` rows of cells, one of them `row`.
template <int kThreadCount>
__device__ BlockEntries<kThreadCount> entries_of_cells(const OrderedEntries& ordered, std::uint32_t row,
                                                       std::uint32_t cells, std::uint32_t taps) {
  const std::uint32_t count = ordered.begin[cells];
  const bool wraps = row + 1 < taps;
  const std::uint32_t first = row + 1 + (wraps ? cells : 0) - taps;
  return BlockEntries<kThreadCount>(ordered.entries, ordered.begin[first],
                                    ordered.begin[row + 1] + (wraps ? count : 0), count);
}

}  // namespace spyctrum::cuda
