// SPDX-License-Identifier: Apache-2.0
// generate: writes a matrix of a known construction, in Matrix Market unless the file's name says otherwise.
#include <algorithm>

#include "app/cli/commands.hpp"
#include "app/cli/matrix_output.hpp"
#include "app/cli/method_run.hpp"
#include "core/base/text.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum::cli {

std::string generator_kinds() {
  std::string text =
      "gen:KIND:key=value,… stands for a generated matrix wherever a file may stand, as in "
      "gen:band:n=2000,bandwidth=9.\nKinds and their keys:";
  for (const GeneratorInfo& kind : generators()) {
    text += "\n  " + kind.kind + ": " + kind.help;
    for (const GeneratorParameter& key : kind.parameters) {
      const bool names_default = key.help.find("default") != std::string::npos;
      text += "\n      " + key.name + (names_default ? "" : "=" + number_text(key.default_value, 10)) + "  " +
              key.help;
    }
    if (kind.random) text += "\n      seed  of the random numbers; default: --seed";
  }
  return text;
}

void run_generate(Session& session, const GenerateOptions& options) {
  std::vector<std::string> settings = options.settings;
  const auto kind = std::ranges::find(generators(), options.kind, &GeneratorInfo::kind);
  const bool seeded =
      std::ranges::any_of(settings, [](const std::string& one) { return one.starts_with("seed="); });
  if (kind != generators().end() && kind->random && !seeded)
    settings.push_back("seed=" + std::to_string(session.options().seed));
  const std::string text =
      "gen:" + options.kind + (settings.empty() ? "" : ":") + joined(settings, std::identity(), ",");
  const MatrixOutput out(session, options.out, {}, MatrixOutput::Otherwise::matrix_market);
  const Matrix matrix = session.load_with_weights(text);
  const auto job = session.context("write " + options.out);
  out.write(session, matrix, "Spyctrum " SPYCTRUM_VERSION ", " + text, *job);
  Json object = matrix_fields(matrix);
  object["out"] = options.out;
  object["seconds"] = matrix.report.seconds;
  object["version"] = SPYCTRUM_VERSION;
  session.print(object);
  out.report(session, sides_text(matrix.pattern->rows(), matrix.pattern->cols()) + ", " +
                          counted(matrix.pattern->nonzeros(), "entry", "entries"));
}

}  // namespace spyctrum::cli
