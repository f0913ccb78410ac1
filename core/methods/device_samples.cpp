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
  return decode_paper(grid_, totals_of(sums_, classes_->count(), classes_->dc_count()), grid_.count());
}

std::uint64_t DeviceSamples::bytes(const Request& request, std::uint64_t rows) {
  return request.products.features && !request.window ? RowClasses::bytes(rows) : 0;
}

std::uint64_t DeviceSamples::device_bytes(const Request& request, std::uint64_t rows, std::uint64_t width,
                                          std::uint64_t lanes) {
  return bytes(request, rows) == 0 ? 0 : cuda::feature_device_bytes(rows, width, lanes);
}

DeviceLightTotals::DeviceLightTotals(const FrequencyGrid& grid, const ChosenLines& lines, float most_power,
                                     JobContext& context)
    : booking_(context.memory(), RowClasses::bytes(grid.rows.count()), "classes of the samples") {
  const auto m = static_cast<std::int64_t>(lines.m);
  RowClassRule rule;
  rule.skips_row = [&](std::int64_t u) {
    return lines.rows.holds(static_cast<std::uint64_t>(dft_index(u, m)));
  };
  std::optional<RowClasses> classes = RowClasses::make(grid, rule, context.pool());
  if (!classes) throw Failure(ErrorCode::internal, "The columns of a lattice are in no order.");
  classes_ = std::move(*classes);
  leave_out(grid, lines, context);
  reduction_.classes = classes_.view();
  reduction_.sums = &sums_;
  reduction_.most_power = most_power;
  reduction_.left_out_starts = left_out_starts_.data();
  reduction_.left_out = left_out_.data();
  reductions_.features = &reduction_;
}

/// Where rows of the lattice meet chosen lines of other directions.
void DeviceLightTotals::leave_out(const FrequencyGrid& grid, const ChosenLines& lines, JobContext& context) {
  constexpr std::uint32_t kNowhere = ~0U;
  const auto m = static_cast<std::int64_t>(lines.m);
  const auto n = static_cast<std::int64_t>(lines.n);
  std::vector<std::uint32_t> positions(lines.n, kNowhere);
  for (std::uint64_t q = 0; q < grid.cols.count(); ++q)
    positions[static_cast<std::size_t>(dft_index(grid.cols.at(q), n))] = static_cast<std::uint32_t>(q);
  std::vector<std::uint64_t> crossings;
  left_out_starts_.push_back(0);
  for (std::uint64_t p = 0; p < grid.rows.count(); ++p) {
    const auto u = static_cast<std::uint64_t>(dft_index(grid.rows.at(p), m));
    if (!lines.rows.holds(u)) {
      lines.crossings(u, crossings);
      for (const std::uint64_t v : crossings)
        if (positions[v] != kNowhere) left_out_.push_back(positions[v]);
    }
    left_out_starts_.push_back(left_out_.size());
    context.check_stop();
  }
}

FeatureTotals DeviceLightTotals::totals() const {
  return totals_of(sums_, classes_.count(), classes_.dc_count());
}

}  // namespace spyctrum
