// SPDX-License-Identifier: Apache-2.0
// MATLAB files of version 4: variables one after the other, each a header of numbers, its name and its data.
// A sparse variable is a table that lists row, column and value of each entry, with indices from 1, column by
// column; the last line of the table has the sides of the matrix.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/text.hpp"
#include "core/io/matlab/mat_file.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::matlab_reader {
namespace {

constexpr std::size_t kHeader4 = 20;

/// A sparse variable.
struct Table {
  MatrixInFile facts;
  bool complex = false;
  std::unique_ptr<EntryList> entries{};  ///< null if this is not the matrix that is read
  std::string wrong{};                   ///< the first fault of its entries
};

class Version4 : public Variables {
 public:
  Version4(MatFile& file, std::vector<char> header)
      : file_(file), header_(std::move(header)), file_bytes_(file.source().total()) {}

  void read(SeveralMatrices& all) override {
    for (;;) {
      read_variable(all);
      header_.resize(4);
      const std::size_t got = file_.bytes().read(header_);
      if (got == 0) return;
      file_.check_end(got < header_.size() ? kHeader4 - got : 0, "the header of a variable");
    }
  }

  Matrix matrix(const MatrixInFile& variable) override {
    const auto is_read = [&](const Table& one) { return one.entries && one.facts.name == variable.name; };
    const auto is_it = [&](const Dense& one) { return one.facts.name == variable.name; };
    if (const auto dense = std::ranges::find_if(dense_, is_it); dense != dense_.end()) {
      file_.check_sides(dense->facts);
      return matrix_of_dense(*dense, file_);
    }
    const auto table = std::ranges::find_if(tables_, is_read);
    if (table == tables_.end()) file_.fail("a larger one was read in its place; name it after ::.");
    file_.check_sides(table->facts);
    if (!table->wrong.empty()) file_.fail(table->wrong);
    Matrix matrix = std::move(*table->entries).matrix(table->facts.rows, table->facts.cols);
    matrix.report.field = table->complex ? "complex" : "real";
    return matrix;
  }

