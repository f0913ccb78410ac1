// SPDX-License-Identifier: Apache-2.0
// Numbers are parsed independently of the locale. No index is accepted that 32 bits do not hold.
#include "core/io/text_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/base/text.hpp"
#include "core/io/quote.hpp"
#include "core/io/single_values.hpp"
#include "core/io/unpack.hpp"

namespace spyctrum {

namespace {
constexpr std::uint64_t kLinesBetweenReports = 1024;
}  // namespace

std::size_t expected_lines(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  if (head.empty()) return 0;
  const auto lines = static_cast<std::size_t>(std::ranges::count(head, '\n'));
  return head.size() == text.size() ? lines : (lines + lines / 32 + 1) * (text.size() / head.size() + 1);
}

std::size_t end_of_quotes(std::string_view text) {
  if (!text.starts_with('"') && !text.starts_with('\'')) return 0;
  std::size_t end = text.find(text.front(), 1);
  while (end != std::string_view::npos && text.substr(end + 1).starts_with(text.front()))
    end = text.find(text.front(), end + 2);  // a doubled quotation mark belongs to the text
  return end == std::string_view::npos ? 0 : end + 1;
}

std::string_view unquoted(std::string_view word) {
  const bool is_quoted =
      word.size() >= 2 && word.front() == word.back() && (word.front() == '"' || word.front() == '\'');
  return is_quoted ? word.substr(1, word.size() - 2) : word;
}

namespace {

/// The length of the complex number (1, 2) at the beginning of `text`; 0 if there is none.
std::size_t end_of_pair(std::string_view text) {
  constexpr std::size_t kLongest = 256;  // or lines of many parentheses take time that grows as their square
  const std::size_t size = text.substr(0, kLongest).find(')') + 1;
  return complex_number(text.substr(0, size)) ? size : 0;
}

/// Where the column ends whose first word ends at `end`, followed by a blank: behind a complex number with
/// blanks around the sign of its imaginary part, 1.0 + 2.0im (npos at the end of the text); else at `end`.
std::size_t end_of_sum(std::string_view text, std::size_t end) {
  const std::size_t sign = text.find_first_not_of(kBlanks, end);
  if (sign == std::string_view::npos || (text[sign] != '+' && text[sign] != '-')) return end;
  const std::size_t imaginary = text.find_first_not_of(kBlanks, sign + 1);
  if (imaginary == std::string_view::npos || imaginary == sign + 1) return end;
  const std::size_t end_of_imaginary = text.find_first_of(kBlanks, imaginary);
  return complex_number(text.substr(0, end_of_imaginary)) ? end_of_imaginary : end;
}

}  // namespace

bool ColumnCursor::next(std::string_view& column) {
  if (is_at_end_) return false;
  const std::size_t begin =
      std::min(rest_.find_first_not_of(delimiter_ == '\t' ? " " : kBlanks), rest_.size());
  const bool is_blank = delimiter_ == ' ';
  const std::string_view delimiter = delimiter_ == kColon ? "::" : std::string_view(&delimiter_, 1);
  is_at_end_ = is_blank && begin == rest_.size();
  if (is_at_end_) return false;
  rest_.remove_prefix(begin);
  const std::size_t whole = rest_.starts_with('(') ? end_of_pair(rest_) : end_of_quotes(rest_);
  std::size_t end = is_blank ? rest_.find_first_of(kBlanks, whole) : rest_.find(delimiter, whole);
  if (is_blank && end != std::string_view::npos) end = end_of_sum(rest_, end);
  column = rest_.substr(0, end);
  is_at_end_ = end == std::string_view::npos;
  rest_.remove_prefix(is_at_end_ ? rest_.size() : end + delimiter.size());
  column = unquoted(column.substr(0, column.find_last_not_of(kBlanks) + 1));
  return true;
}

std::vector<std::string_view> words_of(std::string_view line, std::string_view separators) {
  std::vector<std::string_view> words;
  WordCursor cursor(line, separators);
  for (std::string_view word; cursor.next(word);) words.push_back(word);
  return words;
}

bool WordCursor::next(std::string_view& word) {
  const std::size_t begin = rest_.find_first_not_of(separators_);
  if (begin == std::string_view::npos) return false;
  rest_.remove_prefix(begin);
  word = rest_.substr(0, rest_.find_first_of(separators_));
  rest_.remove_prefix(word.size());
  return true;
}

bool TextReader::next(std::string_view& line) {
  if (in_blocks_) {
    const std::size_t end = block_.find('\n');
    line = block_.substr(0, end);
    if (block_.empty()) return false;
    block_.remove_prefix(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (++block_lines_ % kLinesBetweenReports == 0) context_.check_stop();
    return true;
  }
  if (lines_.lines() % kLinesBetweenReports == 0) context_.checkpoint(source_.consumed(), source_.total());
  if (!lines_.next_line(line)) {
    line = {};
    return false;
  }
  if (lines_.lines() != 1) return true;
  line = without_byte_order_mark(line);
  if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))
    fail("this is " + describe_content(line) + ".", "Text is read in UTF-8 or ASCII.");
  if (const std::size_t last = line.find_last_not_of('\r');
      last != std::string_view::npos && line.find('\r') < last)
    fail("the lines end with CR alone, a carriage return; expected LF or CR LF.",
         "Convert the line ends, for example with: tr '\\r' '\\n' < OLD > NEW");
  return true;
}

