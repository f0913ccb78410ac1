// SPDX-License-Identifier: Apache-2.0
// Rutherford–Boeing and Harwell–Boeing files (I. S. Duff, R. G. Grimes, J. G. Lewis, RAL-TR-97-031, 1997, and
// ACM TOMS 15, 1989): four lines of header, then compressed columns, with indices from 1: column pointers,
// rows of the entries and values, in lines of fields whose widths the header gives as Fortran formats. Of
// symmetric matrices one triangle is stored. Right-hand sides, and the fifth line of header that announces
// them, are skipped.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <span>

#include "core/base/text.hpp"
#include "core/io/byte_source.hpp"
#include "core/io/compressed_lines.hpp"
#include "core/io/import_options.hpp"
#include "core/io/matrix_market/lines.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::rutherford_boeing_reader {
namespace {

constexpr std::array<std::string_view, 19> kEndings{".rb",  ".hb",  ".rua", ".rsa", ".rza", ".rra", ".pua",
                                                    ".psa", ".pra", ".pza", ".cua", ".csa", ".cha", ".cza",
                                                    ".cra", ".iua", ".isa", ".ira", ".pse"};
constexpr std::array kOptions{kTriangleOption};
constexpr FormatInfo kFormat{
    .id = "rutherford_boeing", .name = "Rutherford–Boeing", .endings = kEndings, .options = kOptions};

/// The type of a matrix, three letters, in small letters; empty if the line begins with something else.
std::string type_of(std::string_view line) {
  if (line.size() < 4) return {};
  std::string type;
  for (const char c : line.substr(0, 3)) type += lower_case(c);
  const bool is_type = std::string_view("rcpiq").find(type[0]) != std::string_view::npos &&
                       std::string_view("ushzr").find(type[1]) != std::string_view::npos &&
                       (type[2] == 'a' || type[2] == 'e') && line[3] == ' ';
  return is_type ? type : std::string();
}

/// The fields of a line by a Fortran format such as (10I8), (1P,4E20.12) or (4(1X,E20.12)).
struct Fields {
  /// The character of the line at which each field ends; it begins where the one before it ends.
  std::vector<std::size_t> ends;
  std::size_t width = 0;  ///< of the last field, in characters, without blanks that the format adds
  int decimals = 0;       ///< of F: a field without a point is divided by 10^decimals
  int scale = 0;          ///< of F: a field without an exponent is divided by 10^scale (1P: 1)
};

/// The number in a field; for F by the rules of Fortran (ISO/IEC 1539-1, "F editing"). The same rules hold
/// for E, but are not applied: Fortran never writes a number of format E without a point and an exponent, and
/// programs in C that do so mean the number as it is written.
double number_in_field(std::string_view word, const Fields& fields) {
  const double number = number_of(word);
  if (fields.decimals == 0 && fields.scale == 0) return number;
  const bool has_point = word.find('.') != std::string_view::npos;
  const bool has_exponent = word.find_first_of("eEdDqQ+-", 1) != std::string_view::npos;
  const int power = (has_point ? 0 : fields.decimals) + (has_exponent ? 0 : fields.scale);
  return number / std::pow(10.0, power);
}

/// Parses a Fortran format: [r]Iw, [r]Ew.d[Ee] (or D, Q, F, G, ES, EN) are r fields of w characters, nX are n
/// blanks, [r](…) repeats a group. Everything else does not change the places of fields.
class FormatParser {
 public:
  explicit FormatParser(std::string_view format) : format_(format) {}

  /// The fields of a line; none if the format has none.
  Fields fields() {
    take_items();
    return std::move(fields_);
  }

 private:
  static constexpr std::size_t kMost = 100000;  // fields, and characters of one field

