// SPDX-License-Identifier: Apache-2.0
// Medians over groups of matrices, written as Markdown.
#include "app/study/study_report.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "app/study/study_values.hpp"
#include "core/base/memory_ledger.hpp"
#include "core/base/text.hpp"
#include "core/io/export.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

namespace {

std::string number(double value) { return number_text(value, 3); }

std::string seconds_text(double seconds) {
  return seconds < 1 ? number(seconds * 1e3) + " ms" : number(seconds) + " s";
}

/// '|' would end a cell of a table.
std::string cell_text(std::string text) {
  std::ranges::replace(text, '|', '/');
  std::ranges::replace(text, '\n', ' ');
  return text;
}

using Row = std::vector<std::string>;
void write_row(std::ostream& out, const Row& row) {
  out << '|';
  for (const std::string& field : row) out << ' ' << cell_text(field) << " |";
  out << '\n';
}
void write_head(std::ostream& out, const Row& row) {
  write_row(out, row);
  out << '|';
  for (std::size_t k = 0; k < row.size(); ++k) out << (k == 0 ? " --- |" : " ---: |");
  out << '\n';
}

/// The value that the paper prints for a method and a quantity; empty if there is none.
std::string printed(const std::string& method, const std::string& quantity) {
  const Method* known = find_method(method);
  if (known == nullptr) return {};
  const auto& results = known->info().printed;
  const auto found = std::ranges::find(results, quantity, &PrintedResult::quantity);
  return found == results.end() ? std::string() : found->text;
}

struct Quantity {
  std::string id;
  std::string title;
  CellValue value;
  std::string (*text)(double);
  bool mean = false;   ///< the mean, as in the paper, in place of the median
  bool range = false;  ///< followed by the least and the largest value
};

std::string error_title(const FeatureDefinition& feature) {
  if (feature.is_distribution())
    return "Median Hellinger distance of " + std::string(feature.label) + " energy";
  return std::string("Median ") + to_string(feature.measure) + " error of the " + feature.label;
}
std::string percent_text(double value) { return number(100 * value) + " %"; }
std::string bytes_text(double value) { return format_bytes(static_cast<std::uint64_t>(value)); }

std::string median_text(const Study& study, const StudyGroup& group, const std::string& method,
                        std::optional<std::uint32_t> block, const Quantity& quantity) {
  const auto found = values_over(study, group, method, block, quantity.value);
  if (!found) return "–";
  std::string text = quantity.text(quantity.mean ? found->mean() : found->median());
  if (quantity.range) text += ", " + quantity.text(found->least()) + " … " + quantity.text(found->most());
  const auto share = values_over(study, group, method, block, value_share(study));
  if (block && share) text += " at " + percent_text(share->median());
  if (found->count() < group.matrices.size()) text += " (" + std::to_string(found->count()) + ")";
  return text;
}

/// One row per method, one column per block size; methods without a block size fill the first column only.
void write_by_block(std::ostream& out, const Study& study, const StudyGroup& group,
                    const Quantity& quantity) {
  const std::vector<std::uint32_t> blocks = study_blocks(study);
  Row head{"method", "whole plane"};
  for (const std::uint32_t block : blocks) head.push_back("b = " + std::to_string(block));
  head.emplace_back("the paper prints");
  bool begun = false;
  const auto is_known = [](const std::string& text) { return text != "–"; };
  for (const std::string& method : study_methods(study)) {
    Row row{study_label(study, method), median_text(study, group, method, std::nullopt, quantity)};
    for (const std::uint32_t block : blocks)
      row.push_back(median_text(study, group, method, block, quantity));
    if (std::none_of(row.begin() + 1, row.end(), is_known)) continue;
    if (!begun) {
      out << "### " << quantity.title << ", " << group.title << "\n\n";
      write_head(out, head);
      begun = true;
    }
    row.push_back(printed(method, quantity.id));
    write_row(out, row);
  }
  if (begun) out << '\n';
}

void write_data_sets(std::ostream& out, const Study& study) {
  out << "## Data sets\n\n";
  write_head(out, {"matrix", "kind", "rows", "columns", "entries", "density", "exact entropy", "exact pass"});
  for (const StudyMatrix* matrix : matrices_in_order(study)) {
    const StudyReference* reference = study.reference(matrix->name);
    const bool there = reference != nullptr && reference->problem.empty();
    const double area = static_cast<double>(matrix->rows) * static_cast<double>(matrix->cols);
    write_row(out, {matrix->name, matrix->generated ? "generated" : "real", std::to_string(matrix->rows),
                    std::to_string(matrix->cols), std::to_string(matrix->nonzeros),
                    number(static_cast<double>(matrix->nonzeros) / area),
                    there ? number_text(reference->features.entropy, 4) : "–",
                    there ? seconds_text(reference->seconds) : "–"});
  }
  out << '\n';
  for (const StudyMatrix& matrix : study.matrices)
    if (!matrix.problem.empty())
      out << "- " << matrix.source << " could not be read: " << matrix.problem << '\n';
  out << '\n';
}

void write_outcomes(std::ostream& out, const Study& study) {
  out << "## Completed or failed\n\nCells of each method. *memory*: refused by its forecast or the ledger; "
         "*time*: stopped at the allowance of "
      << seconds_text(study.plan.cell_seconds) << " per run.\n\n";
  write_head(out, {"method", "done", "memory", "time", "unsupported", "failed"});
  for (const std::string& method : study_methods(study)) {
    Row row{study_label(study, method)};
    for (const CellStatus status : kCellStatuses)
      row.push_back(std::to_string(std::ranges::count_if(study.cells, [&](const StudyCell& cell) {
        return cell.method == method && cell.status == status;
      })));
    write_row(out, row);
  }
  out << '\n';
  bool begun = false;
  for (const StudyCell* cell : cells_in_order(study)) {
    if (cell->status == CellStatus::done) continue;
    if (!begun) write_head(out, {"matrix", "method", "b", "outcome", "reason"});
    begun = true;
    write_row(out, {cell->matrix, cell->label, cell->block ? std::to_string(*cell->block) : "–",
                    to_string(cell->status), cell->reason});
  }
  if (begun) out << '\n';
}

/// One quantity of the methods of the whole plane, matrix by matrix; cells that ended early are marked as in
/// the paper: OOM, FAIL, and here also TIME.
void write_by_matrix(std::ostream& out, const Study& study, const Quantity& quantity) {
  std::vector<std::string> whole;
  for (const std::string& id : study_methods(study))
    if (find_method(id)->info().full_plane) whole.push_back(id);
  out << "### " << quantity.title << "\n\n";
  Row head{"matrix"};
  for (const std::string& id : whole) head.push_back(study_label(study, id));
  write_head(out, head);
  for (const StudyMatrix* matrix : matrices_in_order(study)) {
    Row row{matrix->name};
    for (const std::string& id : whole) {
      const StudyCell* cell = study.cell(matrix->name, id, std::nullopt);
      const auto value = cell == nullptr ? std::nullopt : quantity.value(*cell);
      row.push_back(value                                                 ? quantity.text(*value)
                    : cell == nullptr || cell->status == CellStatus::done ? "–"
                                                                          : end_word(cell->status));
    }
    write_row(out, row);
  }
  out << '\n';
}

void write_whole_plane(std::ostream& out, const Study& study) {
  out << "## Whole planes, matrix by matrix\n\nOOM: refused or ended for memory; FAIL: failed or not "
         "supported; TIME: stopped at the time allowance. Preparation is what comes before the first "
         "transform. Differences are the largest |ΔF| from rows of the exact method, over √K (the root mean "
         "square of |F|) and over |F| where it is above rounding.\n\n";
  write_by_matrix(out, study, {"seconds", "Seconds", value_seconds(), seconds_text});
  write_by_matrix(out, study, {"preparation", "Seconds of preparation", value_preparation(), seconds_text});
  write_by_matrix(out, study, {"bytes", "Peak of booked bytes", value_bytes(), bytes_text});
  write_by_matrix(
      out, study,
      {"of_mean", "Largest difference over √K", value_difference(&PlaneDifference::of_mean), number});
  write_by_matrix(
      out, study,
      {"relative", "Largest difference over |F|", value_difference(&PlaneDifference::relative), number});
}

std::optional<double> done_seconds(const Study& study, const std::string& matrix, const std::string& method,
                                   std::optional<std::uint32_t> block) {
  const StudyCell* cell = study.cell(matrix, method, block);
  if (cell == nullptr || cell->status != CellStatus::done) return std::nullopt;
  return cell->seconds;
}

/// The smallest b at which a method is faster than the exact pass.
std::string first_faster(const Study& study, const std::string& matrix, const std::string& method,
                         std::optional<double> exact) {
  if (!exact) return "–";
  for (const std::uint32_t block : study_blocks(study)) {
    const auto seconds = done_seconds(study, matrix, method, block);
    if (seconds && *seconds < *exact)
      return "b = " + std::to_string(block) + " (" + number(*exact / *seconds) + "×)";
  }
  return "none";
}

/// The methods of the table of crossovers: the exact ones, the usual one last; then those that sample, the
/// exact samples first.
struct CrossoverMethods {
  std::vector<const MethodInfo*> exact, sampled;
};
CrossoverMethods crossover_methods() {
  CrossoverMethods list;
  for (const auto& method : methods()) {
    const MethodInfo& info = method->info();
    if (info.crossover_name.empty() || info.role == MethodRole::plane) continue;
    (info.uses_block ? list.sampled : list.exact).push_back(&info);
  }
  list.exact.push_back(&usual_method(MethodRole::plane).info());
  std::ranges::stable_sort(list.sampled, {}, &MethodInfo::exactness);
  return list;
}

void write_crossover(std::ostream& out, const Study& study) {
  const CrossoverMethods compared = crossover_methods();
  const MethodInfo& baseline = *compared.exact.front();
  const MethodInfo& usual = *compared.exact.back();
  out << "## Crossover\n\nSeconds of the exact methods, and the smallest block size at which a sampled "
         "method is faster than "
      << usual.label << ", with the ratio of the times in brackets.\n\n";
  Row head{"matrix", "n·K"};
  for (const MethodInfo* method : compared.exact) head.push_back(method->crossover_name);
  head.push_back(baseline.crossover_name + " / " + usual.crossover_name);
  for (const MethodInfo* method : compared.sampled) head.push_back(method->crossover_name + " from");
  write_head(out, head);
  for (const StudyMatrix* matrix : matrices_in_order(study)) {
    const auto seconds_of = [&](const MethodInfo& method) {
      return done_seconds(study, matrix->name, method.id, std::nullopt);
    };
    Row row{matrix->name, number(static_cast<double>(matrix->cols) * static_cast<double>(matrix->nonzeros))};
    for (const MethodInfo* method : compared.exact) {
      const auto seconds = seconds_of(*method);
      row.push_back(seconds ? seconds_text(*seconds) : "–");
    }
    const auto slowest = seconds_of(baseline), exact = seconds_of(usual);
    row.push_back(slowest && exact ? number(*slowest / *exact) : "–");
    for (const MethodInfo* method : compared.sampled)
      row.push_back(first_faster(study, matrix->name, method->id, exact));
    write_row(out, row);
  }
  out << '\n';
}

void write_figures(std::ostream& out, const Study& study) {
  const auto folder = std::filesystem::path(study.folder) / "figures";
  std::error_code ignored;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".png") files.push_back(entry.path().filename().string());
  if (files.empty()) return;
  std::ranges::sort(files);
  out << "## Figures\n\n";
  for (const std::string& file : files) out << "![" << file << "](figures/" << file << ")\n\n";
}