void TextReader::fail(const std::string& what, const std::string& advice,
                      const decltype(Error::setting)& setting) const {
  throw Failure(Error{ErrorCode::bad_input, name_ + ", line " + std::to_string(line()) + ": " + what, advice,
                      0, setting});
}

std::uint64_t TextReader::whole_number(std::string_view word, std::string_view what, std::uint64_t least,
                                       std::uint64_t most) const {
  std::uint64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, number);
  if (parsed.ec == std::errc{} && parsed.ptr == end && number >= least && number <= most) return number;
  const bool is_number = parsed.ptr == end && !word.empty();
  fail("found " + in_quotes(word) + " as " + std::string(what) + "; expected " +
           (least == most ? "" : "a whole number from ") + range_text(least, most) + ".",
       is_number ? "Correct the number, or those at the beginning of the file that it contradicts."
                 : "Correct the line.");
}

TextReader::Number TextReader::number(std::string_view word, std::string_view what) const {
  const ValueKind kind = classify_real(word);
  if (kind == ValueKind::malformed)
    fail("found " + in_quotes(word) + " as " + std::string(what) + "; expected a number.",
         "Correct the line.");
  return {kind == ValueKind::zero, classify_integer(word) != ValueKind::malformed};
}

std::uint64_t TextReader::most_words() const {
  return source_.total() == 0 || !source_.compression().empty() ? 0 : source_.total() / 2 + 1;
}

PreviewFeed::PreviewFeed(const LoadOptions& options, std::uint64_t rows, std::uint64_t cols,
                         std::uint64_t expected, Mirror mirror)
    : preview_(options.preview) {
  if (preview_ != nullptr) preview_->begin(rows, cols, expected, mirror != Mirror::none, 1);
}

void PreviewFeed::flush() {
  if (preview_ != nullptr) preview_->add(entries_, 0);
  entries_.clear();
}

void EntryList::show(std::span<const PackedEntry> entries) {
  context_.check_stop();
  if (has_preview_ && !entries.empty()) {
    if (preview_grows_) {
      Index last = 0;
      for (const PackedEntry entry : entries) last = std::max({last, row_of(entry), col_of(entry)});
      preview_->grow(std::uint64_t{last} + 1);
    }
    preview_->add(entries, 0);
  }
}

void EntryList::take(EntryArray array) {
  if (array.size() == 0) return;
  bookings_.emplace_back(context_.memory(), array.bytes(), "list of matrix entries");
  arrays_.push_back(std::move(array));
}

template <class Number>
void EntryList::take(std::span<const PackedEntry> entries, std::span<const Number> values) {
  EntryArray array(entries, values, count_ > options_.exact_entries);
  is_rounded_ = is_rounded_ || array.layout().is_rounded;
  take(std::move(array));
}

