// SPDX-License-Identifier: Apache-2.0
// The stratified decoder (decode_stratified.cpp) over sums that somebody else takes, a device: it says which
// lines and samples it wants summed and goes on from the sums.
#pragma once

#include <cstdint>
#include <vector>

#include "core/features/chosen_lines.hpp"
#include "core/features/decoders.hpp"
#include "core/features/moments.hpp"

namespace spyctrum {

/// Powers above `heavy` are apart; those below the octave of `floor` enter Σ ln as `floor`.
struct PowerLimits {
  float heavy = 0;
  double floor = 0;
};

/// Sums of one sampled row and its mirror, light and heavy coefficients apart.
struct TileResults {
  Moments light;
  Moments heavy;
};

/// Where the decoder's sums come from. Each function is called once, powers() for each direction, in the
/// order in which they stand here. DC is in no sum.
class PlaneSums {
 public:
  virtual ~PlaneSums() = default;
  /// Host bytes that the calls and what they return take, the decoder's included.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  /// line_powers().
  [[nodiscard]] virtual std::vector<float> powers(LineDirection direction) = 0;
  struct Lines {
    Moments chosen;                 ///< over the union of the chosen lines, each coefficient once
    std::vector<TileResults> rows;  ///< of `rows`, off the chosen lines
  };
  /// `rows`: 1 ≤ u < m/2, none of them chosen.
  [[nodiscard]] virtual Lines lines(const ChosenLines& lines, const std::vector<std::int64_t>& rows,
                                    const PowerLimits& limits) = 0;
  /// Over the lattice's coefficients that are not heavy and off the chosen lines.
  [[nodiscard]] virtual Moments light(const ChosenLines& lines, const PowerLimits& limits) = 0;
};

/// Whether the decoder can do with PlaneSums: not on the full grid, nor where sides are above 2^20.
[[nodiscard]] bool decodes_from_sums(const SparsePattern& pattern, const FrequencyGrid& grid);

/// As decode_stratified() of the values on `grid`.
[[nodiscard]] Features decode_stratified(const SparsePattern& pattern, const FrequencyGrid& grid,
                                         PlaneSums& sums, JobContext& context);

}  // namespace spyctrum
