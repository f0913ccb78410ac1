// SPDX-License-Identifier: Apache-2.0
// Partial sums of lanes and thread blocks are added in a fixed order, so that equal tiles give bit-equal
// results.
#include "core/cuda/reductions/reductions.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace spyctrum::cuda {

namespace {

// Index of |F[0, 0]|², as the bits of a double, after the counts and logarithms of powers below 1/4.
constexpr std::uint64_t kDcAt = 2 * kTinyBins;
constexpr std::uint64_t kCounters = kDcAt + 1;

template <class T>
std::vector<T> downloaded(Host& host, const DeviceBuffer<T>& buffer, std::uint64_t count, const char* what) {
  std::vector<T> values(count);
  if (count != 0) download(host, values.data(), buffer.get(), count, what);
  return values;
}

}  // namespace

Reducer::Reducer(Host& host, const Reductions& reductions, std::uint64_t width, std::uint64_t tile,
                 std::uint64_t lanes)
    : host_(host), task_(reductions), width_(width), blocks_(detail::pieces(width, kCompareColumns)) {
  if (task_.features != nullptr) upload_features(lanes);
  if (task_.pyramid != nullptr) make_pyramid(lanes);
  upload_reconstructions(tile, lanes);
  if (task_.bulk != nullptr) bulk_.emplace(host_, *task_.bulk);
  if (task_.row_sums != nullptr) row_sums_.emplace(host_, *task_.row_sums, task_.symmetric_half, tile, lanes);
}

void Reducer::upload_features(std::uint64_t lanes) {
  const RowClassesView& classes = task_.features->classes;
  begins_ = upload(host_, classes.begins, classes.rows * kMostRuns, "classes of the rows");
  classes_ = upload(host_, classes.classes, classes.rows * kMostRuns, "classes of the rows");
  slot_count_ = kFeatureBandsAtOnce * feature_blocks(width_);
  for (std::uint64_t lane = 0; lane < lanes; ++lane)
    slots_.push_back(zeros<double>(host_, slot_count_ * kSlotSums, "sums of features"));
  counters_ = zeros<unsigned long long>(host_, kCounters, "sums of features");
}

void Reducer::make_pyramid(std::uint64_t lanes) {
  const std::uint64_t cells = std::uint64_t{task_.pyramid->rows} * task_.pyramid->cols;
  for (std::uint64_t lane = 0; lane < lanes; ++lane) {
    columns_.emplace_back(host_, kBandsAtOnce * width_, "column sums");
    power_.push_back(zeros<double>(host_, cells, "display pyramid"));
    maximum_.push_back(zeros<float>(host_, cells, "display pyramid"));
  }
}

void Reducer::upload_reconstructions(std::uint64_t tile, std::uint64_t lanes) {
  for (const auto* next = task_.reconstructions; next != nullptr; next = next->next) {
    const ReconstructionReduction& task = *next;
    const std::uint64_t half = task.m / 2 + 1;
    const std::uint64_t bins = std::uint64_t{task.reference_bins.count} * task.estimate_bins.count;
    Comparison compared;
    compared.task = next;
    compared.magnitudes =
        upload(host_, task.magnitudes, task.node_rows * task.node_cols, "sampled magnitudes");
    compared.rows = upload(host_, task.rows, half, "nodes around the rows");
    compared.mirror = upload(host_, task.mirror, half, "nodes around the rows");
    compared.cols = upload(host_, task.cols, width_, "nodes around the columns");
    compared.histogram = zeros<unsigned long long>(host_, bins, "histogram of magnitudes");
    compared.products = zeros<MagnitudeProducts>(host_, half, "products of magnitudes");
    for (std::uint64_t lane = 0; lane < lanes; ++lane)
      compared.slots.emplace_back(host_, blocks_ * tile, "products of magnitudes");
    compared.view = {task.m,
                     task.node_cols,
                     compared.magnitudes.get(),
                     compared.rows.get(),
                     compared.mirror.get(),
                     compared.cols.get(),
                     task.dc,
                     task.reference_bins,
                     task.estimate_bins,
                     compared.histogram.get(),
                     compared.products.get(),
                     nullptr};
    compared_.push_back(std::move(compared));
  }
}

/// The next bands of a tile, from its row `next` on.
Bands Reducer::bands_from(const TileView& tile, std::uint64_t first, std::uint64_t& next) const {
  BandLimits limits;
  limits.symmetric_half = task_.symmetric_half;
  if (task_.pyramid == nullptr) {
    limits.most_rows = kFeatureBandRows;
    limits.most_bands = kFeatureBandsAtOnce;
    limits.skips_weight_0 = true;
  }
  return collect_bands(next, tile.count, limits, [&](std::uint64_t in_tile) {
    const std::uint64_t row = first + in_tile;
    const std::uint32_t weight = task_.features != nullptr ? task_.features->classes.weights[row] : 1;
    return task_.pyramid != nullptr ? band_of_row(row, in_tile, weight, task_.pyramid->m, task_.pyramid->rows)
                                    : band_of_row(row, in_tile, weight, 1, 0);
  });
}

