// SPDX-License-Identifier: Apache-2.0
// The figures of a study, drawn by ImPlot in the study's panel.
#pragma once

#include <imgui.h>

#include <cstdint>

#include "app/study/study_plots.hpp"

namespace spyctrum::panels {

/// Draws the plot and returns the cell that was clicked, or nullptr. `size_block`: block size shown by
/// time_by_size.
const StudyCell* draw_study_plot(const Study& study, StudyPlot plot, const StudyGroup& group,
                                 std::uint32_t size_block, ImVec2 size);

}  // namespace spyctrum::panels
