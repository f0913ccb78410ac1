// SPDX-License-Identifier: Apache-2.0
// theory: the paper's bounds for a matrix and some block sizes, beside values measured in its spectrum.
#include <cmath>

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/theory/theory.hpp"

namespace spyctrum::cli {

namespace {

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json statement_json(const Statement& statement) {
  const std::optional<bool> holds = statement.holds();
  return {{"id", statement.id},
          {"source", statement.source},
          {"relation", symbol_of(statement.relation)},
          {"bound", std::isfinite(statement.bound) ? Json(statement.bound) : Json(nullptr)},
          {"measured", optional_json(statement.measured)},
          {"holds", holds ? Json(*holds) : Json(nullptr)},
          {"meaning", statement.meaning}};
}

Json cost_json(const CostFormula& cost) {
  return {{"method", cost.method}, {"work_formula", cost.work_formula},
          {"work", cost.work},     {"storage_formula", cost.storage_formula},
          {"bytes", cost.bytes},   {"source", cost.source}};
}

Json theory_json(const Theory& theory) {
  Json statements = Json::array();
  for (const Statement& statement : theory.statements) statements.push_back(statement_json(statement));
  Json costs = Json::array();
  for (const CostFormula& cost : theory.costs) costs.push_back(cost_json(cost));
  return {{"block", theory.block},
          {"sampling_rate", theory.sampling_rate},
          {"lattice_samples", theory.grid_samples},
          {"entropy_deficit", optional_json(theory.deficit)},
          {"effective_coefficients", optional_json(theory.effective_coefficients)},
          {"holding_90_percent", optional_json(theory.holding_90_percent)},
          {"occupied_blocks", theory.aggregation.occupied_blocks},
          {"statements", statements},
          {"costs", costs}};
}

void print_for_people(Session& session, const Theory& theory) {
  session.line("b = " + std::to_string(theory.block) + ", sampling rate " +
               number(100 * theory.sampling_rate, 3) + " %");
  for (const Statement& statement : theory.statements) {
    const std::optional<bool> holds = statement.holds();
    std::string text = "  " + statement.label + ": ";
    text += statement.measured ? number(*statement.measured) : std::string("–");
    text += std::string(" ") + symbol_of(statement.relation) + " " +
            (std::isfinite(statement.bound) ? number(statement.bound) : std::string("–"));
    session.line(text + "   " + statement.source + (holds && !*holds ? "   (does not hold)" : ""));
  }
  if (theory.effective_coefficients) {
    session.line("  Effective coefficients e^H: " + number(*theory.effective_coefficients, 4) + " of " +
                 number(static_cast<double>(theory.m) * static_cast<double>(theory.n), 4));
  }
  for (const CostFormula& cost : theory.costs) {
    session.line("  " + cost.label + ": work " + number(cost.work, 3) + " = " + cost.work_formula +
                 "; storage " + format_bytes(static_cast<std::uint64_t>(cost.bytes)) + " = " +
                 cost.storage_formula);
  }
}

}  // namespace

Result<void> run_theory(Session& session, const TheoryOptions& options) {
  for (const std::int64_t block : options.blocks) {
    if (block < 1) {
      return fail(ErrorCode::wrong_use, "A block size is 1 or more, not " + std::to_string(block) + ".");
    }
  }
  auto matrix = session.load(options.file);
  if (!matrix) return tl::unexpected<Error>(matrix.error());
  const PatternPtr& pattern = matrix->pattern;
  const auto job = session.context("theory");
  TheoryMeasurements measured;
  if (!options.bounds_only) {
    auto plane = measure_plane(pattern, *job);
    if (!plane) return tl::unexpected<Error>(plane.error());
    measured = std::move(*plane);
  }
  Json blocks = Json::array();
  std::vector<Theory> theories;
  for (const std::int64_t block : options.blocks) {
    if (!options.bounds_only) {
      auto share = measure_uniform_share(pattern, static_cast<std::uint64_t>(block), *job);
      if (!share) return tl::unexpected<Error>(share.error());
      measured.uniform_share = *share;
    }
    theories.push_back(theory_of(*pattern, static_cast<std::uint64_t>(block), measured, *job));
    blocks.push_back(theory_json(theories.back()));
  }
  session.clear_progress();
  session.print({{"file", matrix->report.file},
                 {"rows", pattern->rows()},
                 {"cols", pattern->cols()},
                 {"nonzeros", pattern->nonzeros()},
                 {"entropy", optional_json(measured.entropy)},
                 {"blocks", blocks},
                 {"version", SPYCTRUM_VERSION}});
  session.line(matrix->report.file + ": " + std::to_string(pattern->rows()) + " × " +
               std::to_string(pattern->cols()) + ", " + std::to_string(pattern->nonzeros()) + " entries");
  for (const Theory& theory : theories) print_for_people(session, theory);
  return session.finish();
}

}  // namespace spyctrum::cli
