// SPDX-License-Identifier: Apache-2.0
// Applies the BS-FFT paper's decoder to sums from a device.
#include "core/device/device_sample_features.hpp"

namespace spyctrum {

DeviceSampleFeatures::DeviceSampleFeatures(const RequestScope& request, const FrequencyGrid& grid,
                                           JobContext& context, std::optional<double> zero_floor)
    : grid_(grid),
      zero_floor_(zero_floor),
      values_(request.outputs.values),
      booking_(context.memory(), bytes(request, grid.rows.count()), "classes of the samples") {
  if (bytes(request, grid.rows.count()) == 0) return;
  context.begin_stage("tables");
  classes_ = RowClasses::make(grid, {}, context.pool());
  if (!classes_) return;
  reduction_ = {classes_->view(), &sums_};
  reductions_.features = &reduction_;
}

DeviceSampleOutputs DeviceSampleFeatures::outputs() const {
  return {values_ || !classes_, classes_ ? &reductions_ : nullptr};
}

std::optional<Features> DeviceSampleFeatures::features() const {
  if (!classes_) return std::nullopt;
  return decode_paper(grid_, classes_->totals(sums_), grid_.count(), zero_floor_);
}

std::uint64_t DeviceSampleFeatures::bytes(const RequestScope& request, std::uint64_t rows, Decoder decoder) {
  const bool reduces = request.outputs.features && !request.window && decoder == Decoder::paper;
  return reduces ? RowClasses::bytes(rows) : 0;
}

std::uint64_t DeviceSampleFeatures::device_bytes(const RequestScope& request, std::uint64_t rows,
                                                 std::uint64_t width, std::uint64_t lanes, Decoder decoder) {
  return bytes(request, rows, decoder) == 0 ? 0 : cuda::feature_device_bytes(rows, width, lanes);
}

}  // namespace spyctrum