  /// Takes the items up to the end of the group or of the format.
  void take_items() {
    while (at_ < format_.size() && format_[at_] != ')') {
      const std::size_t repeat = take_number();
      if (at_ == format_.size()) return;
      const char c = lower_case(format_[at_++]);
      if (c == '(')
        take_group(std::max<std::size_t>(1, repeat));
      else if (c == 'x')
        column_ += std::max<std::size_t>(1, repeat);
      else if (c == 'p')
        fields_.scale = static_cast<int>(repeat);
      else if (std::string_view("iefdgq").find(c) != std::string_view::npos)
        take_fields(c, std::max<std::size_t>(1, repeat));
    }
  }
  void take_group(std::size_t repeat) {
    const std::size_t begin = at_;
    for (; repeat > 0 && fields_.ends.size() < kMost; --repeat) {
      const std::size_t before = fields_.ends.size();
      at_ = begin;
      take_items();
      if (fields_.ends.size() == before) break;  // a group without fields
    }
    if (at_ < format_.size()) ++at_;  // the bracket
  }
  void take_fields(char kind, std::size_t repeat) {
    const char second = at_ < format_.size() ? lower_case(format_[at_]) : ' ';
    if (kind == 'e' && (second == 's' || second == 'n')) ++at_;
    const std::size_t width = take_number();
    if (kind != 'f') fields_.scale = 0;
    if (at_ < format_.size() && format_[at_] == '.') {
      ++at_;
      const auto decimals = static_cast<int>(take_number());
      if (kind == 'f') fields_.decimals = decimals;
    }
    if (at_ < format_.size() && lower_case(format_[at_]) == 'e') {  // digits of the exponent
      ++at_;
      (void)take_number();
    }
    if (width == 0) return;
    fields_.width = width;
    for (; repeat > 0 && fields_.ends.size() < kMost; --repeat) fields_.ends.push_back(column_ += width);
  }
  /// The number at this place, 0 if there is none; blanks have no meaning in a format.
  std::size_t take_number() {
    std::size_t number = 0;
    for (; at_ < format_.size() && (is_digits(format_.substr(at_, 1)) || format_[at_] == ' '); ++at_)
      if (format_[at_] != ' ')
        number = std::min(kMost, 10 * number + static_cast<std::size_t>(format_[at_] - '0'));
    return number;
  }

  std::string_view format_;
  std::size_t at_ = 0;
  std::size_t column_ = 0;  // characters of the items so far
  Fields fields_;
};

/// Throws Failure{bad_input} if the format has no field.
Fields fields_of(std::string_view format, const TextReader& text) {
  constexpr std::size_t kLongest = 1000;  // characters, and so brackets within each other
  Fields fields = format.size() > kLongest ? Fields() : FormatParser(format).fields();
  if (fields.ends.empty())
    text.fail("found " + in_quotes(format) + " as a Fortran format; expected one like (10I8).",
              "Correct the line.");
  return fields;
}

constexpr std::string_view kPointer = "a column pointer";

/// Reads the fields of one section of the file: pointers, rows or values.
class Section {
 public:
  Section(TextReader& text, std::string_view what, Fields fields, std::uint64_t count)
      : text_(text), what_(what), fields_(std::move(fields)), left_(count) {}
  std::string_view next() {
    if (at_ == words_.size()) read_words(next_line());
    return words_[at_++];
  }
  std::uint64_t next_number(std::uint64_t least, std::uint64_t most) {
    return text_.whole_number(next(), what_, least, most);
  }
  /// Number of fields not read yet.
  [[nodiscard]] std::uint64_t left() const { return left_ + words_.size() - at_; }
  /// Whether the current line has fields that were not read yet.
  [[nodiscard]] bool is_within_a_line() const { return left() > left_; }
  /// Skips fields of whole lines that were read elsewhere.
  void pass(std::uint64_t count) { left_ -= count; }

 private:
  std::string_view next_line() {
    std::string_view line;
    bool is_there = text_.next(line);
    // A file without right-hand sides may have the fifth line of the header nevertheless.
    if (is_there && what_ == kPointer && !has_begun_ && (line.starts_with('F') || line.starts_with('M')))
      is_there = text_.next(line);
    if (!is_there)
      text_.fail("the file ends where " + what_ + " was expected.", "The file may be cut off: get it again.");
    has_begun_ = true;
    return line;
  }

  /// Divides a line into fields by the widths of the format, or at blanks if one of these fields were empty
  /// or contained a blank.
  void read_words(std::string_view line) {
    words_.clear();
    at_ = 0;
    const std::uint64_t expected = std::min<std::uint64_t>(left_, fields_.ends.size());
    for (std::size_t k = 0, begin = 0; k < expected && begin < line.size(); begin = fields_.ends[k++]) {
      const std::string_view word = trimmed(line.substr(begin, fields_.ends[k] - begin), " ");
      // As in parse_fields(), carriage returns may follow a number; without a number they are an error.
      const std::size_t last = word.find_last_not_of(" \r");
      words_.push_back(last == std::string_view::npos ? word : word.substr(0, last + 1));
    }
    const bool fits = words_.size() == expected && std::ranges::none_of(words_, [](std::string_view word) {
                        return word.empty() || word.find(' ') != std::string_view::npos;
                      });
    if (!fits) words_ = words_of(line);
    if (words_.empty() || words_.size() > left_)
      text_.fail("found " + counted(words_.size(), "field", "fields") + "; expected " + grouped(expected) +
                     ", each " + what_ + " in " + counted(fields_.width, "character", "characters") + ".",
                 "Get the file again, or correct the formats and counts at its beginning.");
    left_ -= words_.size();
  }

