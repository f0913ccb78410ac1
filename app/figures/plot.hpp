// SPDX-License-Identifier: Apache-2.0
// Plots of a study on a page: points, medians, and boxes as in the paper's figures (quartiles, whiskers
// to 1.5 interquartile ranges).
#pragma once

#include <string>

#include "app/figures/page.hpp"
#include "app/study/study_plots.hpp"

namespace spyctrum {

/// A box per method and block size, or the cells as points, with a line through the medians; the legend is
/// beside the plot.
void draw_study_plot(Page& page, const Box& box, const Study& study, StudyPlot plot, const StudyGroup& group);

/// One quantity of the methods of the whole plane, for each matrix; cells that ended early are marked OOM,
/// FAIL or TIME.
void draw_by_matrix(Page& page, const Box& box, const Study& study, const StudyGroup& group,
                    const std::string& title, const CellValue& value);

}  // namespace spyctrum
