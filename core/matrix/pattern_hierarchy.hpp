// SPDX-License-Identifier: Apache-2.0
// Exact counts of the entries in the cells of a picture, without reading all of 10^8 entries for each
// picture. Rows and columns are divided into tiles of nearly equal numbers of entries. A summed-area table
// (F. C. Crow, "Summed-area tables for texture mapping", SIGGRAPH 1984) contains the number of entries before
// each pair of tile edges. If the bound of a cell lies between two edges, the entries between the bound and
// the nearest edge are counted one by one: along columns in the pattern, along rows in its transpose (the
// pattern itself if it is symmetric).
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
  /// Below this number of entries, counting all of them is as fast.
  static constexpr std::int64_t kFewestEntries = std::int64_t{1} << 22U;
  /// Whether the pattern has at most 2^32 − 1 entries, the limit of a hierarchy.
  [[nodiscard]] static bool fits(const SparsePattern& pattern);
  /// Upper bound of bytes() with tiles = 0: for K entries 9·K/4 + 32·√K for the tiles and, unless the pattern
  /// is symmetric, about the bytes of the pattern for its transpose.
  [[nodiscard]] static std::uint64_t forecast_bytes(const SparsePattern& pattern);

  /// Makes about `tiles` tiles in each direction; 0: ¾·√K, for which the table takes 9/4 bytes per entry.
  /// Throws Failure{cancelled}, Failure{out_of_memory}; Failure{internal} if the pattern does not fit.
  PatternHierarchy(PatternPtr pattern, JobContext& context, std::size_t tiles = 0);

  /// Receives the counts of row r of cells, one for each column of cells.
  using TakeRow = std::function<void(std::size_t r, std::span<const std::uint32_t> counts)>;
  /// Calls take(r, counts) once for each row of cells, on the job's threads: counts[c] is the exact number of
  /// entries (i, j) with row_bounds[r] ≤ i < row_bounds[r+1] and col_bounds[c] ≤ j < col_bounds[c+1]. Bounds
  /// must be strictly ascending, at least two, and at most the side. Reads about (R + C)·√K/3 entries for R ×
  /// C cells, or the entries of the rows or columns between the bounds if these are fewer. Throws
  /// Failure{cancelled}.
  void count(std::span<const Index> row_bounds, std::span<const Index> col_bounds, const TakeRow& take,
             JobContext& context) const;

  [[nodiscard]] const PatternPtr& pattern() const { return pattern_; }
  /// Memory held besides the pattern.
  [[nodiscard]] std::uint64_t bytes() const;

  /// The tiles of one direction. `lines`: the pattern, whose columns are the lines, or its transpose, whose
  /// columns are the rows.
  struct Axis {
    PatternPtr lines;
    std::vector<Index> edges;  ///< [tiles + 1] positions in lines->column_ids(); the last is their number
    std::vector<Index> ids;    ///< [tiles + 1] first row or column of a tile; the last is the side
  };

 private:
  void count_tiles(JobContext& context);
  /// [row tiles + 1]: numbers of entries in the columns before edge `edge` and the rows before each row edge.
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
