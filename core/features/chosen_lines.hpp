// SPDX-License-Identifier: Apache-2.0
// The chosen lines: whole lines of the plane that are computed exactly beside a lattice sample. These are the
// lines near the axes, and the rows, columns and diagonals that hold more than their share of power. A
// lattice of block size b has b times too many samples, or none, on a ridge that is one coefficient wide (the
// antidiagonal of a band matrix, the comb of a mesh).
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

/// Whole lines are computed for sides up to this; longer ones would cost more than the sampling itself.
inline constexpr std::uint64_t kLongestWholeLine = std::uint64_t{1} << 20U;

struct LineSet {
  /// by DFT index c of the line, c and −c alike; empty if no line of this direction is chosen
  std::vector<char> chosen;
  std::vector<std::uint64_t> indices;  ///< DFT indices of the chosen lines, ascending
  [[nodiscard]] bool holds(std::uint64_t c) const { return chosen[c] != 0; }
};

struct ChosenLines {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  LineSet rows, columns, sums, differences;  ///< diagonals are empty for rectangular patterns

  [[nodiscard]] const LineSet& of(LineDirection direction) const;
  /// Whether coefficient (u, v) is on a chosen diagonal, or on any chosen line; DFT indices.
  [[nodiscard]] bool holds_on_diagonal(std::uint64_t u, std::uint64_t v) const {
    const auto folded = [this](std::uint64_t c) { return c < n ? c : c - n; };
    return (!sums.chosen.empty() && sums.holds(folded(u + v))) ||
           (!differences.chosen.empty() && differences.holds(folded(u + n - v)));
  }
  [[nodiscard]] bool holds(std::uint64_t u, std::uint64_t v) const {
    return rows.holds(u) || columns.holds(v) || holds_on_diagonal(u, v);
  }
  /// Sets `v` to the positions where row u meets a chosen line of another direction, ascending and distinct.
  void crossings(std::uint64_t u, std::vector<std::uint64_t>& v) const;
};

/// Rows |u| ≤ kNearAxis and columns |v| ≤ kNearAxis are computed exactly: on graphs with hubs the features
/// are more accurate than with the axes alone; more lines did not reduce the errors.
inline constexpr std::uint64_t kNearAxis = 8;

/// Chooses the rows and columns with |c| ≤ kNearAxis, their Nyquist lines, and in each direction at most
/// kMostPowerfulLines pairs ±c whose line_powers() are above 2.5 times the mean.
inline constexpr std::size_t kMostPowerfulLines = 64;
[[nodiscard]] ChosenLines choose_lines(const SparsePattern& pattern, JobContext& context);
/// The same; `powers` supplies the line_powers() of a direction.
[[nodiscard]] ChosenLines choose_lines(const SparsePattern& pattern,
                                       const std::function<std::vector<float>(LineDirection)>& powers);

/// Indices of the chosen lines of a direction, one of each conjugate pair ±c: c ≤ count/2, ascending.
[[nodiscard]] std::vector<std::int64_t> computed_lines(const ChosenLines& lines, LineDirection direction);
/// Multiplicity of line c: 2 if −c is another line, else 1.
[[nodiscard]] int line_weight(const ChosenLines& lines, LineDirection direction, std::int64_t c);

/// Sums over the union of the chosen lines; each coefficient once, DC excluded.
[[nodiscard]] FeatureTotals totals_of(const ChosenLines& lines, const SparsePattern& pattern,
                                      JobContext& context);

/// consume(k, values, worker) of the functions below: line number k of the list, whose values may be
/// overwritten.
using LineConsumer = std::function<void(std::size_t, std::span<std::complex<float>>, unsigned)>;
/// Computes rows u (0 … m−1, any order) of the pattern's spectrum over the pool and consumes each.
void for_each_row_of(const SparsePattern& pattern, const std::vector<std::int64_t>& u, JobContext& context,
                     const LineConsumer& consume);
/// The same for the lines c of a direction (line_family.hpp): the rows of pattern_along().
void for_each_line_of(const SparsePattern& pattern, LineDirection direction,
                      const std::vector<std::int64_t>& c, JobContext& context, const LineConsumer& consume);

/// Peak bytes of the functions above, to be booked by the caller. The sort of a re-indexed pattern, which
/// books 8 bytes per entry itself, is not included.
[[nodiscard]] std::uint64_t line_bytes(const SparsePattern& pattern, unsigned threads);

}  // namespace spyctrum
