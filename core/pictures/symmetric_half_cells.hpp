// SPDX-License-Identifier: Apache-2.0
// Cells of a display pyramid whose rows are streamed as the symmetric half |v| ≤ u: how many coefficients of
// the half a cell holds, and the cells of the transposes F[v,u] = F[u,v].
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/base/zeroed_vector.hpp"
#include "core/pictures/cell_axis.hpp"

namespace spyctrum {

/// The number of positions in each cell of an axis.
[[nodiscard]] inline std::vector<double> cell_sizes(std::uint64_t size, std::uint32_t cells) {
  std::vector<double> sizes(cells);
  for (std::uint32_t k = 0; k < cells; ++k)
    sizes[k] =
        static_cast<double>(pyramid_cell_begin(k + 1U, size, cells) - pyramid_cell_begin(k, size, cells));
  return sizes;
}

/// The first and the last cell of an axis of n positions that hold any of the shifted v with |v| ≤ u ≤ n/2.
[[nodiscard]] inline std::pair<std::uint64_t, std::uint64_t> cells_of_half(std::uint64_t u, std::uint64_t n,
                                                                           std::uint64_t cells) {
  const std::uint64_t centre = n / 2;
  return {pyramid_cell_of(centre - u, n, cells), pyramid_cell_of(std::min(centre + u, n - 1), n, cells)};
}

/// The number of coefficients of the symmetric half in each cell of a row of cells, with half weight for |v|
/// = u.
class SymmetricHalfCounts {
 public:
  SymmetricHalfCounts(std::uint64_t n, std::uint32_t cols)
      : n_(n), cols_(cols), partial_(cols), whole_(cols + 1U) {}

  /// Counts |v| ≤ u of row u.
  void add(std::uint64_t u) {
    const auto [first, last] = cells_of_half(u, n_, cols_);
    partial_[first] += inside(first, u);
    if (last == first) return;
    partial_[last] += inside(last, u);
    ++whole_[first + 1];
    --whole_[last];
  }
  /// Sets counts[0 … cols−1] to the numbers; `widths`: coefficients per cell and row.
  void write_to(const std::vector<double>& widths, float* counts) const {
    std::int64_t rows = 0;
    for (std::uint32_t c = 0; c < cols_; ++c) {
      rows += whole_[c];
      counts[c] = static_cast<float>(partial_[c] + static_cast<double>(rows) * widths[c]);
    }
  }

 private:
  [[nodiscard]] double inside(std::uint64_t cell, std::uint64_t u) const {
    const auto centre = static_cast<std::int64_t>(n_ / 2);
    const auto reach = static_cast<std::int64_t>(u);
    const auto begin = static_cast<std::int64_t>(pyramid_cell_begin(cell, n_, cols_));
    const auto end = static_cast<std::int64_t>(pyramid_cell_begin(cell + 1, n_, cols_));
    const auto holds = [&](std::int64_t at) { return begin <= at && at < end ? 0.5 : 0.0; };
    const std::int64_t within = std::min(end, centre + reach) - std::max(begin, centre - reach + 1);
    return static_cast<double>(std::max<std::int64_t>(0, within)) + holds(centre - reach) +
           (u > 0 ? holds(centre + reach) : 0.0);
  }
  std::uint64_t n_;
  std::uint32_t cols_;
  std::vector<double> partial_;
  std::vector<std::int64_t> whole_;
};

/// The larger of two cells: a `join` of join_transpose().
inline float larger_of(float a, float b, std::size_t /*r*/, std::size_t /*c*/) { return std::max(a, b); }

/// cells[r, c] = cells[c, r] = join(cells[r, c], cells[c, r], r, c) for r ≥ c of a square array. Square by
/// square: the square above the diagonal is copied, since rows that are a power of two apart share cache
/// lines.
template <class Join>
void join_transpose(ZeroedVector<float>& cells, std::size_t side, ThreadPool& pool, Join join) {
  constexpr std::size_t kSquare = 64;
  const std::size_t strips = (side + kSquare - 1) / kSquare;
  // The longest strips first, so that the threads end together.
  pool.parallel_for(strips, 1, [&](std::size_t k, std::size_t, unsigned) {
    const std::size_t top = (strips - 1 - k) * kSquare;
    const std::size_t rows = std::min(kSquare, side - top);
    std::array<std::array<float, kSquare>, kSquare> above;
    for (std::size_t left = 0; left <= top; left += kSquare) {
      const std::size_t cols = std::min(kSquare, side - left);
      for (std::size_t c = 0; c < cols; ++c)
        std::copy_n(&cells[(left + c) * side + top], rows, above[c].data());
      for (std::size_t r = 0; r < rows; ++r) {
        float* const below = &cells[(top + r) * side + left];
        for (std::size_t c = 0; c < cols; ++c)
          below[c] = above[c][r] = join(below[c], above[c][r], top + r, left + c);
      }
      if (left == top) continue;  // symmetric already
      for (std::size_t c = 0; c < cols; ++c)
        std::copy_n(above[c].data(), rows, &cells[(left + c) * side + top]);
    }
  });
}

}  // namespace spyctrum
