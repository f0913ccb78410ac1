// SPDX-License-Identifier: Apache-2.0
// Bins of power are the leading bits of a float: exponent and seven bits of its fraction.
#include "core/theory/retained_energy.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace spyctrum {

namespace {

constexpr unsigned kShift = 16;                                        // 23 − 7 bits of the fraction
constexpr std::size_t kBins = std::size_t{0x7F800000U >> kShift} + 1;  // up to infinity

void add_values(std::span<const std::complex<float>> values, double weight,
                std::vector<EnergyDistribution::Bin>& bins) {
  for (const std::complex<float> value : values) {
    const float power = std::norm(value);
    EnergyDistribution::Bin& bin = bins[std::bit_cast<std::uint32_t>(power) >> kShift];
    bin.count += weight;
    bin.power += weight * static_cast<double>(power);
  }
}

}  // namespace

double EnergyDistribution::frequencies() const {
  return std::accumulate(bins_.begin(), bins_.end(), 0.0,
                         [](double sum, const Bin& bin) { return sum + bin.count; });
}

double EnergyDistribution::power() const {
  return std::accumulate(bins_.begin(), bins_.end(), 0.0,
                         [](double sum, const Bin& bin) { return sum + bin.power; });
}

double EnergyDistribution::top_share(double count) const {
  const double total = power();
  if (!(total > 0)) return 0;
  double retained = 0;
  for (auto bin = bins_.rbegin(); bin != bins_.rend() && count > 0; ++bin) {
    if (!(bin->count > 0)) continue;
    retained += bin->power * std::min(1.0, count / bin->count);
    count -= bin->count;
  }
  return retained / total;
}

double EnergyDistribution::count_holding(double share) const {
  double missing = share * power();
  double count = 0;
  for (auto bin = bins_.rbegin(); bin != bins_.rend() && missing > 0; ++bin) {
    if (!(bin->power > 0)) continue;
    count += bin->count * std::min(1.0, missing / bin->power);
    missing -= bin->power;
  }
  return count;
}

void EnergyConsumer::begin(std::uint64_t /*m*/, std::uint64_t /*n*/, unsigned workers) {
  workers_.assign(workers, std::vector<EnergyDistribution::Bin>(kBins));
  distribution_ = {};
}

void EnergyConsumer::consume(const SpectrumRow& row, unsigned worker) {
  add_values(row.u == 0 ? row.values.subspan(1) : row.values, row.mirrored ? 2.0 : 1.0, workers_[worker]);
}

void EnergyConsumer::finish() {
  std::vector<EnergyDistribution::Bin> bins(kBins);
  for (const auto& worker : workers_) {
    for (std::size_t k = 0; k < kBins; ++k) {
      bins[k].count += worker[k].count;
      bins[k].power += worker[k].power;
    }
  }
  workers_.clear();
  distribution_ = EnergyDistribution(std::move(bins));
}

}  // namespace spyctrum
