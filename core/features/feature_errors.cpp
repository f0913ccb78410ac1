// SPDX-License-Identifier: Apache-2.0
// Distances between distributions and between features.
#include "core/features/feature_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace spyctrum {

namespace {

// Quantiles of the folded normal distribution |N(B, σ²)| (Leone, Nelson & Nottingham, Technometrics 3, 1961).

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

double relative(double estimate, double reference) {
  const double difference = std::abs(estimate - reference);
  if (difference == 0) return 0;
  return reference == 0 ? std::numeric_limits<double>::infinity() : difference / std::abs(reference);
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

double hellinger(std::span<const double> p, std::span<const double> q) {
  const double p_sum = std::accumulate(p.begin(), p.end(), 0.0);
  const double q_sum = std::accumulate(q.begin(), q.end(), 0.0);
  if (!(p_sum > 0) || !(q_sum > 0)) return std::numeric_limits<double>::quiet_NaN();
  // ½Σ(√p − √q)² equals 1 − Σ√(pq) and, unlike that, loses nothing where p ≈ q.
  double sum = 0;
  for (std::size_t k = 0; k < std::max(p.size(), q.size()); ++k) {
    const double a = k < p.size() ? std::sqrt(p[k] / p_sum) : 0.0;
    const double b = k < q.size() ? std::sqrt(q[k] / q_sum) : 0.0;
    sum += (a - b) * (a - b);
  }
  return std::min(1.0, std::sqrt(sum / 2));
}

FeatureErrors feature_errors(const Features& estimate, const Features& reference) {
  FeatureErrors errors;
  for (std::size_t k = 0; k < kFeatureCount; ++k) {
    const FeatureDefinition& feature = kFeatureTable[k];
    double& error = errors[FeatureKey(k)];
    error = feature.measure == ErrorMeasure::hellinger
                ? hellinger(feature.of(estimate), feature.of(reference))
            : feature.measure == ErrorMeasure::relative
                ? relative(feature.number(estimate), feature.number(reference))
                : std::abs(feature.number(estimate) - feature.number(reference));
  }
  return errors;
}

double mean_error(const FeatureErrors& errors) {
  double sum = 0;
  int parts = 0;
  for (std::size_t k = 0; k < kFeatureCount; ++k) {
    const double error = errors[FeatureKey(k)];
    if (!kFeatureTable[k].in_mean_error || !std::isfinite(error)) continue;
    sum += std::abs(error);
    ++parts;
  }
  return parts > 0 ? sum / parts : 0;
}

}  // namespace spyctrum
