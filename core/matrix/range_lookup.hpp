// SPDX-License-Identifier: Apache-2.0
// Finds the range that contains an index, for tens of millions of indices and many adjacent ranges. The span
// of the ranges is divided into chunks of 2^shift indices; a table gives, for the first index of each chunk,
// its range and the end of that range.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

class RangeLookup {
 public:
  /// Range r is [bounds[r], bounds[r+1]). `bounds`: at least two, strictly ascending, at most 2^32 − 1.
  explicit RangeLookup(std::span<const Index> bounds)
      : low_(bounds.front()), span_(bounds.back() - bounds.front()) {
    const std::size_t count = bounds.size() - 1;
    ends_.reserve(count + 1);
    for (std::size_t r = 0; r < count; ++r) ends_.push_back(bounds[r + 1] - low_);
    ends_.push_back(std::numeric_limits<Index>::max());  // larger than every index
    const auto width = static_cast<unsigned>(std::bit_width(span_));
    const auto bits = static_cast<unsigned>(std::bit_width(kChunksPerRange * count));
    shift_ = width > bits ? width - bits : 0;
    std::uint32_t range = 0;
    for (std::uint64_t begin = 0; begin <= span_; begin += std::uint64_t{1} << shift_) {
      while (begin >= ends_[range]) ++range;
      chunks_.push_back({range, ends_[range]});
      const std::uint64_t last = std::min<std::uint64_t>(begin + (std::uint64_t{1} << shift_) - 1, span_);
      at_most_two_ = at_most_two_ && (range == count || last < ends_[range + 1]);
    }
  }

  [[nodiscard]] std::size_t ranges() const { return ends_.size() - 1; }
  /// The range that contains index i; ranges() if none does.
  [[nodiscard]] std::uint32_t operator()(Index i) const {
    const Index at = from_low(i);
    std::uint32_t range = near(at);
    while (at >= ends_[range]) ++range;
    return range;
  }
  /// Adds one to counts[range] for the range of each index; counts: [ranges() + 1].
  template <class Count>
  void count(std::span<const Index> indices, Count* counts) const {
    if (at_most_two_) {
      for (const Index i : indices) ++counts[near(from_low(i))];
    } else {
      for (const Index i : indices) ++counts[(*this)(i)];
    }
  }

 private:
  static constexpr std::size_t kChunksPerRange = 2;  // the table should stay in the L1 cache
  struct Chunk {
    std::uint32_t range = 0;  // range of the chunk's first index
    Index end = 0;            // where that range ends
  };
  // Relative to the first bound; an index below the bound becomes larger than the span by unsigned
  // arithmetic.
  [[nodiscard]] Index from_low(Index i) const { return std::min(i - low_, span_); }
  // The range of the index if its chunk overlaps at most two ranges; otherwise that range or an earlier one.
  [[nodiscard]] std::uint32_t near(Index at) const {
    const Chunk& chunk = chunks_[at >> shift_];
    return chunk.range + (at >= chunk.end ? 1U : 0U);
  }
  Index low_;
  Index span_;
  unsigned shift_ = 0;
  bool at_most_two_ = true;
  std::vector<Index> ends_;  // from low_
  std::vector<Chunk> chunks_;
};

}  // namespace spyctrum
