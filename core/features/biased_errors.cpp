// SPDX-License-Identifier: Apache-2.0
// Quantiles of the folded normal distribution |N(B, σ²)| (Leone, Nelson & Nottingham, Technometrics 3, 1961).
#include "core/features/biased_errors.hpp"

#include <cmath>
#include <numbers>

#include "core/features/feature_table.hpp"

namespace spyctrum {

namespace {

/// P(|N(0, 1)| ≤ 1).
const double kOneError = std::erf(std::numbers::sqrt2 / 2);
/// The bar is B + kFarQuantile·σ for B ≫ σ: P(N(0, 1) ≤ 0.476) = kOneError.
constexpr double kFarQuantile = 0.4759;
constexpr double kFar = 4;  ///< for B/σ beyond this, the sign of the error is certain

/// P(|N(bias, 1)| ≤ t).
double probability(double t, double bias) {
  return (std::erf((t - bias) / std::numbers::sqrt2) + std::erf((t + bias) / std::numbers::sqrt2)) / 2;
}

double quantile(double bias, double sigma) {
  if (!(sigma > 0)) return bias;
  const double scaled = bias / sigma;
  if (scaled > kFar) return bias + kFarQuantile * sigma;
  double low = scaled;
  double high = scaled + 1;
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    (probability(middle, scaled) < kOneError ? low : high) = middle;
  }
  return sigma * high;
}

}  // namespace

Features errors_of_biased(const Features& features, const EstimatedFeatures& reference) {
  Features errors;
  for (const FeatureDefinition& feature : kFeatureTable) {
    if (feature.standard_error == StandardError::unknown) continue;
    const auto found = feature.of(features);
    const auto known = feature.of(static_cast<const Features&>(reference));
    const auto sigma = feature.of(static_cast<const Features&>(*reference.errors));
    const auto to = feature.of(errors);
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = quantile(std::abs(found[k] - known[k]), sigma[k]);
  }
  return errors;
}

}  // namespace spyctrum
