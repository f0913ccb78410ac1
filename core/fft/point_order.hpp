// SPDX-License-Identifier: Apache-2.0
// The order in which entries are spread onto the fine grid: by stripes of grid rows, within a stripe by grid
// column. A stripe has at least as many rows as a point has taps. Hence no two stripes of even number write
// the same grid row, nor do two stripes of odd number, and several threads spread each set without locks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/fft/aligned_buffer.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

struct PointOrder {
  std::size_t stripe_rows = 1;
  std::size_t stripes = 0;
  AlignedBuffer<std::uint64_t> points;    ///< K values (column slot << 32 | row slot)
  AlignedBuffer<float> weights;           ///< one for each point; empty without weights
  std::vector<std::size_t> stripe_start;  ///< offsets into points, stripes + 1 of them
};

/// `row_start` and `column_start` hold the first cell of each slot, inside a grid of
/// `grid_rows` × `grid_columns` cells.
[[nodiscard]] PointOrder order_points(const SparsePattern& pattern, std::span<const std::uint32_t> row_start,
                                      std::span<const std::uint32_t> column_start, std::size_t grid_rows,
                                      std::size_t grid_columns, std::size_t row_taps, JobContext& context);

}  // namespace spyctrum
