// SPDX-License-Identifier: Apache-2.0
// Writing a pattern as Matrix Market coordinates, column by column.
#include <array>
#include <charconv>
#include <ostream>

#include "core/io/export.hpp"
#include "core/io/reader.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18U;
constexpr std::size_t kLongestEntry = 22;  // two numbers of 10 digits, a space, a line end

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

// Every line of a comment begins with %.
void append_comment(std::string& out, std::string_view comment) {
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    out += "% ";
    out += comment.substr(0, end);
    out += '\n';
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
}

void write_entries(const SparsePattern& pattern, std::string buffer, std::ostream& out, JobContext& context) {
  const auto rows = pattern.row_indices();
  const auto starts = pattern.column_starts();
  const auto total = static_cast<std::uint64_t>(pattern.nonzeros());
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    std::string column(1, ' ');
    append_number(column, std::uint64_t{pattern.column_ids()[k]} + 1);
    column += '\n';
    for (std::int64_t t = starts[k]; t < starts[k + 1]; ++t) {
      append_number(buffer, std::uint64_t{rows[static_cast<std::size_t>(t)]} + 1);
      buffer += column;
      if (buffer.size() < kBufferBytes - kLongestEntry) continue;
      out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
      buffer.clear();
      context.checkpoint(static_cast<std::uint64_t>(t), total);
      if (!out) return;
    }
  }
  out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  context.checkpoint(total, total);
}

}  // namespace

Result<void> write_matrix_market(const SparsePattern& pattern, const std::string& path,
                                 std::string_view comment, JobContext& context) {
  const auto write = [&](std::ostream& out) {
    context.begin_stage("write");
    std::string buffer = "%%MatrixMarket matrix coordinate pattern general\n";
    append_comment(buffer, comment);
    for (const std::uint64_t number :
         {pattern.rows(), pattern.cols(), static_cast<std::uint64_t>(pattern.nonzeros())}) {
      append_number(buffer, number);
      buffer += ' ';
    }
    buffer.back() = '\n';
    write_entries(pattern, std::move(buffer), out, context);
  };
  return write_atomically(path, write, context.stop_token());
}

}  // namespace spyctrum
