// SPDX-License-Identifier: Apache-2.0
// Exact features, summed over the rows of the full plane as these are streamed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/features/feature_totals.hpp"
#include "core/features/ordered_sum.hpp"
#include "core/spectrum/features.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// Computes the exact features of the plane, with sums in double precision. The same runs of rows
/// (SpectrumRow::ends_run) give the same bits on any number of threads.
class FeatureConsumer : public RowConsumer {
 public:
  /// `zero_floor`: rounding_floor() of the pattern.
  explicit FeatureConsumer(double zero_floor) : zero_floor_(zero_floor) {}
  void begin(std::uint64_t m, std::uint64_t n, unsigned workers) override;
  void consume(const SpectrumRow& row, unsigned worker) override;
  void finish() override;
  [[nodiscard]] bool accepts_symmetric_half() const override { return true; }
  [[nodiscard]] std::unique_ptr<DeviceReduction> device_reduction(std::uint64_t m, std::uint64_t n,
                                                                  bool symmetric_half,
                                                                  JobContext& context) override;
  [[nodiscard]] const Features& features() const { return features_; }  ///< valid after finish()

 private:
  class OnDevice;
  /// The current run of consecutive rows of a worker, and its sums.
  struct Worker {
    FeatureRows sums;
    std::uint64_t first = 0;
    std::uint64_t rows = 0;
  };
  void end_run(Worker& worker);
  void conclude(const FeatureTotals& totals);

  double zero_floor_;
  std::uint64_t m_ = 0;
  std::uint64_t n_ = 0;
  ColumnOrder columns_;
  std::vector<Worker> workers_;
  std::optional<OrderedSum<FeatureTotals>> runs_;
  Features features_;
};

}  // namespace spyctrum
