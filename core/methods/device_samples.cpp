// SPDX-License-Identifier: Apache-2.0
// The paper's decoder over sums from a device.
#include "core/methods/device_samples.hpp"

#include "core/spectrum/feature_sink.hpp"

namespace spyctrum {

DeviceSamples::DeviceSamples(const Request& request, const FrequencyGrid& grid, JobContext& context)
    : grid_(grid),
      values_(request.products.values),
      booking_(context.memory(), bytes(request, grid.rows.count()), "classes of the samples") {
  if (bytes(request, grid.rows.count()) == 0) return;
  context.begin_stage("tables");
  classes_ = RowClasses::make(grid, {}, context.pool());
  if (!classes_) return;
  reduction_ = {classes_->view(), &sums_};
  reductions_.features = &reduction_;
}

CudaSamples DeviceSamples::wanted() const {
  return {values_ || !classes_, classes_ ? &reductions_ : nullptr};
}

std::optional<Features> DeviceSamples::features() const {
  if (!classes_) return std::nullopt;
  return decode_paper(grid_, classes_->totals(sums_), grid_.count());
}

std::uint64_t DeviceSamples::bytes(const Request& request, std::uint64_t rows) {
  const auto decoder = request.parameters.find("decoder");
  const bool is_paper = decoder == request.parameters.end() || decoder->second == "paper";
  return request.products.features && !request.window && is_paper ? RowClasses::bytes(rows) : 0;
}

std::uint64_t DeviceSamples::device_bytes(const Request& request, std::uint64_t rows, std::uint64_t width,
                                          std::uint64_t lanes) {
  return bytes(request, rows) == 0 ? 0 : cuda::feature_device_bytes(rows, width, lanes);
}

}  // namespace spyctrum
