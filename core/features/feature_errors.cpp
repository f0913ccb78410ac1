// SPDX-License-Identifier: Apache-2.0
// Distances between distributions and between features.
#include "core/features/feature_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace spyctrum {

namespace {

double relative(double estimate, double reference) {
  const double difference = std::abs(estimate - reference);
  if (difference == 0) return 0;
  return reference == 0 ? std::numeric_limits<double>::infinity() : difference / std::abs(reference);
}

}  // namespace

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
  errors.entropy_relative = relative(estimate.entropy, reference.entropy);
  errors.radial_hellinger = hellinger(estimate.radial, reference.radial);
  errors.sector_hellinger = hellinger(estimate.sectors, reference.sectors);
  errors.low_frequency_relative = relative(estimate.low_frequency_ratio, reference.low_frequency_ratio);
  errors.flatness_relative = relative(estimate.flatness, reference.flatness);
  errors.imbalance_absolute = std::abs(estimate.imbalance - reference.imbalance);
  return errors;
}

}  // namespace spyctrum
