// SPDX-License-Identifier: Apache-2.0
// Shared by the readers of simple text formats: counted lines, whole numbers with messages that name the
// line, and a list of entries that becomes a matrix.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/entry_arrays.hpp"
#include "core/io/line_blocks.hpp"
#include "core/io/reader.hpp"
#include "core/io/values.hpp"

namespace spyctrum {

/// An estimate of the number of lines of a text, seldom too small, from its first 4 kB: to reserve memory.
[[nodiscard]] std::size_t expected_lines(std::string_view text);

/// Whether the word consists of decimal digits.
[[nodiscard]] inline bool is_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The characters that separate the words of a line.
inline constexpr std::string_view kBlanks = " \t\v\f\r";

/// The length of the quoted text at the beginning of `text`, with its quotation marks; 0 if there is none.
[[nodiscard]] std::size_t end_of_quotes(std::string_view text);
/// The word without quotation marks around it.
[[nodiscard]] std::string_view unquoted(std::string_view word);

/// The words of a line, separated by any number of the characters in `separators`.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line,
                                                     std::string_view separators = kBlanks);

/// The words of a line one by one, for lines with millions of words.
class WordCursor {
 public:
  explicit WordCursor(std::string_view line = {}, std::string_view separators = kBlanks)
      : rest_(line), separators_(separators) {}
  /// Sets `word` to the next word; returns false if there is none.
  bool next(std::string_view& word);

 private:
  std::string_view rest_;
  std::string_view separators_;
};

/// As a delimiter: two of these, as in the files of MovieLens (1::2::5).
inline constexpr char kColon = ':';

/// The columns of a line one by one, without blanks and quotation marks around them. A complex number with
/// blanks or a comma in it, 1 + 2i or (1, 2), is one column.
class ColumnCursor {
 public:
  /// `delimiter`: a comma, semicolon, | or tab; kColon for two colons; ' ' for any number of blanks and tabs.
  ColumnCursor(std::string_view line, char delimiter) : rest_(line), delimiter_(delimiter) {}
  /// Sets `column` to the next one, which may be empty unless blanks separate them; returns false if there is
  /// none.
  bool next(std::string_view& column);

 private:
  std::string_view rest_;
  char delimiter_;
  bool is_at_end_ = false;
};

/// The lines of a file, one after the other, each of at most `longest_line` bytes.
class TextReader {
 public:
  TextReader(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context,
             std::size_t longest_line = std::size_t{64} << 20U)
      : source_(source),
        lines_(source, name, options.block_bytes, longest_line),
        name_(name),
        context_(context) {}

  /// Sets `line` to the next line, without its line end and, at the beginning of the file, a byte order mark.
  /// Returns false at the end. Reports progress. Throws as LineSource::next_line() does.
  bool next(std::string_view& line);
  /// Number of the line that next() set, from 1.
  [[nodiscard]] std::uint64_t line() const { return lines_.lines() + block_lines_; }
  /// Processes the remaining lines on all threads: parse(text, worker) is called for blocks of whole lines,
  /// each ended by LF, on any thread, and commit(parsed) for the blocks in order. Within commit, next() gives
  /// the lines of the block again, and pass_lines() counts them without reading. To be called once, at the
  /// end.
  template <class Parsed, class Parse, class Commit>
  void for_blocks(const Parse& parse, const Commit& commit) {
    LineBlocks<Parsed>(lines_, source_, context_).run(parse, [&](std::string_view text, Parsed& parsed) {
      in_blocks_ = true;
      block_ = text;
      commit(parsed);
    });
    block_ = {};
  }
  /// The lines of the current block that next() has not returned yet.
  [[nodiscard]] std::string_view rest() const { return block_; }
  void pass_lines(std::uint64_t count) { block_lines_ += count; }
  /// The file's name in messages.
  [[nodiscard]] std::string_view name() const { return name_; }
  /// `setting`: the advice as an import option, as in Error.
  [[noreturn]] void fail(const std::string& what, const std::string& advice,
                         const decltype(Error::setting)& setting = {}) const;

