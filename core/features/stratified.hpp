// SPDX-License-Identifier: Apache-2.0
// The stratified decoder (decode_stratified.cpp) over sums that the host or a device takes: the decoder
// chooses the lines and rows, a PlaneSums returns the sums over them, and the decoder estimates the features.
#pragma once

#include <cstdint>
#include <vector>

#include "core/features/chosen_lines.hpp"
#include "core/features/decoders.hpp"
#include "core/features/moments.hpp"

namespace spyctrum {

/// Coefficients with |F|² > `threshold` are summed separately from the bulk. The floors apply by octaves.
struct PowerLimits {
  float threshold = 0;
  PowerFloors floors;
};

/// Moments of one sampled row and its mirror: of the bulk, and of the coefficients above the threshold.
struct SampledRowMoments {
  Moments below;
  Moments above;
};

/// Takes the sums of the decoder. powers() is called once per direction, lines() and bulk() once, rows() as
/// often as the sample of rows grows, in the order of declaration. DC is in no sum.
class PlaneSums {
 public:
  virtual ~PlaneSums() = default;
  /// Host bytes of the calls and their results, those of the decoder included.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  /// line_powers() of the direction.
  [[nodiscard]] virtual std::vector<float> powers(LineDirection direction) = 0;
  struct Lines {
    Moments chosen;                       ///< over the union of the chosen lines, each coefficient once
    std::vector<SampledRowMoments> rows;  ///< by `rows`, without the chosen lines
  };
  /// `rows`: 1 ≤ u < m/2, none of them chosen.
  [[nodiscard]] virtual Lines lines(const ChosenLines& lines, const std::vector<std::int64_t>& rows,
                                    const PowerLimits& limits) = 0;
  /// The bulk of the lattice: its coefficients at or below the threshold, without the chosen lines.
  [[nodiscard]] virtual Moments bulk(const ChosenLines& lines, const PowerLimits& limits) = 0;
  /// More of Lines::rows.
  [[nodiscard]] virtual std::vector<SampledRowMoments> rows(const ChosenLines& lines,
                                                            const std::vector<std::int64_t>& rows,
                                                            const PowerLimits& limits) = 0;
};

/// Whether decode_stratified() with PlaneSums serves this grid: not the full grid, no side above 2^20.
[[nodiscard]] bool decodes_from_sums(const SparsePattern& pattern, const FrequencyGrid& grid);

/// The features that decode_stratified() gives for the values on `grid`.
[[nodiscard]] EstimatedFeatures decode_stratified(const SparsePattern& pattern, const FrequencyGrid& grid,
                                                  PlaneSums& sums, double zero_floor, JobContext& context);

}  // namespace spyctrum
