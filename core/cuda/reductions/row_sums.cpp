// SPDX-License-Identifier: Apache-2.0
// Slots that are waited for before they are used again.
#include "core/cuda/reductions/row_sums.hpp"

#include <algorithm>
#include <utility>

namespace spyctrum::cuda {

namespace {

std::vector<LineRequest> requests_of(const RowSumsReduction& task) {
  std::vector<LineRequest> lines(task.rows);
  for (std::uint64_t p = 0; p < task.rows; ++p) lines[p].line = task.u[p];
  return lines;
}

}  // namespace

RowSums::Behind::Behind(Host& host, std::uint64_t tile, std::uint64_t parts)
    : sums(host, tile * (1 + parts), "sums of rows"), on_host(host, tile * sizeof(CellSums)), copied(host) {}

RowSums::RowSums(Host& host, const RowSumsReduction& task, bool symmetric_half, std::uint64_t tile,
                 std::uint64_t lanes)
    : host_(host),
      task_(task),
      symmetric_half_(symmetric_half),
      tile_(tile),
      parts_(detail::pieces(task.n, kLineCells)),
      lines_(upload(host, requests_of(task).data(), task.rows, "rows that are summed")),
      turn_(lanes, 0) {
  const bool has_parts = task.cell_rows != 0 || task.strongest != 0;
  if (has_parts) parts_of_rows_.emplace(host, task, symmetric_half, lanes);
  for (std::uint64_t k = 0; k < lanes * kTilesBehind; ++k) {
    behind_.push_back(std::make_unique<Behind>(host, tile, parts_));
    if (has_parts) behind_.back()->slot.emplace(host, task, tile);
  }
}

void RowSums::add(std::uint64_t lane, const TileView& tile, std::uint64_t first, cudaStream_t stream) {
  Behind& behind = *behind_[lane * kTilesBehind + turn_[lane]++ % kTilesBehind];
  hand_over(behind);
  Cells cells;
  cells.tile = tile;
  cells.width = task_.n;
  cells.lines = lines_.get() + first;
  cells.m = static_cast<std::uint32_t>(task_.m);
  cells.n = static_cast<std::uint32_t>(task_.n);
  cells.floor = task_.floor;
  cells.symmetric_half = symmetric_half_;
  CellSums* const parts = behind.sums.get() + tile_;
  check(host_, launch_sum_cells(cells, kLineCells, false, parts, stream), "sums of rows");
  check(host_, launch_add_slots(parts, tile.count, parts_, 1, behind.sums.get(), stream), "sums of rows");
  check(host_,
        cudaMemcpyAsync(behind.on_host.values(), behind.sums.get(), tile.count * sizeof(CellSums),
                        cudaMemcpyDeviceToHost, stream),
        "sums of rows");
  if (behind.slot) parts_of_rows_->add(*behind.slot, lane, tile, lines_.get() + first, first, stream);
  behind.copied.record(stream);
  behind.first = first;
  behind.count = tile.count;
}

void RowSums::hand_over(Behind& behind) const {
  const std::uint64_t count = std::exchange(behind.count, 0);
  if (count == 0) return;
  behind.copied.synchronize();
  task_.receiver->take(behind.first, count, reinterpret_cast<const CellSums*>(behind.on_host.values()),
                       behind.slot ? parts_of_rows_->of(*behind.slot) : TileResults{});
}

void RowSums::finish() {
  std::vector<Behind*> left;
  for (const auto& behind : behind_)
    if (behind->count != 0) left.push_back(behind.get());
  std::sort(left.begin(), left.end(), [](const Behind* a, const Behind* b) { return a->first < b->first; });
  for (Behind* behind : left) hand_over(*behind);
}

}  // namespace spyctrum::cuda
