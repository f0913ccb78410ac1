// SPDX-License-Identifier: Apache-2.0
// Writes Matrix Market coordinates, column by column: every entry of the matrix, without symmetry.
#include <array>

#include "core/io/write/text_output.hpp"
#include "core/io/writer.hpp"

namespace spyctrum::matrix_market_writer {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".mtx"};
constexpr WriterInfo kInfo{.id = "matrix_market",
                           .name = "Matrix Market",
                           .endings = kEndings,
                           .is_text = true,
                           .holds = "every matrix, with real, complex or whole numbers"};

void add_values(const WrittenMatrix& matrix, std::size_t entry, TextOutput& text) {
  if (matrix.field == WrittenField::pattern) return;
  text.add(' ');
  if (matrix.field == WrittenField::integer) return text.add_whole(matrix.values[entry]);
  text.add_value(matrix.values[entry]);
  if (matrix.field != WrittenField::complex) return;
  text.add(' ');
  text.add_value(matrix.imaginary[entry]);
}

void write(const WrittenMatrix& matrix, std::ostream& out, JobContext& context) {
  const SparsePattern& pattern = matrix.pattern;
  const auto entries = static_cast<std::uint64_t>(pattern.nonzeros());
  TextOutput text(out, context, entries);
  text.add("%%MatrixMarket matrix coordinate ");
  text.add(to_string(matrix.field));
  text.add(" general\n");
  text.add_comment(matrix.comment);
  text.add_number(pattern.rows());
  text.add(' ');
  text.add_number(pattern.cols());
  text.add(' ');
  text.add_number(entries);
  text.add('\n');
  std::size_t entry = 0;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    const std::string column = ' ' + std::to_string(std::uint64_t{pattern.column_ids()[k]} + 1);
    for (const Index row : pattern.column(k)) {
      text.add_number(std::uint64_t{row} + 1);
      text.add(column);
      add_values(matrix, entry++, text);
      text.add('\n');
      if (!text.next_entry()) return;
    }
  }
  text.flush();
}

}  // namespace

extern const Writer kWriter{kInfo, write};

}  // namespace spyctrum::matrix_market_writer