void EntryList::flush() {
  show(last_);
  // A list of one array is not worth a copy in fewer bytes.
  const bool is_short = last_.size() < kEntriesOfArray && last_values_.empty();
  if (is_short)
    take(EntryArray(std::move(last_)));
  else
    take<Value>(last_, last_values_);
  last_.clear();
  last_values_.clear();
}

void EntryList::add(EntryBlock&& block) {
  count_ += block.count;
  zeros_ += block.zeros;
  sums_.add(block.sums);
  // Small blocks are gathered in an array of usual size.
  if (block.entries.size() < kEntriesOfArray / 4) {
    last_.insert(last_.end(), block.entries.begin(), block.entries.end());
    last_values_.insert(last_values_.end(), block.values.begin(), block.values.end());
    last_values_.insert(last_values_.end(), block.reals.begin(), block.reals.end());
    if (last_.size() >= kEntriesOfArray) flush();
    return;
  }
  flush();
  show(block.entries);
  if (!block.values.empty())
    take<Value>(block.entries, block.values);
  else if (!block.reals.empty())
    take<double>(block.entries, block.reals);
  else if (count_ <= kMostGiven)
    take(EntryArray(std::move(block.entries)));
  else
    take_in_few_bytes(block.entries);
}

void EntryList::take_in_few_bytes(std::span<const PackedEntry> entries) {
  const bool is_first = !arrays_.empty() && arrays_.front().is_given();
  for (std::size_t a = 0; is_first && a < arrays_.size(); ++a) {
    context_.check_stop();
    if (!arrays_[a].is_given()) continue;
    const std::vector<PackedEntry> given = std::move(arrays_[a]).take();
    arrays_[a] = EntryArray(given, std::span<const double>());
    bookings_[a] = Booking(context_.memory(), arrays_[a].bytes(), "list of matrix entries");
    release_memory(given.data(), given.size() * sizeof(PackedEntry));
  }
  take<double>(entries, {});
}

void EntryList::begin_preview(std::uint64_t rows, std::uint64_t cols, std::uint64_t expected, Mirror mirror) {
  if (preview_ == nullptr || !arrays_.empty()) return;
  has_preview_ = true;
  preview_grows_ = rows == 0;
  const std::uint64_t least = preview_grows_ ? PatternPreview::kMostCells : 0;
  preview_->begin(std::max(rows, least), std::max(cols, least), expected, mirror != Mirror::none, 1);
}

void EntryList::count_from_one() {
  flush();
  for_blocks(&context_, arrays_.size(), 1,
             [&](std::size_t array, std::size_t /*end*/) { arrays_[array].count_from_zero(); });
}

template <class Renamed>
void EntryList::rebuild(const Renamed& renamed) {
  flush();
  const bool keeps = options_.values == ValueUse::keep;
  for_blocks(&context_, arrays_.size(), 1, [&](std::size_t a, std::size_t /*end*/) {
    const EntryArray& array = arrays_[a];
    std::vector<PackedEntry> entries(array.size());
    std::vector<Value> values(keeps ? array.size() : 0);
    for (std::size_t k = 0; k < entries.size(); ++k) entries[k] = renamed(array[k]);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = {array.number(k, 0), array.number(k, 1)};
    arrays_[a] = EntryArray(entries, values);
  });
}

void EntryList::renumber(std::span<const Index> numbers) {
  rebuild([&](PackedEntry entry) { return pack_entry(numbers[row_of(entry)], numbers[col_of(entry)]); });
}

void EntryList::leave_values_out() {
  options_.values = ValueUse::none;
  is_rounded_ = false;
  zeros_ = 0;
  sums_ = {};
  rebuild([](PackedEntry entry) { return entry; });
}

Matrix EntryList::report(Mirror mirror) const {
  Matrix matrix;
  matrix.report.symmetry = to_string(mirror);
  matrix.report.entries_in_file = static_cast<std::int64_t>(count_);
  matrix.report.explicit_zeros = static_cast<std::int64_t>(zeros_);
  matrix.report.zeros_dropped = options_.drop_zeros && zeros_ != 0;
  if (!sums_.empty()) matrix.report.values = sums_.statistics(mirror, is_complex_);
  return matrix;
}