  /// Reads `word` as a whole number between `least` and `most`. `what` names it in the message of the
  /// Failure{bad_input}: "a neighbour".
  [[nodiscard]] std::uint64_t whole_number(std::string_view word, std::string_view what, std::uint64_t least,
                                           std::uint64_t most) const;
  /// Examines `word` as a number (classify_real()). Throws Failure{bad_input} if it is none.
  struct Number {
    bool is_zero = false;
    bool is_integer = false;  ///< of an optional sign and digits
  };
  [[nodiscard]] Number number(std::string_view word, std::string_view what) const;
  /// The most words that the file can have, judged by its size; 0 if its size is not known.
  [[nodiscard]] std::uint64_t most_words() const;

 private:
  ByteSource& source_;
  LineSource lines_;
  std::string_view block_;         // the lines of the committed block that next() has not returned
  std::uint64_t block_lines_ = 0;  // lines of blocks so far
  bool in_blocks_ = false;
  std::string name_;
  JobContext& context_;
};

/// Entries of a block of lines, without those that EntryList would leave out.
struct EntryBlock {
  bool is_plain = true;  ///< false if some line has an unexpected form; the block is then read line by line
  std::vector<PackedEntry> entries;
  std::vector<Value> values;  ///< values of `entries`, if they are kept and `reals` is empty
  std::vector<double> reals;  ///< the same, if they are real
  ValueSums sums;             ///< if values are requested
  std::uint64_t lines = 0;
  std::uint64_t count = 0;  ///< number of entries, including those left out
  std::uint64_t zeros = 0;  ///< number of these with the value zero

  /// value() is called only if values are requested.
  template <class Make>
  void add(std::uint64_t row, std::uint64_t col, bool is_zero, const LoadOptions& options,
           const Make& value) {
    ++count;
    zeros += is_zero ? 1 : 0;
    const bool is_left_out = is_zero && options.drop_zeros;
    if (!is_left_out) entries.push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(col)));
    if (options.values == ValueUse::none) return;
    const Value number = value();
    sums.add(number, row == col);
    if (options.values == ValueUse::keep && !is_left_out) values.push_back(number);
  }
  void add(std::uint64_t row, std::uint64_t col) {
    ++count;
    entries.push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(col)));
  }
};

/// Appends elements to a list in groups, since a check of the list's capacity for each entry takes as long as
/// parsing its digits.
template <class T>
class Grouped {
 public:
  explicit Grouped(std::vector<T>& list) : list_(list) {}
  void add(T element) {
    group_[size_++] = element;
    if (size_ == kGroup) flush();
  }
  [[nodiscard]] std::size_t size() const { return list_.size() + size_; }
  /// To be called after the last element.
  void flush() {
    list_.insert(list_.end(), group_.data(), group_.data() + size_);
    size_ = 0;
  }

 private:
  static constexpr std::size_t kGroup = 512;
  std::vector<T>& list_;
  std::array<T, kGroup> group_;
  std::size_t size_ = 0;
};

/// Reads decimal digits from a text that ends with LF. Returns false if there are none, or more than 18.
[[nodiscard]] inline bool take_digits(const char*& at, std::uint64_t& number) {
  const char* const begin = at;
  number = 0;
  for (unsigned digit = 0; (digit = static_cast<unsigned char>(*at) - 48U) < 10; ++at)
    number = 10 * number + digit;
  return at != begin && at - begin <= 18;
}

/// Shows entries in a preview (none if it is null), in groups; for one reading thread.
class PreviewFeed {
 public:
  PreviewFeed(const LoadOptions& options, std::uint64_t rows, std::uint64_t cols, std::uint64_t expected,
              Mirror mirror = Mirror::none);
  [[nodiscard]] bool is_requested() const { return preview_ != nullptr; }
  void add(std::uint64_t row, std::uint64_t col) {
    if (preview_ == nullptr) return;
    entries_.push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(col)));
    if (entries_.size() == kGroup) flush();
  }
  void flush();

 private:
  static constexpr std::size_t kGroup = std::size_t{1} << 14U;
  std::shared_ptr<PatternPreview> preview_;
  std::vector<PackedEntry> entries_;
};

/// Thrown by EntryList::matrix() if values at one position must be added but some were already rounded to
/// single precision: the file must be read again with LoadOptions::exact_entries = kAllEntries.
struct RoundedTooEarly {};

/// Entries in the order of a file. Values at one position are added in double precision. Since positions
/// seldom repeat, values after the first LoadOptions::exact_entries entries are rounded to single precision
/// as they are read, which saves 4 bytes for each number.
class EntryList {
 public:
  explicit EntryList(const LoadOptions& options, JobContext& context)
      : options_(options), preview_(options.preview), context_(context) {}

