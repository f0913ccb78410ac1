// SPDX-License-Identifier: Apache-2.0
// Exact features while rows pass by: every worker keeps sums of its own.
#include "core/spectrum/feature_sink.hpp"

#include <vector>

#include "core/spectrum/feature_totals.hpp"

namespace spyctrum {

struct FeatureSink::Impl {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  ColumnOrder columns;
  std::vector<FeatureRows> workers;
  Features features;
};

FeatureSink::FeatureSink() : impl_(std::make_unique<Impl>()) {}
FeatureSink::~FeatureSink() = default;

void FeatureSink::begin(std::uint64_t m, std::uint64_t n, unsigned workers) {
  impl_->m = m;
  impl_->n = n;
  impl_->columns = ColumnOrder::dft(n);
  impl_->workers.assign(workers, FeatureRows(m, n));
  impl_->features = {};
}

void FeatureSink::consume(const SpectrumRow& row, unsigned worker) {
  // u = 0 … ⌊m/2⌋ as it is: the row m/2 of an even side counts at +½ (features.hpp).
  impl_->workers[worker].add(row.u, row.mirrored, row.values, impl_->columns);
}

void FeatureSink::finish() {
  FeatureTotals totals;
  for (const FeatureRows& rows : impl_->workers) totals.add(rows.totals());
  const double cells = static_cast<double>(impl_->m) * static_cast<double>(impl_->n);
  const double mean_power = (totals.non_dc_power() + totals.dc_power) / cells;
  impl_->features = features_of(totals, totals.floored_log_sum(noise_floor(mean_power)), cells);
  impl_->features.samples = impl_->m * impl_->n;
}

const Features& FeatureSink::features() const { return impl_->features; }

}  // namespace spyctrum