namespace {

/// The arrays of a matrix, made of sorted entries: compressed columns, or a list of positions where there
/// are many more columns than entries; and the values in single precision.
class MatrixArrays {
 public:
  /// `numbers`: of a value; 0: values are not kept.
  MatrixArrays(std::uint64_t cols, unsigned numbers, std::size_t count, JobContext& context)
      : is_compressed_(cols <= 4 * count + 4096),
        values_(numbers, count, context),
        booking_(context.memory(),
                 is_compressed_ ? count * sizeof(Index) + cols * sizeof(std::uint64_t)
                                : count * sizeof(PackedEntry),
                 "pattern of the matrix"),
        context_(context) {
    if (is_compressed_) rows_.reserve(count);
  }

  void take(const SortedEntries& sorted, std::span<const SortedEntries::Range> ranges) {
    std::vector<std::size_t> starts{count_};
    for (const SortedEntries::Range& range : ranges) starts.push_back(starts.back() + range.size);
    if (is_compressed_)
      rows_.resize(starts.back());
    else
      chunks_.emplace_back(starts.back() - count_);
    std::vector<ColumnEnds> columns(ranges.size());
    for_blocks(&context_, ranges.size(), 1, [&](std::size_t r, std::size_t /*end*/) {
      values_.make_room(starts[r + 1]);
      const EntryArray& array = sorted.arrays[ranges[r].array];
      constexpr std::size_t kAtOnce = 1024;
      std::array<PackedEntry, kAtOnce> some_entries;
      std::array<double, kAtOnce> some_numbers;
      for (std::size_t k = 0; k < ranges[r].size; k += kAtOnce) {
        const std::size_t now = std::min(kAtOnce, ranges[r].size - k);
        const std::span<PackedEntry> entries = std::span(some_entries).first(now);
        array.copy_entries(ranges[r].begin + k, entries);
        if (is_compressed_)
          add_rows(entries, starts[r] + k, columns[r]);
        else
          std::ranges::copy(entries, chunks_.back().data() + (starts[r] - count_ + k));
        const std::span<double> numbers = std::span(some_numbers).first(now);
        for (unsigned part = 0; part < values_.numbers(); ++part) {
          array.copy_numbers(ranges[r].begin + k, part, numbers);
          values_.set(starts[r] + k, part, numbers);
        }
      }
    });
    for (const auto& own : columns)
      for (const auto& [column, end] : own) {
        ends_.resize(std::max<std::size_t>(ends_.size(), column), ends_.empty() ? 0 : ends_.back());
        ends_.resize(std::size_t{column} + 1);
        ends_.back() = end;
      }
    count_ = starts.back();
  }

  [[nodiscard]] SparsePattern pattern(std::uint64_t rows, std::uint64_t cols) {
    booking_ = {};  // booked as the pattern
    if (!is_compressed_) return SparsePattern::from_packed(rows, cols, std::move(chunks_), context_);
    return SparsePattern::from_lines(rows, cols, false, ends_, std::move(rows_), context_);
  }
  void finish(Matrix& matrix) && { std::move(values_).finish(matrix); }

 private:
  using ColumnEnds = std::vector<std::pair<Index, std::uint64_t>>;  // id of a column, and its end

  /// Sets the rows of sorted entries, which are those from `first` on, and adds to the columns.
  void add_rows(std::span<const PackedEntry> entries, std::size_t first, ColumnEnds& columns) {
    Index* const row = rows_.data() + first;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      row[k] = row_of(entries[k]);
      const Index col = col_of(entries[k]);
      if (k != 0 && col == col_of(entries[k - 1])) continue;
      if (!columns.empty()) columns.back().second = first + k;
      if (columns.empty() || columns.back().first != col) columns.emplace_back(col, 0);
    }
    columns.back().second = first + entries.size();
  }

