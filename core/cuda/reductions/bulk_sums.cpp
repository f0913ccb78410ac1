// SPDX-License-Identifier: Apache-2.0
// One slot to a row, one block to a slot.
#include "core/cuda/reductions/bulk_sums.hpp"

#include <algorithm>

namespace spyctrum::cuda {

namespace {

std::vector<LineRequest> requests_of(const BulkReduction& task) {
  std::vector<LineRequest> lines(task.rows);
  for (std::uint64_t p = 0; p < task.rows; ++p) lines[p] = {task.u[p], 0xF, true, false};
  return lines;
}

}  // namespace

DeviceMasks::DeviceMasks(Host& host, const LineMasks& masks, std::uint64_t m, std::uint64_t n) {
  for (std::size_t d = 0; d < kPlaneLines; ++d)
    if (masks.of[d] != nullptr) of_[d] = upload(host, masks.of[d], d == 0 ? m : n, "chosen lines");
}

LineMasks DeviceMasks::view() const {
  LineMasks masks;
  for (std::size_t d = 0; d < kPlaneLines; ++d) masks.of[d] = of_[d].get();
  return masks;
}

BulkSums::BulkSums(Host& host, const BulkReduction& task)
    : host_(host),
      task_(task),
      masks_(host, task.masks, task.m, task.n),
      lines_(upload(host, requests_of(task).data(), task.rows, "rows of the samples")),
      along_(upload(host, task.v, task.width, "columns of the samples")),
      slots_(host, task.rows + 1, "sums of the samples") {}

void BulkSums::add(const float2* rows, std::uint32_t count, std::uint64_t first, cudaStream_t stream) {
  Cells cells;
  cells.tile.values = rows;
  cells.tile.stride = task_.width;
  cells.tile.count = count;
  cells.width = task_.width;
  cells.lines = lines_.get() + first;
  cells.along = along_.get();
  cells.m = static_cast<std::uint32_t>(task_.m);
  cells.n = static_cast<std::uint32_t>(task_.n);
  cells.masks = masks_.view();
  cells.most_power = task_.most_power;
  cells.floor = task_.floor;
  check(host_, launch_sum_cells(cells, task_.width, false, slots_.get() + first, stream),
        "sums of the samples");
}

void BulkSums::finish() {
  CellSums* const total = slots_.get() + task_.rows;
  check(host_, launch_add_slots(slots_.get(), 1, task_.rows, 1, total, nullptr), "sums of the samples");
  check(host_, cudaMemcpy(task_.sums, total, sizeof(CellSums), cudaMemcpyDeviceToHost),
        "sums of the samples");
}

}  // namespace spyctrum::cuda
