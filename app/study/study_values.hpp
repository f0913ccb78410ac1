// SPDX-License-Identifier: Apache-2.0
// Quantities of a study's cells, over groups of matrices and in a fixed order, for its tables and figures.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/study/study.hpp"

namespace spyctrum {

/// Cells in the order of the tables: matrices by m·n and name, methods as registered, blocks ascending.
[[nodiscard]] std::vector<const StudyCell*> cells_in_order(const Study& study);
/// Matrices that could be read, by m·n and name.
[[nodiscard]] std::vector<const StudyMatrix*> matrices_in_order(const Study& study);

/// Matrices over which medians are taken.
struct StudyGroup {
  std::string title;
  std::vector<std::string> matrices;
};
/// Three groups: the paper's data sets read from files, generated stand-ins for them, and all other matrices;
/// empty groups are left out.
[[nodiscard]] std::vector<StudyGroup> study_groups(const Study& study);

/// Reads one quantity of a cell; empty if the cell does not have it.
using CellValue = std::function<std::optional<double>(const StudyCell&)>;
[[nodiscard]] CellValue value_seconds();
/// The seconds of the stages before the first transform: prepare, order, sort, tables, permute, scatter.
[[nodiscard]] CellValue value_preparation();
/// The seconds of the stages that make features of values: decode, reduce.
[[nodiscard]] CellValue value_decoding();
[[nodiscard]] CellValue value_reconstruction_seconds();
/// The peak on the device where one was used, else on the host.
[[nodiscard]] CellValue value_bytes();
/// The share of the plane's coefficients that were evaluated. `study` must outlive the result.
[[nodiscard]] CellValue value_share(const Study& study);
/// Largest |ΔF| from the exact rows: over √K, or over |F|.
[[nodiscard]] CellValue value_difference(double PlaneDifference::*member);
[[nodiscard]] CellValue value_error(FeatureKey feature);
[[nodiscard]] CellValue value_hellinger();
[[nodiscard]] CellValue value_recall();

/// The values of one quantity for a method and block size over the matrices of a group: ascending, at least
/// one.
class StudyValues {
 public:
  explicit StudyValues(std::vector<double> values);
  [[nodiscard]] std::size_t count() const { return values_.size(); }
  [[nodiscard]] double mean() const;
  [[nodiscard]] double median() const { return quantile(0.5); }
  /// Interpolates linearly between the values; the first is quantile 0, the last quantile 1.
  [[nodiscard]] double quantile(double q) const;
  [[nodiscard]] double least() const { return values_.front(); }
  [[nodiscard]] double most() const { return values_.back(); }
  /// The ends of a box plot's whiskers: the outermost values within 1.5 interquartile ranges of the
  /// quartiles.
  [[nodiscard]] std::pair<double, double> whiskers() const;

 private:
  std::vector<double> values_;
};
/// Empty if there is no such cell.
[[nodiscard]] std::optional<StudyValues> values_over(const Study& study, const StudyGroup& group,
                                                     const std::string& method,
                                                     std::optional<std::uint32_t> block,
                                                     const CellValue& value);

/// Methods that have cells, in the order of the registry; blocks ascending.
[[nodiscard]] std::vector<std::string> study_methods(const Study& study);
[[nodiscard]] std::vector<std::uint32_t> study_blocks(const Study& study);
[[nodiscard]] std::string study_label(const Study& study, const std::string& method);

}  // namespace spyctrum
