// SPDX-License-Identifier: Apache-2.0
// Exact features of streamed rows: every worker sums the runs of rows that it was given, and the sums of runs
// are added in the order of the rows, so that the same runs give the same bits on any number of threads.
#include "core/features/feature_consumer.hpp"

#include <utility>

#include "core/features/row_classes.hpp"

namespace spyctrum {

void FeatureConsumer::end_run(Worker& worker) {
  if (worker.rows == 0) return;
  runs_->add(worker.first, worker.first + worker.rows, worker.sums.take());
  worker.rows = 0;
}

void FeatureConsumer::conclude(const FeatureTotals& totals) {
  const double cells = static_cast<double>(m_) * static_cast<double>(n_);
  const double mean_power = (totals.non_dc_power() + totals.dc_power) / cells;
  features_ = features_of(totals, totals.floored_log_sum(noise_floor(mean_power)),
                          totals.zero_count(zero_floor_), cells);
  features_.samples = m_ * n_;
}

/// The device reduction: the classes of the rows as a table, the sums from the device.
class FeatureConsumer::OnDevice : public DeviceReduction {
 public:
  OnDevice(FeatureConsumer& consumer, RowClasses classes, Booking booking)
      : consumer_(consumer), classes_(std::move(classes)), booking_(std::move(booking)) {}
  [[nodiscard]] bool describe(cuda::Reductions& reductions) override {
    if (reductions.features != nullptr) return false;
    reduction_ = {classes_.view(), &sums_};
    reductions.features = &reduction_;
    return true;
  }
  void collect() override { consumer_.conclude(classes_.totals(sums_)); }

 private:
  FeatureConsumer& consumer_;
  RowClasses classes_;
  Booking booking_;
  cuda::FeatureSums sums_;
  cuda::FeatureReduction reduction_;
};

void FeatureConsumer::begin(std::uint64_t m, std::uint64_t n, unsigned workers) {
  m_ = m;
  n_ = n;
  columns_ = ColumnOrder::dft(n);
  workers_.assign(workers, Worker{FeatureRows(m, n)});
  runs_.emplace();
  features_ = {};
}

void FeatureConsumer::consume(const SpectrumRow& row, unsigned worker) {
  Worker& own = workers_[worker];
  const auto u = static_cast<std::uint64_t>(row.u);
  if (u != own.first + own.rows) end_run(own);
  if (own.rows == 0) own.first = u;
  // u is not reduced to the signed range: row m/2 of an even side counts at +½ (features.hpp).
  own.sums.add(row, columns_);
  ++own.rows;
  if (row.ends_run) end_run(own);
}

void FeatureConsumer::finish() {
  for (Worker& worker : workers_) end_run(worker);
  conclude(runs_->sum());
}

std::unique_ptr<DeviceReduction> FeatureConsumer::device_reduction(std::uint64_t m, std::uint64_t n,
                                                                   bool symmetric_half, JobContext& context) {
  const FrequencyGrid half{FrequencyAxis::progression(m, 0, 1, m / 2 + 1),
                           FrequencyAxis::progression(n, 0, 1, n)};
  Booking booking(context.memory(), RowClasses::bytes(half.rows.count()), "classes of the rows");
  std::optional<RowClasses> classes =
      RowClasses::make(half, {.hermitian_half = true, .symmetric_half = symmetric_half}, context.pool());
  if (!classes) return nullptr;
  m_ = m;
  n_ = n;
  return std::make_unique<OnDevice>(*this, std::move(*classes), std::move(booking));
}

}  // namespace spyctrum