  /// Adds an entry at (row, col), zero-based and below kLargestSide; `is_zero`: its value is stored and is
  /// zero. Throws Failure{cancelled}, {out_of_memory}.
  void add(std::uint64_t row, std::uint64_t col, bool is_zero = false) {
    ++count_;
    zeros_ += is_zero ? 1 : 0;
    if (is_zero && options_.drop_zeros) return;
    last_.push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(col)));
    if (last_.size() == kEntriesOfArray) flush();
  }
  /// Adds an entry with its value; value() is called only if values are requested.
  template <class Make>
  void add(std::uint64_t row, std::uint64_t col, bool is_zero, const Make& value) {
    if (options_.values != ValueUse::none) {
      const Value number = value();
      sums_.add(number, row == col);
      if (options_.values == ValueUse::keep && !(is_zero && options_.drop_zeros))
        last_values_.push_back(number);
    }
    add(row, col, is_zero);
  }
  /// Adds the entries of a block in their order.
  void add(EntryBlock&& block);
  /// From now on counts entries for a preview, if one is requested; to be called before more than a few
  /// entries were added. `expected`: the number of entries that the file announces, 0 if it does not;
  /// `mirror`: as for matrix(). Sides of 0 are not known yet: then the preview is of a square that grows with
  /// the indices.
  void begin_preview(std::uint64_t rows, std::uint64_t cols, std::uint64_t expected,
                     Mirror mirror = Mirror::none);
  void set_complex() { is_complex_ = true; }
  /// Converts the entries added so far from one-based to zero-based indices.
  void count_from_one();
  /// Replaces row i by numbers[i], and columns likewise.
  void renumber(std::span<const Index> numbers);
  /// Removes the values of all entries, also of those that follow, and the counts and sums of values.
  void leave_values_out();
  /// Number of calls of add().
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// Returns the matrix of these entries, with the counts in its report and with its values if requested.
  /// `mirror`: which entry (j, i) each entry (i, j) implies. Throws as SparsePattern::from_packed() does, and
  /// RoundedTooEarly.
  [[nodiscard]] Matrix matrix(std::uint64_t rows, std::uint64_t cols, Mirror mirror = Mirror::none) &&;
  /// A matrix without a pattern, whose report has the counts and statistics of these entries.
  [[nodiscard]] Matrix report(Mirror mirror = Mirror::none) const;

 private:
  static constexpr std::size_t kEntriesOfArray = std::size_t{1} << 16U;
  /// The most entries without values that are kept as they are, 8 bytes each, 4 more than in the pattern.
  static constexpr std::uint64_t kMostGiven = std::uint64_t{1} << 23U;
  /// Counts entries for the preview.
  void show(std::span<const PackedEntry> entries);
  void take(EntryArray array);
  /// Copies entries and their values to an array. `Number`: Value or double.
  template <class Number>
  void take(std::span<const PackedEntry> entries, std::span<const Number> values);
  /// Copies entries without values, and at the first call all earlier ones, to arrays of fewer bytes.
  void take_in_few_bytes(std::span<const PackedEntry> entries);
  /// Moves the last entries to an array.
  void flush();
  /// Makes each array anew of its entries, each replaced by renamed(entry), and of its values if they are
  /// kept.
  template <class Renamed>
  void rebuild(const Renamed& renamed);
  /// The entries (j, i) that the sorted entries imply.
  [[nodiscard]] std::vector<EntryArray> mirrored_entries(const SortedEntries& sorted, Mirror mirror) const;

  LoadOptions options_;
  std::shared_ptr<PatternPreview> preview_;
  bool has_preview_ = false;
  bool preview_grows_ = false;
  bool is_complex_ = false;
  bool is_rounded_ = false;  // some values were rounded
  JobContext& context_;
  std::vector<EntryArray> arrays_;
  std::vector<Booking> bookings_;   // of the arrays
  std::vector<PackedEntry> last_;   // entries that are in no array yet,
  std::vector<Value> last_values_;  // and their values, if they are kept
  std::uint64_t count_ = 0;
  std::uint64_t zeros_ = 0;
  ValueSums sums_;
};

/// Reports that the file of `matrix` stored all `count` elements, each a `noun`, of which the others than 0
/// are entries.
void report_dense(Matrix& matrix, std::uint64_t count, const std::string& kind = "Dense",
                  const std::string& noun = "element");

}  // namespace spyctrum
