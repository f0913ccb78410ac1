// SPDX-License-Identifier: Apache-2.0
// Numbers are read without the locale, and never beyond what an index can hold.
#include "core/io/text_reader.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/io/quote.hpp"

namespace spyctrum {

namespace {
constexpr std::uint64_t kLinesBetweenReports = 1024;
constexpr std::size_t kEntriesOfChunk = std::size_t{1} << 16U;
}  // namespace

std::size_t expected_lines(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  if (head.empty()) return 0;
  const auto lines = static_cast<std::size_t>(std::ranges::count(head, '\n'));
  return head.size() == text.size() ? lines : (lines + lines / 32 + 1) * (text.size() / head.size() + 1);
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
  if (lines_.lines() == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return true;
}

void TextReader::fail(const std::string& what, const std::string& advice) const {
  throw Failure(ErrorCode::bad_input, name_ + ", line " + std::to_string(line()) + ": " + what, advice);
}

std::uint64_t TextReader::whole_number(std::string_view word, std::string_view what, std::uint64_t least,
                                       std::uint64_t most) const {
  std::uint64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, number);
  if (parsed.ec == std::errc{} && parsed.ptr == end && number >= least && number <= most) return number;
  const bool is_number = parsed.ptr == end && !word.empty();
  fail("found " + in_quotes(word) + " as " + std::string(what) + "; expected a whole number from " +
           grouped(least) + " to " + grouped(most) + ".",
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

void EntryList::add(std::uint64_t row, std::uint64_t col, bool is_zero) {
  ++count_;
  zeros_ += is_zero ? 1 : 0;
  if (is_zero && drops_zeros_) return;
  if (chunks_.empty() || chunks_.back().size() >= kEntriesOfChunk) {
    context_.check_stop();
    count_last_chunk();
    bookings_.emplace_back(context_.memory(), kEntriesOfChunk * sizeof(PackedEntry),
                           "list of matrix entries");
    chunks_.emplace_back().reserve(kEntriesOfChunk);
  }
  chunks_.back().push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(col)));
}

void EntryList::add(EntryBlock&& block, PackedEntry first) {
  count_ += block.count;
  zeros_ += block.zeros;
  sums_.add(block.sums);
  if (first != 0)
    for (PackedEntry& entry : block.entries) entry += first;
  for (std::size_t k = 0; k < block.values.size(); ++k) kept_.add(block.entries[k], block.values[k]);
  if (block.entries.empty()) return;
  // large blocks are kept as they are, not copied
  if (block.entries.size() >= kEntriesOfChunk / 2) {
    count_last_chunk();
    bookings_.emplace_back(context_.memory(), block.entries.capacity() * sizeof(PackedEntry),
                           "list of matrix entries");
    chunks_.push_back(std::move(block.entries));
    return;
  }
  const bool fits = !chunks_.empty() && chunks_.back().size() + block.entries.size() <= kEntriesOfChunk;
  if (!fits) {
    count_last_chunk();
    const std::size_t capacity = std::max(kEntriesOfChunk, block.entries.size());
    bookings_.emplace_back(context_.memory(), capacity * sizeof(PackedEntry), "list of matrix entries");
    chunks_.emplace_back().reserve(capacity);
  }
  chunks_.back().insert(chunks_.back().end(), block.entries.begin(), block.entries.end());
}

void EntryList::begin_preview(std::uint64_t rows, std::uint64_t cols, std::uint64_t expected, Mirror mirror) {
  if (preview_ == nullptr || chunks_.size() > 1) return;
  has_preview_ = true;
  preview_grows_ = rows == 0;
  const std::uint64_t least = preview_grows_ ? PatternPreview::kMostCells : 0;
  preview_->begin(std::max(rows, least), std::max(cols, least), expected, mirror != Mirror::none, 1);
}

void EntryList::count_last_chunk() {
  if (!has_preview_ || chunks_.empty()) return;
  if (preview_grows_) {
    Index last = 0;
    for (const PackedEntry entry : chunks_.back()) last = std::max({last, row_of(entry), col_of(entry)});
    preview_->grow(std::uint64_t{last} + 1);
  }
  preview_->add(chunks_.back(), 0);
}

void EntryList::add_value(std::uint64_t row, std::uint64_t col, bool is_zero, Value value) {
  sums_.add(value, row == col);
  if (use_ == ValueUse::keep && !(is_zero && drops_zeros_))
    kept_.add(pack_entry(static_cast<Index>(row), static_cast<Index>(col)), value);
}

void EntryList::count_from_one() {
  kept_.count_from_one();
  for (std::vector<PackedEntry>& chunk : chunks_) {
    context_.check_stop();
    for (PackedEntry& entry : chunk) entry -= pack_entry(1, 1);
  }
}

Matrix EntryList::matrix(std::uint64_t rows, std::uint64_t cols, Mirror mirror) && {
  count_last_chunk();
  bookings_.clear();  // sorting books for itself
  return std::move(*this).matrix_of(mirror, [&](std::int64_t* duplicates) {
    return SparsePattern::from_packed(rows, cols, std::move(chunks_), context_, duplicates);
  });
}

Matrix EntryList::matrix_of(Mirror mirror,
                            const std::function<SparsePattern(std::int64_t* duplicates)>& make) && {
  context_.begin_stage("sort");
  Matrix matrix;
  matrix.report.symmetry = to_string(mirror);
  matrix.report.entries_in_file = static_cast<std::int64_t>(count_);
  matrix.report.explicit_zeros = static_cast<std::int64_t>(zeros_);
  matrix.report.zeros_dropped = drops_zeros_ && zeros_ != 0;
  SparsePattern pattern = make(&matrix.report.duplicates);
  if (mirror != Mirror::none) pattern = pattern.symmetrised(&context_);
  matrix.pattern = std::make_shared<const SparsePattern>(std::move(pattern));
  if (!sums_.empty()) {
    matrix.report.values = sums_.statistics(mirror, is_complex_);
    if (use_ == ValueUse::keep) std::move(kept_).finish(matrix, mirror, is_complex_);
  }
  return matrix;
}

}  // namespace spyctrum
