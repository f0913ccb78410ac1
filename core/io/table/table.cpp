// SPDX-License-Identifier: Apache-2.0
// Tables of numbers: dense matrices as text, one line for each row, in which blanks, tabs, commas, semicolons
// or | separate the numbers, and may follow the last one of a line. A number may have a decimal comma unless
// commas separate them; NA, as R writes what is missing, is NaN. An entry is a number that is not zero. The
// first line may name the columns, and the first column the rows, as spreadsheets, pandas and R write them.
// Lines that begin with # or % are comments. Since lines of two to
// four numbers that begin with two vertices may be edges with weights and times (graphs/edge_list.cpp), a
// table is recognised by five columns of numbers; by two, if those of some line are no vertices; or by three,
// at least three lines and no number but 0 and 1, since edges have more vertices; and not if the names are
// those of edges. The user may choose the other format.
#include <algorithm>
#include <array>
#include <string>

#include "core/base/text.hpp"
#include "core/io/byte_source.hpp"
#include "core/io/decimal_sign.hpp"
#include "core/io/graphs/edge_columns.hpp"
#include "core/io/import_options.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::table_reader {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".table"};
constexpr std::array<std::string_view, 3> kSharedEndings{".csv", ".tsv", ".txt"};
constexpr std::array kOptions{ImportOption{"header", kYesNo, "whether the first line names the columns"},
                              ImportOption{"row_names", kYesNo, "whether the first column names the rows"},
                              kDecimalOption};
constexpr FormatInfo kFormat{.id = "table",
                             .name = "table of numbers",
                             .endings = kEndings,
                             .shared_endings = kSharedEndings,
                             .options = kOptions};
constexpr std::string_view kSeparators = " \t,;|";
// The fewest columns by which a table is recognised although its first two may be vertices.
constexpr std::size_t kFewestColumns = 5;
constexpr std::size_t kFewestOfBits = 3;  // 0 and 1 alone, and as many lines

/// The delimiter of a line: a semicolon, | or comma; or ' ' for any blanks and tabs. A comma is none if all
/// commas are within words that are numbers with decimal commas.
char delimiter_of(std::string_view line) {
  for (const char delimiter : {';', '|'})
    if (line.find(delimiter) != std::string_view::npos) return delimiter;
  if (line.find(',') == std::string_view::npos) return ' ';
  const std::vector<std::string_view> words = words_of(line);
  const auto separates = [](std::string_view word) {
    const std::size_t comma = word.find(',');
    if (comma == std::string_view::npos) return false;
    const bool is_within = comma != 0 && comma + 1 != word.size();
    return !is_within || !DecimalSign("comma").take(word) || word.find(',') == comma;
  };
  return words.size() < 2 || std::ranges::any_of(words, separates) ? ',' : ' ';
}

/// Whether a delimiter other than a blank follows the last number of a line.
bool ends_in_delimiter(std::string_view line, char delimiter) {
  return delimiter != ' ' && trimmed(line, kBlanks).ends_with(delimiter);
}
std::string_view without_last_delimiter(std::string_view line, char delimiter) {
  return ends_in_delimiter(line, delimiter) ? line.substr(0, line.find_last_of(delimiter)) : line;
}

constexpr std::string_view kMissing = "NA";
bool is_number(std::string_view column) { return classify_real(column) != ValueKind::malformed; }
/// Whether a column behind the names has a number, or none that is known.
bool is_value(std::string_view column) { return column == kMissing || is_number(column); }

/// The columns of a line one after the other. Decimal commas become points.
class Columns {
 public:
  Columns(std::string_view line, char delimiter, DecimalSign& sign)
      : cursor_(line, delimiter), sign_(sign), delimiter_(delimiter) {}
  /// As ColumnCursor::next(). `column` is valid until the next call.
  bool next(std::string_view& column) {
    if (!cursor_.next(column)) return false;
    has_sign_ = delimiter_ == ',' || sign_.take(column);
    return true;
  }
  /// Whether the last column has the same decimal sign as the numbers before it.
  [[nodiscard]] bool has_same_sign() const { return has_sign_; }