void Reducer::add(std::uint64_t lane, const TileView& tile, std::uint64_t first, cudaStream_t stream) {
  const bool sums = task_.features != nullptr || task_.pyramid != nullptr;
  const bool has_pyramid = task_.pyramid != nullptr;
  const DeviceClasses classes{begins_.get(), classes_.get()};
  FeatureSlots slots;
  if (task_.features != nullptr)
    slots = {slots_[lane].get(), counters_.get(), reinterpret_cast<double*>(counters_.get() + kDcAt)};
  const ColumnSums columns{has_pyramid ? columns_[lane].get() : nullptr};
  for (std::uint64_t next = 0; sums && next < tile.count;) {
    const Bands bands = bands_from(tile, first, next);
    check(host_, launch_reduce_bands(tile, first, width_, bands, classes, slots, columns, stream),
          "sums of a tile");
    if (!has_pyramid) continue;
    const DeviceCells cells{task_.pyramid->cols, power_[lane].get(), maximum_[lane].get()};
    check(host_, launch_add_to_cells(columns, width_, bands, cells, stream), "cells of the display pyramid");
  }
  if (row_sums_) row_sums_->add(lane, tile, first, stream);
  for (Comparison& compared : compared_) {
    DeviceReconstruction view = compared.view;
    view.slots = compared.slots[lane].get();
    check(host_, launch_compare_magnitudes(tile, first, width_, view, stream), "comparing magnitudes");
  }
}

void Reducer::add_packed(std::uint64_t lane, const float2* rows, std::uint32_t count, std::uint64_t first,
                         cudaStream_t stream) {
  if (bulk_) bulk_->add(rows, count, first, stream);
  TileView tile;
  tile.values = rows;
  tile.stride = width_;
  tile.count = count;
  add(lane, tile, first, stream);
}

void Reducer::finish() {
  if (task_.features != nullptr) finish_features();
  if (task_.pyramid != nullptr) finish_pyramid();
  finish_reconstructions();
  if (bulk_) bulk_->finish();
  if (row_sums_) row_sums_->finish();
}

void Reducer::finish_features() {
  FeatureSums sums;
  double totals[kSlotSums] = {};
  for (const DeviceBuffer<double>& slots : slots_) {
    const std::vector<double> parts = downloaded(host_, slots, slot_count_ * kSlotSums, "sums of features");
    for (std::uint64_t k = 0; k < parts.size(); ++k) totals[k % kSlotSums] += parts[k];
  }
  std::copy_n(totals, kRadialBins, sums.radial);
  std::copy_n(totals + kRadialBins, kSectors, sums.sectors);
  std::copy_n(totals + kRadialBins + kSectors, kSectors, sums.transposed_sectors);
  const double* rest = totals + kRadialBins + 2 * kSectors;
  sums.low = rest[0];
  const PowerTerms<double> unit = power_terms(1.0, std::numbers::ln2);
  for (std::size_t k = 0; k < kPowerSums; ++k) sums.f.of[k] = rest[1 + k] * unit.of[k];
  sums.log_power = rest[1 + kPowerSums] * std::numbers::ln2;
  const auto counters = downloaded(host_, counters_, kCounters, "sums of features");
  for (std::size_t k = 0; k < kTinyBins; ++k) {
    sums.tiny_count[k] = counters[k];
    sums.tiny_log[k] =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(counters[kTinyBins + k])), -20) *
        std::numbers::ln2;
  }
  std::memcpy(&sums.dc_power, &counters[kDcAt], sizeof sums.dc_power);
  *task_.features->sums = sums;
}

void Reducer::finish_pyramid() {
  const PyramidReduction& pyramid = *task_.pyramid;
  const std::uint64_t cells = std::uint64_t{pyramid.rows} * pyramid.cols;
  std::fill_n(pyramid.power, cells, 0.0F);
  std::fill_n(pyramid.maximum, cells, 0.0F);
  for (std::size_t lane = 0; lane < power_.size(); ++lane) {
    const std::vector<double> power = downloaded(host_, power_[lane], cells, "display pyramid");
    const std::vector<float> maximum = downloaded(host_, maximum_[lane], cells, "display pyramid");
    for (std::uint64_t k = 0; k < cells; ++k) {
      pyramid.power[k] += static_cast<float>(power[k]);
      pyramid.maximum[k] = std::max(pyramid.maximum[k], maximum[k]);
    }
  }
}

void Reducer::finish_reconstructions() {
  for (const Comparison& compared : compared_) {
    const ReconstructionReduction& task = *compared.task;
    download(host_, task.products, compared.products.get(), task.m / 2 + 1, "products of magnitudes");
    const std::uint64_t bins = std::uint64_t{task.reference_bins.count} * task.estimate_bins.count;
    download(host_, task.histogram, compared.histogram.get(), bins, "histogram of magnitudes");
  }
}

}  // namespace spyctrum::cuda
