// SPDX-License-Identifier: Apache-2.0
// .smtx, the pruned networks of the Deep Learning Matrix Collection (T. Gale, M. Zaharia, C. Young, E. Elsen,
// SC20, 2020): "rows, columns, entries", then the row pointers on one line and the columns, from 0, on
// another, in compressed sparse rows without values. Numbers may be spread over more lines.
#include <array>

#include "core/io/compressed_lines.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

namespace {

constexpr std::array<std::string_view, 1> kEndings{".smtx"};
constexpr FormatInfo kFormat{.id = "smtx", .name = "smtx", .endings = kEndings};

/// The numbers of the file, one after the other, over line ends.
class Numbers {
 public:
  explicit Numbers(TextReader& text) : text_(text) {}
  /// Throws Failure{bad_input} at the end of the file and for other words.
  std::uint64_t next(std::string_view what, std::uint64_t least, std::uint64_t most) {
    std::string_view word;
    while (!words_.next(word)) {
      std::string_view line;
      if (!text_.next(line))
        text_.fail("the file ends where " + std::string(what) + " was expected.",
                   "The file may be cut off: get it again.");
      words_ = WordCursor(line.starts_with('%') ? std::string_view() : line, ", \t\v\f\r");
    }
    return text_.whole_number(word, what, least, most);
  }
  void expect_end() {
    std::string_view line;
    bool is_more = words_.next(line);
    while (!is_more && text_.next(line)) is_more = !line.starts_with('%') && !words_of(line).empty();
    if (is_more)
      text_.fail("more numbers follow the last column.", "Correct the number of entries in the first line.");
  }

 private:
  TextReader& text_;
  WordCursor words_;
};

class SmtxReader : public Reader {
 public:
  [[nodiscard]] const FormatInfo& format() const override { return kFormat; }
  /// The format has no signature, so only the file's name identifies it.
  [[nodiscard]] Recognition recognise(std::span<const char> /*head*/) const override {
    return Recognition::none;
  }

  [[nodiscard]] Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options,
                            JobContext& context) const override {
    context.begin_stage("read");
    TextReader text(source, name, options, context);
    Numbers numbers(text);
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
};

}  // namespace

std::unique_ptr<Reader> make_smtx_reader() { return std::make_unique<SmtxReader>(); }

}  // namespace spyctrum
