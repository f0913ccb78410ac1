// SPDX-License-Identifier: Apache-2.0
// Reduces rows of powers |F|² to cells: mean and maximum over the row range and column range of each cell.
// Consecutive rows of cells with equal ranges are computed once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/pictures/cell_axis.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

/// An image whose cells are all NaN.
[[nodiscard]] inline CellImage blank_image(const PictureArea& area) {
  CellImage image;
  image.rect = area.rect;
  image.height = area.height;
  image.width = area.width;
  image.cells.assign(2 * std::size_t{area.height} * area.width, std::numeric_limits<float>::quiet_NaN());
  if (area.height > 0 && area.width > 0)
    image.coefficients_per_cell = area.rect.height() / area.height * (area.rect.width() / area.width);
  else
    image.coefficients_per_cell = 0;
  return image;
}

inline constexpr std::size_t kRowGrain = 8;  // rows of cells of a task

/// Sum and maximum of the powers in each cell of one row of cells.
struct RowOfCells {
  std::vector<double> sum;
  std::vector<float> maximum;
  explicit RowOfCells(std::size_t cells) : sum(cells), maximum(cells) {}
  void clear() {
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(maximum.begin(), maximum.end(), 0.0F);
  }
  void add(const std::vector<float>& powers, const std::vector<IndexRange>& cols) {
    for (std::size_t c = 0; c < cols.size(); ++c) {
      double total = 0;
      float most = maximum[c];
      for (std::int64_t q = cols[c].first; q < cols[c].last; ++q) {
        const float power = powers[static_cast<std::size_t>(q)];
        total += static_cast<double>(power);
        most = most < power ? power : most;
      }
      sum[c] += total;
      maximum[c] = most;
    }
  }
};

/// Fills the rows of cells whose ranges are not empty. Each task calls make() once for a function
/// write_row(r, out) and uses it for its rows; consecutive rows with equal ranges are computed once and
/// copied. Throws Failure{cancelled}.
template <class Make>
void write_rows_of_cells(CellImage& image, const std::vector<IndexRange>& rows, std::size_t grain,
                         JobContext& context, Make&& make) {
  const std::size_t values = 2 * std::size_t{image.width};
  context.pool().parallel_for(rows.size(), grain, [&](std::size_t begin, std::size_t end, unsigned) {
    auto write_row = make();
    for (std::size_t r = begin; r < end; ++r) {
      float* out = image.cells.data() + r * values;
      if (rows[r].empty()) continue;
      if (r > begin && rows[r] == rows[r - 1])
        std::copy_n(out - values, values, out);
      else
        write_row(r, out);
    }
    context.checkpoint(end, rows.size());
  });
}

/// Fills the cells of `image` whose ranges are not empty. power_row(p, powers) must set the `row_length`
/// powers of row p; it is called concurrently. `rows`, `cols`: the range of these rows and columns for each
/// row and column of cells. Throws Failure{cancelled}.
template <class PowerRow>
void reduce_to_cells(CellImage& image, const std::vector<IndexRange>& rows,
                     const std::vector<IndexRange>& cols, std::size_t row_length, JobContext& context,
                     PowerRow&& power_row) {
  write_rows_of_cells(image, rows, kRowGrain, context, [&] {
    return [&, powers = std::vector<float>(row_length), sums = RowOfCells(cols.size())](std::size_t r,
                                                                                        float* out) mutable {
      sums.clear();
      for (std::int64_t p = rows[r].first; p < rows[r].last; ++p) {
        context.check_stop();
        power_row(static_cast<std::size_t>(p), powers);
        sums.add(powers, cols);
      }
      for (std::size_t c = 0; c < cols.size(); ++c) {
        if (cols[c].empty()) continue;
        const double count = static_cast<double>(rows[r].count()) * static_cast<double>(cols[c].count());
        out[2 * c] = static_cast<float>(sums.sum[c] / count);
        out[2 * c + 1] = sums.maximum[c];
      }
    };
  });
}

}  // namespace spyctrum
