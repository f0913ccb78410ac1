// SPDX-License-Identifier: Apache-2.0
// Exact features while rows pass by: every worker keeps sums of its own.
#include "core/spectrum/feature_sink.hpp"

#include <vector>

#include "core/spectrum/feature_totals.hpp"
#include "core/spectrum/row_classes.hpp"

namespace spyctrum {

struct FeatureSink::Impl {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  ColumnOrder columns;
  std::vector<FeatureRows> workers;
  Features features;

  void conclude(const FeatureTotals& totals) {
    const double cells = static_cast<double>(m) * static_cast<double>(n);
    const double mean_power = (totals.non_dc_power() + totals.dc_power) / cells;
    features = features_of(totals, totals.floored_log_sum(noise_floor(mean_power)), cells);
    features.samples = m * n;
  }
  class OnDevice;
};

/// The rows' classes as a table, the sums from the device.
class FeatureSink::Impl::OnDevice : public DeviceForm {
 public:
  OnDevice(Impl& sink, RowClasses classes, Booking booking)
      : sink_(sink), classes_(std::move(classes)), booking_(std::move(booking)) {}
  [[nodiscard]] bool describe(cuda::Reductions& reductions) override {
    if (reductions.features != nullptr) return false;
    reduction_ = {classes_.view(), &sums_};
    reductions.features = &reduction_;
    return true;
  }
  void collect() override { sink_.conclude(totals_of(sums_, classes_.count(), classes_.dc_count())); }

 private:
  Impl& sink_;
  RowClasses classes_;
  Booking booking_;
  cuda::FeatureSums sums_;
  cuda::FeatureReduction reduction_;
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
  FeatureRows& rows = impl_->workers[worker];
  if (row.wedge) return rows.add_wedge(row.u, row.values, impl_->columns);
  rows.add(row.u, row.mirrored, row.values, impl_->columns);
}

void FeatureSink::finish() {
  FeatureTotals totals;
  for (const FeatureRows& rows : impl_->workers) totals.add(rows.totals());
  impl_->conclude(totals);
}

std::unique_ptr<DeviceForm> FeatureSink::device_form(std::uint64_t m, std::uint64_t n, JobContext& context) {
  const FrequencyGrid half{FrequencyAxis::progression(m, 0, 1, m / 2 + 1),
                           FrequencyAxis::progression(n, 0, 1, n)};
  Booking booking(context.memory(), RowClasses::bytes(half.rows.count()), "classes of the rows");
  std::optional<RowClasses> classes = RowClasses::make(half, {.hermitian_half = true}, context.pool());
  if (!classes) return nullptr;
  impl_->m = m;
  impl_->n = n;
  return std::make_unique<Impl::OnDevice>(*impl_, std::move(*classes), std::move(booking));
}

const Features& FeatureSink::features() const { return impl_->features; }

}  // namespace spyctrum
