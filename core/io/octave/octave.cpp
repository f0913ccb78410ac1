// SPDX-License-Identifier: Apache-2.0
// Octave's text format, which its command save writes (Octave manual, "Simple File I/O"): lines "# name: A",
// "# type: …" and the sizes before the numbers of each variable. Of sparse matrices these are "row column
// value", counted from 1; of dense ones the rows, or, below "# ndims: 2", the two sides and then the elements
// column by column; of diagonal ones the diagonal. A complex number is "(1,-2)", and NA, what is missing, is
// NaN. Variables of other types are skipped; structures and cells are lists of variables, with names of their
// own.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/io/quote.hpp"
#include "core/io/several_matrices.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::octave_reader {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".octave"};
constexpr std::array<std::string_view, 2> kSharedEndings{".txt", ".mat"};
constexpr FormatInfo kFormat{
    .id = "octave", .name = "Octave text", .endings = kEndings, .shared_endings = kSharedEndings};

constexpr std::string_view kName = "# name: ";
constexpr std::string_view kType = "# type: ";

Recognition recognise(std::span<const char> head) {
  const std::string_view text = without_byte_order_mark({head.data(), head.size()});
  return text.starts_with("# Created by Octave") ? Recognition::certain : Recognition::none;
}

/// What a type says about a variable.
struct Type {
  enum class Storage { sparse, dense, diagonal, other };
  Storage storage = Storage::other;
  bool is_complex = false;
  const char* field = "real";

  explicit Type(std::string_view text) {
    const auto take = [&text](std::string_view word) {
      const bool has = text.starts_with(word);
      if (has) text.remove_prefix(word.size());
      return has;
    };
    (void)take("global ");
    storage = take("sparse ") ? Storage::sparse : Storage::dense;
    (void)take("float ");
    if (take("diagonal ")) storage = Storage::diagonal;
    is_complex = take("complex ");
    if (is_complex) field = "complex";
    if (take("bool ")) field = "logical";
    if (text.starts_with("int") || text.starts_with("uint")) {
      text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
      field = "integer";
    }
    if (text != "matrix") storage = Storage::other;
  }
};

/// A variable whose lines of sizes have been read.
struct Variable {
  MatrixInFile facts;
  Type type;
  bool by_columns = false;  ///< a dense matrix, one element a line
};

class OctaveFile {
 public:
  OctaveFile(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context)
      : text_(source, name, options, context),
        options_(options),
        context_(context),
        all_(kFormat, name, options) {}

  /// The requested matrix, or else the one that SeveralMatrices prefers. To be called once.
  Matrix matrix() {
    next();
    while (has_line_) read_variable();
    (void)all_.choose();  // finds the matrix that was kept, or fails
    all_.report(kept_->report);
    return std::move(*kept_);
  }

 private:
  /// Goes to the next line that is not empty.
  void next() {
    do has_line_ = text_.next(line_);
    while (has_line_ && trimmed(line_, kBlanks).empty());
  }
  /// The text behind `key` in the present line, which must begin with it; the sizes have no key.
  std::string_view behind(std::string_view key) {
    if (!has_line_)
      text_.fail("the file ends before " + (key.empty() ? "the sizes" : in_quotes(key)) + ".",
                 "The file may be cut off: get it again.");
    if (!line_.starts_with(key))
      text_.fail("found " + in_quotes(line_) + "; expected " + in_quotes(key) + ".",
                 "Correct the line, or write the file anew.");
    return trimmed(line_.substr(key.size()), kBlanks);
  }
  /// The number in the present line, behind `key`; goes to the next line.
  std::uint64_t size(std::string_view key, std::uint64_t most) {
    const std::uint64_t number = text_.whole_number(behind(key), key.substr(2, key.size() - 4), 0, most);
    next();
    return number;
  }

  /// Reads the variable that begins with the present line, or skips it up to the next one.
  void read_variable() {
    if (line_.starts_with(kName)) {
      const std::string name(behind(kName));
      next();
      const Type type(behind(kType));
      next();
      if (type.storage == Type::Storage::other)
        all_.leave_out(name, "no matrix");
      else if (std::optional<Variable> variable = variable_of(name, type))
        take(*variable);
    }
    while (has_line_ && !line_.starts_with(kName)) next();
  }

