// SPDX-License-Identifier: Apache-2.0
// The report of a study: the paper's tables from the study's cells, beside the paper's printed values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/study/study.hpp"

namespace spyctrum {

/// Matrices whose medians are taken together.
struct StudyGroup {
  std::string title;
  std::vector<std::string> matrices;
};
/// Three groups: the paper's data sets read from files, generated stand-ins for them, and all other matrices;
/// empty groups are left out.
[[nodiscard]] std::vector<StudyGroup> study_groups(const Study& study);

/// Reads one quantity of a cell; empty where the cell does not have it.
using CellValue = std::function<std::optional<double>(const StudyCell&)>;
[[nodiscard]] CellValue value_seconds();
[[nodiscard]] CellValue value_bytes();
[[nodiscard]] CellValue value_error(FeatureKey feature);
[[nodiscard]] CellValue value_hellinger();
[[nodiscard]] CellValue value_recall();

/// Median over the matrices of a group of a method's cells at one block size; empty where there is no such
/// cell.
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

/// Writes DIR/report.md with the figures in DIR/figures. Errors: output.
[[nodiscard]] Result<void> write_study_report(const Study& study);

}  // namespace spyctrum
