// SPDX-License-Identifier: Apache-2.0
// The decoders of the BS-FFT paper, §3.6: entropy is divided by ln Q for Q samples, which represent the same
// number of coefficients each, or are weighted.
#include "core/features/decoders.hpp"

#include <cmath>

#include "core/features/feature_bins.hpp"
#include "core/features/feature_totals.hpp"
#include "core/features/ordered_sum.hpp"

namespace spyctrum {

namespace {

struct WeightedTotals {
  FeatureTotals totals;
  double mass_log_mass = 0;  ///< Σ e ln e, e = α·|Z|²
  void add(const WeightedTotals& other) {
    totals.add(other.totals);
    mass_log_mass += other.mass_log_mass;
  }
};

}  // namespace

Features decode_paper(const FrequencyGrid& grid, std::span<const std::complex<float>> values,
                      std::optional<double> zero_floor, bool hermitian_half) {
  const std::uint64_t m = grid.rows.size();
  const std::uint64_t n = grid.cols.size();
  const ColumnOrder columns = ColumnOrder::of(grid.cols);
  FeatureRows rows(m, n);
  std::uint64_t samples = 0;
  for (std::uint64_t p = 0; p < grid.rows.count(); ++p) {
    const std::int64_t u = grid.rows.signed_at(p);
    const bool mirrored = hermitian_half && !is_self_mirrored(u, m);
    rows.add(u, mirrored, values.subspan(p * grid.cols.count(), grid.cols.count()), columns);
    samples += grid.cols.count() * (mirrored ? 2 : 1);
  }
  return decode_paper(grid, rows.totals(), samples, zero_floor);
}

Features decode_paper(const FrequencyGrid& grid, const FeatureTotals& totals, std::uint64_t samples,
                      std::optional<double> zero_floor) {
  const std::uint64_t m = grid.rows.size();
  const std::uint64_t n = grid.cols.size();
  const auto count = static_cast<double>(samples);
  const double power = totals.non_dc_power() + totals.dc_power;
  const double mean_power = samples > 0 ? power / count : 0.0;
  if (!zero_floor) zero_floor = zero_floor_of_plane(m, n, mean_power, totals.dc_power);
  Features features = features_of(totals, totals.floored_log_sum(noise_floor(mean_power)),
                                  totals.zero_count(*zero_floor), count);
  if (samples > 0)
    features.total_power = features.total_power * static_cast<double>(m) * static_cast<double>(n) / count;
  features.samples = samples;
  return features;
}

Features decode_scattered(std::uint64_t m, std::uint64_t n, const ScatteredPoints& points,
                          std::span<const std::complex<float>> values, double zero_floor,
                          JobContext& context) {
  OrderedSum<WeightedTotals> pieces;
  constexpr std::size_t kGrain = std::size_t{1} << 15U;
  context.pool().parallel_for(points.count(), kGrain, [&](std::size_t begin, std::size_t end, unsigned) {
    context.check_stop();
    WeightedTotals piece;
    for (std::size_t k = begin; k < end; ++k) {
      const std::complex<float> value = values[k];
      const bool is_dc = points.u[k] == 0 && points.v[k] == 0;
      const double weight = is_dc ? 1.0 : static_cast<double>(points.weight[k]);
      const double power = std::norm(std::complex<double>(value));
      const double mass = power < zero_floor ? 0 : weight * power;
      if (mass > 0) piece.mass_log_mass += mass * std::log(mass);
      if (is_dc)
        piece.totals.add_dc(value);
      else
        piece.totals.add_segment(values.subspan(k, 1), classify(points.u[k], points.v[k], m, n), weight);
    }
    pieces.add(begin, end, piece);
  });
  const auto [totals, mass_log_mass] = pieces.sum();
  const auto plane = static_cast<double>(m) * static_cast<double>(n);
  Features features = features_of(totals, totals.floored_log_sum(noise_floor(totals.non_dc_power() / plane)),
                                  totals.zero_count(zero_floor), plane);
  const double power = features.total_power;
  const auto count = static_cast<double>(points.count());
  features.entropy = power > 0 && count > 1 ? (std::log(power) - mass_log_mass / power) / std::log(count) : 0;
  features.samples = points.count();
  return features;
}

}  // namespace spyctrum
