// SPDX-License-Identifier: Apache-2.0
// The form of a table of numbers: its delimiter, and whether it names its columns and rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/io/decimal_sign.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::table_reader {

/// A column of this text has no number that is known.
inline constexpr std::string_view kMissing = "NA";
/// The words of R, pandas, spreadsheets and databases for it.
inline constexpr std::array kWordsForMissing =
    std::to_array<std::string_view>({"N/A", "n/a", "#N/A", "<NA>", "null", "NULL", "None", "."});
inline constexpr std::array<std::string_view, 3> kTrue{"True", "TRUE", "true"};
inline constexpr std::array<std::string_view, 3> kFalse{"False", "FALSE", "false"};
inline bool is_number(std::string_view column) {
  return classify_real(column) != ValueKind::malformed || complex_number(column).has_value();
}
/// Whether a column behind the names has a number, or none that is known.
inline bool is_value(std::string_view column) { return column == kMissing || is_number(column); }

/// Removes the blanks of a number whose digits they group by three (1 000,5), no-break spaces too; `buffer`
/// keeps the number. Other words stay as they are.
void leave_out_blanks(std::string_view& number, std::string& buffer);

/// The columns of a line one after the other. Decimal commas become points, blanks that group digits
/// (1 000,5) are left out, other words for a missing number become kMissing, true and false 1 and 0.
class Columns {
 public:
  Columns(std::string_view line, char delimiter, DecimalSign& sign)
      : cursor_(line, delimiter), sign_(sign), delimiter_(delimiter) {}
  /// As ColumnCursor::next(). `column` is valid until the next call.
  bool next(std::string_view& column) {
    if (!cursor_.next(column)) return false;
    if (delimiter_ != ' ') leave_out_blanks(column, without_blanks_);
    has_sign_ = delimiter_ == ',' || sign_.take(column);
    const auto is_one_of = [&](std::span<const std::string_view> words) {
      return std::ranges::find(words, column) != words.end();
    };
    if (column.empty() || column.size() > 5 || (column[0] >= '0' && column[0] <= '9')) return true;
    if (is_one_of(kWordsForMissing)) column = kMissing;
    if (is_one_of(kTrue)) column = "1";
    if (is_one_of(kFalse)) column = "0";
    return true;
  }
  /// Whether the last column has the same decimal sign as the numbers before it.
  [[nodiscard]] bool has_same_sign() const { return has_sign_; }

 private:
  ColumnCursor cursor_;
  DecimalSign& sign_;
  bool has_sign_ = true;
  std::string without_blanks_;
  char delimiter_;
};

/// What the first two lines show about a table; the second may be empty. `header`: the user's choice whether
/// the first one names the columns.
struct Form {
  char delimiter = ' ';
  bool names_columns = false;  ///< whether the first line does
  bool names_rows = false;     ///< whether the first column does
  bool has_corner = false;     ///< whether the first line has nothing, or a word, above the names of rows
  bool lacks_corner = false;   ///< whether nothing is above the names of rows, not even a delimiter, as in R
  bool has_words = false;      ///< whether the name of the first row is a word
  bool may_name = false;       ///< whether the first line counts 0, 1, 2, … or 1, 2, 3, … and is a row
  std::size_t named = 0;       ///< the number of columns of numbers that the first line names

  Form(std::string_view first, std::string_view second, std::string_view header = {});
};

}  // namespace spyctrum::table_reader
