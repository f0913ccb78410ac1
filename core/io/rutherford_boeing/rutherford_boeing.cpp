// SPDX-License-Identifier: Apache-2.0
// Rutherford–Boeing and Harwell–Boeing files (I. S. Duff, R. G. Grimes, J. G. Lewis, RAL-TR-97-031, 1997, and
// ACM TOMS 15, 1989): four lines of header, then column pointers, rows of the entries and values in lines of
// fields whose widths the header gives as Fortran formats. Compressed columns, counted from 1; of symmetric
// matrices one triangle. Right-hand sides, and the fifth line of header that announces them, are left out.
#include <algorithm>
#include <array>
#include <cctype>

#include "core/io/byte_source.hpp"
#include "core/io/import_options.hpp"
#include "core/io/matrix_market/lines.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

namespace {

constexpr std::array<std::string_view, 19> kEndings{".rb",  ".hb",  ".rua", ".rsa", ".rza", ".rra", ".pua",
                                                    ".psa", ".pra", ".pza", ".cua", ".csa", ".cha", ".cza",
                                                    ".cra", ".iua", ".isa", ".ira", ".pse"};
constexpr std::array kOptions{kTriangleOption};
constexpr FormatInfo kFormat{
    .id = "rutherford_boeing", .name = "Rutherford–Boeing", .endings = kEndings, .options = kOptions};

char small(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// The three letters of a matrix, in small letters; empty where the line begins with something else.
std::string type_of(std::string_view line) {
  if (line.size() < 4) return {};
  std::string type;
  for (const char c : line.substr(0, 3)) type += small(c);
  const bool is_type = std::string_view("rcpiq").find(type[0]) != std::string_view::npos &&
                       std::string_view("ushzr").find(type[1]) != std::string_view::npos &&
                       (type[2] == 'a' || type[2] == 'e') && line[3] == ' ';
  return is_type ? type : std::string();
}

/// A Fortran format such as (10I8) or (1P,4E20.12): fields of a line, and the characters of each.
struct Fields {
  std::size_t number = 0;
  std::size_t width = 0;
};

Fields fields_of(std::string_view format, const TextReader& text) {
  Fields fields;
  std::size_t repeat = 0;
  for (std::size_t k = 0; k < format.size(); ++k) {
    const char c = small(format[k]);
    if (c >= '0' && c <= '9') {
      repeat = std::min<std::size_t>(1000, 10 * repeat + static_cast<std::size_t>(c - '0'));
    } else if (std::string_view("iefdg").find(c) != std::string_view::npos) {
      fields.number = std::max<std::size_t>(1, repeat);
      for (++k; k < format.size() && format[k] >= '0' && format[k] <= '9'; ++k)
        fields.width =
            std::min<std::size_t>(1000, 10 * fields.width + static_cast<std::size_t>(format[k] - '0'));
      break;
    } else {
      repeat = 0;  // (1P,4E20.12: the scale factor stands before the number of fields
    }
  }
  if (fields.width == 0)
    text.fail("found " + quoted(format) + " as a Fortran format; expected one like (10I8).",
              "Correct the line.");
  return fields;
}

std::string_view trimmed(std::string_view field) {
  const std::size_t begin = std::min(field.find_first_not_of(' '), field.size());
  return field.substr(begin, field.find_last_not_of(' ') + 1 - begin);
}

constexpr std::string_view kPointer = "a column pointer";

/// The fields of one section of the file.
class Section {
 public:
  Section(TextReader& text, std::string_view what, Fields fields, std::uint64_t count)
      : text_(text), what_(what), fields_(fields), left_(count) {}
  std::string_view next() {
    if (at_ == words_.size()) read_line();
    return words_[at_++];
  }
  std::uint64_t next_number(std::uint64_t least, std::uint64_t most) {
    return text_.whole_number(next(), what_, least, most);
  }

 private:
  /// By columns; by blanks where a field is empty or holds a blank.
  void read_line() {
    std::string_view line;
    bool is_there = text_.next(line);
    // The fifth line of a header that announces no right-hand sides.
    if (is_there && what_ == kPointer && words_.empty() && (line.starts_with('F') || line.starts_with('M')))
      is_there = text_.next(line);
    if (!is_there)
      text_.fail("the file ends where " + what_ + " was expected.", "The file may be cut off: get it again.");
    words_.clear();
    at_ = 0;
    const std::uint64_t expected = std::min<std::uint64_t>(left_, fields_.number);
    for (std::size_t k = 0; k < expected && k * fields_.width < line.size(); ++k)
      words_.push_back(trimmed(line.substr(k * fields_.width, fields_.width)));
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
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

struct Header {
  std::string type;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t entries = 0;
  Fields pointers, indices, values;
  bool has_values = false;
  [[nodiscard]] bool is_complex() const { return type[0] == 'c'; }
};

std::string_view line_of_header(TextReader& text) {
  std::string_view line;
  if (!text.next(line))
    text.fail("the file ends within its header of four lines.", "The file may be cut off: get it again.");
  return line;
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
    text.fail("found " + quoted(sizes_line.substr(0, 14)) +
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
    const std::size_t end = std::min(formats.find(')', begin), formats.size());
    one = formats.substr(begin, end - begin);
    begin = end;
  }
  header.pointers = fields_of(format[0], text);
  header.indices = fields_of(format[1], text);
  // q: a pattern whose values are in another file.
  header.has_values = header.has_values && header.type[0] != 'p' && header.type[0] != 'q';
  if (header.has_values) header.values = fields_of(format[2], text);
  if (has_right_sides) (void)line_of_header(text);
  return header;
}

class RutherfordBoeingReader : public Reader {
 public:
  [[nodiscard]] const FormatInfo& format() const override { return kFormat; }

  [[nodiscard]] Recognition recognise(std::span<const char> head) const override {
    std::string_view text(head.data(), head.size());
    for (int line = 0; line < 2; ++line) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) return Recognition::none;
      text.remove_prefix(end + 1);
    }
    const std::string_view third = text.substr(0, text.find('\n'));
    return !type_of(third).empty() && words_of(third).size() >= 4 ? Recognition::certain : Recognition::none;
  }

  [[nodiscard]] Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options,
                            JobContext& context) const override {
    context.begin_stage("read");
    TextReader text(source, name, options, context);
    const Header header = read_header(text);
    Section pointers(text, kPointer, header.pointers, header.cols + 1);
    BookedList ends(context, "column pointers");
    std::uint64_t before = pointers.next_number(1, 1);
    for (std::uint64_t col = 0; col < header.cols; ++col) {
      const bool is_last = col + 1 == header.cols;
      before = pointers.next_number(is_last ? header.entries + 1 : before, header.entries + 1);
      ends.add(before);
    }
    Section indices(text, "a row", header.indices, header.entries);
    BookedList rows(context, "rows of the entries");
    for (std::uint64_t k = 0; k < header.entries; ++k) rows.add(indices.next_number(1, header.rows) - 1);
    const std::uint64_t parts = header.is_complex() ? 2 : 1;
    Section values(text, "a value", header.values, header.has_values ? parts * header.entries : 0);
    EntryList entries(options, context);
    for (std::uint64_t col = 0, k = 0; col < header.cols; ++col) {
      for (; k + 1 < ends[col]; ++k) {
        bool is_zero = header.has_values;
        std::array<double, 2> number{};
        for (std::uint64_t part = 0; part < parts && header.has_values; ++part) {
          const std::string_view word = values.next();
          const ValueKind kind = classify_value(word, MarketField::real);
          if (kind == ValueKind::malformed)
            text.fail("found " + quoted(word) + " as a value; expected a number.", "Correct the line.");
          is_zero = is_zero && kind == ValueKind::zero;
          if (options.values != ValueUse::none) number.at(part) = number_of(word);
        }
        if (header.has_values)
          entries.add(rows[k], col, is_zero, [&] { return Value(number[0], number[1]); });
        else
          entries.add(rows[k], col);
      }
    }
    read_to_end(source, context);
    const Mirror mirror = header.type[1] == 's'   ? Mirror::symmetric
                          : header.type[1] == 'h' ? Mirror::hermitian
                          : header.type[1] == 'z' ? Mirror::skew
                                                  : Mirror::none;
    if (header.is_complex()) entries.set_complex();
    const bool expands = import_choice(options, "triangle") != "stored";
    Matrix matrix = std::move(entries).matrix(header.rows, header.cols, expands ? mirror : Mirror::none);
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
};

}  // namespace

std::unique_ptr<Reader> make_rutherford_boeing_reader();  // for the registry, core/io/formats.cpp
std::unique_ptr<Reader> make_rutherford_boeing_reader() { return std::make_unique<RutherfordBoeingReader>(); }

}  // namespace spyctrum
