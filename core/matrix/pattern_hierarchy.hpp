// SPDX-License-Identifier: Apache-2.0
// What lets a pattern of 10^8 entries be looked at without reading them all for every picture: three levels,
// from tiles down to entries. Tiles hold nearly equal numbers of entries in each direction, wherever the
// pattern is dense or empty, and their counts are kept as a summed-area table (F. C. Crow, "Summed-area
// tables for texture mapping", SIGGRAPH 1984). What a cell's borders cut off from a tile is counted from the
// entries: by columns, and by rows from the transposed pattern (a symmetric one is its own). So counts are
// exact for any cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Immutable once made; thread-safe.
class PatternHierarchy {
 public:
  /// Patterns of fewer entries are counted as fast without one.
  static constexpr std::int64_t kFewestEntries = std::int64_t{1} << 22U;
  /// At most 2^32 − 1 entries.
  [[nodiscard]] static bool fits(const SparsePattern& pattern);
  /// Upper bound of bytes() once made with the usual tiles: 9·K/4 and 32·√K for the tiles, and where the
  /// pattern is not symmetric about as much again as the pattern holds.
  [[nodiscard]] static std::uint64_t forecast_bytes(const SparsePattern& pattern);

  /// Counts the tiles, about `tiles` in each direction; 0 takes ¾·√K, so that their counts take at most
  /// nine bytes for four entries. Throws Failure{cancelled}, Failure{out_of_memory}; Failure{internal} where
  /// it does not fit.
  PatternHierarchy(PatternPtr pattern, JobContext& context, std::size_t tiles = 0);

  /// Takes the counts of row r of cells, [col_bounds.size() − 1].
  using TakeRow = std::function<void(std::size_t r, std::span<const std::uint32_t> counts)>;
  /// Entries in each cell, exactly: cell (r, c) holds row_bounds[r] ≤ i < row_bounds[r+1], col_bounds[c] ≤ j
  /// < col_bounds[c+1]. Bounds strictly ascending, at least two, at most the side. Calls take(r, …) once for
  /// each r, on the job's threads. Reads about (R + C)·√K/3 entries for R × C cells, or the entries of the
  /// rows or of the columns in view, whichever is fewest. Throws Failure{cancelled}.
  void count(std::span<const Index> row_bounds, std::span<const Index> col_bounds, const TakeRow& take,
             JobContext& context) const;

  [[nodiscard]] const PatternPtr& pattern() const { return pattern_; }
  /// Held besides the pattern.
  [[nodiscard]] std::uint64_t bytes() const;

  /// One direction: its stored lines (columns, or rows as columns of the transposed pattern) and where among
  /// them tiles begin.
  struct Axis {
    PatternPtr lines;
    std::vector<Index> edges;  ///< [tiles + 1] places in lines->column_ids(); the last is their number
    std::vector<Index> ids;    ///< [tiles + 1] first row or column of a tile; the last is the side
  };

 private:
  void count_tiles(JobContext& context);
  /// [row tiles + 1]: entries in the columns before tile column `edge` and the rows before each tile row.
  [[nodiscard]] std::span<const std::uint32_t> before(std::size_t edge) const {
    return std::span(sums_).subspan(edge * rows_.edges.size(), rows_.edges.size());
  }

  PatternPtr pattern_;
  Axis rows_;
  Axis cols_;
  std::vector<std::uint32_t> sums_;  // [column edges × row edges]
};

using HierarchyPtr = std::shared_ptr<const PatternHierarchy>;

}  // namespace spyctrum
