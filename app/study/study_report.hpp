// SPDX-License-Identifier: Apache-2.0
// A study as a page: the paper's tables from our cells, with the paper's printed figures beside them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/study/study.hpp"

namespace spyctrum {

/// Matrices that are looked at together.
struct StudyGroup {
  std::string title;
  std::vector<std::string> matrices;
};
/// The paper's data sets that are real, its generated stand-ins, and all others; empty groups are left out.
[[nodiscard]] std::vector<StudyGroup> study_groups(const Study& study);

/// What a cell is asked for; empty where it has none.
using CellValue = std::function<std::optional<double>(const StudyCell&)>;
[[nodiscard]] CellValue value_seconds();
[[nodiscard]] CellValue value_bytes();
[[nodiscard]] CellValue value_error(FeatureKey feature);
[[nodiscard]] CellValue value_hellinger();
[[nodiscard]] CellValue value_recall();

/// Of the cells of a method at a block size over the matrices of a group; empty where there is none.
struct StudyMedian {
  double median = 0;
  double mean = 0;
  std::size_t count = 0;
};
[[nodiscard]] std::optional<StudyMedian> median_over(const Study& study, const StudyGroup& group,
                                                     const std::string& method,
                                                     std::optional<std::uint32_t> block,
                                                     const CellValue& value);

/// Methods that have cells, in the order of the registry; blocks ascending.
[[nodiscard]] std::vector<std::string> study_methods(const Study& study);
[[nodiscard]] std::vector<std::uint32_t> study_blocks(const Study& study);
[[nodiscard]] std::string study_label(const Study& study, const std::string& method);

/// Writes DIR/report.md; figures that lie in DIR/figures are shown in it. Errors: output.
[[nodiscard]] Result<void> write_study_report(const Study& study);

}  // namespace spyctrum