 private:
  ColumnCursor cursor_;
  DecimalSign& sign_;
  bool has_sign_ = true;
  char delimiter_;
};

/// The names that a table has beside its numbers.
struct Names {
  bool of_columns = false;    ///< in the first line
  bool of_rows = false;       ///< in the first column
  std::uint64_t columns = 0;  ///< of the first line

  /// Takes the first line, which has names if it has no number, or nothing in its first column.
  void take_first(std::string_view line, char delimiter) {
    bool has_number = false;
    DecimalSign sign;
    Columns all(line, delimiter, sign);
    for (std::string_view column; all.next(column); ++columns) {
      of_rows = of_rows || (columns == 0 && column.empty());
      has_number = has_number || is_number(column);
    }
    of_columns = of_rows || !has_number;
  }
  /// Takes the first line of numbers. R leaves out the name of the column of names.
  void take_second(std::string_view line, char delimiter) {
    std::uint64_t count = 0;
    DecimalSign sign;
    Columns all(line, delimiter, sign);
    for (std::string_view column; all.next(column); ++count)
      of_rows = of_rows || (count == 0 && !column.empty() && !is_value(column));
    of_rows = of_rows || (of_columns && count == columns + 1);
  }
};

/// A line of a table.
struct Line {
  std::size_t columns = 0;  ///< 0: some column is no number
  bool may_be_edge = true;  ///< the first two numbers may be vertices
  bool has_bits = true;     ///< all numbers are 0 or 1

  Line(std::string_view line, char delimiter, const Names& names) {
    DecimalSign sign;
    Columns all(line, delimiter, sign);
    std::string_view column;
    bool has_digits = true;  // alone in the first two columns
    if (names.of_rows) all.next(column);
    for (; all.next(column); ++columns) {
      if (!is_value(column) && all.has_same_sign()) {
        columns = 0;
        return;
      }
      has_digits = has_digits && (columns >= 2 || is_digits(column));
      // A negative whole number is rather a wrong vertex.
      const std::string_view digits = column.substr(column.starts_with('-') ? 1 : 0);
      may_be_edge = may_be_edge && (columns >= 2 || edge_list_reader::is_vertex(digits));
      has_bits = has_bits && (column == "0" || column == "1");
    }
    may_be_edge = may_be_edge && (has_digits || columns <= edge_list_reader::kMostColumnsOfReals);
  }
};

