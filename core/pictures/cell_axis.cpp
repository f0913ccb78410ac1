// SPDX-License-Identifier: Apache-2.0
// Both ends of a cell's range are computed by the same function of the edge, so that neighbouring ranges meet
// exactly in spite of rounding.
#include "core/pictures/cell_axis.hpp"

#include <algorithm>
#include <cmath>

namespace spyctrum {

namespace {

/// Conversion to an integer, clamped to ±10^15, which is far outside of every plane (sides are below 2^32).
std::int64_t to_index(double value) { return static_cast<std::int64_t>(std::clamp(value, -1e15, 1e15)); }

template <class FirstFrom, class Holding>
std::vector<IndexRange> ranges_of(const CellSpan& span, IndexRange plane, FirstFrom&& first_from,
                                  Holding&& holding) {
  std::vector<IndexRange> ranges(span.cells);
  for (std::uint32_t k = 0; k < span.cells; ++k) {
    IndexRange range{first_from(span.edge(k)), first_from(span.edge(k + 1))};
    if (range.empty()) {
      const std::int64_t index = holding(span.middle(k));
      range = {index, index + 1};
    }
    range = {std::max(range.first, plane.first), std::min(range.last, plane.last)};
    ranges[k] = range.empty() ? IndexRange{} : range;
  }
  return ranges;
}

}  // namespace

CellAxis CellAxis::of_frequencies(const CellSpan& span, std::uint64_t size) {
  const auto lowest = -static_cast<std::int64_t>(size / 2);
  const auto centre = [](double edge) {
    return edge + 0.5 - 0.5;
  };  // an edge within 1e-17 of a centre is on it
  CellAxis axis;
  axis.ranges_ = ranges_of(
      span, {lowest, lowest + static_cast<std::int64_t>(size)},
      [&](double edge) { return to_index(std::ceil(centre(edge))); },
      [](double middle) { return to_index(std::floor(middle + 0.5)); });
  axis.origin_ = centre(span.start);
  axis.cells_per_index_ = 1 / span.size();
  axis.index();
  return axis;
}

CellAxis CellAxis::of_blocks(const CellSpan& span, std::uint64_t block, std::uint64_t size) {
  const auto b = static_cast<double>(block);
  const auto end = static_cast<double>(size);
  const auto blocks = static_cast<std::int64_t>((size + block - 1) / block);
  const double last_centre = (static_cast<double>(blocks - 1) * b + end) / 2;
  CellAxis axis;
  axis.ranges_ = ranges_of(
      span, {0, blocks},
      [&](double edge) {
        const std::int64_t first = to_index(std::ceil(edge / b - 0.5));
        return first == blocks - 1 && edge > last_centre ? blocks : first;  // the last block may be smaller
      },
      [&](double middle) { return middle < end ? to_index(std::floor(middle / b)) : blocks; });
  axis.origin_ = span.start / b - 0.5;
  axis.cells_per_index_ = b / span.size();
  axis.index();
  return axis;
}

void CellAxis::index() {
  view_ = {};
  lowest_ = 0;
  highest_ = -1;
  bool is_shared = false;
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    const IndexRange& range = ranges_[k];
    if (range.empty()) continue;
    if (highest_ < 0) {
      view_ = range;
      lowest_ = static_cast<std::int64_t>(k);
    } else {
      is_shared = is_shared || range.first < view_.last;
    }
    view_.last = std::max(view_.last, range.last);
    highest_ = static_cast<std::int64_t>(k);
  }
  if (!is_shared) return;
  shared_.assign(static_cast<std::size_t>(view_.count()), {~0U, 0U});
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    for (std::int64_t i = ranges_[k].first; i < ranges_[k].last; ++i) {
      auto& [first, last] = shared_[static_cast<std::size_t>(i - view_.first)];
      first = std::min(first, static_cast<std::uint32_t>(k));
      last = static_cast<std::uint32_t>(k) + 1;
    }
  }
}

}  // namespace spyctrum
