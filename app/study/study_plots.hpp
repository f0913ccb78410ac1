// SPDX-License-Identifier: Apache-2.0
// What each figure of a study shows, method by method: drawn in the window (app/panels/plots) and as files
// for print (app/figures).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/study/method_style.hpp"
#include "app/study/study_values.hpp"

namespace spyctrum {

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
/// File name of the figure, without folder and ending.
[[nodiscard]] std::string file_name_of(StudyPlot plot);

struct StudyAxes {
  const char* x;
  const char* y;
  bool x_log = true, y_log = true;
  bool by_block = false;  ///< x is the block size
};
[[nodiscard]] StudyAxes axes_of(StudyPlot plot);

struct StudyPoint {
  double x = 0, y = 0;
  const StudyCell* cell = nullptr;
};
/// The cells at one block size, over the matrices of the group.
struct StudySpread {
  double x = 0;  ///< block size, or median seconds
  StudyValues values;
  bool mean = false;  ///< true: the centre is the mean, as in the paper for recall
  [[nodiscard]] double centre() const { return mean ? values.mean() : values.median(); }
};
/// One method: a point per cell, and the spread over the matrices by block size, ascending.
struct StudySeries {
  std::string method, label;
  MethodStyle style;
  std::vector<StudyPoint> points;
  std::vector<StudySpread> spreads;
};
/// `size_block`: the block size that time_by_size shows. Values are raised to at least 10⁻⁷, since a
/// logarithmic axis has no 0.
[[nodiscard]] std::vector<StudySeries> study_series(const Study& study, StudyPlot plot,
                                                    const StudyGroup& group, std::uint32_t size_block);
/// Whether a line is drawn at kSmoothingBound, the least Hellinger distance that any estimate from samples
/// can have in a plane of noise whose variance is smooth. Exact coefficients beside the samples can reduce it
/// further.
[[nodiscard]] bool has_bound(StudyPlot plot);
[[nodiscard]] std::string bound_label();

}  // namespace spyctrum
