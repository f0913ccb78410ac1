// SPDX-License-Identifier: Apache-2.0
// The stratified decoder (decode_stratified.cpp) for a lattice whose values are somewhere else, on a device:
// it says what it wants summed of them and goes on from the sums.
#pragma once

#include <functional>

#include "core/spectrum/chosen_lines.hpp"
#include "core/spectrum/feature_sink.hpp"
#include "core/spectrum/feature_totals.hpp"

namespace spyctrum {

/// Totals of a lattice's coefficients of at most `most_power` off all of `lines`.
using LightTotals = std::function<FeatureTotals(const ChosenLines& lines, float most_power)>;

/// Whether the decoder can do with LightTotals: not on the full grid, nor where sides are above 2^20.
[[nodiscard]] bool decodes_from_totals(const SparsePattern& pattern, const FrequencyGrid& grid);

/// As decode_stratified() of the values on `grid`; `light` is called once.
[[nodiscard]] Features decode_stratified(const SparsePattern& pattern, const FrequencyGrid& grid,
                                         const LightTotals& light, JobContext& context);

}  // namespace spyctrum
