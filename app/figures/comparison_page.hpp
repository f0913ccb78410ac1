// SPDX-License-Identifier: Apache-2.0
// Draws a figure of the comparison.
#pragma once

#include <string>

#include "app/controller/files/comparison_figure.hpp"
#include "app/figures/page.hpp"

namespace spyctrum {

/// Writes the figure: .svg, .pdf, or .png of `pixels` per point. Errors as write_page().
[[nodiscard]] Result<void> write_comparison(const std::string& path, const ComparisonFigure& figure,
                                            double pixels);

/// The figure with `pixels` per point. Throws Failure{output}.
[[nodiscard]] Raster draw_comparison(const ComparisonFigure& figure, double pixels);

}  // namespace spyctrum
