// SPDX-License-Identifier: Apache-2.0
// The stratified decoder (decode_stratified.cpp), independent of where its sums are computed: the decoder
// chooses lines and rows, a PlaneSums (on the host or a device) returns the sums over them, and the decoder
// estimates the features.
#pragma once

#include <cstdint>
#include <vector>

#include "core/features/chosen_lines.hpp"
#include "core/features/decoders.hpp"
#include "core/features/moments.hpp"

namespace spyctrum {

/// Coefficients with |F|² > `threshold` are summed separately from the bulk. The floors apply by octaves
/// (powers of two).
struct PowerLimits {
  float threshold = 0;
  PowerFloors floors;
};

/// Moments of one sampled row and its mirror: of the coefficients at or below the threshold (bulk), and of
/// those above.
struct SampledRowMoments {
  Moments below;
  Moments above;
};

/// Supplies the sums of the decoder; DC is in none of them. The decoder calls powers() once per direction,
/// then lines() and bulk() once, then rows() whenever the sample of rows grows.
class PlaneSums {
 public:
  virtual ~PlaneSums() = default;
  /// Host bytes of the calls and their results, including those of the decoder.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  /// line_powers() of `direction`.
  [[nodiscard]] virtual std::vector<float> powers(LineDirection direction) = 0;
  struct Lines {
    Moments chosen;                       ///< over the union of the chosen lines, each coefficient once
    std::vector<SampledRowMoments> rows;  ///< for each of `rows`, without the chosen lines
  };
  /// `rows`: 1 ≤ u < m/2, none of them chosen.
  [[nodiscard]] virtual Lines lines(const ChosenLines& lines, const std::vector<std::int64_t>& rows,
                                    const PowerLimits& limits) = 0;
  /// The bulk of the lattice: its coefficients at or below the threshold, without the chosen lines.
  [[nodiscard]] virtual Moments bulk(const ChosenLines& lines, const PowerLimits& limits) = 0;
  /// As Lines::rows, for additional rows.
  [[nodiscard]] virtual std::vector<SampledRowMoments> rows(const ChosenLines& lines,
                                                            const std::vector<std::int64_t>& rows,
                                                            const PowerLimits& limits) = 0;
};

/// Whether decode_stratified() with PlaneSums can be used: not for the full grid, nor for a side above 2^20.
[[nodiscard]] bool decodes_from_sums(const SparsePattern& pattern, const FrequencyGrid& grid);

/// Returns the features that decode_stratified() gives for the values on `grid`.
[[nodiscard]] EstimatedFeatures decode_stratified(const SparsePattern& pattern, const FrequencyGrid& grid,
                                                  PlaneSums& sums, double zero_floor, JobContext& context);

}  // namespace spyctrum