  TextReader& text_;
  std::string what_;
  Fields fields_;
  std::uint64_t left_;
  bool has_begun_ = false;
  std::vector<std::string_view> words_;  // of the line
  std::size_t at_ = 0;
};

/// A block of lines of one section, up to the first line that does not have all the fields of the format.
struct FieldBlock {
  bool is_of_values = false;
  std::uint64_t lines = 0;
  std::vector<Index> rows;  ///< of entries, from 0
  std::uint64_t values = 0;
  std::vector<std::uint64_t> zeros;  ///< indices of values that are zero
  std::vector<double> numbers;       ///< empty if values are not requested
};

/// Parses whole lines, each ended by LF, up to the first that lacks fields of the format; returns the number
/// of lines. take(begin, end) parses a field, whose first character is not a blank, and returns where it
/// ends, or null if it is invalid.
template <class Take>
std::uint64_t parse_fields(std::string_view text, const Fields& fields, const Take& take) {
  std::uint64_t lines = 0;
  for (const char *at = text.data(), *const end = at + text.size(); at != end; ++at, ++lines) {
    const char* const line = at;
    const auto* const line_end =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const auto characters = static_cast<std::size_t>(line_end - line);
    for (const std::size_t last : fields.ends) {
      const char* const field_end = line + std::min(last, characters);
      while (at != field_end && *at == ' ') ++at;
      if (at == field_end || (at = take(at, field_end)) == nullptr) return lines;
      while (at != field_end && (*at == ' ' || *at == '\r')) ++at;
      if (at != field_end) return lines;
    }
    at = line_end;
  }
  return lines;
}

FieldBlock parsed_rows(std::string_view text, const Fields& fields, std::uint64_t most) {
  FieldBlock block;
  block.rows.reserve(text.size() / std::max<std::size_t>(1, fields.width) + 1);
  block.lines = parse_fields(text, fields, [&](const char* at, const char* end) -> const char* {
    std::uint64_t row = 0;
    const char* const begin = at;
    for (unsigned digit = 0; at != end && (digit = static_cast<unsigned char>(*at) - 48U) < 10; ++at)
      row = 10 * row + digit;
    // More digits may be a number beyond 64 bits.
    if (row == 0 || row > most || at - begin > 18) return nullptr;
    block.rows.push_back(static_cast<Index>(row - 1));
    return at;
  });
  block.rows.resize(block.lines * fields.ends.size());
  return block;
}

FieldBlock parsed_values(std::string_view text, const Fields& fields, bool with_numbers) {
  FieldBlock block;
  block.is_of_values = true;
  std::uint64_t taken = 0;
  block.lines = parse_fields(text, fields, [&](const char* const begin, const char* end) -> const char* {
    const char* at = begin;
    bool is_zero = true;
    if (!take_real(at, is_zero) || at > end || (at != end && *at != ' ' && *at != '\r')) {
      while (end != begin && (end[-1] == ' ' || end[-1] == '\r')) --end;
      if (end == begin) return nullptr;
      const ValueKind kind = classify_real({begin, static_cast<std::size_t>(end - begin)});
      if (kind == ValueKind::malformed) return nullptr;
      is_zero = kind == ValueKind::zero;
      at = end;
    }
    if (is_zero) block.zeros.push_back(taken);
    ++taken;
    if (with_numbers)
      block.numbers.push_back(number_in_field({begin, static_cast<std::size_t>(at - begin)}, fields));
    return at;
  });
  block.values = block.lines * fields.ends.size();
  while (!block.zeros.empty() && block.zeros.back() >= block.values) block.zeros.pop_back();
  if (with_numbers) block.numbers.resize(block.values);
  return block;
}

struct Header {
  std::string type;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t entries = 0;
  Fields pointers, indices, values;
  bool has_values = false;
  [[nodiscard]] bool is_complex() const { return type[0] == 'c'; }
};

/// Reads the rows of the entries and the values, both on all threads. A block of lines may contain the end of
/// the rows and the beginning of the values; values that were parsed as rows are parsed again.
class Body {
 public:
  Body(TextReader& text, const Header& header, const LoadOptions& options, BookedList<Index>& rows,
       ListedValues& list)
      : text_(text),
        header_(header),
        with_numbers_(options.values != ValueUse::none),
        rows_(rows),
        list_(list),
        row_fields_(text, "a row", header.indices, header.entries),
        value_fields_(text, "a value", header.values,
                      header.has_values ? (header.is_complex() ? 2 : 1) * header.entries : 0),
        is_at_values_(header.entries == 0) {}

