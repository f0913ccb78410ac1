// SPDX-License-Identifier: Apache-2.0
// convert: writes a matrix in another format, its pattern or with weights.
#include "app/cli/commands.hpp"
#include "app/cli/matrix_output.hpp"
#include "app/cli/method_run.hpp"
#include "core/matrix/weights.hpp"

namespace spyctrum::cli {

void run_convert(Session& session, const ConvertOptions& options) {
  const Weights weights = or_throw(parse_weights(options.weights));
  const MatrixOutput out(session, options.out, options.format, MatrixOutput::Otherwise::refuse);
  const bool with_values = weights != Weights::pattern;
  Matrix matrix = session.load(session.options().file, with_values ? ValueUse::keep : ValueUse::summary);
  if (with_values && matrix.values == nullptr)
    throw Failure(ErrorCode::wrong_use, matrix.report.file + " has no values that could be written.",
                  "Use --weights pattern.");
  const auto job = session.context("write " + options.out);
  Json object = info_fields(matrix);
  if (with_values && weights != Weights::value) apply_weights(matrix, weights, *job);
  const std::string comment = "Spyctrum " SPYCTRUM_VERSION ", " + matrix.report.file;
  out.write(session, matrix, comment, *job);
  object["out"] = options.out;
  object["out_format"] = out.writer().info.id;
  object["weights"] = options.weights;
  object["version"] = SPYCTRUM_VERSION;
  session.print(object);
  out.report(session,
             std::string(out.writer().info.name) + ": " +
                 sides_text(matrix.pattern->rows(), matrix.pattern->cols()) + ", " +
                 counted(static_cast<std::uint64_t>(matrix.pattern->nonzeros()), "entry", "entries") +
                 (with_values ? " with values in single precision" : ""));
}

}  // namespace spyctrum::cli
