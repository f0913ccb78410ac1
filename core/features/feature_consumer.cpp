// SPDX-License-Identifier: Apache-2.0
// Exact features of streamed rows: every worker sums the runs of rows that it was given, and the sums of runs
// are added in the order of the rows, so that the same runs give the same bits on any number of threads.
#include "core/features/feature_consumer.hpp"

#include <optional>
#include <vector>

#include "core/features/feature_totals.hpp"
#include "core/features/ordered_sum.hpp"
#include "core/features/row_classes.hpp"

namespace spyctrum {

namespace {

/// The current run of consecutive rows of a worker, and its sums.
struct Worker {
  FeatureRows sums;
  std::uint64_t first = 0;
  std::uint64_t rows = 0;
};

}  // namespace

struct FeatureConsumer::Impl {
  double zero_floor = 0;
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  ColumnOrder columns;
  std::vector<Worker> workers;
  std::optional<OrderedSum<FeatureTotals>> runs;
  Features features;

  void end_run(Worker& worker) {
    if (worker.rows == 0) return;
    runs->add(worker.first, worker.first + worker.rows, worker.sums.take());
    worker.rows = 0;
  }
  void conclude(const FeatureTotals& totals) {
    const double cells = static_cast<double>(m) * static_cast<double>(n);
    const double mean_power = (totals.non_dc_power() + totals.dc_power) / cells;
    features = features_of(totals, totals.floored_log_sum(noise_floor(mean_power)),
                           totals.zero_count(zero_floor), cells);
    features.samples = m * n;
  }
  class OnDevice;
};

/// The device reduction: the classes of the rows as a table, the sums from the device.
class FeatureConsumer::Impl::OnDevice : public DeviceReduction {
 public:
  OnDevice(Impl& consumer, RowClasses classes, Booking booking)
      : consumer_(consumer), classes_(std::move(classes)), booking_(std::move(booking)) {}
  [[nodiscard]] bool describe(cuda::Reductions& reductions) override {
    if (reductions.features != nullptr) return false;
    reduction_ = {classes_.view(), &sums_};
    reductions.features = &reduction_;
    return true;
  }
  void collect() override { consumer_.conclude(classes_.totals(sums_)); }

 private:
  Impl& consumer_;
  RowClasses classes_;
  Booking booking_;
  cuda::FeatureSums sums_;
  cuda::FeatureReduction reduction_;
};

FeatureConsumer::FeatureConsumer(double zero_floor) : impl_(std::make_unique<Impl>()) {
  impl_->zero_floor = zero_floor;
}
FeatureConsumer::~FeatureConsumer() = default;

void FeatureConsumer::begin(std::uint64_t m, std::uint64_t n, unsigned workers) {
  impl_->m = m;
  impl_->n = n;
  impl_->columns = ColumnOrder::dft(n);
  impl_->workers.assign(workers, Worker{FeatureRows(m, n)});
  impl_->runs.emplace();
  impl_->features = {};
}

void FeatureConsumer::consume(const SpectrumRow& row, unsigned worker) {
  Worker& own = impl_->workers[worker];
  const auto u = static_cast<std::uint64_t>(row.u);
  if (u != own.first + own.rows) impl_->end_run(own);
  if (own.rows == 0) own.first = u;
  // u is not reduced to the signed range: row m/2 of an even side counts at +½ (features.hpp).
  own.sums.add(row, impl_->columns);
  ++own.rows;
  if (row.ends_run) impl_->end_run(own);
}

void FeatureConsumer::finish() {
  for (Worker& worker : impl_->workers) impl_->end_run(worker);
  impl_->conclude(impl_->runs->sum());
}

std::unique_ptr<DeviceReduction> FeatureConsumer::device_reduction(std::uint64_t m, std::uint64_t n,
                                                                   bool symmetric_half, JobContext& context) {
  const FrequencyGrid half{FrequencyAxis::progression(m, 0, 1, m / 2 + 1),
                           FrequencyAxis::progression(n, 0, 1, n)};
  Booking booking(context.memory(), RowClasses::bytes(half.rows.count()), "classes of the rows");
  std::optional<RowClasses> classes =
      RowClasses::make(half, {.hermitian_half = true, .symmetric_half = symmetric_half}, context.pool());
  if (!classes) return nullptr;
  impl_->m = m;
  impl_->n = n;
  return std::make_unique<Impl::OnDevice>(*impl_, std::move(*classes), std::move(booking));
}

const Features& FeatureConsumer::features() const { return impl_->features; }

}  // namespace spyctrum
