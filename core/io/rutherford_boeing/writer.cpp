// SPDX-License-Identifier: Apache-2.0
// Writes Rutherford–Boeing files (core/io/rutherford_boeing/rutherford_boeing.cpp) of types pua, iua, rua and
// cua: all entries in compressed columns. Numbers are separated by at least one blank, so that programs that
// read words instead of fields of fixed width, such as SciPy's hb_read(), can read them.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/io/write/text_output.hpp"
#include "core/io/writer.hpp"

namespace spyctrum::rutherford_boeing_writer {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".rb"};
constexpr WriterInfo kInfo{.id = "rutherford_boeing",
                           .name = "Rutherford–Boeing",
                           .endings = kEndings,
                           .is_text = true,
                           .holds = "every matrix, with real, complex or whole numbers"};

constexpr std::size_t kLineBytes = 80;
constexpr std::size_t kTitleBytes = 72;
constexpr std::size_t kKeyBytes = 8;
constexpr std::size_t kRealWidth = 16;  // a sign, nine digits, a point, an exponent of two digits, a blank

/// The lines of one section have `number` numbers of `width` characters each.
struct Fields {
  std::size_t width = 0;
  std::size_t number = 0;
  [[nodiscard]] std::uint64_t lines(std::uint64_t count) const { return (count + number - 1) / number; }
};

Fields fields_for(std::uint64_t largest) {
  const std::size_t width = std::to_string(largest).size() + 1;
  return {width, kLineBytes / width};
}

Fields fields_of_values(const WrittenMatrix& matrix) {
  if (matrix.field == WrittenField::pattern) return {1, kLineBytes};
  if (matrix.field != WrittenField::integer) return {kRealWidth, kLineBytes / kRealWidth};
  float largest = 0;
  for (const float value : matrix.values) largest = std::max(largest, std::abs(value));
  Fields fields = fields_for(static_cast<std::uint64_t>(largest));
  ++fields.width;  // the sign
  fields.number = kLineBytes / fields.width;
  return fields;
}

class Lines {
 public:
  Lines(TextOutput& text, Fields fields) : text_(text), fields_(fields) {}
  template <class Number>
  [[nodiscard]] bool add(Number number) {
    text_.add_padded(number, fields_.width);
    if (++in_line_ < fields_.number) return true;
    in_line_ = 0;
    text_.add('\n');
    return text_.end_line();
  }
  void finish() {
    if (in_line_ != 0) text_.add('\n');
    in_line_ = 0;
  }

 private:
  TextOutput& text_;
  Fields fields_;
  std::size_t in_line_ = 0;
};

std::string ascii(std::string_view text, std::size_t width) {
  std::string plain;
  for (const char c : text.substr(0, std::min(text.find('\n'), text.size())))
    if (c >= ' ' && c <= '~') plain += c;
  plain.resize(width, ' ');
  return plain;
}

std::string format_text(char letter, Fields fields, std::string_view digits = {}) {
  return "(" + std::to_string(fields.number) + letter + std::to_string(fields.width).append(digits) + ")";
}

void add_header(const WrittenMatrix& matrix, Fields pointers, Fields rows, Fields values,
                std::uint64_t numbers, TextOutput& text) {
  const SparsePattern& pattern = matrix.pattern;
  const auto entries = static_cast<std::uint64_t>(pattern.nonzeros());
  constexpr std::size_t kCard = 14;
  const auto add_cards = [&](std::initializer_list<std::uint64_t> cards) {
    for (const std::uint64_t card : cards) text.add_padded(card, kCard);
    text.add('\n');
  };
  text.add(ascii(matrix.comment.empty() ? matrix.name : matrix.comment, kTitleBytes));
  text.add(ascii(matrix.name, kKeyBytes));
  text.add('\n');
  const std::uint64_t pointer_lines = pointers.lines(pattern.cols() + 1);
  const std::uint64_t row_lines = rows.lines(entries);
  const std::uint64_t value_lines = values.lines(numbers);
  add_cards({pointer_lines + row_lines + value_lines, pointer_lines, row_lines, value_lines});
  text.add("pirc"[static_cast<std::size_t>(matrix.field)]);
  text.add("ua");
  text.add_padded(std::string_view(), kCard - 3);
  add_cards({pattern.rows(), pattern.cols(), entries, 0});
  const auto add_format = [&](std::string format, std::size_t width) {
    format.resize(std::max(width, format.size()), ' ');
    text.add(format);
  };
  constexpr std::size_t kFormat = 16;
  add_format(format_text('I', pointers), kFormat);
  add_format(format_text('I', rows), kFormat);
  if (matrix.field == WrittenField::integer)
    add_format(format_text('I', values), kFormat + 4);
  else if (matrix.field != WrittenField::pattern)
    add_format(format_text('E', values, ".8"), kFormat + 4);
  text.add('\n');
}

bool add_pointers(const SparsePattern& pattern, Fields fields, TextOutput& text) {
  Lines lines(text, fields);
  std::size_t k = 0;
  for (std::uint64_t col = 0; col <= pattern.cols(); ++col) {
    if (!lines.add(static_cast<std::uint64_t>(pattern.column_starts()[k]) + 1)) return false;
    if (k < pattern.column_ids().size() && pattern.column_ids()[k] == col) ++k;
  }
  lines.finish();
  return true;
}

std::string value_text(float value, WrittenField field) {
  if (field == WrittenField::integer) return std::to_string(static_cast<std::int64_t>(value));
  std::array<char, 32> text{};
  constexpr int kDigits = 8;  // after the point: any number of single precision is restored exactly
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, kDigits);
  return {text.data(), end.ptr};
}

void write(const WrittenMatrix& matrix, std::ostream& out, JobContext& context) {
  const SparsePattern& pattern = matrix.pattern;
  const auto entries = static_cast<std::uint64_t>(pattern.nonzeros());
  const std::uint64_t numbers = matrix.field == WrittenField::pattern   ? 0
                                : matrix.field == WrittenField::complex ? 2 * entries
                                                                        : entries;
  const Fields pointers = fields_for(entries + 1);
  const Fields rows = fields_for(pattern.rows());
  const Fields values = fields_of_values(matrix);
  TextOutput text(out, context, entries);
  add_header(matrix, pointers, rows, values, numbers, text);
  if (!add_pointers(pattern, pointers, text)) return;
  Lines row_lines(text, rows);
  for (const Index row : pattern.row_indices())
    if (!row_lines.add(std::uint64_t{row} + 1)) return;
  row_lines.finish();
  Lines value_lines(text, values);
  for (std::size_t t = 0; t < matrix.values.size(); ++t) {
    if (!value_lines.add(value_text(matrix.values[t], matrix.field))) return;
    if (matrix.field == WrittenField::complex &&
        !value_lines.add(value_text(matrix.imaginary[t], matrix.field)))
      return;
    if (!text.next_entry()) return;
  }
  value_lines.finish();
  text.flush();
}

std::uint64_t bytes_of_columns(const SparsePattern& pattern) {
  const Fields pointers = fields_for(static_cast<std::uint64_t>(pattern.nonzeros()) + 1);
  return pattern.cols() * pointers.width + pointers.lines(pattern.cols());
}

}  // namespace

extern const Writer kWriter{.info = kInfo, .write = write, .bytes_of_columns = bytes_of_columns};

}  // namespace spyctrum::rutherford_boeing_writer
