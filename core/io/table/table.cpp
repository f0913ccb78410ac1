// SPDX-License-Identifier: Apache-2.0
// Tables of numbers: dense matrices as text, one line for each row, in which blanks, tabs, commas, semicolons
// or | separate the numbers, and may follow the last one of a line. A number may have a decimal comma unless
// commas separate them, and may be complex, as in (1.0+2.0j), 1+2i or (1,2) (complex_number() has all forms);
// NA, as R writes what is missing, is NaN (table_form.hpp has other words). An entry is a number that is not
// zero; an empty cell, as spreadsheets leave it and as pandas writes what is missing, has no entry. The first
// line may name the columns, and the first column the rows (table_form.hpp). Lines that begin with # or % are
// comments.
//
// Lines of two to four whole numbers may be edges with weights and times (graphs/edge_list.cpp). Unless the
// first line has names of columns of edges, lines are a table if they have at least
//   - five columns;
//   - two columns, and the first two numbers of some line are not both vertices;
//   - three columns, and two lines, a tenth of all, begin with 0 0: edges seldom lead from a vertex to
//   itself;
//   - three columns, with negative numbers among the first two and among the others;
//   - three columns and three lines, and all numbers are 0 or 1: a graph of such size has other vertices;
//   - three columns behind names of rows: behind the name of a vertex edges have two.
// Other lines of three or four whole numbers are read as edges, and the report says that they may be a table.
// The user may choose the format.
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "core/base/text.hpp"
#include "core/io/byte_source.hpp"
#include "core/io/decimal_sign.hpp"
#include "core/io/graphs/edge_columns.hpp"
#include "core/io/import_options.hpp"
#include "core/io/quote.hpp"
#include "core/io/table/table_form.hpp"
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
// Bytes: what the first two lines show takes 32 bytes a column.
constexpr std::size_t kLongestLine = std::size_t{16} << 20U;
constexpr std::size_t kFewestOfBits = 3;  // 0 and 1 alone, and as many lines

/// A line of a table.
struct Line {
  std::size_t columns = 0;         ///< without an empty one at the end
  bool ends_empty = false;         ///< whether there is one
  bool is_of_numbers = true;       ///< each column has a number, or is empty or missing
  bool may_be_edge = true;         ///< the first two numbers may be vertices, or missing ones
  bool has_bits = true;            ///< all numbers are 0 or 1
  bool begins_with_digits = true;  ///< alone, or with nothing, in the first column of numbers
  bool is_whole = true;            ///< all numbers are whole
  bool has_real_vertex = false;    ///< one of the first two is a whole number with a point or exponent
  std::size_t zeros = 0;           ///< before the first other number
  std::array<bool, 2> negative{};  ///< among the first two numbers; behind them

  Line(std::string_view line, const Form& form) {
    DecimalSign sign;
    Columns all(line, form.delimiter, sign);
    std::string_view column;
    bool has_digits = true;  // alone in the first two columns
    if (form.names_rows) all.next(column);
    for (; all.next(column); ++columns) {
      ends_empty = column.empty();
      if (column.empty()) continue;
      is_of_numbers = is_of_numbers && (is_value(column) || !all.has_same_sign());
      begins_with_digits = begins_with_digits && (columns >= 1 || is_digits(column));
      has_digits = has_digits && (columns >= 2 || is_digits(column));
      // A negative whole number is rather a wrong vertex.
      const std::string_view digits = column.substr(column.starts_with('-') ? 1 : 0);
      zeros += zeros == columns && column == "0" ? 1 : 0;
      negative.at(columns < 2 ? 0 : 1) |= digits.size() < column.size();
      is_whole = is_whole && edge_list_reader::is_vertex(digits);
      has_real_vertex = has_real_vertex || (columns < 2 && !is_digits(digits));
      may_be_edge = may_be_edge && (columns >= 2 || edge_list_reader::is_vertex(digits));
      has_bits = has_bits && (column == "0" || column == "1");
    }
    if (ends_empty) --columns;
    may_be_edge = may_be_edge && (has_digits || columns <= edge_list_reader::kMostColumnsOfReals);
  }
};