  /// Reads the lines with the sizes. Returns nothing, and leaves the variable out, if it has not two
  /// dimensions, or no element.
  std::optional<Variable> variable_of(const std::string& name, const Type& type) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
    Variable variable{{name, "dense", 0, 0, 0}, type};
    MatrixInFile& facts = variable.facts;
    if (type.storage == Type::Storage::sparse) {
      facts.layout = "coo";
      facts.stored = size("# nnz: ", kMost);
    }
    variable.by_columns = type.storage == Type::Storage::dense && line_.starts_with("# ndims: ");
    if (variable.by_columns) {
      const std::uint64_t dimensions = size("# ndims: ", kMost);
      if (dimensions != 2) {
        all_.leave_out(name, counted(dimensions, "dimension", "dimensions") + "; a matrix has 2");
        return std::nullopt;
      }
      const std::vector<std::string_view> sides = words_of(behind(""));
      if (sides.size() != 2)
        text_.fail("found " + in_quotes(trimmed(line_, kBlanks)) + "; expected 2 sizes.",
                   "Correct the line.");
      facts.rows = text_.whole_number(sides[0], "number of rows", 0, kLargestSide);
      facts.cols = text_.whole_number(sides[1], "number of columns", 0, kLargestSide);
      next();
    } else {
      facts.rows = size("# rows: ", kLargestSide);
      facts.cols = size("# columns: ", kLargestSide);
    }
    if (facts.rows == 0 || facts.cols == 0) {
      all_.leave_out(name, grouped(facts.rows) + " rows and " + grouped(facts.cols) +
                               " columns; a matrix has at least one of each");
      return std::nullopt;
    }
    if (type.storage == Type::Storage::dense) facts.stored = facts.rows * facts.cols;
    if (type.storage == Type::Storage::diagonal) facts.stored = std::min(facts.rows, facts.cols);
    return variable;
  }

  /// Lists the matrix, and reads it if it is the requested one or the best so far.
  void take(Variable& variable) {
    MatrixInFile& facts = variable.facts;
    // Cells of one variable have the same name.
    if (const std::uint64_t earlier = names_[facts.name]++; earlier != 0)
      facts.name += " " + std::to_string(earlier + 1);
    all_.add(facts);
    const std::string_view requested = options_.matrix;
    const bool is_sparse = facts.layout != "dense";
    if (requested.empty() ? kept_ && std::pair(is_sparse, facts.stored) <= rank_ : requested != facts.name)
      return;
    rank_ = {is_sparse, facts.stored};
    kept_.reset();
    EntryList entries(options_, context_);
    if (!has_preview_) entries.begin_preview(facts.rows, facts.cols, is_sparse ? facts.stored : 0);
    has_preview_ = true;
    std::uint64_t done = 0;
    while (done < facts.stored) {
      if (!has_line_ || line_.starts_with('#'))
        text_.fail((has_line_ ? "the variable " + in_quotes(facts.name) : std::string("the file")) +
                       " ends after " + grouped(done) + " of " + counted(facts.stored, "number", "numbers") +
                       ".",
                   "The file may be cut off: get it again, or correct the sizes.");
      done += take_line(variable, done, entries);
      next();
    }
    if (has_line_ && !line_.starts_with('#'))
      text_.fail("found " + in_quotes(line_) + " behind the " + counted(facts.stored, "number", "numbers") +
                     " that the sizes of " + in_quotes(facts.name) + " announce.",
                 "Correct the sizes, or remove the line.");
    if (variable.type.is_complex) entries.set_complex();
    kept_ = std::move(entries).matrix(facts.rows, facts.cols);
    kept_->report.field = variable.type.field;
    if (!is_sparse) report_dense(*kept_, facts.stored, "Dense", "number");
  }

  /// Adds the numbers of the present line, of which `done` precede; returns how many they are.
  std::uint64_t take_line(const Variable& variable, std::uint64_t done, EntryList& entries) const {
    const MatrixInFile& facts = variable.facts;
    WordCursor words(line_);
    std::string_view word;
    std::uint64_t count = 0;
    const bool is_sparse = variable.type.storage == Type::Storage::sparse;
    const bool is_line = variable.type.storage == Type::Storage::dense && !variable.by_columns;
    const std::uint64_t expected = is_line ? facts.cols : is_sparse ? 3 : 1;
    std::array<std::uint64_t, 2> place{};
    for (; count < expected && words.next(word); ++count) {
      if (is_sparse && count < 2) {
        place.at(count) = text_.whole_number(word, count == 0 ? "a row" : "a column", 1,
                                             count == 0 ? facts.rows : facts.cols) -
                          1;
        continue;
      }
      const std::uint64_t k = done + count;
      if (is_line)
        place = {k / facts.cols, k % facts.cols};
      else if (!is_sparse)
        place = variable.by_columns ? std::array{k % facts.rows, k / facts.rows} : std::array{k, k};
      add(word, place, is_sparse, entries);
    }
    if (count < expected || words.next(word))
      text_.fail("found " + in_quotes(trimmed(line_, kBlanks)) + "; expected " +
                     (is_sparse ? "\"ROW COLUMN VALUE\"" : counted(expected, "number", "numbers")) + ".",
                 "Correct the line.");
    return is_line ? count : 1;
  }

  /// Adds a number as an entry; a zero only if it `is_stored` as an entry in the file.
  void add(std::string_view word, std::array<std::uint64_t, 2> place, bool is_stored,
           EntryList& entries) const {
    if (word == "NA") word = "nan";
    if (word.starts_with('(')) {
      const auto number = complex_number(word);
      if (!number)
        text_.fail("found " + in_quotes(word) + " as a value; expected a complex number as (1,-2).",
                   "Correct the line.");
      if (is_stored || !number->is_zero)
        entries.add(place[0], place[1], number->is_zero, [&] { return number->value; });
      return;
    }
    const bool is_zero = text_.number(word, "a value").is_zero;
    if (is_stored || !is_zero)
      entries.add(place[0], place[1], is_zero, [&] { return Value(number_of(word)); });
  }

  TextReader text_;
  const LoadOptions& options_;
  JobContext& context_;
  SeveralMatrices all_;
  std::string_view line_;  // the present line, if has_line_
  bool has_line_ = false;
  bool has_preview_ = false;
  std::map<std::string, std::uint64_t> names_;  // how often each occurred
  std::optional<Matrix> kept_;
  std::pair<bool, std::uint64_t> rank_;  // of kept_: whether it is sparse, and its stored elements
};

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  return OctaveFile(source, name, options, context).matrix();
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::octave_reader
