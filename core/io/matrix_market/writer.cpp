// SPDX-License-Identifier: Apache-2.0
// Writing a pattern as Matrix Market coordinates, column by column.
#include <ostream>

#include "core/io/export.hpp"
#include "core/io/reader.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18U;
constexpr std::size_t kLongestEntry = 22;  // two numbers of 10 digits, a space, a line end

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
  const auto total = static_cast<std::uint64_t>(pattern.nonzeros());
  std::uint64_t done = 0;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    const std::string column = ' ' + std::to_string(std::uint64_t{pattern.column_ids()[k]} + 1) + '\n';
    for (const Index row : pattern.column(k)) {
      buffer += std::to_string(std::uint64_t{row} + 1);
      buffer += column;
      ++done;
      if (buffer.size() < kBufferBytes - kLongestEntry) continue;
      out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
      buffer.clear();
      context.checkpoint(done, total);
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
    buffer += std::to_string(pattern.rows()) + ' ' + std::to_string(pattern.cols()) + ' ' +
              std::to_string(pattern.nonzeros()) + '\n';
    write_entries(pattern, std::move(buffer), out, context);
  };
  return write_atomically(path, write, context.stop_token());
}

}  // namespace spyctrum
