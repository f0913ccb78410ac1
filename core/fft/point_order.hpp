// SPDX-License-Identifier: Apache-2.0
// The order in which points are spread: by stripe of grid rows, inside a stripe by
// grid column. Stripes are at least as high as the taps, so that the stripes of
// even number touch no common row, nor do those of odd number: each set is spread
// by several threads without locks.
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
  AlignedBuffer<std::uint64_t> points;    ///< (column slot << 32 | row slot), K of them
  std::vector<std::size_t> stripe_start;  ///< into points, stripes + 1
};

/// `row_start` and `column_start` are the first cells of each slot; the grid has
/// `grid_rows` rows and `grid_columns` columns, points start inside.
[[nodiscard]] PointOrder order_points(const SparsePattern& pattern, std::span<const std::uint32_t> row_start,
                                      std::span<const std::uint32_t> column_start, std::size_t grid_rows,
                                      std::size_t grid_columns, std::size_t row_taps, JobContext& context);

}  // namespace spyctrum