/// The columns of a table, line by line. A delimiter may follow the last number of each line: then the last
/// column is empty in all lines, and is none.
class Widths {
 public:
  /// Returns whether a line with `columns`, of which the last one may be empty (`ends_empty`), has as many as
  /// those before it.
  bool take(std::size_t columns, bool ends_empty) {
    const std::size_t all = columns + (ends_empty ? 1 : 0);
    const bool is_first = widest_ == 0;
    const bool fits = is_first || all == widest_ || (ends_all_ && all + 1 == widest_);
    if (is_first) widest_ = all;
    ends_all_ = ends_all_ && (ends_empty || all < widest_);
    return fits;
  }
  /// The columns so far. `named`: those that the first line names.
  [[nodiscard]] std::size_t columns(std::size_t named) const {
    return widest_ - (ends_all_ && named < widest_ ? 1 : 0);
  }

 private:
  std::size_t widest_ = 0;
  bool ends_all_ = true;
};

/// A line that is cut off, without its last column, which may be the beginning of a complex number.
std::string_view without_last_column(std::string_view line) {
  const auto cut = [&line](std::size_t size) {
    line = line.substr(0, size);
    line = line.substr(0, line.find_last_not_of(kSeparators) + 1);
  };
  cut(line.find_last_of(kSeparators));
  if (const std::size_t open = line.rfind('(');
      line.find(')', std::min(open, line.size())) == std::string_view::npos)
    cut(open);
  if (line.ends_with(" +") || line.ends_with(" -")) {
    cut(line.size() - 1);
    cut(line.find_last_of(kSeparators));
  }
  return line;
}

/// The lines of a text that are neither comments nor empty, one by one.
class HeadLines {
 public:
  explicit HeadLines(std::span<const char> head)
      : text_(without_byte_order_mark({head.data(), head.size()})), is_cut_(head.size() == kHeadBytes) {}
  /// Returns false at the end. Of a line that the head cuts off, its last column is left out.
  bool next(std::string_view& line) {
    while (!text_.empty()) {
      line = text_.substr(0, text_.find('\n'));
      is_whole = line.size() < text_.size() || !is_cut_;
      text_.remove_prefix(std::min(text_.size(), line.size() + 1));
      if (!is_whole) line = without_last_column(line);
      if (!edge_list_reader::is_comment(line) && !trimmed(line, kBlanks).empty()) return true;
    }
    line = {};
    return false;
  }
  bool is_whole = true;

 private:
  std::string_view text_;
  bool is_cut_;
};

/// The signs of a table in the first lines of numbers. `columns` of the functions: those of the lines so far.
class TableSigns {
 public:
  explicit TableSigns(const Form& form) : form_(form) {}

  void take(const Line& line, std::size_t columns) {
    ++lines_;
    lines_of_zeros_ += line.zeros >= 2 ? 1 : 0;
    has_numbers_ = has_numbers_ || line.columns != 0;
    has_bits_ = has_bits_ && line.has_bits;
    is_whole_ = is_whole_ && line.is_whole;
    has_real_vertex_ = has_real_vertex_ || line.has_real_vertex;
    for (const std::size_t k : {0, 1}) negative_.at(k) |= line.negative.at(k);
    // A name, a vertex and a weight may be an edge between vertices with names.
    const bool may_be_named_edge = form_.names_rows && !form_.has_corner && line.begins_with_digits;
    is_table_ = is_table_ || columns >= kFewestColumns ||
                (!line.may_be_edge && columns >= (may_be_named_edge ? 3 : 2)) ||
                (form_.has_words && columns >= (form_.has_corner || form_.lacks_corner ? 2 : 3)) ||
                (form_.has_corner && columns >= 4) || (columns >= 3 && negative_[0] && negative_[1]);
  }
  [[nodiscard]] std::size_t lines() const { return lines_; }
  /// Whether the lines are a table, whatever lines follow.
  [[nodiscard]] bool is_table() const { return is_table_; }
  [[nodiscard]] Recognition recognition(std::size_t columns) const {
    if (!has_numbers_) return Recognition::none;
    const bool are_bits = has_bits_ && lines_ >= kFewestOfBits && columns >= kFewestOfBits;
    const bool has_zeros = columns >= 3 && lines_of_zeros_ >= 2 && 10 * lines_of_zeros_ >= lines_;
    if (is_table_ || are_bits || has_zeros) return Recognition::possible;
    const bool may_be_table =
        is_whole_ && columns >= 2 && (columns >= 3 || form_.names_columns || has_real_vertex_);
    return may_be_table ? Recognition::unlikely : Recognition::none;
  }

