// SPDX-License-Identifier: Apache-2.0
// Which whole lines of the plane are worth computing exactly before it is
// sampled: those near the axes, and rows, columns and diagonals that hold more
// than their share of power. Ridges one coefficient wide (the diagonal of a band
// matrix, the comb of a grid) are met by a lattice b times too often or never.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/features/feature_totals.hpp"
#include "core/features/line_family.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Lines of longer sides are not computed whole: hundreds of them would take longer than what they serve.
inline constexpr std::uint64_t kLongestWholeLine = std::uint64_t{1} << 20U;

struct LineSet {
  std::vector<char> chosen;  ///< by DFT index of the line, closed under c → −c; empty: no such lines
  std::vector<std::uint64_t> indices;  ///< those chosen, ascending
  [[nodiscard]] bool holds(std::uint64_t c) const { return chosen[c] != 0; }
};

struct ChosenLines {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  LineSet rows, columns, sums, differences;  ///< diagonals are empty for rectangular patterns

  [[nodiscard]] const LineSet& of(LineDirection direction) const;
  /// Positions v where row u meets a chosen line of another direction, ascending, each once.
  void crossings(std::uint64_t u, std::vector<std::uint64_t>& v) const;
};

/// Near the axes and by power (line_powers()), at most 2·kMostPowerfulLines+1 by power in each direction.
inline constexpr std::size_t kMostPowerfulLines = 64;
[[nodiscard]] ChosenLines choose_lines(const SparsePattern& pattern, JobContext& context);
/// The same from line_powers() of each direction as `powers` returns them.
[[nodiscard]] ChosenLines choose_lines(const SparsePattern& pattern,
                                       const std::function<std::vector<float>(LineDirection)>& powers);

/// The lines of a direction that are computed, one of each pair of mirrors: c ≤ count/2, ascending.
[[nodiscard]] std::vector<std::int64_t> computed_lines(const ChosenLines& lines, LineDirection direction);
/// How often such a line counts: twice where −c is another line.
[[nodiscard]] int line_weight(const ChosenLines& lines, LineDirection direction, std::int64_t c);

/// Sums over the union of the chosen lines, each coefficient once; DC apart.
[[nodiscard]] FeatureTotals totals_of(const ChosenLines& lines, const SparsePattern& pattern,
                                      JobContext& context);

/// Rows u (0 … m−1, any order) of a pattern's spectrum over the pool: consume(position in `u`, row of n
/// values that may be overwritten, worker).
void for_each_row_of(
    const SparsePattern& pattern, const std::vector<std::int64_t>& u, JobContext& context,
    const std::function<void(std::size_t, std::span<std::complex<float>>, unsigned)>& consume);

/// Bytes that the functions above hold at most; whoever calls them books these. Without those of a sort,
/// which books them itself: 8 an entry.
[[nodiscard]] std::uint64_t line_bytes(const SparsePattern& pattern, unsigned threads);

}  // namespace spyctrum
