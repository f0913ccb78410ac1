// SPDX-License-Identifier: Apache-2.0
// Errors of estimated features against a reference, each by the measure that the table of features states:
// relative or absolute differences of numbers, Hellinger distances of distributions (E. Hellinger, J. reine
// angew. Math. 136, 1909), as in the BS-FFT paper, §4.
#pragma once

#include <array>
#include <span>

#include "core/features/feature_table.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

// Error bars of features from a biased decoder (samples of equal area, densities of blocks, entries at fixed
// positions). The spread of the samples does not show such a bias; the distance to an unbiased estimate does.

/// Returns the error bars of `features`, given `reference`: unbiased features of the same plane by
/// decode_rows() with standard errors, which must exist. A bar is the distance that the exact value, normally
/// distributed about the reference with its standard error σ, exceeds with a probability of 31.7 %. With B =
/// |features − reference| that is σ for B = 0, and B + 0.476σ for B ≫ σ.
[[nodiscard]] Features errors_of_biased(const Features& features, const EstimatedFeatures& reference);

/// √(1 − Σ√(p_i q_i)) of two non-negative vectors, each normalised to sum 1. NaN if either sums to 0.
[[nodiscard]] double hellinger(std::span<const double> p, std::span<const double> q);

/// One error for each feature of the table: errors["entropy"], or by its position.
class FeatureErrors {
 public:
  [[nodiscard]] double operator[](FeatureKey feature) const { return errors_[feature.place]; }
  [[nodiscard]] double& operator[](FeatureKey feature) { return errors_[feature.place]; }

 private:
  std::array<double, kFeatureCount> errors_{};
};
/// Errors of `estimate`. A relative error against 0 is infinite (0 if both are 0); a Hellinger distance may
/// be NaN.
[[nodiscard]] FeatureErrors feature_errors(const Features& estimate, const Features& reference);

/// Mean of the finite errors of the features marked in_mean_error; 0 if there is none.
[[nodiscard]] double mean_error(const FeatureErrors& errors);

}  // namespace spyctrum
