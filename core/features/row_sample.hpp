// SPDX-License-Identifier: Apache-2.0
// A random sample of the rows of a plane from which Σ P, Σ P ln P and Σ ln P of all rows are estimated with
// standard errors (P = |F|²). Rows u = 0 … ⌊m/2⌋ are grouped in tiles of equal height:
//   certain tiles   computed first and exactly: the lowest frequencies, the last tile (Nyquist), tiles with
//                   much power (line_family.hpp) and their neighbours, and those of a ring or sector that few
//                   tiles reach;
//   strata          runs of the other tiles, narrower where power lies and where rings are small. The order
//                   within a stratum is random by the seed; round r computes tile r of every stratum, so that
//                   each round ends with a simple random sample of every stratum.
// Estimates: a difference estimator within strata with two variables whose totals are known, the number of
// coefficients of each class and the power, Σ|F|² = mnK (Cochran, Sampling Techniques, 1977, ch. 5 and 7;
// Särndal, Swensson & Wretman, Model Assisted Survey Sampling, 1992, ch. 6). Formulas:
// core/features/ERRORS.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/features/moments.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The rows to sample from, and their known totals.
struct RowPopulation {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  double mean_power = 0;        ///< Σ|F|²/mn: K, of weights Σw²
  double dc = 0;                ///< F[0,0]: K, of weights Σw
  bool symmetric_half = false;  ///< SpectrumRow::symmetric_half
  double zero_floor = 0;        ///< rounding_floor() of the pattern
  [[nodiscard]] std::uint64_t half_rows() const { return m / 2 + 1; }
  [[nodiscard]] double cells() const { return static_cast<double>(m) * static_cast<double>(n); }
  /// Rows of a tile: a power of two, 1 … 32, chosen so that there are at least 512 tiles if there are that
  /// many rows.
  [[nodiscard]] std::uint64_t tile_rows() const;
  [[nodiscard]] std::uint64_t tiles() const { return (half_rows() + tile_rows() - 1) / tile_rows(); }
  [[nodiscard]] std::uint64_t first_row(std::uint64_t tile) const;
};

/// The order in which tiles are computed, and the places where the computation may stop.
struct RowSample {
  static constexpr std::uint32_t kCertain = 0xFFFFFFFFU;
  std::vector<std::uint64_t> order;       ///< certain tiles, then round by round
  std::uint64_t certain = 0;              ///< number of certain tiles, the first of `order`
  std::vector<std::uint32_t> stratum_of;  ///< by tile, or kCertain
  std::vector<std::uint64_t> strata;      ///< number of tiles of each stratum
  /// Ends of the rounds at which there is an estimate, as numbers of tiles of `order`; the last one is all
  /// tiles.
  std::vector<std::uint64_t> check_points;
};
/// All tiles, in ascending order, as certain ones: there is no estimate before the last.
[[nodiscard]] RowSample all_rows(const RowPopulation& population);
/// Equal patterns and seeds give equal samples. Throws Failure{cancelled}.
[[nodiscard]] RowSample sample_rows(const SparsePattern& pattern, const RowPopulation& population,
                                    std::uint64_t seed, JobContext& context);
/// RowSample::check_points, which follow from the other members.
[[nodiscard]] std::vector<std::uint64_t> check_points_of(const RowSample& sample);

/// Number of coefficients of each class in each tile, counted in a few of its rows: a variable that is known
/// for all tiles.
[[nodiscard]] std::vector<Moments> class_counts(const RowPopulation& population);

/// Estimated totals over all rows without DC, and their standard errors: σ times the quantile of Student's t
/// for 68.3 %.
struct RowEstimate {
  Moments totals;
  Moments deviations;
  /// false if a deviation that matters rests on too few tiles to be trusted
  bool reliable = false;
};
/// Estimates from the first `done` tiles of the order; `done` must be a check point. `sums` and `counts` by
/// tile.
[[nodiscard]] RowEstimate estimate_rows(const RowPopulation& population, const RowSample& sample,
                                        std::uint64_t done, std::span<const Moments> sums,
                                        std::span<const Moments> counts);

}  // namespace spyctrum
