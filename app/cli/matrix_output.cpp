// SPDX-License-Identifier: Apache-2.0
#include "app/cli/matrix_output.hpp"

#include <utility>

#include "core/base/memory_ledger.hpp"
#include "core/base/text.hpp"
#include "core/io/export.hpp"
#include "core/io/formats.hpp"
#include "core/matrix/weights.hpp"

namespace spyctrum::cli {

namespace {

constexpr const char* kStandardOutput = "-";

const Writer* find_by_id(const std::string& format) {
  if (const Writer* const writer = find_writer(format)) return writer;
  throw Failure(ErrorCode::wrong_use, "There is no format '" + format + "' that can be written.",
                "Choose one of " + joined(writers(), [](const auto& one) { return one->info.id; }) + ".");
}

}  // namespace

MatrixOutput::MatrixOutput(const Session& session, std::string path, const std::string& format,
                           Otherwise otherwise)
    : path_(std::move(path)), writer_(writers().front()) {
  const bool is_output = path_ == kStandardOutput;
  if (is_output && session.options().json)
    throw Failure(ErrorCode::wrong_use, "--json and the matrix would share standard output.",
                  "Name a file in place of -, or leave --json out.");
  if (!format.empty()) {
    writer_ = find_by_id(format);
  } else if (!is_output) {
    const Result<const Writer*> named = writer_for(path_);
    if (named || otherwise == Otherwise::refuse || is_named_like_a_matrix(path_)) writer_ = or_throw(named);
  }
  if (!is_output) or_throw(check_writable(path_, session.stop()));
}

void MatrixOutput::refuse_absurd_size(const Session& session, const SparsePattern& pattern) const {
  constexpr std::uint64_t kMostUnasked = 1'000'000'000;
  constexpr std::uint64_t kBytesOfEntry = 64;
  const std::uint64_t bytes = writer_->bytes_of_columns(pattern);
  const std::uint64_t allowed = session.options().memory.empty() ? kMostUnasked : session.memory_bytes();
  if (bytes <= allowed || bytes / kBytesOfEntry <= static_cast<std::uint64_t>(pattern.nonzeros())) return;
  std::string others;
  for (const Writer* const other : writers())
    if (other->bytes_of_columns(pattern) == 0)
      others.append(others.empty() ? "" : " or ").append(other->info.endings.front());
  const std::string gigabytes = std::to_string(bytes / 1'000'000'000 + 1) + "G";
  throw Failure(ErrorCode::out_of_memory,
                (path_ == kStandardOutput ? "The output" : path_) + " would have " + format_bytes(bytes) +
                    ": the format " + std::string(writer_->info.name) + " lists each of " +
                    grouped(pattern.cols()) + " columns, of which " +
                    counted(pattern.column_ids().size(), "has an entry", "have entries") + ".",
                "Write " + others + ", which list only columns with entries; --memory " + gigabytes +
                    " permits the file.");
}

void MatrixOutput::write(Session& session, const Matrix& matrix, const std::string& comment,
                         JobContext& context) const {
  refuse_absurd_size(session, *matrix.pattern);
  const Booking booking(context.memory(), matrix.pattern->has_weights() ? matrix.pattern->bytes() : 0,
                        "values");
  or_throw(write_matrix(with_weights_as_values(matrix), *writer_, path_, comment, context));
  session.file_written();
}

void MatrixOutput::report(Session& session, const std::string& what) const {
  if (path_ == kStandardOutput)
    session.note(what);
  else
    session.line(path_, ": ", what);
}

}  // namespace spyctrum::cli
