// SPDX-License-Identifier: Apache-2.0
// related: for each system that Spyctrum is not compared with by measurement, whether a matrix meets its
// assumptions.
#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/base/text.hpp"
#include "core/theory/related_work.hpp"

namespace spyctrum::cli {

void run_related(Session& session) {
  const Matrix matrix = session.load_with_weights();
  const SparsePattern& pattern = *matrix.pattern;
  note_whole_plane(session, pattern, "Ctrl+C ends it.");
  const auto job = session.context("related");
  const TheoryMeasurements measured = or_throw(measure_plane(matrix.pattern, *job));
  const auto sparsity = spectral_sparsity(pattern, measured);
  const auto systems = related_systems(pattern, sparsity, job->memory().allowance());
  Json list = Json::array();
  for (const RelatedSystem& system : systems) {
    list.push_back({{"id", system.id},
                    {"label", system.label},
                    {"citation", system.citation},
                    {"assumes", system.assumes},
                    {"condition", system.condition},
                    {"value", system.value},
                    {"limit", system.limit},
                    {"met", or_null(system.met)},
                    {"verdict", system.verdict}});
  }
  Json object = matrix_fields(matrix);
  if (sparsity) {
    object["effective_coefficients"] = sparsity->effective;
    object["participation_ratio"] = sparsity->effective / sparsity->coefficients;
    object["holding_90_percent"] = sparsity->holding_90;
  }
  object["systems"] = std::move(list);
  object["version"] = SPYCTRUM_VERSION;
  session.print(object);
  if (sparsity) {
    session.line("The power without DC is spread over as many as ", count_text(sparsity->effective), " of ",
                 count_text(sparsity->coefficients), " coefficients (e^H, ",
                 number_text(100 * sparsity->effective / sparsity->coefficients, 3), " %); the largest ",
                 count_text(sparsity->holding_90), " hold 90 % of the power without DC.");
  }
  for (const RelatedSystem& system : systems) {
    session.line("");
    session.line(system.label, ": ", system.citation);
    session.line("  Assumes: ", system.assumes);
    session.line("  Condition: ", system.condition, " – ",
                 !system.met   ? "not evaluated"
                 : *system.met ? "met"
                               : "not met");
    session.line("  ", system.verdict);
  }
}

}  // namespace spyctrum::cli