  /// Calls show(rows) for parts of the rows in their order.
  template <class Show>
  void read(const Show& show) {
    text_.for_blocks<FieldBlock>([&](std::string_view block, unsigned /*worker*/) { return parsed(block); },
                                 [&](FieldBlock& block) {
                                   if (!is_at_values_) take_rows(block, show);
                                   if (is_at_values_) take_values(block);
                                   std::string_view line;
                                   while (text_.next(line)) {  // right-hand sides
                                   }
                                 });
    // If fields are missing at the end of the file, these calls throw.
    if (row_fields_.left() > 0) (void)row_fields_.next_number(1, header_.rows);
    while (value_fields_.left() > 0) read_value();
  }

 private:
  [[nodiscard]] FieldBlock parsed(std::string_view block) const {
    return is_at_values_ ? parsed_values(block, header_.values, with_numbers_)
                         : parsed_rows(block, header_.indices, header_.rows);
  }

  template <class Show>
  void take_rows(FieldBlock& block, const Show& show) {
    const std::uint64_t lines = std::min(block.lines, row_fields_.left() / header_.indices.ends.size());
    pass_lines(lines);
    block.rows.resize(lines * header_.indices.ends.size());
    row_fields_.pass(block.rows.size());
    while (row_fields_.left() > 0 && (row_fields_.is_within_a_line() || !text_.rest().empty()))
      block.rows.push_back(static_cast<Index>(row_fields_.next_number(1, header_.rows) - 1));
    is_at_values_ = row_fields_.left() == 0;
    show(block.rows);
    rows_.append(block.rows);
  }

  void take_values(FieldBlock& block) {
    if (value_fields_.left() == 0) return;
    // The block was parsed as rows, before their end was known.
    if (!block.is_of_values) block = parsed_values(text_.rest(), header_.values, with_numbers_);
    const std::uint64_t count = std::min(block.values, value_fields_.left());
    list_.add(count, block.zeros, block.numbers);
    value_fields_.pass(count);
    pass_lines(block.lines);
    while (value_fields_.left() > 0 && (value_fields_.is_within_a_line() || !text_.rest().empty()))
      read_value();
  }

  void pass_lines(std::uint64_t count) {
    std::string_view line;
    for (std::uint64_t k = 0; k < count; ++k) (void)text_.next(line);
  }

  void read_value() {
    const std::string_view word = value_fields_.next();
    const bool is_zero = text_.number(word, "a value").is_zero;
    const double number = with_numbers_ ? number_in_field(word, header_.values) : 0;
    constexpr std::uint64_t kFirst = 0;
    list_.add(1, {&kFirst, is_zero ? 1U : 0U}, {&number, with_numbers_ ? 1U : 0U});
  }

  TextReader& text_;
  const Header& header_;
  bool with_numbers_;
  BookedList<Index>& rows_;
  ListedValues& list_;
  Section row_fields_;
  Section value_fields_;
  std::atomic<bool> is_at_values_;
};

std::string_view line_of_header(TextReader& text) {
  std::string_view line;
  if (!text.next(line))
    text.fail("the file ends within its header of four lines.", "The file may be cut off: get it again.");
  return line;
}

/// The place behind the bracket that closes the one at `begin`, or the end of the text.
std::size_t end_of_brackets(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t k = begin; k < text.size(); ++k) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (depth == 0) return k + 1;
  }
  return text.size();
}