std::size_t planned_cells(const StudyPlan& plan) {
  std::size_t cells = 0;
  for (const std::string& id : plan.methods) {
    const Method* method = find_method(id);
    cells += method != nullptr && method->info().uses_block ? plan.blocks.size() : 1;
  }
  return cells * plan.names.size();
}

/// The matrices with so few coefficients above rounding that recall refers to fewer than a tenth of all.
void write_recall_notes(std::ostream& out, const Study& study) {
  for (const StudyMatrix* matrix : matrices_in_order(study)) {
    const auto compared = std::ranges::find_if(study.cells, [&](const StudyCell& cell) {
      return cell.matrix == matrix->name && cell.reconstruction.has_value();
    });
    if (compared == study.cells.end()) continue;
    const std::string note = recall_note(*compared->reconstruction);
    if (!note.empty()) out << "Recall for " << matrix->name << ": " << note << ".\n\n";
  }
}

}  // namespace

Result<void> write_study_report(const Study& study) {
  std::vector<Quantity> quantities{{"seconds", "Median seconds", value_seconds(), seconds_text},
                                   {"bytes", "Median peak of booked bytes", value_bytes(), bytes_text}};
  for (std::size_t k = 0; k < kFeatureCount; ++k) {
    const FeatureDefinition& feature = kFeatureTable[k];
    if (feature.in_mean_error)
      quantities.push_back({feature.id, error_title(feature), value_error(FeatureKey(k)), number});
  }
  quantities.push_back(
      {"hellinger", "Median Hellinger distance of the reconstruction", value_hellinger(), number});
  quantities.push_back({"recall", "Mean recall of the top 10 %", value_recall(), percent_text, true});
  quantities.push_back({"reconstruction_seconds", "Mean seconds of the reconstruction, least … most",
                        value_reconstruction_seconds(), seconds_text, true, true});
  quantities.push_back({"decoding", "Mean seconds of the decoder of features, least … most", value_decoding(),
                        seconds_text, true, true});
  return write_atomically(study.folder + "/report.md", [&](std::ostream& out) {
    const std::string device = study.cells.empty() ? std::string() : study.cells.front().device;
    out << "# Study\n\nSpyctrum " SPYCTRUM_VERSION ", backend " << study.plan.backend << " (" << device
        << "), seed " << study.plan.seed
        << (study.plan.weights == "pattern" ? "" : ", weights " + study.plan.weights) << ", memory allowance "
        << format_bytes(study.plan.memory_bytes) << ", " << study.cells.size() << " of "
        << planned_cells(study.plan) << " cells. Seconds are medians of up to " << study.plan.repeats
        << " runs, of samples and features without loading. A number in brackets is the number of matrices "
           "that a median is over, where it is not all of them; after \"at\" stands the median share of the "
           "plane that was evaluated. Reconstructions are bilinear, compared with every row of the exact "
           "plane or, where it is large, with evenly spaced rows (results.csv says which); their seconds are "
           "those of all magnitudes of the plane, computed and not stored.\n\n";
    write_data_sets(out, study);
    write_outcomes(out, study);
    for (const Quantity& quantity : quantities) {
      out << "## " << quantity.title << "\n\n";
      for (const StudyGroup& group : study_groups(study)) write_by_block(out, study, group, quantity);
    }
    write_recall_notes(out, study);
    write_whole_plane(out, study);
    write_crossover(out, study);
    write_figures(out, study);
  });
}

}  // namespace spyctrum