 private:
  /// Reads a variable, whose first four bytes are in header_.
  void read_variable(SeveralMatrices& all) {
    header_.resize(kHeader4);
    file_.take(std::span(header_).subspan(4), "the header of a variable");
    file_.set_place(file_.bytes().position());
    file_.set_big_endian(number_at(header_, 0, 4, false) >= 5000);
    const auto field = [&](std::size_t k) { return number_at(header_, 4 * k, 4, file_.big_endian()); };
    const std::uint64_t kind = field(0);
    const std::uint64_t rows = field(1);
    const std::uint64_t cols = field(2);
    static constexpr std::array<std::size_t, 6> kWidths{8, 4, 4, 2, 2, 1};
    const std::uint64_t precision = kind / 10 % 10;
    if (kind >= 5000 || kind / 1000 != (file_.big_endian() ? 1U : 0U) || kind / 100 % 10 != 0 ||
        precision >= kWidths.size() || kind % 10 > 2 || field(3) > 1 || field(4) == 0 || field(4) > 4096)
      file_.fail("found " + grouped(kind) + " as the kind of a variable; this is not a MATLAB file.");
    width_ = kWidths.at(precision);
    kind_ = "ffiiuu"[precision];
    std::string name(field(4), '\0');
    file_.take(name, "the name of a variable");
    name.pop_back();
    const std::uint64_t parts = field(3) + 1;
    if (rows > kLargestSide || cols > kLargestSide)
      file_.fail("the variable " + in_quotes(name) + " has too many rows or columns.");
    const std::uint64_t cells = rows * cols;
    if (cells > (std::uint64_t{1} << 56U))
      file_.fail("the announced size of variable " + in_quotes(name) + " is larger than any file.");
    if (kind % 10 == 0) {
      Dense dense{{name, "dense", rows, cols, cells}, parts == 2 ? "complex" : "real", {}, {}};
      if (!all.add_if_named(dense.facts)) return pass(cells * width_ * parts);
      dense.real = elements(cells);
      if (parts == 2) dense.imaginary = elements(cells);
      dense_.push_back(std::move(dense));
      return;
    }
    if (kind % 10 != 2) {
      all.leave_out(name, "a text");
      return pass(cells * width_ * parts);
    }
    if ((cols != 3 && cols != 4) || rows == 0)
      file_.fail("the sparse variable " + in_quotes(name) + " has " + grouped(rows) + " rows and " +
                 grouped(cols) + " columns; expected 3 or 4 columns, and at least one row.");
    Table table{.facts = {name, "coo", 0, 0, rows - 1}, .complex = cols == 4};
    read_table(table, all);
    tables_.push_back(std::move(table));
  }
  /// Reads the next `count` numbers.
  NumpyArray elements(std::uint64_t count) {
    NumpyArray array;
    array.kind = kind_;
    array.width = width_;
    array.big_endian = file_.big_endian();
    array.set_keep(file_.keeps_values() ? Keep::bytes : Keep::zeros);
    const std::uint64_t bytes = count * width_;
    const auto read = [&](std::span<char> piece) { return file_.bytes().read(piece); };
    file_.check_end(bytes - read_elements(array, file_.context(), read, bytes, file_bytes_), "a variable");
    return array;
  }
  /// Skips bytes of a variable.
  void pass(std::uint64_t count) { file_.check_end(count - file_.bytes().pass(count), "a variable"); }
  /// Calls use(k, x) for the numbers x of the next column, with `lines` numbers, of a table.
  /// `left`: the numbers of the table that were not read yet.
  template <class Use>
  void for_column(std::uint64_t lines, std::uint64_t& left, const Use& use) {
    std::vector<char> piece(kPiece);
    for (std::uint64_t done = 0; done < lines;) {
      const std::uint64_t count = std::min<std::uint64_t>(kPiece / width_, lines - done);
      const std::size_t got = file_.bytes().read(std::span(piece).first(width_ * count));
      if (got < width_ * count) file_.check_end(width_ * left - got, "a variable");
      for (std::uint64_t k = 0; k < count; ++k) {
        const char* const at = &piece[width_ * k];
        use(done + k, kind_ == 'f' ? binary_real(at, width_, file_.big_endian())
                                   : binary_integer(at, width_, file_.big_endian(), kind_ == 'i'));
      }
      done += count;
      left -= count;
    }
  }
  /// Reads a column of a table as indices; its last number is set to `side`. If a number is not an index,
  /// sets table.wrong and skips the others.
  BookedIndices indices_of(Table& table, std::uint64_t lines, std::uint64_t& left, std::uint64_t& side) {
    BookedList<Index> numbers(file_.context(), "indices of the entries",
                              width_ * lines <= file_bytes_ ? lines : 0);
    for_column(lines, left, [&](std::uint64_t k, double x) {
      const bool is_whole = x >= 0 && x <= static_cast<double>(kLargestSide) && x == std::floor(x);
      const auto wrong = [x] { return "it has " + std::to_string(x) + " as an index or a side."; };
      if (k + 1 == lines) {
        if (!is_whole) file_.fail(wrong());
        side = static_cast<std::uint64_t>(x);
        return;
      }
      if (!is_whole && table.wrong.empty()) table.wrong = wrong();
      if (table.wrong.empty()) numbers.add(static_cast<Index>(x));
    });
    return std::move(numbers).take();
  }
  /// Reads the table of a sparse variable: a column with the rows of the entries, then the
  /// number of rows; a column with the columns, likewise; and one or two columns of values. Entries are added
  /// while the last column is read.
  void read_table(Table& table, SeveralMatrices& all) {
    const std::uint64_t stored = table.facts.stored;
    const std::uint64_t lines = stored + 1;
    std::uint64_t left = lines * (table.complex ? 4 : 3);  // numbers of the table
    file_.set_place("variable " + in_quotes(table.facts.name));
    const BookedIndices rows = indices_of(table, lines, left, table.facts.rows);
    const BookedIndices cols = indices_of(table, lines, left, table.facts.cols);
    all.add(table.facts);
    const std::string& requested = file_.options().matrix;
    const bool is_named = requested == table.facts.name || requested == '/' + table.facts.name;
    const auto is_larger = [&](const Table& one) { return stored > one.facts.stored; };
    if (!is_named && !(requested.empty() && std::ranges::all_of(tables_, is_larger))) {
      pass(width_ * left);
      return;
    }
    for (Table& smaller : tables_) smaller.entries.reset();
    table.entries = std::make_unique<EntryList>(file_.options(), file_.context());
    EntryList& entries = *table.entries;
    if (table.complex) entries.set_complex();
    entries.begin_preview(table.facts.rows, table.facts.cols, stored);
    const bool has_real = table.complex && file_.keeps_values();
    BookedList<double> real(file_.context(), "real parts",
                            has_real && width_ * lines <= file_bytes_ ? lines : 0);
    std::vector<bool> is_real_zero;
    if (table.complex)
      for_column(lines, left, [&](std::uint64_t /*k*/, double x) {
        if (has_real) real.add(x);
        is_real_zero.push_back(x == 0);
      });
    for_column(lines, left, [&](std::uint64_t k, double x) {
      if (k == stored || !table.wrong.empty()) return;
      const std::uint64_t row = rows.data[k];
      const std::uint64_t col = cols.data[k];
      if (row < 1 || row > table.facts.rows || col < 1 || col > table.facts.cols) {
        table.wrong = "entry " + grouped(k) + " is at row " + grouped(row) + ", column " + grouped(col) +
                      " of a matrix of " + grouped(table.facts.rows) + " × " + grouped(table.facts.cols) +
                      ".";
        return;
      }
      const bool is_zero = x == 0 && (!table.complex || is_real_zero[k]);
      entries.add(row - 1, col - 1, is_zero, [&] { return has_real ? Value(real[k], x) : Value(x); });
      if (k % kPiece != 0 || 4 * stored < kReleasedBytes || k == 0) return;
      for (const BookedIndices* const done : {&rows, &cols})
        release_memory(done->data.data() + k - kPiece, kPiece * sizeof(Index));
      if (has_real) release_memory(real.data().data() + k - kPiece, kPiece * sizeof(double));
    });
    file_.set_place(file_.bytes().position());
  }

