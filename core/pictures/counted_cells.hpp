// SPDX-License-Identifier: Apache-2.0
// The cells of a picture on which its range and its histogram depend.
#pragma once

#include <vector>

#include "core/pictures/view.hpp"

namespace spyctrum {

/// Which rows and columns of cells of a spectrum's picture show frequency 0.
struct AxisCells {
  std::vector<bool> rows, cols;
};
[[nodiscard]] AxisCells axis_cells(const CellImage& image);

/// log10 of a channel of each cell, −infinity for zero; NaN for cells without a value and for omitted ones.
/// `skip_dc` omits the cells that show u = v = 0, `skip_axes` those that show u = 0 or v = 0. Where this
/// leaves no positive cell, those on the axes count, then that of DC.
[[nodiscard]] std::vector<float> counted_logs(const CellImage& image, bool skip_dc, bool skip_axes,
                                              int channel = 0);

}  // namespace spyctrum
