// SPDX-License-Identifier: Apache-2.0
// One block sums one row into a slot of its own; the slots are added at the end.
#include "core/cuda/reductions/bulk_sums.hpp"

#include <vector>

namespace spyctrum::cuda {

namespace {

std::vector<LineRequest> requests_of(const BulkReduction& task) {
  std::vector<LineRequest> lines(task.rows);
  for (std::uint64_t p = 0; p < task.rows; ++p) lines[p] = {task.u[p], 0xF, true, false};
  return lines;
}

}  // namespace

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
  MomentSums* const total = slots_.get() + task_.rows;
  check(host_, launch_add_slots(slots_.get(), 1, task_.rows, 1, total, nullptr), "sums of the samples");
  download(host_, task_.sums, total, 1, "sums of the samples");
}

}  // namespace spyctrum::cuda
