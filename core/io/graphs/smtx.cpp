// SPDX-License-Identifier: Apache-2.0
// .smtx, the pruned networks of the Deep Learning Matrix Collection (T. Gale, M. Zaharia, C. Young, E. Elsen,
// SC20, 2020), compressed rows without values: a line "rows, columns, entries", a line of row pointers and a
// line of columns, counted from 0. Numbers may be spread over more lines.
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "core/io/compressed_lines.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::smtx_reader {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".smtx"};
constexpr FormatInfo kFormat{.id = "smtx", .name = "smtx", .endings = kEndings};

/// The numbers of the file, one after the other, independently of line ends. Lines are not read as a whole,
/// since one may contain the columns of all entries; `text` only counts them.
class Numbers {
 public:
  Numbers(ByteSource& source, TextReader& text, JobContext& context)
      : source_(source), text_(text), context_(context), buffer_(std::size_t{1} << 16U) {}
  /// Throws Failure{bad_input} at the end of the file and for other words.
  std::uint64_t next(std::string_view what, std::uint64_t least, std::uint64_t most) {
    if (!next_word())
      text_.fail("the file ends where " + std::string(what) + " was expected.",
                 "The file may be cut off: get it again.");
    return text_.whole_number(word_, what, least, most);
  }
  void expect_end() {
    if (next_word())
      text_.fail("more numbers follow the last column.", "Correct the number of entries in the first line.");
  }

 private:
  static constexpr std::size_t kLongestWord = 4096;

  static bool separates(char c) { return c == ' ' || c == ',' || (c >= '\t' && c <= '\r'); }
  /// Whether there is another character, which is then at the beginning of left_. Counts lines.
  bool has_more() {
    if (left_.empty()) {
      context_.checkpoint(source_.consumed(), source_.total());
      left_ = std::span<const char>(buffer_).first(source_.read(buffer_));
      constexpr std::string_view kMark("\xEF\xBB\xBF");  // of byte order
      if (text_.line() == 0 && std::string_view(left_.data(), left_.size()).starts_with(kMark))
        left_ = left_.subspan(kMark.size());
    }
    if (left_.empty()) return false;
    if (begins_line_) text_.pass_lines(1);
    begins_line_ = false;
    return true;
  }
  void pass() {
    begins_line_ = left_[0] == '\n';
    left_ = left_.subspan(1);
  }
  /// Sets word_; false at the end of the file.
  bool next_word() {
    for (bool is_comment = false; has_more(); pass()) {
      if (begun_line_ != text_.line()) {
        begun_line_ = text_.line();
        is_comment = left_[0] == '%';
      }
      if (!is_comment && !separates(left_[0])) break;
    }
    word_.clear();
    while (has_more() && !separates(left_[0])) {
      if (word_.size() == kLongestWord)
        text_.fail("found " + in_quotes(word_) + "; expected a whole number.", "Correct the line.");
      word_ += left_[0];
      pass();
    }
    return !word_.empty();
  }

  ByteSource& source_;
  TextReader& text_;
  JobContext& context_;
  std::vector<char> buffer_;
  std::span<const char> left_;    // bytes of buffer_ that were not processed
  bool begins_line_ = true;       // whether the next byte begins a line
  std::uint64_t begun_line_ = 0;  // the last line of which the first character was seen
  std::string word_;
};

/// The format has no signature. A file is possible if it begins with three numbers and a line of pointers
/// from 0 to the third of them. If the three are not separated by commas, they might be an edge: then there
/// must be more pointers than an edge has words.
Recognition recognise(std::span<const char> head) {
  std::string_view text(head.data(), head.size());
  while (text.starts_with('%')) text.remove_prefix(std::min(text.size() - 1, text.find('\n')) + 1);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return Recognition::none;
  const std::string_view sizes = text.substr(0, end);
  const std::string_view line = text.substr(end + 1);
  const bool is_whole = line.find('\n') != std::string_view::npos;
  const std::vector<std::string_view> announced = words_of(sizes, ", \t\r");
  const std::vector<std::string_view> pointers = words_of(line.substr(0, line.find('\n')));
  const bool is_possible =
      announced.size() == 3 && (std::ranges::count(sizes, ',') == 2 || pointers.size() > 4) &&
      std::ranges::all_of(announced, is_digits) && pointers.size() > 1 && pointers[0] == "0" &&
      std::ranges::all_of(pointers, is_digits) &&
      (!is_whole || (pointers.back() == announced[2] && std::to_string(pointers.size() - 1) == announced[0]));
  return is_possible ? Recognition::possible : Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  TextReader text(source, name, options, context);
  Numbers numbers(source, text, context);
  const std::uint64_t rows = numbers.next("the number of rows", 1, kLargestSide);
  const std::uint64_t cols = numbers.next("the number of columns", 1, kLargestSide);
  const std::uint64_t count = numbers.next("the number of entries", 0, rows * cols);
  BookedList<std::uint64_t> ends(context, "row pointers", std::min(rows, text.most_words()));
  std::uint64_t before = numbers.next("the first row pointer", 0, 0);
  for (std::uint64_t row = 0; row < rows; ++row) {
    const bool is_last = row + 1 == rows;
    before =
        numbers.next(is_last ? "the last row pointer" : "a row pointer", is_last ? count : before, count);
    ends.add(before);
  }
  BookedList<Index> columns(context, "columns of the entries", std::min(count, text.most_words()));
  PreviewFeed preview(options, rows, cols, count);
  for (std::uint64_t row = 0; row < rows; ++row)
    while (columns.size() < ends[row]) {
      columns.add(static_cast<Index>(numbers.next("a column", 0, cols - 1)));
      preview.add(row, columns[columns.size() - 1]);
    }
  preview.flush();
  numbers.expect_end();
  CompressedLines lines{.rows = rows, .cols = cols, .by_rows = true};
  lines.ends = std::move(ends).take();
  lines.ids = std::move(columns).take();
  Matrix matrix = matrix_of_lines(std::move(lines), nullptr, options, context);
  matrix.report.format = kFormat.name;
  matrix.report.field = "pattern";
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::smtx_reader
