// SPDX-License-Identifier: Apache-2.0
// The name of a column or row may be a number, or be missing, and a cell may be empty. So the first line
// alone does not show whether it names the columns: it is compared with the second line.
#include "core/io/table/table_form.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/text.hpp"
#include "core/io/graphs/edge_columns.hpp"

namespace spyctrum::table_reader {
namespace {

/// The columns of a line, copied.
std::vector<std::string> cells_of(std::string_view line, char delimiter) {
  std::vector<std::string> cells;
  DecimalSign sign;
  Columns all(line, delimiter, sign);
  for (std::string_view column; all.next(column);) cells.emplace_back(column);
  return cells;
}

/// The delimiter of a line: a semicolon, | or comma; or ' ' for any blanks and tabs. A comma is none if all
/// commas are within words that are numbers with decimal commas.
char delimiter_of(std::string_view line) {
  for (const char delimiter : {';', '|'})
    if (line.find(delimiter) != std::string_view::npos) return delimiter;
  if (line.find(',') == std::string_view::npos) return ' ';
  std::vector<std::string_view> words;  // without quotation marks
  ColumnCursor cursor(line, ' ');
  for (std::string_view word; cursor.next(word);) words.push_back(word);
  const auto separates = [](std::string_view word) {
    const std::size_t comma = word.find(',');
    if (comma == std::string_view::npos || complex_number(word)) return false;
    const bool is_within = comma != 0 && comma + 1 != word.size();
    return !is_within || !DecimalSign("comma").take(word) || word.find(',') == comma;
  };
  return words.size() < 2 || std::ranges::any_of(words, separates) ? ',' : ' ';
}

/// Whether tabs, and no other blanks, separate the columns of the first two lines of a table, so that a
/// column may be empty: pandas leaves the one above the names of rows empty; or both lines have as many
/// columns, of which none or others are empty. Several tabs in a row may as well align the columns.
bool is_tabbed(std::string_view first, std::string_view second) {
  if (first.find('\t') == std::string_view::npos || second.find('\t') == std::string_view::npos) return false;
  if (first.starts_with('\t') && !second.starts_with('\t')) return true;
  const auto empty_columns = [](std::string_view line) {
    std::vector<bool> are_empty;
    for (const std::string& cell : cells_of(line, '\t')) are_empty.push_back(cell.empty());
    return are_empty;
  };
  const std::vector<bool> of_first = empty_columns(first), of_second = empty_columns(second);
  return of_first.size() == of_second.size() &&
         (of_first != of_second || std::ranges::find(of_first, true) == of_first.end());
}

/// Whether whole numbers from `least` to `most` count by one, three of them at least.
bool count_by_one(std::span<const std::string> cells, std::uint64_t least, std::uint64_t most) {
  if (cells.size() < 3) return false;
  const std::optional<std::uint64_t> begin = edge_list_reader::vertex_number(cells[0]);
  if (!begin || *begin < least || *begin > most) return false;
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (cells[k] != std::to_string(*begin + k)) return false;
  return true;
}

/// Whether quotation marks are around all columns of the first line and not around the last one of the
/// second, as programs write them around names alone.
bool is_quoted_alone(std::string_view first, std::string_view second, char delimiter) {
  first = trimmed(first, kBlanks);
  second = trimmed(second, kBlanks);
  std::size_t marks = 0;
  for (const char c : first) marks += c == '"' ? 1 : 0;
  return first.ends_with('"') && !second.empty() && !second.ends_with('"') &&
         marks >= 2 * cells_of(first, delimiter).size();
}

/// Whether a word is rather a number with groups of digits, such as 1,250 or 1'000, than a name.
bool groups_digits(std::string_view word) {
  return word.find_first_of(",'") != std::string_view::npos &&
         word.find_first_not_of("0123456789.,'+-") == std::string_view::npos;
}

/// Bytes of the blank with which `text` begins; 0 if it begins with another character.
std::size_t leading_blank(std::string_view text) {
  for (const std::string_view blank : {" ", "\u00A0", "\u202F"})
    if (text.starts_with(blank)) return blank.size();
  return 0;
}

/// Words above a column that names the rows by numbers.
constexpr std::array<std::string_view, 6> kNamesOfNumbers{"id", "index", "node", "vertex", "node_id", "row"};

}  // namespace

void leave_out_blanks(std::string_view& number, std::string& buffer) {
  if (number.find_first_of(" \xC2\xE2") == std::string_view::npos) return;
  buffer.clear();
  constexpr std::size_t kNotGrouped = 4;  // behind a decimal sign, or in a word
  std::size_t digits = 0;                 // of the group
  std::string_view rest = number;
  while (!rest.empty()) {
    if (const std::size_t blank = leading_blank(rest); blank != 0) {
      rest.remove_prefix(blank);
      const bool is_group = rest.size() >= 3 && is_digits(rest.substr(0, 3)) && !is_digits(rest.substr(3, 1));
      if (!is_group || digits == 0 || digits > 3) return;
      digits = 0;
      continue;
    }
    if (is_digits(rest.substr(0, 1)))
      ++digits;
    else if (!buffer.empty())  // a first character may be the sign
      digits = kNotGrouped;
    buffer += rest.front();
    rest.remove_prefix(1);
  }
  number = buffer;
}

Form::Form(std::string_view first, std::string_view second, std::string_view header)
    : delimiter(delimiter_of(trimmed(second, kBlanks).empty() ? first : second)) {
  if (delimiter == ' ' && is_tabbed(first, second)) delimiter = '\t';
  std::vector<std::string> names = cells_of(first, delimiter);
  const std::vector<std::string> numbers = second.empty() ? names : cells_of(second, delimiter);
  while (!names.empty() && names.back().empty()) names.pop_back();
  const bool has_number = std::ranges::any_of(names, is_number);
  const bool has_gap =
      !names.empty() && std::ranges::any_of(std::span(names).subspan(1), &std::string::empty);
  const bool has_both = !names.empty() && !numbers.empty() && !second.empty();
  const auto behind_first = [](const std::vector<std::string>& cells) { return std::span(cells).subspan(1); };
  // Numbers that count by one name the columns if those of the second line do not count, too.
  const bool counts = has_both && !is_value(names[0]) && !groups_digits(names[0]) &&
                      count_by_one(behind_first(names), 0, kLargestSide) &&
                      !count_by_one(behind_first(numbers), 0, kLargestSide);
  const bool names_numbers = has_both && !has_number && (numbers[0] == "0" || numbers[0] == "1") &&
                             std::ranges::find(kNamesOfNumbers, names[0]) != kNamesOfNumbers.end();
  // A row without names may begin with an empty column, too, but hardly the first one alone.
  has_corner = has_both && !numbers[0].empty() && !has_gap && (names[0].empty() || counts || names_numbers);
  names_columns = header.empty() ? has_corner || (!names.empty() && !has_number) ||
                                       is_quoted_alone(first, second, delimiter)
                                 : header == "yes";
  has_corner = has_corner && names_columns;
  may_name = !names_columns && count_by_one(names, 0, 1);
  const std::vector<std::string>& row = names_columns ? numbers : names;
  has_words = !row.empty() && !row[0].empty() && !is_value(row[0]) && !groups_digits(row[0]);
  lacks_corner = names_columns && row.size() == names.size() + 1 && !row.back().empty();
  names_rows = has_corner || has_words || lacks_corner;
  if (names_columns) named = names.size() - (names_rows && !lacks_corner ? 1 : 0);
}

}  // namespace spyctrum::table_reader
