// SPDX-License-Identifier: Apache-2.0
// Making a hierarchy: tile edges at quantiles of the entries, then one pass over all entries for the table.
#include "core/matrix/pattern_hierarchy.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/matrix/packed_entries.hpp"
#include "core/matrix/range_lookup.hpp"

namespace spyctrum {

namespace {

// with these tiles a picture of 1,080 × 1,920 cells reads about a tenth of 10^8 entries
std::size_t usual_tiles(std::int64_t entries) {
  return static_cast<std::size_t>(std::max(1.0, 0.75 * std::sqrt(static_cast<double>(entries))));
}

std::uint64_t bytes_of(const std::vector<Index>& values) { return values.capacity() * sizeof(Index); }

// No line is divided between tiles: a line with more entries than a tile should have is a tile of its own.
PatternHierarchy::Axis tiled(PatternPtr lines, std::size_t tiles) {
  const auto starts = lines->column_starts();
  const auto ids = lines->column_ids();
  const auto entries = static_cast<std::uint64_t>(lines->nonzeros());
  PatternHierarchy::Axis axis;
  axis.edges.push_back(0);
  axis.ids.push_back(0);
  for (std::size_t t = 1; t < tiles; ++t) {
    const auto before = static_cast<std::int64_t>(entries * t / tiles);
    const auto line =
        static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), before) - starts.begin());
    if (line <= axis.edges.back() || line >= ids.size()) continue;
    axis.edges.push_back(static_cast<Index>(line));
    axis.ids.push_back(ids[line]);
  }
  axis.edges.push_back(static_cast<Index>(ids.size()));
  axis.ids.push_back(static_cast<Index>(lines->cols()));
  axis.lines = std::move(lines);
  return axis;
}

}  // namespace

bool PatternHierarchy::fits(const SparsePattern& pattern) {
  return pattern.nonzeros() <= std::int64_t{std::numeric_limits<std::uint32_t>::max()};
}

std::uint64_t PatternHierarchy::forecast_bytes(const SparsePattern& pattern) {
  const std::uint64_t tiles = usual_tiles(pattern.nonzeros()) + 1;
  const std::uint64_t mirror =
      pattern.symmetric() ? 0 : pattern.bytes() + 12 * pattern.row_counts().ids.size();
  return sizeof(std::uint32_t) * tiles * tiles + 4 * sizeof(Index) * tiles + mirror;
}

PatternHierarchy::PatternHierarchy(PatternPtr pattern, JobContext& context, std::size_t tiles)
    : pattern_(std::move(pattern)) {
  if (!fits(*pattern_))
    throw Failure(ErrorCode::internal, "PatternHierarchy: more entries than its counts can hold.");
  const Booking booking(context.memory(), forecast_bytes(*pattern_), "hierarchy of the pattern");
  if (tiles == 0) tiles = usual_tiles(pattern_->nonzeros());
  context.begin_stage("rows");
  rows_ = tiled(pattern_->symmetric() ? pattern_
                                      : std::make_shared<const SparsePattern>(pattern_->transposed(&context)),
                tiles);
  cols_ = tiled(pattern_, tiles);
  context.begin_stage("tiles");
  count_tiles(context);
}

void PatternHierarchy::count_tiles(JobContext& context) {
  const std::size_t height = rows_.edges.size();
  sums_.assign(cols_.edges.size() * height, 0);
  const RangeLookup tile_of(rows_.ids);
  const auto starts = pattern_->column_starts();
  const auto rows = pattern_->row_indices();
  const std::size_t columns = cols_.edges.size() - 1;
  std::atomic<std::size_t> done{0};
  // Prefix sums down each column of tiles, then across the columns.
  for_blocks(&context, columns, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t tile = begin; tile < end; ++tile) {
      std::uint32_t* sums = sums_.data() + (tile + 1) * height;
      const auto last = static_cast<std::size_t>(starts[cols_.edges[tile + 1]]);
      for (auto t = static_cast<std::size_t>(starts[cols_.edges[tile]]); t < last; ++t)
        ++sums[tile_of(rows[t]) + 1];
      std::partial_sum(sums, sums + height, sums);
    }
    context.checkpoint(done += end - begin, columns);
  });
  for (std::size_t tile = 1; tile <= columns; ++tile) {
    context.check_stop();
    const std::uint32_t* left = sums_.data() + (tile - 1) * height;
    std::uint32_t* sums = sums_.data() + tile * height;
    for (std::size_t r = 0; r < height; ++r) sums[r] += left[r];
  }
}

std::uint64_t PatternHierarchy::bytes() const {
  const auto of_axis = [](const Axis& axis) { return bytes_of(axis.edges) + bytes_of(axis.ids); };
  return sums_.capacity() * sizeof(std::uint32_t) + of_axis(rows_) + of_axis(cols_) +
         (rows_.lines == pattern_ ? 0 : rows_.lines->bytes());
}

}  // namespace spyctrum