Header read_header(TextReader& text) {
  Header header;
  (void)line_of_header(text);  // title and key
  const std::vector<std::string_view> cards = words_of(line_of_header(text));
  if (cards.size() < 4)
    text.fail("found " + counted(cards.size(), "number", "numbers") +
                  "; expected the numbers of lines of the file and of its sections.",
              "Check that this is a Rutherford–Boeing or Harwell–Boeing file.");
  constexpr std::uint64_t kMostLines = std::uint64_t{1} << 48U;
  header.has_values = text.whole_number(cards[3], "the number of lines with values", 0, kMostLines) != 0;
  const bool has_right_sides =
      cards.size() > 4 &&
      text.whole_number(cards[4], "the number of lines with right-hand sides", 0, kMostLines) != 0;
  const std::string_view sizes_line = line_of_header(text);
  header.type = type_of(sizes_line);
  if (header.type.empty())
    text.fail("found " + in_quotes(sizes_line.substr(0, 14)) +
                  "; expected a type of three letters, such as rua or psa.",
              "Correct the line.");
  if (header.type[2] == 'e')
    text.fail("the matrix is stored as finite elements that are not assembled (" + header.type + ").",
              "Assemble it, or open a file of type " + header.type.substr(0, 2) + "a.");
  const std::vector<std::string_view> sizes = words_of(sizes_line.substr(3));
  if (sizes.size() < 3)
    text.fail("found " + counted(sizes.size(), "number", "numbers") +
                  " after the type; expected rows, columns and entries.",
              "Complete the line.");
  header.rows = text.whole_number(sizes[0], "the number of rows", 1, kLargestSide);
  header.cols = text.whole_number(sizes[1], "the number of columns", 1, kLargestSide);
  header.entries = text.whole_number(sizes[2], "the number of entries", 0, header.rows * header.cols);
  if (header.type[1] != 'u' && header.type[1] != 'r' && header.rows != header.cols)
    text.fail("the matrix is of type " + header.type + " and has " + grouped(header.rows) + " rows and " +
                  grouped(header.cols) + " columns; one triangle is stored of square matrices only.",
              "Correct the type or the sizes.");
  const std::string_view formats = line_of_header(text);
  std::array<std::string_view, 3> format;
  std::size_t begin = 0;
  for (std::string_view& one : format) {
    begin = std::min(formats.find('(', begin), formats.size());
    const std::size_t end = end_of_brackets(formats, begin);
    one = formats.substr(begin, end - begin);
    begin = end;
  }
  header.pointers = fields_of(format[0], text);
  header.indices = fields_of(format[1], text);
  // The values of a matrix of type q are in another file.
  header.has_values = header.has_values && header.type[0] != 'p' && header.type[0] != 'q';
  if (header.has_values) header.values = fields_of(format[2], text);
  if (has_right_sides) (void)line_of_header(text);
  return header;
}

Recognition recognise(std::span<const char> head) {
  std::string_view text(head.data(), head.size());
  for (int line = 0; line < 2; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return Recognition::none;
    text.remove_prefix(end + 1);
  }
  const std::string_view third = text.substr(0, text.find('\n'));
  return !type_of(third).empty() && words_of(third).size() >= 4 ? Recognition::certain : Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  TextReader text(source, name, options, context);
  const Header header = read_header(text);
  Section pointers(text, kPointer, header.pointers, header.cols + 1);
  BookedList<std::uint64_t> ends(context, "column pointers", std::min(header.cols, text.most_words()));
  std::uint64_t before = pointers.next_number(1, 1);
  for (std::uint64_t col = 0; col < header.cols; ++col) {
    const bool is_last = col + 1 == header.cols;
    before = pointers.next_number(is_last ? header.entries + 1 : before, header.entries + 1);
    ends.add(before - 1);
  }
  const Mirror mirror = header.type[1] == 's'   ? Mirror::symmetric
                        : header.type[1] == 'h' ? Mirror::hermitian
                        : header.type[1] == 'z' ? Mirror::skew
                                                : Mirror::none;
  const bool expands = import_choice(options, "triangle") != "stored";
  PreviewFeed preview(options, header.rows, header.cols, header.entries, expands ? mirror : Mirror::none);
  std::uint64_t col = 0;
  std::uint64_t shown = 0;
  const auto show = [&](std::span<const Index> part) {
    if (!preview.is_requested()) return;
    for (const Index row : part) {
      for (; shown >= ends[col];) ++col;
      preview.add(row, col);
      ++shown;
    }
  };
  // There may be no blanks between the fields of a Fortran format.
  const std::uint64_t expected = std::min(header.entries, 2 * text.most_words());
  BookedList<Index> rows(context, "rows of the entries", expected);
  auto values = std::make_unique<ListedValues>(
      header.is_complex(), context, header.has_values && options.values != ValueUse::none ? expected : 0);
  Body(text, header, options, rows, *values).read(show);
  preview.flush();
  read_to_end(source, context);
  CompressedLines lines{.rows = header.rows, .cols = header.cols, .mirror = expands ? mirror : Mirror::none};
  lines.ends = std::move(ends).take();
  lines.ids = std::move(rows).take();
  if (!header.has_values) values.reset();
  Matrix matrix = matrix_of_lines(std::move(lines), std::move(values), options, context);
  LoadReport& report = matrix.report;
  report.format = std::string(kFormat.name) + " " + header.type;
  report.field = !header.has_values      ? "pattern"
                 : header.is_complex()   ? "complex"
                 : header.type[0] == 'i' ? "integer"
                                         : "real";
  report.symmetry = to_string(mirror);
  if (mirror != Mirror::none) note_assumption(report, options, "triangle", expands ? "expand" : "stored");
  if (mirror != Mirror::none && expands)
    report.notes.emplace_back("The file stores one triangle; the other one was filled in.");
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::rutherford_boeing_reader
