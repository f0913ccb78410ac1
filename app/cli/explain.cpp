// SPDX-License-Identifier: Apache-2.0
// explain: what stands out from noise in the spectrum of a matrix, and what it means for the pattern.
#include "core/explain/explain.hpp"

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"

namespace spyctrum::cli {

namespace {

Json finding_json(const Finding& finding) {
  Json json{{"kind", name_of(finding.kind)},
            {"sentence", finding.sentence},
            {"evidence", finding.evidence},
            {"log_chance", finding.log_chance}};
  if (finding.kind == FindingKind::diagonals || finding.kind == FindingKind::antidiagonals)
    json["offsets"] = {finding.first, finding.last};
  if (finding.period_rows > 0) json["period_rows"] = finding.period_rows;
  if (finding.period_cols > 0) json["period_cols"] = finding.period_cols;
  if (finding.wave) json["frequency"] = {finding.wave->first, finding.wave->second};
  return json;
}

}  // namespace

void run_explain(Session& session) {
  session.require_pattern(
      "The sentences are about the positions of the entries; their chances of being wrong are known for "
      "entries at random positions, not for random values.");
  const Matrix matrix = session.load();
  const auto job = session.context("explain");
  const ExplainOptions options;
  const Explanation explanation = or_throw(explain(matrix.pattern, options, *job));
  Json object = matrix_fields(matrix);
  object["noise_power"] = explanation.noise_power;
  object["tests"] = explanation.tests;
  object["false_alarm"] = options.false_alarm;
  object["findings"] = Json::array();
  for (const Finding& finding : explanation.findings) object["findings"].push_back(finding_json(finding));
  object["version"] = SPYCTRUM_VERSION;
  session.print(object);
  for (const Finding& finding : explanation.findings) {
    session.line(finding.sentence);
    session.line("  ", finding.evidence);
  }
}

}  // namespace spyctrum::cli
