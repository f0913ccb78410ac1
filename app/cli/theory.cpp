// SPDX-License-Identifier: Apache-2.0
// theory: the paper's bounds for a matrix and some block sizes, beside values measured in its spectrum.
#include <cmath>

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/base/text.hpp"
#include "core/theory/theory.hpp"

namespace spyctrum::cli {

namespace {

Json statement_json(const Statement& statement) {
  return {{"id", statement.id},
          {"source", statement.source},
          {"relation", symbol_of(statement.relation)},
          {"bound", statement.bound},
          {"measured", or_null(statement.measured)},
          {"holds", or_null(statement.holds())},
          {"meaning", statement.meaning}};
}

Json theory_json(const Theory& theory) {
  Json statements = Json::array();
  for (const Statement& statement : theory.statements) statements.push_back(statement_json(statement));
  Json costs = Json::array();
  for (const CostFormula& cost : theory.costs)
    costs.push_back({{"method", cost.method},
                     {"work_formula", cost.work_formula},
                     {"work", cost.work},
                     {"storage_formula", cost.storage_formula},
                     {"bytes", cost.bytes},
                     {"source", cost.source}});
  return {{"block", theory.block},
          {"sampling_rate", theory.sampling_rate},
          {"lattice_samples", theory.grid_samples},
          {"entropy_deficit", or_null(theory.deficit)},
          {"effective_coefficients", or_null(theory.effective_coefficients)},
          {"holding_90_percent", or_null(theory.holding_90_percent)},
          {"occupied_blocks", theory.aggregation.occupied_blocks},
          {"statements", statements},
          {"costs", costs}};
}

std::string bound_text(double value) { return std::isfinite(value) ? number_text(value, 6) : "–"; }

void print_for_people(Session& session, const Theory& theory) {
  session.line("b = ", theory.block, ", sampling rate ", number_text(100 * theory.sampling_rate, 3), " %");
  for (const Statement& statement : theory.statements)
    session.line("  ", statement.label, ": ",
                 statement.measured ? number_text(*statement.measured, 6) : std::string("–"), " ",
                 symbol_of(statement.relation), " ", bound_text(statement.bound), "   ", statement.source,
                 statement.holds().value_or(true) ? "" : "   (does not hold)");
  if (theory.effective_coefficients)
    session.line("  Effective coefficients e^H: ", count_text(*theory.effective_coefficients), " of ",
                 count_text(static_cast<double>(theory.m) * static_cast<double>(theory.n)));
  for (const CostFormula& cost : theory.costs)
    session.line("  ", cost.label, ": work ", number_text(cost.work, 3), " = ", cost.work_formula,
                 "; storage ", format_bytes(static_cast<std::uint64_t>(cost.bytes)), " = ",
                 cost.storage_formula);
}

}  // namespace

void run_theory(Session& session, const TheoryOptions& options) {
  for (const std::int64_t block : options.blocks)
    if (block < 1)
      throw Failure(ErrorCode::wrong_use, "A block size is 1 or more, not " + std::to_string(block) + ".");
  const Matrix matrix = session.load_with_weights();
  const PatternPtr& pattern = matrix.pattern;
  const auto job = session.context("theory");
  TheoryMeasurements measured;
  if (!options.bounds_only) {
    note_whole_plane(session, *pattern, "--bounds-only needs none of them.");
    measured = or_throw(measure_plane(pattern, *job));
  }
  Json blocks = Json::array();
  std::vector<Theory> theories;
  for (const std::int64_t typed : options.blocks) {
    const auto block = static_cast<std::uint64_t>(typed);
    if (!options.bounds_only) measured.uniform_share = or_throw(measure_uniform_share(pattern, block, *job));
    theories.push_back(theory_of(*pattern, block, measured, *job));
    blocks.push_back(theory_json(theories.back()));
  }
  Json object = matrix_fields(matrix);
  object["entropy"] = or_null(measured.entropy);
  object["blocks"] = blocks;
  object["version"] = SPYCTRUM_VERSION;
  session.print(object);
  session.line(matrix.report.file, ": ", sides_text(pattern->rows(), pattern->cols()), ", ",
               counted(static_cast<std::uint64_t>(pattern->nonzeros()), "entry", "entries"));
  for (const Theory& theory : theories) print_for_people(session, theory);
}

}  // namespace spyctrum::cli