 private:
  const Form& form_;
  std::size_t lines_ = 0;
  std::size_t lines_of_zeros_ = 0;  // that begin with two
  bool is_table_ = false;
  // As the members of Line, of all lines:
  bool has_numbers_ = false, has_bits_ = true, is_whole_ = true, has_real_vertex_ = false;
  std::array<bool, 2> negative_{};
};

/// A table is possible if its first two lines of numbers, or all in the head if these may be edges, have as
/// many columns, or five and more in the first one.
Recognition recognise(std::span<const char> head) {
  HeadLines all(head);
  std::string_view first, second;
  if (!all.next(first)) return Recognition::none;
  const bool is_first_whole = all.is_whole;
  all.next(second);
  const Form form(first, second);
  if (form.names_columns && edge_list_reader::names_edges(first, form.delimiter)) return Recognition::none;
  Widths widths;
  TableSigns signs(form);
  HeadLines again(head);
  std::string_view line;
  if (form.names_columns) again.next(line);
  while (!(signs.is_table() && signs.lines() >= 2) && again.next(line)) {
    const Line numbers(line, form);
    if (!numbers.is_of_numbers) return Recognition::none;
    const bool fits = widths.take(numbers.columns, numbers.ends_empty);
    // Many numbers and then fewer are a table with a fault, which read() names, rather than edges.
    if (again.is_whole && !fits)
      return widths.columns(0) >= kFewestColumns ? Recognition::possible : Recognition::none;
    signs.take(numbers, widths.columns(form.named));
  }
  // Names of many columns may fill the head; JSON and XML have other brackets and colons.
  const bool names_fill_head = !is_first_whole && form.delimiter != ' ' && form.named >= kFewestColumns &&
                               first.find_first_of("{}<>:") == std::string_view::npos;
  if (signs.lines() == 0) return names_fill_head ? Recognition::possible : Recognition::none;
  return signs.recognition(widths.columns(form.named));
}

/// Reads the lines of a table one by one.
class TableFile {
 public:
  TableFile(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context)
      : options_(options),
        text_(source, name, options, context, kLongestLine),
        entries_(options, context),
        sign_(import_choice(options, kDecimalOption.name)) {
    entries_.begin_preview(0, 0, 0);  // the sides are known only at the end
  }

  /// The matrix of all lines. To be called once.
  Matrix matrix() {
    std::string_view line;
    next(line);
    const std::string first(line);
    const std::uint64_t line_of_first = text_.line();
    next(line);
    Form form(first, line, import_choice(options_, "header"));
    if (const std::string_view choice = import_choice(options_, "row_names"); !choice.empty())
      form.names_rows = choice == "yes";
    if (form.delimiter == '\t') blanks_ = " \r";  // tabs alone are a row of empty columns
    line_ = line_of_first;
    if (!form.names_columns && !first.empty()) take_line(first, form);
    for (; !line.empty(); next(line)) {
      line_ = text_.line();
      take_line(line, form);
    }
    const std::size_t cols = widths_.columns(form.named);
    if (cols == 0) text_.fail("the file ends without a number.", "Check that this is a table of numbers.");
    if (sign_.is_ambiguous()) entries_.leave_values_out();
    if (is_complex_) entries_.set_complex();
    Matrix matrix = std::move(entries_).matrix(rows_, cols);
    report(matrix, form, rows_ * cols);
    return matrix;
  }

 private:
  /// Sets `line` to the next one that is neither a comment nor empty; to nothing at the end.
  void next(std::string_view& line) {
    while (text_.next(line)) {
      if (!edge_list_reader::is_comment(line) && !trimmed(line, blanks_).empty()) return;
    }
    line = {};
  }

  [[noreturn]] void fail(const std::string& what, const std::string& advice,
                         const decltype(Error::setting)& setting = {}) const {
    throw Failure(Error{ErrorCode::bad_input,
                        std::string(text_.name()) + ", line " + std::to_string(line_) + ": " + what, advice,
                        0, setting});
  }

