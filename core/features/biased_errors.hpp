// SPDX-License-Identifier: Apache-2.0
// Error bars of features whose decoder is biased: samples of equal areas, densities of blocks, entries at
// fixed positions. The spread of the samples does not show such a bias; an estimate without bias does.
#pragma once

#include "core/spectrum/features.hpp"

namespace spyctrum {

/// Error bars of `features`, from features of the same plane by decode_rows(), which have standard errors:
/// the distance that the exact value exceeds with the probability of 31.7 %, if it is normally distributed
/// about `reference` with these errors. With B = |features − reference| and the standard error σ of the
/// reference that is σ for B = 0 and B + 0.476σ for B ≫ σ, where the bias is known well. `reference.errors`
/// must exist.
[[nodiscard]] Features errors_of_biased(const Features& features, const EstimatedFeatures& reference);

}  // namespace spyctrum
