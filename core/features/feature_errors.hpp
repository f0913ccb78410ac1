// SPDX-License-Identifier: Apache-2.0
// The errors of estimated features against a reference: relative errors of numbers, Hellinger distances of
// distributions (E. Hellinger, J. reine angew. Math. 136, 1909), as in the BS-FFT paper, §4.
#pragma once

#include <span>

#include "core/spectrum/features.hpp"

namespace spyctrum {

/// √(1 − Σ√(p_i q_i)) of two non-negative vectors, each normalised to sum 1.
/// NaN when either sums to 0.
[[nodiscard]] double hellinger(std::span<const double> p, std::span<const double> q);

struct FeatureErrors {
  double entropy_relative = 0;  ///< |Ĥ − H|/H
  double radial_hellinger = 0;
  double sector_hellinger = 0;
  double low_frequency_relative = 0;
  double flatness_relative = 0;
  double imbalance_absolute = 0;
};
[[nodiscard]] FeatureErrors feature_errors(const Features& estimate, const Features& reference);

}  // namespace spyctrum
