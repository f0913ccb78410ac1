// SPDX-License-Identifier: Apache-2.0
// Error bars of features from a biased decoder (samples of equal area, densities of blocks, entries at fixed
// positions). The spread of the samples does not show such a bias; the distance to an unbiased estimate does.
#pragma once

#include "core/spectrum/features.hpp"

namespace spyctrum {

/// Returns the error bars of `features`, given `reference`: unbiased features of the same plane by
/// decode_rows() with standard errors, which must exist. A bar is the distance that the exact value, normally
/// distributed about the reference with its standard error σ, exceeds with a probability of 31.7 %. With B =
/// |features − reference| that is σ for B = 0, and B + 0.476σ for B ≫ σ.
[[nodiscard]] Features errors_of_biased(const Features& features, const EstimatedFeatures& reference);

}  // namespace spyctrum
