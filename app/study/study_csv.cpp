// SPDX-License-Identifier: Apache-2.0
// The columns of both tables and the row of each cell.
#include "app/study/study_csv.hpp"

#include <cmath>
#include <ostream>

#include "app/study/study_json.hpp"
#include "app/study/study_values.hpp"
#include "core/base/text.hpp"
#include "core/features/feature_errors.hpp"
#include "core/io/csv.hpp"
#include "core/io/export.hpp"
#include "core/io/json_text.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

namespace {

/// Text of a measured number, with few digits: seconds and rates.
std::string measured_number(double value) {
  return std::isfinite(value) ? number_text(value, 6) : std::string();
}

/// Text of a computed number with all digits that distinguish it from its neighbours, as in JSON; rounded to
/// 10⁻⁶ if its last bits depend on the order of threads.
std::string exact_number(double value, bool repeatable) {
  if (!std::isfinite(value)) return {};
  return json_text(StudyJson(repeatable ? value : std::round(value * 1e6) / 1e6 + 0.0));
}

using Row = std::vector<std::string>;

Row result_row(const Study& study, const StudyCell& cell) {
  const StudyMatrix& matrix = *study.matrix(cell.matrix);
  const double area = static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols);
  Row row{matrix.name,
          matrix.generated ? "generated" : "real",
          std::to_string(matrix.rows),
          std::to_string(matrix.cols),
          std::to_string(matrix.nonzeros),
          cell.method,
          cell.block ? std::to_string(*cell.block) : std::string(),
          to_string(cell.status),
          cell.exactness};
  const Method* method = find_method(cell.method);
  const bool repeatable = method == nullptr || method->info().repeatable;
  const auto error_number = [&](double value) { return exact_number(value, repeatable); };
  if (const auto& found = cell.features)
    row.insert(row.end(),
               {std::to_string(found->samples), measured_number(static_cast<double>(found->samples) / area),
                error_number(found->entropy)});
  else
    row.resize(row.size() + 3);
  const FeatureErrors errors = cell.errors.value_or(FeatureErrors{});
  for (std::size_t k = 0; k < kFeatureCount; ++k)
    row.push_back(cell.errors ? error_number(errors[FeatureKey(k)]) : std::string());
  const ReconstructionErrors found = cell.reconstruction.value_or(ReconstructionErrors{});
  for (const double value : {found.hellinger, found.recall_top10})
    row.push_back(cell.reconstruction ? error_number(value) : std::string());
  row.push_back(cell.reconstruction ? std::to_string(found.above_rounding) : std::string());
  row.push_back(!cell.reconstruction ? "" : found.sampled ? "sampled rows" : "every row");
  for (const auto part : {&PlaneDifference::of_mean, &PlaneDifference::relative})
    row.push_back(cell.difference ? error_number((*cell.difference).*part) : std::string());
  row.push_back(std::to_string(cell.seed));
  return row;
}

Row cost_row(const StudyCell& cell) {
  const bool done = cell.status == CellStatus::done;
  const auto measured = [&](const CellValue& value) {
    const auto found = value(cell);
    return found ? measured_number(*found) : std::string();
  };
  return {cell.matrix,
          cell.method,
          cell.block ? std::to_string(*cell.block) : std::string(),
          to_string(cell.status),
          cell.backend,
          cell.device,
          measured(value_seconds()),
          measured(value_preparation()),
          measured(value_decoding()),
          measured(value_reconstruction_seconds()),
          std::to_string(cell.runs),
          std::to_string(cell.bytes_forecast),
          done ? std::to_string(cell.bytes_peak) : std::string(),
          done ? std::to_string(cell.device_bytes_peak) : std::string(),
          measured_number(cell.operations),
          cell.reason};
}

Row result_columns() {
  Row columns{"matrix", "kind",   "rows",      "cols",    "nonzeros",      "method",
              "block",  "status", "exactness", "samples", "sampling_rate", "entropy"};
  for (const FeatureDefinition& feature : kFeatureTable) columns.push_back(feature.error_column());
  columns.insert(columns.end(), {"hellinger", "recall_top10", "above_rounding", "compared_with",
                                 "difference_of_mean", "difference_relative", "seed"});
  return columns;
}
const Row kCostColumns{"matrix",
                       "method",
                       "block",
                       "status",
                       "backend",
                       "device",
                       "seconds",
                       "preparation_seconds",
                       "decoding_seconds",
                       "reconstruction_seconds",
                       "runs",
                       "bytes_forecast",
                       "bytes_peak",
                       "device_bytes_peak",
                       "operations",
                       "reason"};

template <class RowOf>
Result<void> write_table(const std::string& path, const Row& columns, const Study& study, RowOf&& row_of) {
  return write_atomically(path, [&](std::ostream& out) {
    CsvWriter csv(out, CsvWriter::LineBreaks::space);
    csv.row(columns);
    for (const StudyCell* cell : cells_in_order(study)) csv.row(row_of(*cell));
  });
}

}  // namespace

Result<void> write_study_csv(const Study& study) {
  auto written = write_table(study.folder + "/results.csv", result_columns(), study,
                             [&](const StudyCell& cell) { return result_row(study, cell); });
  if (!written) return written;
  return write_table(study.folder + "/costs.csv", kCostColumns, study,
                     [](const StudyCell& cell) { return cost_row(cell); });
}

}  // namespace spyctrum
