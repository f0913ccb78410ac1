// SPDX-License-Identifier: Apache-2.0
// convert: writes a matrix in another format, its pattern or with weights.
#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "core/base/text.hpp"
#include "core/io/export.hpp"
#include "core/io/writer.hpp"
#include "core/matrix/weights.hpp"

namespace spyctrum::cli {

namespace {

const Writer& chosen_writer(const ConvertOptions& options) {
  if (!options.format.empty()) {
    const Writer* const writer = find_writer(options.format);
    if (writer != nullptr) return *writer;
    throw Failure(ErrorCode::wrong_use, "There is no format '" + options.format + "' that can be written.",
                  "Choose one of " + joined(writers(), [](const auto& one) { return one->info.id; }) + ".");
  }
  return options.out == "-" ? *writers().front() : *or_throw(writer_for(options.out));
}

void check_options(const Session& session, const ConvertOptions& options) {
  if (options.out == "-" && session.options().json)
    throw Failure(ErrorCode::wrong_use, "--json and the matrix would share standard output.",
                  "Name a file in place of -, or leave --json out.");
}

}  // namespace

void run_convert(Session& session, const ConvertOptions& options) {
  check_options(session, options);
  const Weights weights = or_throw(parse_weights(options.weights));
  const Writer& writer = chosen_writer(options);
  if (options.out != "-") or_throw(check_writable(options.out, session.stop()));
  const bool with_values = weights != Weights::pattern;
  Matrix matrix = session.load(session.options().file, with_values ? ValueUse::keep : ValueUse::summary);
  if (with_values && matrix.values == nullptr)
    throw Failure(ErrorCode::wrong_use, matrix.report.file + " has no values that could be written.",
                  "Use --weights pattern.");
  const auto job = session.context("write " + options.out);
  Json object = info_fields(matrix);
  if (with_values && weights != Weights::value) {
    apply_weights(matrix, weights, *job);
    matrix = with_weights_as_values(std::move(matrix));
  }
  const std::string comment = "Spyctrum " SPYCTRUM_VERSION ", " + matrix.report.file;
  or_throw(write_matrix(matrix, writer, options.out, comment, *job));
  session.file_written();
  object["out"] = options.out;
  object["out_format"] = writer.info.id;
  object["weights"] = options.weights;
  object["version"] = SPYCTRUM_VERSION;
  session.print(object);
  const std::string what =
      std::string(writer.info.name) + ": " + sides_text(matrix.pattern->rows(), matrix.pattern->cols()) +
      ", " + counted(static_cast<std::uint64_t>(matrix.pattern->nonzeros()), "entry", "entries");
  if (options.out == "-")
    session.note(what);
  else
    session.line(options.out, ": ", what, with_values ? " with values in single precision" : "");
}

}  // namespace spyctrum::cli
