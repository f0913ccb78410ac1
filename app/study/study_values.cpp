// SPDX-License-Identifier: Apache-2.0
// The quantities that can be read of a cell, and statistics of them over matrices.
#include "app/study/study_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "core/features/feature_errors.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

namespace {

/// `value` of a cell, unless it is NaN or infinite.
template <class Value>
CellValue finite(Value value) {
  return [value](const StudyCell& cell) -> std::optional<double> {
    const double found = value(cell);
    return std::isfinite(found) ? std::optional(found) : std::nullopt;
  };
}
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

CellValue of_done(double (*value)(const StudyCell&)) {
  return finite(
      [value](const StudyCell& cell) { return cell.status == CellStatus::done ? value(cell) : kNone; });
}

CellValue of_reconstruction(double ReconstructionErrors::*member) {
  return finite([member](const StudyCell& cell) {
    return cell.reconstruction ? (*cell.reconstruction).*member : kNone;
  });
}

double sum_of_stages(const StudyCell& cell, std::initializer_list<std::string_view> names) {
  double sum = 0;
  for (const auto& [name, seconds] : cell.stages)
    if (std::ranges::find(names, name) != names.end()) sum += seconds;
  return sum;
}

std::size_t place_of(const std::string& method) {
  const auto found = std::ranges::find(methods(), method, [](const auto& one) { return one->info().id; });
  return static_cast<std::size_t>(found - methods().begin());
}

}  // namespace

std::vector<const StudyMatrix*> matrices_in_order(const Study& study) {
  std::vector<const StudyMatrix*> list;
  for (const StudyMatrix& matrix : study.matrices)
    if (matrix.problem.empty()) list.push_back(&matrix);
  std::ranges::sort(list, [](const StudyMatrix* a, const StudyMatrix* b) {
    return std::pair(a->rows * a->cols, a->name) < std::pair(b->rows * b->cols, b->name);
  });
  return list;
}

std::vector<const StudyCell*> cells_in_order(const Study& study) {
  std::vector<const StudyCell*> list;
  for (const StudyMatrix* matrix : matrices_in_order(study)) {
    const std::size_t begin = list.size();
    for (const StudyCell& cell : study.cells)
      if (cell.matrix == matrix->name) list.push_back(&cell);
    std::sort(list.begin() + static_cast<std::ptrdiff_t>(begin), list.end(),
              [](const StudyCell* a, const StudyCell* b) {
                return std::tuple(place_of(a->method), a->block) < std::tuple(place_of(b->method), b->block);
              });
  }
  return list;
}

CellValue value_difference(double PlaneDifference::*member) {
  return finite(
      [member](const StudyCell& cell) { return cell.difference ? (*cell.difference).*member : kNone; });
}

CellValue value_seconds() {
  return of_done([](const StudyCell& cell) { return cell.seconds; });
}
CellValue value_preparation() {
  return of_done([](const StudyCell& cell) {
    return sum_of_stages(cell, {"prepare", "order", "sort", "tables", "memory", "permute", "scatter"});
  });
}
CellValue value_decoding() {
  return of_done([](const StudyCell& cell) { return sum_of_stages(cell, {"decode", "reduce"}); });
}
CellValue value_reconstruction_seconds() {
  return [](const StudyCell& cell) { return cell.reconstruction_seconds; };
}
CellValue value_bytes() {
  return of_done([](const StudyCell& cell) {
    return static_cast<double>(cell.device_bytes_peak != 0 ? cell.device_bytes_peak : cell.bytes_peak);
  });
}
CellValue value_share(const Study& study) {
  return [&study](const StudyCell& cell) -> std::optional<double> {
    if (!cell.features) return std::nullopt;
    const StudyMatrix& matrix = *study.matrix(cell.matrix);
    return static_cast<double>(cell.features->samples) / static_cast<double>(matrix.rows) /
           static_cast<double>(matrix.cols);
  };
}
CellValue value_error(FeatureKey feature) {
  return finite([feature](const StudyCell& cell) {
    return cell.status == CellStatus::done && cell.errors ? std::abs((*cell.errors)[feature]) : kNone;
  });
}
CellValue value_hellinger() { return of_reconstruction(&ReconstructionErrors::hellinger); }
CellValue value_recall() { return of_reconstruction(&ReconstructionErrors::recall_top10); }

std::vector<StudyGroup> study_groups(const Study& study) {
  std::array<StudyGroup, 3> groups{StudyGroup{"matrices of the paper", {}},
                                   StudyGroup{"generated stand-ins of the paper's sizes", {}},
                                   StudyGroup{"other matrices", {}}};
  const auto in_paper = [](const std::string& name) {
    return std::ranges::any_of(paper_data_sets(),
                               [&](const PaperDataSet& set) { return name == set.shared_name; });
  };
  for (const StudyMatrix* matrix : matrices_in_order(study)) {
    const bool stand_in = matrix->generated && matrix->name.ends_with("(generated)");
    groups[stand_in                                       ? 1
           : in_paper(matrix->name) && !matrix->generated ? 0
                                                          : 2]
        .matrices.push_back(matrix->name);
  }
  std::vector<StudyGroup> list;
  for (StudyGroup& group : groups)
    if (!group.matrices.empty()) list.push_back(std::move(group));
  return list;
}

StudyValues::StudyValues(std::vector<double> values) : values_(std::move(values)) {
  std::ranges::sort(values_);
}
double StudyValues::mean() const {
  return std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(values_.size());
}
double StudyValues::quantile(double q) const {
  const double place = q * static_cast<double>(values_.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values_.size() - 1);
  return std::lerp(values_[below], values_[above], place - static_cast<double>(below));
}
std::pair<double, double> StudyValues::whiskers() const {
  const double lower = quantile(0.25);
  const double upper = quantile(0.75);
  const double reach = 1.5 * (upper - lower);
  const auto first = std::ranges::lower_bound(values_, lower - reach);
  const auto last = std::ranges::upper_bound(values_, upper + reach);
  return {std::min(*first, lower), std::max(*(last - 1), upper)};
}

std::optional<StudyValues> values_over(const Study& study, const StudyGroup& group, const std::string& method,
                                       std::optional<std::uint32_t> block, const CellValue& value) {
  std::vector<double> values;
  for (const std::string& matrix : group.matrices) {
    const StudyCell* cell = study.cell(matrix, method, block);
    if (cell == nullptr) continue;
    if (const auto found = value(*cell)) values.push_back(*found);
  }
  if (values.empty()) return std::nullopt;
  return StudyValues(std::move(values));
}

std::vector<std::string> study_methods(const Study& study) {
  std::vector<std::string> list;
  for (const auto& method : methods())
    if (std::ranges::find(study.cells, method->info().id, &StudyCell::method) != study.cells.end())
      list.push_back(method->info().id);
  return list;
}

std::vector<std::uint32_t> study_blocks(const Study& study) {
  std::set<std::uint32_t> blocks;
  for (const StudyCell& cell : study.cells)
    if (cell.block) blocks.insert(*cell.block);
  return {blocks.begin(), blocks.end()};
}

std::string study_label(const Study& study, const std::string& method) {
  const auto found = std::ranges::find(study.cells, method, &StudyCell::method);
  return found == study.cells.end() ? method : found->label;
}

}  // namespace spyctrum
