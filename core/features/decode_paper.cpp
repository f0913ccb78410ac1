// SPDX-License-Identifier: Apache-2.0
// The decoder of the BS-FFT paper, §3.6: every sample represents the same number of
// coefficients, and entropy is divided by ln Q for Q samples.
#include "core/features/decoders.hpp"
#include "core/features/feature_totals.hpp"

namespace spyctrum {

Features decode_paper(const FrequencyGrid& grid, std::span<const std::complex<float>> values,
                      std::optional<double> zero_floor, bool hermitian_half) {
  const std::uint64_t m = grid.rows.size();
  const std::uint64_t n = grid.cols.size();
  const ColumnOrder columns = ColumnOrder::of(grid.cols, [](std::int64_t) { return true; });
  FeatureRows rows(m, n);
  std::uint64_t samples = 0;
  for (std::uint64_t p = 0; p < grid.rows.count(); ++p) {
    const std::int64_t u = grid.rows.signed_at(p);
    const bool self_mirrored = dft_index(2 * u, static_cast<std::int64_t>(m)) == 0;
    const bool mirrored = hermitian_half && !self_mirrored;
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

}  // namespace spyctrum
