// SPDX-License-Identifier: Apache-2.0
// Partial sums of the blocks of a row are added in a fixed order, so that equal rows give bit-equal sums.
#include "core/cuda/reductions/row_sums.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace spyctrum::cuda {

namespace {

constexpr std::uint64_t kStrongBytes = (kMostStrong + 1) * sizeof(StrongValue);

/// The next bands of a tile, which consists of `count` rows of the task from row `first` on.
Bands bands_of(const RowSumsReduction& task, bool symmetric_half, std::uint64_t first, std::uint64_t count,
               std::uint64_t& next) {
  BandLimits limits;
  limits.symmetric_half = symmetric_half;
  return collect_bands(next, count, limits, [&](std::uint64_t in_tile) {
    return band_of_row(task.u[first + in_tile], in_tile, 1, task.m, task.cell_rows);
  });
}

/// The most bands of any tile: far fewer than its rows if these are neighbours.
std::uint64_t count_most_bands(const RowSumsReduction& task, bool symmetric_half, std::uint64_t tile) {
  std::uint64_t most = 0;
  for (std::uint64_t first = 0; first < task.rows && task.cell_rows != 0; first += tile) {
    const std::uint64_t count = std::min(tile, task.rows - first);
    std::uint64_t bands = 0;
    for (std::uint64_t next = 0; next < count;)
      bands += bands_of(task, symmetric_half, first, count, next).count;
    most = std::max(most, bands);
  }
  return most;
}

std::vector<LineRequest> requests_of(const BulkReduction& task) {
  std::vector<LineRequest> lines(task.rows);
  for (std::uint64_t p = 0; p < task.rows; ++p) lines[p] = {task.u[p], 0xF, true, false};
  return lines;
}

}  // namespace

// The arrays are cleared, since they are copied to the host as a whole and kernels leave some elements
// unwritten: the cells of −u if −u ≡ u (mod m), and the list after its last coefficient.
TileResultBuffers::Slot::Slot(Host& host, const RowSumsReduction& task, std::uint64_t bands)
    : cells(zeros<CellSum>(host, 2 * bands * task.cell_cols, "cells of the rows")),
      host_cells(host, 2 * bands * task.cell_cols * sizeof(CellSum)),
      strong(zeros<StrongValue>(host, task.strongest == 0 ? 0 : kMostStrong + 1, "strong coefficients")),
      host_strong(host, task.strongest == 0 ? 0 : kStrongBytes) {}

TileResultBuffers::TileResultBuffers(Host& host, const RowSumsReduction& task, bool symmetric_half,
                                     std::uint64_t tile, std::uint64_t lanes)
    : host_(host),
      task_(task),
      symmetric_half_(symmetric_half),
      most_bands_(count_most_bands(task, symmetric_half, tile)) {
  for (std::uint64_t k = 0; k < lanes; ++k) {
    lanes_.push_back({DeviceBuffer<float2>(host, kBandsAtOnce * task.n, "column sums"),
                      zeros<unsigned>(host, kStrengthBins + 1, "histogram of powers")});
  }
}

void TileResultBuffers::add(Slot& slot, std::uint64_t lane, const TileView& tile, const std::uint32_t* u,
                            std::uint64_t first, cudaStream_t stream) {
  slot.cell_rows.clear();
  if (task_.cell_rows != 0) add_cells(slot, lane, tile, first, stream);
  if (task_.strongest == 0) return;
  StrongSearch search;
  search.tile = tile;
  search.width = task_.n;
  search.u = u;
  search.m = task_.m;
  search.first = static_cast<std::uint32_t>(first);
  search.count = task_.strongest;
  search.symmetric_half = symmetric_half_;
  search.least = task_.receiver->least_strong();
  unsigned* const of_lane = lanes_[lane].threshold_and_histogram.get();
  search.threshold = reinterpret_cast<float*>(of_lane);
  search.histogram = of_lane + 1;
  search.counts = reinterpret_cast<unsigned*>(slot.strong.get());
  search.found = slot.strong.get() + 1;
  set_zero(host_, slot.strong.get(), 1, stream, "strong coefficients");
  check(host_, launch_find_strong(search, stream), "strong coefficients");
  copy_to_host(host_, slot.host_strong.values(), slot.strong.get(), kMostStrong + 1, stream,
               "strong coefficients");
}

void TileResultBuffers::add_cells(Slot& slot, std::uint64_t lane, const TileView& tile, std::uint64_t first,
                                  cudaStream_t stream) {
  const ColumnSums columns{lanes_[lane].columns.get()};
  for (std::uint64_t next = 0; next < tile.count;) {
    CellSum* const cells = slot.cells.get() + slot.cell_rows.size() * task_.cell_cols;
    const Bands bands = bands_of(task_, symmetric_half_, first, tile.count, next);
    for (std::uint32_t k = 0; k < bands.count; ++k) {
      const Band& band = bands.band[k];
      slot.cell_rows.push_back({first + band.first, band.rows, false});
      slot.cell_rows.push_back({first + band.first, band.down == kNoCell ? 0 : band.rows, true});
    }
    check(host_, launch_reduce_bands(tile, 0, task_.n, bands, {}, {}, columns, stream), "cells of the rows");
    check(host_, launch_cells_of_bands(columns, task_.n, bands, task_.cell_cols, cells, stream),
          "cells of the rows");
  }
  copy_to_host(host_, slot.host_cells.values(), slot.cells.get(), slot.cell_rows.size() * task_.cell_cols,
               stream, "cells of the rows");
}