/// A table is possible if its first two lines of numbers, or all in the head if these may be edges, have as
/// many columns, or five and more in the first one. The last line of the head may be incomplete: its last
/// column is ignored.
Recognition recognise(std::span<const char> head) {
  std::string_view text = without_byte_order_mark({head.data(), head.size()});
  std::size_t expected = 0;
  std::size_t lines = 0;
  bool is_table = false;
  bool has_bits = true;
  bool is_header_alone = false;
  bool ends_lines = false;  // a delimiter follows the last number of each line
  Names names;
  while (!text.empty() && !(is_table && lines >= 2)) {
    std::string_view line = text.substr(0, text.find('\n'));
    const bool is_whole = line.size() < text.size() || head.size() < kHeadBytes;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!is_whole) line = line.substr(0, line.find_last_of(kSeparators));
    if (!is_whole) line = line.substr(0, line.find_last_not_of(kSeparators) + 1);
    if (edge_list_reader::is_comment(line) || trimmed(line, kBlanks).empty()) continue;
    const char delimiter = delimiter_of(line);
    if (names.columns == 0) {
      names.take_first(line, delimiter);
      if (names.of_columns && edge_list_reader::names_edges(line, delimiter)) return Recognition::none;
      // Names of many columns may fill the head; JSON and XML have other brackets and colons.
      is_header_alone = !is_whole && delimiter != ' ' && names.columns >= kFewestColumns &&
                        line.find_first_of("{}<>:") == std::string_view::npos;
      if (names.of_columns) continue;
    }
    if (lines == 0) ends_lines = ends_in_delimiter(line, delimiter);
    if (ends_lines) line = without_last_delimiter(line, delimiter);
    if (lines == 0) names.take_second(line, delimiter);
    const Line numbers(line, delimiter, names);
    if (lines == 0) expected = numbers.columns;
    if (numbers.columns == 0) return Recognition::none;
    // Many numbers and then fewer are a table with a fault, which read() names, rather than edges.
    if (is_whole && numbers.columns != expected)
      return expected >= kFewestColumns ? Recognition::possible : Recognition::none;
    is_table =
        is_table || expected >= kFewestColumns || (expected >= 2 && !names.of_rows && !numbers.may_be_edge);
    has_bits = has_bits && numbers.has_bits;
    ++lines;
  }
  if (lines == 0) return is_header_alone ? Recognition::possible : Recognition::none;
  has_bits = has_bits && lines >= kFewestOfBits && expected >= kFewestOfBits;
  return is_table || has_bits ? Recognition::possible : Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  TextReader text(source, name, options, context);
  EntryList entries(options, context);
  entries.begin_preview(0, 0, 0);  // the sides are known only at the end
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  char delimiter = ' ';
  bool ends_lines = false;  // a delimiter follows the last number of each line
  bool is_integer = true;
  Names names;
  DecimalSign sign(import_choice(options, kDecimalOption.name));
  const std::string_view header = import_choice(options, "header");
  const std::string_view row_names = import_choice(options, "row_names");
  std::string_view line;
  while (text.next(line)) {
    if (edge_list_reader::is_comment(line) || trimmed(line, kBlanks).empty()) continue;
    if (rows == 0) delimiter = delimiter_of(line);
    if (names.columns == 0) {
      names.take_first(line, delimiter);
      if (!header.empty()) names.of_columns = header == "yes";
      if (names.of_columns) continue;
    }
    if (rows == 0) ends_lines = ends_in_delimiter(line, delimiter);
    if (ends_lines) line = without_last_delimiter(line, delimiter);
    if (rows == 0) {
      names.take_second(line, delimiter);
      if (!row_names.empty()) names.of_rows = row_names == "yes";
    }
    if (rows == kLargestSide)
      text.fail("more than " + grouped(kLargestSide) + " rows cannot be opened.",
                "Open a part of the table.");
    std::uint64_t col = 0;
    Columns columns(line, delimiter, sign);
    std::string_view column;
    if (names.of_rows) columns.next(column);
    for (; columns.next(column); ++col) {
      if (!columns.has_same_sign())
        text.fail("found " + in_quotes(column) + " as a value; its decimal sign is not that of the others.",
                  "Write all numbers with the same decimal sign.");
      if (column == kMissing) column = "nan";
      const TextReader::Number number = text.number(column, "a value");
      is_integer = is_integer && number.is_integer;
      if (!number.is_zero) entries.add(rows, col, false, [&] { return Value(number_of(column)); });
    }
    if (rows != 0 && col != cols)
      text.fail(
          "found " + counted(col, "column", "columns") + "; the lines before have " + grouped(cols) + ".",
          "Give every line the same number of columns; if the lines are edges, choose --import "
          "format=edge_list.",
          {{"format", "edge_list"}});
    cols = col;
    ++rows;
  }
  if (rows == 0) text.fail("the file ends without a number.", "Check that this is a table of numbers.");
  if (sign.is_ambiguous()) entries.leave_values_out();
  Matrix matrix = std::move(entries).matrix(rows, cols);
  matrix.report.format = kFormat.name;
  matrix.report.field = sign.is_ambiguous() ? "pattern" : is_integer ? "integer" : "real";
  note_assumption(matrix.report, options, "header", names.of_columns ? "yes" : "no");
  note_assumption(matrix.report, options, "row_names", names.of_rows ? "yes" : "no");
  sign.report(matrix.report, options);
  if (names.of_columns) matrix.report.notes.emplace_back("The first line names the columns.");
  if (names.of_rows) matrix.report.notes.emplace_back("The first column names the rows.");
  report_dense(matrix, rows * cols, "Dense", "number");
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::table_reader
