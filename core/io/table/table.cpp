// SPDX-License-Identifier: Apache-2.0
// Tables of numbers: dense matrices as text, one line for each row, in which blanks, tabs, commas, semicolons
// or | separate the numbers. Between semicolons a number may have a decimal comma. An entry is a number that
// is not zero. The first line may name the columns, and the first column the rows, as spreadsheets, pandas
// and R write them. Lines that begin with # or % are comments. Since lines of two to four whole numbers may
// be edges with weights and times (graphs/edge_list.cpp), a table is recognised only by five columns of
// numbers, or, without names, by four with a number that is negative or not whole; and not if the names are
// those of edges. The user may choose the other format.
#include <algorithm>
#include <array>
#include <string>

#include "core/base/text.hpp"
#include "core/io/graphs/edge_columns.hpp"
#include "core/io/import_options.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::table_reader {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".table"};
constexpr std::array<std::string_view, 3> kSharedEndings{".csv", ".tsv", ".txt"};
constexpr std::array kOptions{ImportOption{"header", kYesNo, "whether the first line names the columns"},
                              ImportOption{"row_names", kYesNo, "whether the first column names the rows"}};
constexpr FormatInfo kFormat{.id = "table",
                             .name = "table of numbers",
                             .endings = kEndings,
                             .shared_endings = kSharedEndings,
                             .options = kOptions};
// The fewest columns by which a table is recognised.
constexpr std::size_t kFewestColumns = 5;  // of whole numbers from 0
constexpr std::size_t kFewestOfReals = 4;

bool is_comment(std::string_view line) { return line.starts_with('#') || line.starts_with('%'); }

/// The delimiter of a line: a semicolon, | or comma; or ' ' for any blanks and tabs.
char delimiter_of(std::string_view line) {
  for (const char delimiter : {';', '|', ','})
    if (line.find(delimiter) != std::string_view::npos) return delimiter;
  return ' ';
}

/// The columns of a line one after the other. Decimal commas become points.
class Columns {
 public:
  Columns(std::string_view line, char delimiter) : cursor_(line, delimiter), delimiter_(delimiter) {}
  /// As ColumnCursor::next(). `column` is valid until the next call.
  bool next(std::string_view& column) {
    if (!cursor_.next(column)) return false;
    if (delimiter_ == ';' && column.find(',') != std::string_view::npos &&
        column.find_first_not_of("0123456789+-,eE") == std::string_view::npos) {
      with_point_ = column;
      with_point_[column.find(',')] = '.';
      column = with_point_;
    }
    return true;
  }

 private:
  ColumnCursor cursor_;
  std::string with_point_;
  char delimiter_;
};

bool is_number(std::string_view column) { return classify_real(column) != ValueKind::malformed; }

/// The names that a table has beside its numbers.
struct Names {
  bool of_columns = false;    ///< in the first line
  bool of_rows = false;       ///< in the first column
  std::uint64_t columns = 0;  ///< of the first line

  /// Takes the first line, which has names if it has no number, or nothing in its first column.
  void take_first(std::string_view line, char delimiter) {
    bool has_number = false;
    Columns all(line, delimiter);
    for (std::string_view column; all.next(column); ++columns) {
      of_rows = of_rows || (columns == 0 && column.empty());
      has_number = has_number || is_number(column);
    }
    of_columns = of_rows || !has_number;
  }
  /// Takes the first line of numbers. R leaves out the name of the column of names.
  void take_second(std::string_view line, char delimiter) {
    std::uint64_t count = 0;
    Columns all(line, delimiter);
    for (std::string_view column; all.next(column); ++count)
      of_rows = of_rows || (count == 0 && !column.empty() && !is_number(column));
    of_rows = of_rows || (of_columns && count == columns + 1);
  }
};

/// The number of columns of a line of a table; 0 if the line cannot be one, or may as well be an edge.
std::size_t columns_of_table(std::string_view line, char delimiter, const Names& names) {
  std::size_t count = 0;
  bool has_real = false;
  Columns columns(line, delimiter);
  std::string_view column;
  if (names.of_rows) columns.next(column);
  for (; columns.next(column); ++count) {
    if (!is_number(column)) return 0;
    has_real = has_real || !is_digits(column);
  }
  const bool may_be_four = has_real && !names.of_columns && !names.of_rows;
  return count >= (may_be_four ? kFewestOfReals : kFewestColumns) ? count : 0;
}

/// A table is possible if its first two lines of numbers have as many columns; the second may be incomplete.
Recognition recognise(std::span<const char> head) {
  std::string_view text = without_byte_order_mark({head.data(), head.size()});
  std::size_t expected = 0;
  Names names;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const bool is_whole = line.size() < text.size();
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (is_comment(line) || trimmed(line, kBlanks).empty()) continue;
    const char delimiter = delimiter_of(line);
    if (names.columns == 0) {
      names.take_first(line, delimiter);
      if (names.of_columns && edge_list_reader::names_edges(line, delimiter)) return Recognition::none;
      if (names.of_columns) continue;
    }
    if (expected == 0) names.take_second(line, delimiter);
    const std::size_t count = columns_of_table(line, delimiter, names);
    if (expected != 0)
      return count == expected || (!is_whole && count != 0) ? Recognition::possible : Recognition::none;
    if (count == 0) return Recognition::none;
    expected = count;
  }
  return Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  TextReader text(source, name, options, context);
  EntryList entries(options, context);
  entries.begin_preview(0, 0, 0);  // the sides are known only at the end
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  char delimiter = ' ';
  bool is_integer = true;
  Names names;
  const std::string_view header = import_choice(options, "header");
  const std::string_view row_names = import_choice(options, "row_names");
  std::string_view line;
  while (text.next(line)) {
    if (is_comment(line) || trimmed(line, kBlanks).empty()) continue;
    if (rows == 0) delimiter = delimiter_of(line);
    if (names.columns == 0) {
      names.take_first(line, delimiter);
      if (!header.empty()) names.of_columns = header == "yes";
      if (names.of_columns) continue;
    }
    if (rows == 0) {
      names.take_second(line, delimiter);
      if (!row_names.empty()) names.of_rows = row_names == "yes";
    }
    if (rows == kLargestSide)
      text.fail("more than " + grouped(kLargestSide) + " rows cannot be opened.",
                "Open a part of the table.");
    std::uint64_t col = 0;
    Columns columns(line, delimiter);
    std::string_view column;
    if (names.of_rows) columns.next(column);
    for (; columns.next(column); ++col) {
      const TextReader::Number number = text.number(column, "a value");
      is_integer = is_integer && number.is_integer;
      if (!number.is_zero) entries.add(rows, col, false, [&] { return Value(number_of(column)); });
    }
    if (rows != 0 && col != cols)
      text.fail(
          "found " + counted(col, "column", "columns") + "; the lines before have " + grouped(cols) + ".",
          "Give every line the same number of columns.");
    cols = col;
    ++rows;
  }
  if (rows == 0) text.fail("the file ends without a number.", "Check that this is a table of numbers.");
  Matrix matrix = std::move(entries).matrix(rows, cols);
  matrix.report.format = kFormat.name;
  matrix.report.field = is_integer ? "integer" : "real";
  note_assumption(matrix.report, options, "header", names.of_columns ? "yes" : "no");
  note_assumption(matrix.report, options, "row_names", names.of_rows ? "yes" : "no");
  if (names.of_columns) matrix.report.notes.emplace_back("The first line names the columns.");
  if (names.of_rows) matrix.report.notes.emplace_back("The first column names the rows.");
  report_dense(matrix, rows * cols, "Dense", "number");
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::table_reader
