// SPDX-License-Identifier: Apache-2.0
// The figures of a study, drawn by ImPlot in the study's panel and, without a window, as files in its folder.
#pragma once

#include <imgui.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/study/study_report.hpp"

namespace spyctrum::panels {

enum class StudyPlot {
  time_by_size,      ///< seconds against n·K, one point per matrix
  time_by_block,     ///< seconds against b
  memory_by_block,   ///< peak bytes against b
  entropy_by_block,  ///< feature errors against b
  radial_by_block,
  sectors_by_block,
  hellinger_by_block,  ///< of the reconstruction
  recall_by_block,
  error_by_time,      ///< mean feature error against seconds
  hellinger_by_time,  ///< of the reconstruction
};
inline constexpr std::size_t kStudyPlots = 10;
[[nodiscard]] const char* title_of(StudyPlot plot);
/// File name of the figure, without folder.
[[nodiscard]] std::string file_name_of(StudyPlot plot);

struct StudyPoint {
  double x = 0, y = 0;
  const StudyCell* cell = nullptr;
};
/// One method: a point per cell, and the medians over matrices by block size.
struct StudySeries {
  std::string label;
  std::uint32_t color = 0;
  std::vector<StudyPoint> points;
  std::vector<double> median_x, median_y;
};
[[nodiscard]] std::vector<StudySeries> study_series(const Study& study, StudyPlot plot,
                                                    const StudyGroup& group, std::uint32_t size_block);

/// Draws the plot and returns the cell that was clicked, or nullptr. `size_block`: block size shown by
/// time_by_size.
const StudyCell* draw_study_plot(const Study& study, StudyPlot plot, const StudyGroup& group,
                                 std::uint32_t size_block, ImVec2 size);

}  // namespace spyctrum::panels
