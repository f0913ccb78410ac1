// SPDX-License-Identifier: Apache-2.0
// Cells on the axes are those that the plans of pictures (CellAxis) give frequency 0.
#include "core/pictures/counted_cells.hpp"

#include <cmath>
#include <limits>

#include "core/pictures/cell_axis.hpp"

namespace spyctrum {

namespace {

/// Which cells of an axis show index 0.
std::vector<bool> cells_of_zero(double start, double end, std::uint32_t cells) {
  constexpr std::uint64_t kAnySize = std::uint64_t{1} << 34U;
  const CellAxis axis = CellAxis::of_frequencies({start, end, cells}, kAnySize);
  std::vector<bool> result(cells);
  for (std::uint32_t k = 0; k < cells; ++k) result[k] = axis[k].contains(0);
  return result;
}

}  // namespace

AxisCells axis_cells(const CellImage& image) {
  return {cells_of_zero(image.rect.top, image.rect.bottom, image.height),
          cells_of_zero(image.rect.left, image.rect.right, image.width)};
}

std::vector<float> counted_logs(const CellImage& image, bool skip_dc, bool skip_axes, int channel) {
  const AxisCells zero = axis_cells(image);
  std::vector<float> logs(image.cells.size() / 2, std::numeric_limits<float>::quiet_NaN());
  bool has_value = false;
  for (std::uint32_t r = 0; r < image.height; ++r) {
    for (std::uint32_t c = 0; c < image.width; ++c) {
      const bool on_axis = zero.rows[r] || zero.cols[c];
      const bool is_dc = zero.rows[r] && zero.cols[c];
      if ((skip_axes && on_axis) || (skip_dc && is_dc)) continue;
      const std::size_t cell = static_cast<std::size_t>(r) * image.width + c;
      const float value = image.cells[2 * cell + static_cast<std::size_t>(channel)];
      if (std::isfinite(value) && value >= 0) logs[cell] = std::log10(value);
      has_value |= std::isfinite(logs[cell]);
    }
  }
  if (has_value || !(skip_axes || skip_dc)) return logs;
  return counted_logs(image, skip_dc && skip_axes, false, channel);
}

}  // namespace spyctrum