  bool is_compressed_;
  SingleValues values_;
  Booking booking_;
  JobContext& context_;
  std::size_t count_ = 0;
  IndexList rows_;  // of compressed columns
  std::vector<std::uint64_t> ends_;
  EntryChunks chunks_;
};

}  // namespace

std::vector<EntryArray> EntryList::mirrored_entries(const SortedEntries& sorted, Mirror mirror) const {
  std::vector<EntryArray> arrays(sorted.ranges.size());
  for_blocks(&context_, arrays.size(), 1, [&](std::size_t r, std::size_t /*end*/) {
    const SortedEntries::Range& range = sorted.ranges[r];
    const EntryArray& array = sorted.arrays[range.array];
    std::vector<PackedEntry> entries;
    std::vector<Value> values;
    for (std::size_t k = range.begin; k < range.begin + range.size; ++k) {
      const Index row = row_of(array[k]), col = col_of(array[k]);
      if (row == col) continue;
      entries.push_back(pack_entry(col, row));
      if (array.layout().numbers != 0)
        values.push_back(mirrored({array.number(k, 0), array.number(k, 1)}, mirror));
    }
    arrays[r] = EntryArray(entries, values);
  });
  return arrays;
}

Matrix EntryList::matrix(std::uint64_t rows, std::uint64_t cols, Mirror mirror) && {
  flush();
  context_.begin_stage("sort");
  bookings_.clear();  // sort_entries() books its arrays itself
  Matrix matrix = report(mirror);
  const bool keeps = options_.values == ValueUse::keep && matrix.report.values.has_value();
  // Without values positions need not be copied.
  if (!keeps && mirror == Mirror::none && std::ranges::all_of(arrays_, &EntryArray::is_given)) {
    EntryChunks chunks;
    for (EntryArray& array : arrays_) chunks.push_back(std::move(array).take());
    matrix.pattern = std::make_shared<const SparsePattern>(
        SparsePattern::from_packed(rows, cols, std::move(chunks), context_, &matrix.report.duplicates));
    return matrix;
  }
  std::uint64_t stored = 0;
  for (const EntryArray& array : arrays_) stored += array.size();
  // Mirrored entries, at most as many as the stored ones, are sorted together with these once more.
  const std::uint64_t again = mirror != Mirror::none ? 2 * stored : 0;
  SortProgress progress(&context_, stored + again);
  // Stored values at a position are added before mirrored ones, both in the order of the file.
  SortedEntries sorted =
      sort_entries(std::move(arrays_), context_, progress, mirror != Mirror::none, is_rounded_);
  if (is_rounded_ && sorted.repeated != 0) throw RoundedTooEarly();
  matrix.report.duplicates = sorted.repeated;
  if (mirror != Mirror::none) {
    std::vector<EntryArray> others = mirrored_entries(sorted, mirror);
    std::ranges::move(others, std::back_inserter(sorted.arrays));
    sorted.booking = {};  // the second sort_entries() books all arrays
    std::uint64_t all = 0;
    for (const EntryArray& array : sorted.arrays) all += array.size();
    progress.expect_fewer(again - all);
    sorted = sort_entries(std::move(sorted.arrays), context_, progress, false, is_rounded_);
    if (is_rounded_ && sorted.repeated != 0) throw RoundedTooEarly();
  }
  MatrixArrays arrays(cols, keeps ? (is_complex_ ? 2 : 1) : 0, sorted.size(), context_);
  sorted.consume(context_, [&](std::span<const SortedEntries::Range> group) { arrays.take(sorted, group); });
  matrix.pattern = std::make_shared<const SparsePattern>(arrays.pattern(rows, cols));
  std::move(arrays).finish(matrix);
  return matrix;
}

void report_dense(Matrix& matrix, std::uint64_t count, const std::string& kind, const std::string& noun) {
  const auto entries = static_cast<std::uint64_t>(matrix.pattern->nonzeros());
  matrix.report.entries_in_file = static_cast<std::int64_t>(count);
  matrix.report.notes.push_back(kind + ": of " + counted(count, noun, noun + "s") + ", " + grouped(entries) +
                                " are not zero and are entries.");
}

}  // namespace spyctrum
