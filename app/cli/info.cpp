// SPDX-License-Identifier: Apache-2.0
// info: loads a matrix and reports its properties. methods: lists the registered methods.
#include <array>
#include <filesystem>
#include <system_error>

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/base/seconds_text.hpp"
#include "core/base/text.hpp"
#include "core/device/backends.hpp"
#include "core/io/matrix_files.hpp"
#include "core/io/quote.hpp"

namespace spyctrum::cli {

namespace {

void add_values(Json& object, const LoadReport& report) {
  if (!report.values) return;
  const ValueStatistics& values = *report.values;
  object["value_sum"] = values.sum;
  if (report.field == "complex") object["value_sum"] = Json::array({values.sum, values.sum_imaginary});
  object["value_min"] = values.least;
  object["value_max"] = values.largest;
  object["nan"] = values.nan;
  object["infinite"] = values.infinite;
  object["beyond_single"] = values.beyond_single;
}

std::string assumption_text(const Assumption& one) {
  return one.name + "=" + one.value + (one.chosen ? " (chosen)" : "");
}

std::string values_text(const LoadReport& report) {
  const ValueStatistics& values = *report.values;
  const bool is_complex = report.field == "complex";
  std::string text = report.field + ", ";
  if (values.finite == 0)
    text += "none finite";
  else
    text += (is_complex ? "magnitudes " : "") + number_text(values.least, 6) + " to " +
            number_text(values.largest, 6) + ", sum " + number_text(values.sum, 6);
  if (is_complex && values.finite != 0) text += " + " + number_text(values.sum_imaginary, 6) + " i";
  text += "; " + std::to_string(report.explicit_zeros) + " zero, " + std::to_string(values.nan) + " NaN, " +
          std::to_string(values.infinite) + " infinite";
  if (values.beyond_single != 0)
    text += ", " + std::to_string(values.beyond_single) + " beyond single precision";
  return text;
}

/// Lists the files below a folder that may hold a matrix, judged by their names.
void list_folder(Session& session, const std::string& folder) {
  const auto job = session.context("search");
  const MatrixFiles found = find_matrix_files(folder, *job);
  for (const auto& [path, reason] : found.unreadable)
    if (path == folder)
      throw Failure(ErrorCode::bad_input, quoted_path(folder) + " cannot be listed: " + reason + ".",
                    "Allow reading it (chmod u+rx) or ask its owner.");
  Json files = Json::array();
  for (const MatrixFile& file : found.files) files.push_back({{"file", file.path}, {"bytes", file.bytes}});
  Json unreadable = Json::array();
  for (const auto& [path, reason] : found.unreadable)
    unreadable.push_back({{"folder", path}, {"reason", reason}});
  session.print({{"folder", folder}, {"files", files}, {"unreadable", unreadable}});
  for (const MatrixFile& file : found.files) session.line(escaped(file.path), ", ", file.bytes, " bytes");
  for (const auto& [path, reason] : found.unreadable) session.note(escaped(path) + ": " + reason);
  if (found.files.empty()) session.note(escaped(folder) + " holds no file with the name of a matrix.");
}

/// In the order of Parameter::Type.
constexpr std::array kTypeNames{"integer", "real", "choice", "flag"};

Json parameter_json(const Parameter& parameter) {
  Json range{parameter.minimum, parameter.maximum};
  if (parameter.type == Parameter::Type::choice) range = parameter.choices;
  if (parameter.type == Parameter::Type::flag) range = {false, true};
  return {{"name", parameter.name},
          {"type", kTypeNames.at(static_cast<std::size_t>(parameter.type))},
          {"range", range},
          {"default", parameter.default_value},
          {"help", parameter.help}};
}

/// The backends on which the method runs.
Json backends_of(const Method& method) {
  Json backends = Json::array();
  for (const BackendKind kind : {BackendKind::cpu, BackendKind::cuda}) {
    if (kind == BackendKind::cuda && !cuda_unavailable_reason().empty()) continue;
    if (method.supports(Backend{kind, 0}).ok) backends.push_back(kind == BackendKind::cpu ? "cpu" : "cuda");
  }
  return backends;
}

}  // namespace

Json info_fields(const Matrix& matrix) {
  const SparsePattern& pattern = *matrix.pattern;
  const LoadReport& report = matrix.report;
  const PatternStatistics statistics = statistics_of(pattern);
  Json matrices = Json::array();
  for (const MatrixInFile& one : report.matrices)
    matrices.push_back({{"name", one.name},
                        {"layout", one.layout},
                        {"rows", one.rows},
                        {"cols", one.cols},
                        {"nonzeros", one.stored},
                        {"bytes", one.bytes}});
  Json object{{"file", report.file},
              {"format", report.format},
              {"field", report.field},
              {"compression", report.compression},
              {"rows", pattern.rows()},
              {"cols", pattern.cols()},
              {"entries_in_file", report.entries_in_file},
              {"nonzeros", pattern.nonzeros()},
              {"duplicates", report.duplicates},
              {"explicit_zeros", report.explicit_zeros},
              {"zeros_dropped", report.zeros_dropped},
              {"symmetry", report.symmetry},
              {"symmetric_pattern", pattern.symmetric()},
              {"empty_rows", statistics.empty_rows},
              {"empty_cols", statistics.empty_cols},
              {"max_row", statistics.max_row},
              {"max_col", statistics.max_col},
              {"bandwidth", statistics.bandwidth},
              {"density", statistics.density},
              {"notes", report.notes},
              {"matrix", report.matrix},
              {"matrices", matrices},
              {"seconds", report.seconds}};
  object["assumed"] = Json::array();
  for (const Assumption& one : report.assumed)
    object["assumed"].push_back({{"name", one.name}, {"value", one.value}, {"chosen", one.chosen}});
  add_values(object, report);
  return object;
}

void run_info(Session& session) {
  std::error_code problem;
  if (std::filesystem::is_directory(session.options().file, problem))
    return list_folder(session, session.options().file);
  const Matrix matrix = session.load(session.options().file, ValueUse::summary);
  const SparsePattern& pattern = *matrix.pattern;
  const LoadReport& report = matrix.report;
  const PatternStatistics statistics = statistics_of(pattern);
  session.print(info_fields(matrix));
  session.line(report.file);
  session.line("  format      ", report.format, report.compression.empty() ? "" : ", " + report.compression,
               ", symmetry ", report.symmetry);
  session.line("  size        ", sides_text(pattern.rows(), pattern.cols()));
  session.line("  entries     ", grouped(static_cast<std::uint64_t>(pattern.nonzeros())), " (density ",
               number_text(statistics.density, 4), "), ",
               pattern.symmetric() ? "symmetric pattern" : "pattern not symmetric");
  session.line("  in the file ", counted(report.entries_in_file, "entry", "entries"), ", ",
               counted(report.duplicates, "duplicate", "duplicates"), " merged, ",
               counted(report.explicit_zeros, "explicit zero", "explicit zeros"),
               report.zeros_dropped ? " dropped" : " kept");
  if (report.values) session.line("  values      ", values_text(report));
  if (!report.assumed.empty())
    session.line("  assumed     ", joined(report.assumed, assumption_text), "; --import changes it");
  session.line("  empty       ", counted(statistics.empty_rows, "row", "rows"), ", ",
               counted(statistics.empty_cols, "column", "columns"));
  session.line("  longest     row of ", counted(statistics.max_row, "entry", "entries"), ", column of ",
               counted(statistics.max_col, "entry", "entries"), "; bandwidth ",
               grouped(statistics.bandwidth));
  if (report.matrices.size() > 1)
    for (const MatrixInFile& one : report.matrices)
      session.line("  holds       ", one.name, " (", one.layout, ", ",
                   one.rows == 0 ? std::to_string(one.bytes) + " bytes"
                                 : sides_text(one.rows, one.cols) + ", " + grouped(one.stored) + " stored",
                   ")", one.name == report.matrix ? ", read here" : "");
  session.line("  read in     ", seconds_text(report.seconds));
}

void run_methods(Session& session) {
  Json list = Json::array();
  for (const auto& method : methods()) {
    const MethodInfo& info = method->info();
    Json object{{"id", info.id},
                {"label", info.label},
                {"summary", info.summary},
                {"citation", info.citation},
                {"cost", info.cost},
                {"exactness", to_string(info.exactness)},
                {"backends", backends_of(*method)},
                {"parameters", Json::array()}};
    session.line(padded(info.id, 16), info.label, " · ", to_string(info.exactness));
    session.line("    ", info.summary);
    const Support here = method->supports(Backend{});
    if (!here.ok) {
      object["unavailable"] = here.reason;
      session.line("    Not available here: ", here.reason);
    }
    for (const Parameter& parameter : method->parameters()) {
      object["parameters"].push_back(parameter_json(parameter));
      session.line("    --set ", parameter.name, "=", parameter.default_value, "  ", parameter.help);
    }
    list.push_back(std::move(object));
  }
  session.print(list);
}

}  // namespace spyctrum::cli
