// SPDX-License-Identifier: Apache-2.0
// info: loads a matrix and reports its properties. methods: lists the registered methods.
#include <algorithm>

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/device/backends.hpp"

namespace spyctrum::cli {

Result<void> run_info(Session& session, const InfoOptions& options) {
  auto matrix = session.load(options.file);
  if (!matrix) return tl::unexpected<Error>(matrix.error());
  const SparsePattern& pattern = *matrix->pattern;
  const LoadReport& report = matrix->report;
  const PatternStatistics statistics = statistics_of(pattern);
  session.print({{"file", report.file},
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
                 {"seconds", report.seconds}});
  session.line(report.file);
  session.line("  format      " + report.format +
               (report.compression.empty() ? "" : ", " + report.compression) + ", symmetry " +
               report.symmetry);
  session.line("  size        " + std::to_string(pattern.rows()) + " × " + std::to_string(pattern.cols()));
  session.line("  nonzeros    " + std::to_string(pattern.nonzeros()) + " (density " +
               number(statistics.density, 4) + "), " +
               (pattern.symmetric() ? "symmetric pattern" : "pattern not symmetric"));
  session.line("  in the file " + std::to_string(report.entries_in_file) + " entries, " +
               std::to_string(report.duplicates) + " duplicates merged, " +
               std::to_string(report.explicit_zeros) + " explicit zeros " +
               (report.zeros_dropped ? "dropped" : "kept"));
  session.line("  empty       " + std::to_string(statistics.empty_rows) + " rows, " +
               std::to_string(statistics.empty_cols) + " columns");
  session.line("  longest     row " + std::to_string(statistics.max_row) + ", column " +
               std::to_string(statistics.max_col) + "; bandwidth " + std::to_string(statistics.bandwidth));
  session.line("  read in     " + number(report.seconds, 3) + " s");
  return session.finish();
}

namespace {

const char* type_name(Parameter::Type type) {
  switch (type) {
    case Parameter::Type::integer:
      return "integer";
    case Parameter::Type::real:
      return "real";
    case Parameter::Type::choice:
      return "choice";
    case Parameter::Type::flag:
      return "flag";
  }
  return "integer";
}

Json parameter_json(const Parameter& parameter) {
  Json object{{"name", parameter.name}, {"type", type_name(parameter.type)}};
  if (parameter.type == Parameter::Type::integer || parameter.type == Parameter::Type::real) {
    object["range"] = {parameter.minimum, parameter.maximum};
  } else if (parameter.type == Parameter::Type::choice) {
    object["range"] = parameter.choices;
  } else {
    object["range"] = {false, true};
  }
  object["default"] = parameter.default_value;
  object["help"] = parameter.help;
  return object;
}

constexpr std::uint64_t kOrdinarySide = 1000;

/// The backends on which the method runs at an ordinary matrix size.
Json backends_of(const Method& method) {
  Json backends = Json::array();
  for (const BackendKind kind : {BackendKind::cpu, BackendKind::cuda}) {
    if (kind == BackendKind::cuda && !cuda_unavailable_reason().empty()) continue;
    if (method.supports(Backend{kind, 0}, kOrdinarySide, kOrdinarySide).ok) {
      backends.push_back(kind == BackendKind::cpu ? "cpu" : "cuda");
    }
  }
  return backends;
}

}  // namespace

Result<void> run_methods(Session& session) {
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
    session.line(info.id + std::string(16 - std::min<std::size_t>(15, info.id.size()), ' ') + info.label +
                 " · " + to_string(info.exactness));
    session.line("    " + info.summary);
    const Support here = method->supports(Backend{}, kOrdinarySide, kOrdinarySide);
    if (!here.ok) {
      object["unavailable"] = here.reason;
      session.line("    Not available here: " + here.reason);
    }
    for (const Parameter& parameter : method->parameters()) {
      object["parameters"].push_back(parameter_json(parameter));
      session.line("    --set " + parameter.name + "=" + parameter.default_value + "  " + parameter.help);
    }
    list.push_back(std::move(object));
  }
  session.print(list);
  return session.finish();
}

}  // namespace spyctrum::cli
