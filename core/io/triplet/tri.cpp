// SPDX-License-Identifier: Apache-2.0
// .tri, the triplets of CHOLMOD (T. A. Davis, CHOLMOD user guide, cholmod_read_triplet): "rows columns
// entries [storage]", then "row column [real part [imaginary part]]" for each entry; lines that begin with %
// are comments. Storage is 0 if all entries are listed, 1 for only the upper and −1 for only the lower
// triangle; the other triangle is its transpose, with complex values its conjugate transpose. Indices count
// from 1 unless one of them is 0.
#include <array>

#include "core/io/import_options.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::tri_reader {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".tri"};
constexpr std::array kOptions{ImportOption{"base", kBases, "the number of the first row and column"},
                              kTriangleOption};
constexpr FormatInfo kFormat{
    .id = "tri", .name = "CHOLMOD triplets", .endings = kEndings, .options = kOptions};

struct Header {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t entries = 0;
  bool one_triangle = false;
};

/// Sets `words` to those of the next line that is neither blank nor a comment.
bool next_words(TextReader& text, std::vector<std::string_view>& words) {
  std::string_view line;
  while (text.next(line)) {
    if (line.starts_with('%')) continue;
    words = words_of(line);
    if (!words.empty()) return true;
  }
  return false;
}

Header read_header(TextReader& text) {
  std::vector<std::string_view> words;
  if (!next_words(text, words) || words.size() < 3 || words.size() > 4)
    text.fail("found " + counted(words.size(), "word", "words") +
                  "; expected the numbers of rows, columns and entries, then possibly 0, 1 or -1 for the " +
                  "triangle that is stored.",
              "Correct the first line that is not a comment.");
  Header header;
  header.rows = text.whole_number(words[0], "the number of rows", 1, kLargestSide);
  header.cols = text.whole_number(words[1], "the number of columns", 1, kLargestSide);
  header.entries = text.whole_number(words[2], "the number of entries", 0, std::uint64_t{1} << 62U);
  if (words.size() == 4) {
    if (words[3] != "0" && words[3] != "1" && words[3] != "-1")
      text.fail("found " + in_quotes(words[3]) + " as the triangle that is stored; expected 0, 1 or -1.",
                "Correct the line.");
    header.one_triangle = words[3] != "0";
  }
  if (header.one_triangle && header.rows != header.cols)
    text.fail("one triangle is stored of a matrix of " + grouped(header.rows) + " × " + grouped(header.cols) +
                  "; a symmetric matrix is square.",
              "Correct the sizes, or write 0 as the fourth number.");
  return header;
}

/// The format has no signature. It is possible if the first line has a fourth word, the stored triangle,
/// and later lines have fewer words, unlike a list of edges.
Recognition recognise(std::span<const char> head) {
  std::string_view text(head.data(), head.size());
  bool has_header = false;
  bool has_entry = false;
  // The last line of the head may be incomplete.
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || line.starts_with('%')) continue;
    const auto is_index = [](std::string_view word) {
      return parse_whole_number(word).kind == WholeNumber::Kind::number;
    };
    if (words.size() < 2 || !is_index(words[0]) || !is_index(words[1])) return Recognition::none;
    if (!has_header && (words.size() != 4 || !is_index(words[2]) ||
                        (words[3] != "0" && words[3] != "1" && words[3] != "-1")))
      return Recognition::none;
    if (has_header && words.size() > 3) return Recognition::none;
    has_entry = has_header;
    has_header = true;
  }
  return has_entry ? Recognition::possible : Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  TextReader text(source, name, options, context);
  const Header header = read_header(text);
  EntryList entries(options, context);
  // Whether indices count from 0 or from 1 is known only at the end.
  entries.begin_preview(header.rows + 1, header.cols + 1, header.entries);
  std::size_t columns = 0;  // number of words in a line
  const std::string_view base = import_choice(options, "base");
  bool has_zero = base == "0";
  bool has_largest = false;  // whether some index is the number of rows, or of columns
  std::vector<std::string_view> words;
  while (next_words(text, words)) {
    if (entries.count() == header.entries)
      text.fail("there are more entries than the " + grouped(header.entries) + " that are announced.",
                "Correct the number of entries at the beginning of the file.");
    if (entries.count() == 0) columns = words.size();
    if (words.size() != columns || columns < 2 || columns > 4)
      text.fail("found " + counted(words.size(), "word", "words") + "; expected " +
                    (columns >= 2 && columns <= 4
                         ? std::to_string(columns) + ", as in the lines before."
                         : std::string("a row, a column and at most two parts of a value.")),
                "Correct the line.");
    const std::uint64_t row = text.whole_number(words[0], "a row", 0, header.rows);
    const std::uint64_t col = text.whole_number(words[1], "a column", 0, header.cols);
    has_zero = has_zero || row == 0 || col == 0 || base == "0";
    if (base == "1" && has_zero)
      text.fail("found row " + grouped(row) + ", column " + grouped(col) + "; expected indices from 1.",
                "Correct the line, or choose another base.");
    has_largest = has_largest || row == header.rows || col == header.cols;
    if (has_zero && has_largest)
      text.fail("found row " + grouped(row) + ", column " + grouped(col) +
                    ": an index is 0 and another the number of rows or columns; expected indices from 0 " +
                    "or from 1, not both.",
                "Correct the line.");
    bool is_zero = columns > 2;
    for (std::size_t k = 2; k < columns; ++k) is_zero = text.number(words[k], "a value").is_zero && is_zero;
    const auto value = [&] { return Value(number_of(words[2]), columns == 4 ? number_of(words[3]) : 0.0); };
    if (columns > 2)
      entries.add(row, col, is_zero, value);
    else
      entries.add(row, col);
  }
  if (entries.count() < header.entries)
    text.fail("the file ends after " + counted(entries.count(), "entry", "entries") +
                  "; its beginning announces " + grouped(header.entries) + ".",
              "The file may be cut off: get it again, or correct the number at its beginning.");
  if (!has_zero) entries.count_from_one();
  if (columns == 4) entries.set_complex();
  const bool expands = header.one_triangle && import_choice(options, "triangle") != "stored";
  const Mirror mirror = !expands ? Mirror::none : columns == 4 ? Mirror::hermitian : Mirror::symmetric;
  Matrix matrix = std::move(entries).matrix(header.rows, header.cols, mirror);
  LoadReport& report = matrix.report;
  report.format = kFormat.name;
  report.field = columns == 4 ? "complex" : columns == 3 || header.entries == 0 ? "real" : "pattern";
  if (header.one_triangle && !expands) report.symmetry = columns == 4 ? "hermitian" : "symmetric";
  note_assumption(report, options, "base", has_zero ? "0" : "1");
  if (header.one_triangle) note_assumption(report, options, "triangle", expands ? "expand" : "stored");
  if (expands) report.notes.emplace_back("The file stores one triangle; the other one was filled in.");
  if (has_zero && base.empty()) report.notes.emplace_back("Indices count from 0, since one of them is 0.");
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::tri_reader
