// SPDX-License-Identifier: Apache-2.0
// What readers of text formats with few lines of rules share: lines that are counted, whole numbers with
// messages that say where they stand, and a list of entries that becomes a matrix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/line_blocks.hpp"
#include "core/io/reader.hpp"
#include "core/io/values.hpp"
#include "core/matrix/packed_entries.hpp"

namespace spyctrum {

/// Failure{bad_input} with the message "NAME, line LINE: WHAT".
[[nodiscard]] Failure line_failure(std::string_view name, std::uint64_t line, const std::string& what,
                                   const std::string& advice);

/// The words of a line; `separators` stand between them, none of them is part of one.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line,
                                                     std::string_view separators = " \t\v\f\r");

/// The words of a line one by one, for lines of millions of words.
class WordCursor {
 public:
  explicit WordCursor(std::string_view line = {}, std::string_view separators = " \t\v\f\r")
      : rest_(line), separators_(separators) {}
  /// Sets `word` to the next one; false where there is none.
  bool next(std::string_view& word);

 private:
  std::string_view rest_;
  std::string_view separators_;
};

/// The lines of a file, one after the other, each of at most 64 MiB.
class TextReader {
 public:
  TextReader(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context)
      : source_(source),
        lines_(source, name, options.block_bytes, std::size_t{64} << 20U),
        name_(name),
        context_(context) {}

  /// Sets `line` to the next line, without its end and a byte order mark at the beginning of the file; false
  /// at the end. Reports progress. Throws as LineSource::next_line() does.
  bool next(std::string_view& line);
  /// Number of the line that next() set, from 1.
  [[nodiscard]] std::uint64_t line() const { return lines_.lines() + block_lines_; }
  /// The lines that are left, on all threads: parse(text) of a block of whole lines, each ended by LF, on any
  /// thread; commit(parsed) of one block after the other, where next() gives the lines of the block once more
  /// and pass_lines() counts them without. To be called once, at the end.
  template <class Parsed, class Parse, class Commit>
  void for_blocks(const Parse& parse, const Commit& commit) {
    LineBlocks<Parsed>(lines_, source_, context_)
        .run([&](std::string_view text, unsigned) { return parse(text); },
             [&](const std::string& text, Parsed& parsed) {
               in_blocks_ = true;
               block_ = text;
               commit(parsed);
             });
    block_ = {};
  }
  /// Whether the block that is committed has a line that next() has not given.
  [[nodiscard]] bool has_more() const { return !block_.empty(); }
  void pass_lines(std::uint64_t count) { block_lines_ += count; }
  /// The file's name in messages.
  [[nodiscard]] std::string_view name() const { return name_; }
  [[noreturn]] void fail(const std::string& what, const std::string& advice) const;

  /// The whole number `word` between `least` and `most`. `what` names it in the message of the
  /// Failure{bad_input}: "a neighbour".
  [[nodiscard]] std::uint64_t whole_number(std::string_view word, std::string_view what, std::uint64_t least,
                                           std::uint64_t most) const;

 private:
  ByteSource& source_;
  LineSource lines_;
  std::string_view block_;         // what next() has not given of the block that is committed
  std::uint64_t block_lines_ = 0;  // lines of blocks so far
  bool in_blocks_ = false;
  std::string name_;
  JobContext& context_;
};

/// A list of numbers that grows with the file that holds them, not with what its beginning announces, and is
/// booked.
class BookedList {
 public:
  BookedList(JobContext& context, std::string_view purpose) : context_(context), purpose_(purpose) {}
  void add(std::uint64_t value);
  [[nodiscard]] std::uint64_t operator[](std::uint64_t k) const {
    return chunks_[k / kNumbersOfChunk][k % kNumbersOfChunk];
  }
  [[nodiscard]] std::uint64_t size() const {
    return chunks_.empty() ? 0 : (chunks_.size() - 1) * kNumbersOfChunk + chunks_.back().size();
  }

 private:
  static constexpr std::uint64_t kNumbersOfChunk = std::uint64_t{1} << 16U;
  JobContext& context_;
  std::string purpose_;
  std::vector<std::vector<std::uint64_t>> chunks_;  // so that nothing is copied while the list grows
  std::vector<Booking> bookings_;
};

/// Entries of a block of lines, without those that EntryList leaves out.
struct EntryBlock {
  bool is_plain = true;  ///< false: lines are other than expected, and are read one by one
  std::vector<PackedEntry> entries;
  std::vector<Value> values;  ///< of `entries`, where they are kept
  ValueSums sums;             ///< where values are asked for
  std::uint64_t lines = 0;
  std::uint64_t count = 0;  ///< entries, those that are left out too
  std::uint64_t zeros = 0;  ///< of them: with the value zero

  /// `value()` is called only where values are asked for.
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

/// Digits of a text that ends with LF, as a number: false where there is none, or more than 18 digits.
[[nodiscard]] inline bool take_digits(const char*& at, std::uint64_t& number) {
  const char* const begin = at;
  number = 0;
  for (unsigned digit = 0; (digit = static_cast<unsigned char>(*at) - 48U) < 10; ++at)
    number = 10 * number + digit;
  return at != begin && at - begin <= 18;
}

/// Entries in the order of a file.
class EntryList {
 public:
  explicit EntryList(const LoadOptions& options, JobContext& context)
      : drops_zeros_(options.drop_zeros),
        use_(options.values),
        preview_(options.preview),
        context_(context),
        kept_(context) {}

  /// An entry at (row, col), from 0 and below kLargestSide; `is_zero`: its value is stored and zero. Throws
  /// Failure{cancelled}, {out_of_memory}.
  void add(std::uint64_t row, std::uint64_t col, bool is_zero = false);
  /// The same with the entry's value, which value() returns: it is called only where values are asked for.
  template <class Make>
  void add(std::uint64_t row, std::uint64_t col, bool is_zero, const Make& value) {
    if (use_ != ValueUse::none) add_value(row, col, is_zero, value());
    add(row, col, is_zero);
  }
  /// The entries of a block, in their order; `first`, a row and a column, is added to their places.
  void add(EntryBlock&& block, PackedEntry first = 0);
  /// Counts the entries added from now on for a first picture, where one is wanted; to be called once the
  /// sides are known. `expected`: how many the file announces; `mirror`: as for matrix().
  void begin_preview(std::uint64_t rows, std::uint64_t cols, std::uint64_t expected,
                     Mirror mirror = Mirror::none);
  /// The values are complex.
  void set_complex() { is_complex_ = true; }
  /// The entries added so far count from 1: now they count from 0.
  void count_from_one();
  /// Number of calls of add().
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// The matrix of these entries, its report with the counts and its values where they are asked for.
  /// `mirror`: what is an entry (j, i) for every entry (i, j). Throws as SparsePattern::from_packed() does.
  [[nodiscard]] Matrix matrix(std::uint64_t rows, std::uint64_t cols, Mirror mirror = Mirror::none) &&;

 private:
  void add_value(std::uint64_t row, std::uint64_t col, bool is_zero, Value value);

  /// Counts the entries of the last chunk for the first picture.
  void count_last_chunk();

  bool drops_zeros_;
  ValueUse use_;
  std::shared_ptr<PatternPreview> preview_;
  bool has_preview_ = false;
  bool is_complex_ = false;
  JobContext& context_;
  EntryChunks chunks_;
  std::vector<Booking> bookings_;  // of the chunks
  std::uint64_t count_ = 0;
  std::uint64_t zeros_ = 0;
  ValueSums sums_;
  KeptValues kept_;
};

}  // namespace spyctrum