TileResults TileResultBuffers::of(const Slot& slot) const {
  TileResults results;
  results.cell_rows = slot.cell_rows.data();
  results.cells = reinterpret_cast<const CellSum*>(slot.host_cells.values());
  results.cell_row_count = slot.cell_rows.size();
  if (task_.strongest == 0) return results;
  const auto* counts = reinterpret_cast<const unsigned*>(slot.host_strong.values());
  const std::uint64_t found = counts[0] <= kMostStrong ? counts[0] : counts[1];
  results.has_all_strong = found <= kMostStrong;
  results.strong_count = std::min(found, kMostStrong);
  results.strong = reinterpret_cast<const StrongValue*>(slot.host_strong.values()) + 1;
  return results;
}

BulkSums::BulkSums(Host& host, const BulkReduction& task)
    : host_(host),
      task_(task),
      masks_(host, task.masks, task.m, task.n),
      lines_(upload(host, requests_of(task).data(), task.rows, "rows of the samples")),
      along_(upload(host, task.v, task.width, "columns of the samples")),
      slots_(host, task.rows + 1, "sums of the samples") {}

void BulkSums::add(const float2* rows, std::uint32_t count, std::uint64_t first, cudaStream_t stream) {
  CoefficientRows rows_of_tile;
  rows_of_tile.tile.values = rows;
  rows_of_tile.tile.stride = task_.width;
  rows_of_tile.tile.count = count;
  rows_of_tile.width = task_.width;
  rows_of_tile.lines = lines_.get() + first;
  rows_of_tile.along = along_.get();
  rows_of_tile.m = static_cast<std::uint32_t>(task_.m);
  rows_of_tile.n = static_cast<std::uint32_t>(task_.n);
  rows_of_tile.edges = radial_edges(task_.m, task_.n);
  rows_of_tile.masks = masks_.view();
  rows_of_tile.most_power = task_.most_power;
  rows_of_tile.floor = task_.floor;
  rows_of_tile.zero_floor = task_.zero_floor;
  check(host_, launch_sum_coefficients(rows_of_tile, task_.width, false, slots_.get() + first, stream),
        "sums of the samples");
}

void BulkSums::finish() {
  Moments* const total = slots_.get() + task_.rows;
  check(host_, launch_add_slots(slots_.get(), 1, task_.rows, 1, total, nullptr), "sums of the samples");
  download(host_, task_.sums, total, 1, "sums of the samples");
}

RowSums::InFlight::InFlight(Host& host, std::uint64_t tile, std::uint64_t parts)
    : sums(host, tile * (1 + parts), "sums of rows"), on_host(host, tile * sizeof(Moments)), copied(host) {}

RowSums::RowSums(Host& host, const RowSumsReduction& task, bool symmetric_half, std::uint64_t tile,
                 std::uint64_t lanes)
    : host_(host),
      task_(task),
      symmetric_half_(symmetric_half),
      tile_(tile),
      parts_(detail::pieces(task.n, kRowSumColumns)),
      u_(upload(host, task.u, task.rows, "rows that are summed")) {
  const bool has_results = task.cell_rows != 0 || task.strongest != 0;
  if (has_results) tile_results_.emplace(host, task, symmetric_half, tile, lanes);
  for (std::uint64_t k = 0; k < lanes * kTilesInFlight; ++k) {
    in_flight_.push_back(std::make_unique<InFlight>(host, tile, parts_));
    if (has_results) in_flight_.back()->slot.emplace(host, task, tile_results_->most_bands());
  }
}

void RowSums::add(std::uint64_t lane, const TileView& tile, std::uint64_t first, cudaStream_t stream) {
  InFlight& in_flight = *in_flight_[tiles_++ % in_flight_.size()];
  deliver(in_flight);
  RowsToSum rows;
  rows.tile = tile;
  rows.u = u_.get() + first;
  rows.m = static_cast<std::uint32_t>(task_.m);
  rows.n = static_cast<std::uint32_t>(task_.n);
  rows.edges = radial_edges(task_.m, task_.n);
  rows.floor = task_.floor;
  rows.zero_floor = task_.zero_floor;
  rows.symmetric_half = symmetric_half_;
  Moments* const parts = in_flight.sums.get() + tile_;
  check(host_, launch_sum_rows(rows, parts, stream), "sums of rows");
  check(host_, launch_add_slots(parts, tile.count, parts_, 1, in_flight.sums.get(), stream), "sums of rows");
  copy_to_host(host_, in_flight.on_host.values(), in_flight.sums.get(), tile.count, stream, "sums of rows");
  if (in_flight.slot) tile_results_->add(*in_flight.slot, lane, tile, rows.u, first, stream);
  in_flight.copied.record(stream);
  in_flight.first = first;
  in_flight.count = tile.count;
}

void RowSums::deliver(InFlight& in_flight) const {
  const std::uint64_t count = std::exchange(in_flight.count, 0);
  if (count == 0) return;
  in_flight.copied.synchronize();
  task_.receiver->take(in_flight.first, count, reinterpret_cast<const Moments*>(in_flight.on_host.values()),
                       in_flight.slot ? tile_results_->of(*in_flight.slot) : TileResults{});
}

void RowSums::finish() {
  for (std::size_t k = 0; k < in_flight_.size(); ++k) deliver(*in_flight_[(tiles_ + k) % in_flight_.size()]);
}

}  // namespace spyctrum::cuda