  void take_line(std::string_view line, const Form& form) {
    if (rows_ == kLargestSide)
      fail("more than " + grouped(kLargestSide) + " rows cannot be opened.", "Open a part of the table.");
    std::size_t col = 0;
    bool ends_empty = false;
    Columns columns(line, form.delimiter, sign_);
    std::string_view column;
    if (form.names_rows) columns.next(column);
    for (; columns.next(column); ++col) {
      ends_empty = column.empty();
      if (col == 0 && rows_ == 0) counts_from_ = column == "1" ? 1 : 0;
      if (col == 0 && !form.names_rows && column == std::to_string(rows_ + counts_from_)) ++counted_;
      if (!ends_empty) take_number(column, col, columns.has_same_sign());
    }
    if (ends_empty) --col;
    const std::size_t before = widths_.columns(form.named);
    if (!widths_.take(col, ends_empty))
      fail("found " + counted(col + (ends_empty ? 1 : 0), "column", "columns") + "; the lines before have " +
               grouped(before) + ".",
           "Give every line the same number of columns; if the lines are edges, choose --import "
           "format=edge_list.",
           {{"format", "edge_list"}});
    ++rows_;
  }

  void take_number(std::string_view column, std::uint64_t col, bool has_same_sign) {
    if (!has_same_sign)
      fail("found " + in_quotes(column) + " as a value; its decimal sign is not that of the others.",
           "Write all numbers with the same decimal sign.");
    if (column == kMissing) column = "nan";
    const ValueKind kind = classify_real(column);
    if (kind == ValueKind::malformed) return take_complex(column, col);
    ++numbers_;
    is_integer_ = is_integer_ && classify_integer(column) != ValueKind::malformed;
    if (kind != ValueKind::zero) entries_.add(rows_, col, false, [&] { return Value(number_of(column)); });
  }

  void take_complex(std::string_view column, std::uint64_t col) {
    const auto number = complex_number(column);
    if (!number) fail("found " + in_quotes(column) + " as a value; expected a number.", "Correct the line.");
    ++numbers_;
    is_complex_ = true;
    if (!number->is_zero) entries_.add(rows_, col, false, [&] { return number->value; });
  }

  void report(Matrix& matrix, const Form& form, std::uint64_t cells) const {
    LoadReport& report = matrix.report;
    report.format = kFormat.name;
    report.field = sign_.is_ambiguous() ? "pattern"
                   : is_complex_        ? "complex"
                   : is_integer_        ? "integer"
                                        : "real";
    note_assumption(report, options_, "header", form.names_columns ? "yes" : "no");
    note_assumption(report, options_, "row_names", form.names_rows ? "yes" : "no");
    sign_.report(report, options_);
    if (form.names_columns) report.notes.emplace_back("The first line names the columns.");
    if (form.may_name && rows_ > 1)
      report.notes.emplace_back(
          "The first line was taken for a row. If it numbers the columns, choose --import header=yes.");
    if (form.names_rows) report.notes.emplace_back("The first column names the rows.");
    if (counted_ == rows_ && rows_ >= kFewestOfBits)
      report.notes.emplace_back(
          "The first column was taken for numbers. If it numbers the rows, choose --import row_names=yes.");
    if (cells != numbers_)
      report.notes.push_back(counted(cells - numbers_, "cell is empty and has", "cells are empty and have") +
                             " no entry.");
    report_dense(matrix, numbers_, "Dense", "number");
  }

  const LoadOptions& options_;
  TextReader text_;
  EntryList entries_;
  DecimalSign sign_;
  Widths widths_;
  std::string_view blanks_ = kBlanks;  // a line of these alone is empty
  std::uint64_t line_ = 0;             // of the row that is read
  std::uint64_t rows_ = 0;
  std::uint64_t counts_from_ = 0;  // 1 if the first number is 1
  std::uint64_t counted_ = 0;      // rows whose first number is that of the row
  std::uint64_t numbers_ = 0;      // cells that are not empty
  bool is_integer_ = true;
  bool is_complex_ = false;
};

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  return TableFile(source, name, options, context).matrix();
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::table_reader