  MatFile& file_;
  std::vector<char> header_;  // of a variable
  std::uint64_t file_bytes_;
  std::vector<Table> tables_;
  std::vector<Dense> dense_;  // those that are requested
  std::size_t width_ = 8;     // bytes of a number of the variable
  char kind_ = 'f';           // of these numbers, as NumpyArray::kind
};

}  // namespace

std::unique_ptr<Variables> variables_of_version_4(MatFile& file, std::vector<char> header) {
  return std::make_unique<Version4>(file, std::move(header));
}

bool is_version_4(Bytes head) {
  if (head.size() < kHeader4 + 2) return false;
  const bool big_endian = number_at(head, 0, 4, false) >= 5000;
  const std::uint64_t kind = number_at(head, 0, 4, big_endian);
  const std::uint64_t length = number_at(head, 16, 4, big_endian);
  if (kind >= 5000 || kind / 1000 != (big_endian ? 1U : 0U) || kind / 100 % 10 != 0 || kind / 10 % 10 > 5 ||
      kind % 10 > 2 || number_at(head, 12, 4, big_endian) > 1 || length < 2 || length > 64 ||
      head.size() < kHeader4 + length)
    return false;
  const Bytes name = head.subspan(kHeader4, length);
  const auto is_of_a_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return name.back() == '\0' && std::all_of(name.begin(), name.end() - 1, is_of_a_name);
}

}  // namespace spyctrum::matlab_reader
