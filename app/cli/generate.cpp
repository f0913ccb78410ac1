// SPDX-License-Identifier: Apache-2.0
// generate: writes a matrix of a known construction as a Matrix Market file.
#include <algorithm>

#include "app/cli/commands.hpp"
#include "core/io/export.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum::cli {

Result<void> run_generate(Session& session, const GenerateOptions& options) {
  std::string text = "gen:" + options.kind;
  const char* separator = ":";
  bool seeded = false;
  for (const std::string& setting : options.settings) {
    seeded = seeded || setting.starts_with("seed=");
    text += separator + setting;
    separator = ",";
  }
  const auto kind = std::ranges::find(generators(), options.kind, &GeneratorInfo::kind);
  if (kind != generators().end() && kind->random && !seeded) {
    text += separator + ("seed=" + std::to_string(session.options().seed));
  }
  if (auto writable = check_writable(options.out); !writable) return writable;
  auto matrix = session.load(text);
  if (!matrix) return tl::unexpected<Error>(matrix.error());
  const auto job = session.context("write " + options.out);
  auto written =
      write_matrix_market(*matrix->pattern, options.out, "Spyctrum " SPYCTRUM_VERSION ", " + text, *job);
  session.clear_progress();
  if (!written) return written;
  session.file_written();
  session.print({{"file", text},
                 {"rows", matrix->pattern->rows()},
                 {"cols", matrix->pattern->cols()},
                 {"nonzeros", matrix->pattern->nonzeros()},
                 {"out", options.out},
                 {"seconds", matrix->report.seconds},
                 {"version", SPYCTRUM_VERSION}});
  session.line(options.out + ": " + std::to_string(matrix->pattern->rows()) + " × " +
               std::to_string(matrix->pattern->cols()) + ", " + std::to_string(matrix->pattern->nonzeros()) +
               " nonzeros");
  return session.finish();
}

}  // namespace spyctrum::cli
