// SPDX-License-Identifier: Apache-2.0
// The list of writers, and write_matrix().
#include <algorithm>
#include <array>
#include <cmath>

#include "core/io/export.hpp"
#include "core/io/formats.hpp"
#include "core/io/quote.hpp"
#include "core/io/write/gzip_stream.hpp"
#include "core/io/writer.hpp"

// The formats. A new one is one X(id) here; the namespace <id>_writer of the format's files defines its
// kWriter.
#define SPYCTRUM_WRITERS(X) X(matrix_market) X(npz) X(metis) X(rutherford_boeing) X(binsparse)

namespace spyctrum {

// clang-format off
#define SPYCTRUM_DECLARE(id) namespace id##_writer { extern const Writer kWriter; }
// clang-format on
SPYCTRUM_WRITERS(SPYCTRUM_DECLARE)
#undef SPYCTRUM_DECLARE

namespace {

#define SPYCTRUM_ADDRESS(id) &id##_writer::kWriter,
constexpr std::array kWriters{SPYCTRUM_WRITERS(SPYCTRUM_ADDRESS)};
#undef SPYCTRUM_ADDRESS

constexpr std::string_view kGzipEnding = ".gz";
constexpr std::array kGzipEndings{kGzipEnding};

// Single precision represents every whole number up to this one.
constexpr float kLargestWhole = 16777216;

bool is_gzip(std::string_view path) { return !ending_of(path, kGzipEndings).empty(); }

WrittenField field_of(const Matrix& matrix) {
  if (matrix.values == nullptr) return WrittenField::pattern;
  if (matrix.imaginary != nullptr) return WrittenField::complex;
  const bool is_declared = matrix.report.field == "integer" || matrix.report.field == "logical";
  const bool is_whole = is_declared && std::ranges::all_of(*matrix.values, [](float value) {
                          return std::abs(value) <= kLargestWhole && std::trunc(value) == value;
                        });
  return is_whole ? WrittenField::integer : WrittenField::real;
}

std::string list_of_endings() {
  return joined(writers(), [](const Writer* writer) {
    return std::string(writer->info.endings.front()).append(" (").append(writer->info.name).append(")");
  });
}

}  // namespace

const char* to_string(WrittenField field) {
  static constexpr std::array kNames{"pattern", "integer", "real", "complex"};
  return kNames.at(static_cast<std::size_t>(field));
}

std::span<const Writer* const> writers() { return kWriters; }

const Writer* find_writer(std::string_view id) {
  const auto found = std::ranges::find_if(writers(), [&](const auto& one) { return one->info.id == id; });
  return found == writers().end() ? nullptr : *found;
}

Result<const Writer*> writer_for(std::string_view path) {
  const bool is_packed = is_gzip(path);
  const std::string_view plain = path.substr(0, path.size() - (is_packed ? kGzipEnding.size() : 0));
  for (const auto& writer : writers())
    if (!ending_of(plain, writer->info.endings).empty() && (writer->info.is_text || !is_packed))
      return writer;
  return fail(ErrorCode::wrong_use, quoted_path(path) + " has no ending of a format that can be written.",
              "Endings are " + list_of_endings() + "; those of text also with .gz.");
}

std::vector<std::string> writable_endings() {
  std::vector<std::string> endings;
  for (const auto& writer : writers())
    for (const std::string_view ending : writer->info.endings) {
      endings.emplace_back(ending);
      if (writer->info.is_text) endings.push_back(std::string(ending).append(kGzipEnding));
    }
  return endings;
}

Result<void> write_matrix(const Matrix& matrix, const Writer& writer, const std::string& path,
                          std::string_view comment, JobContext& context) {
  return run_guarded([&] {
    WrittenMatrix written{.pattern = *matrix.pattern, .name = matrix.name, .comment = comment};
    written.field = field_of(matrix);
    if (matrix.values != nullptr) written.values = *matrix.values;
    if (matrix.imaginary != nullptr) written.imaginary = *matrix.imaginary;
    if (path == "-" && !writer.info.is_text)
      throw Failure(ErrorCode::wrong_use,
                    std::string(writer.info.name) + " is not text: it is not written to standard output.",
                    "Name a file that ends with " + std::string(writer.info.endings.front()) + ".");
    context.begin_stage("check");
    writer.check(written, context);
    context.begin_stage("write");
    const auto write = [&](std::ostream& out) {
      if (!is_gzip(path)) return writer.write(written, out, context);
      GzipStream packed(out);
      writer.write(written, packed, context);
      packed.finish();
    };
    or_throw(path == "-" ? write_standard_output(write, context.stop_token())
                         : write_atomically(path, write, context.stop_token()));
  });
}

}  // namespace spyctrum
