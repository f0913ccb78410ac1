// SPDX-License-Identifier: Apache-2.0
// Both sorts are stable: entries at one position stay in the order of the list, in which their values are
// added.
#include "core/io/entry_arrays.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>

namespace spyctrum {

namespace {

using Range = SortedEntries::Range;

constexpr std::size_t kRange = std::size_t{1} << 16U;  // entries between two checks for a stop
constexpr std::size_t kRangesOfTask = 8;
constexpr std::size_t kCopied = 1024;  // entries that are copied at once

bool is_single_number(double x) { return static_cast<double>(to_single(x)) == x || std::isnan(x); }
bool is_below_normal(double x) { return x != 0 && std::abs(x) < std::numeric_limits<float>::min(); }

EntryArray::Layout layout_of(const EntrySurvey& survey) {
  return EntryArray::Layout::of(survey.largest_row, col_of(survey.largest));
}

/// Whether single precision represents all of these numbers. If `is_usual`, it has numbers as large.
bool are_single_numbers(std::span<const double> numbers, bool is_usual) {
  constexpr std::size_t kAtOnce = 64;
  while (is_usual && !numbers.empty()) {
    const std::span<const double> now = numbers.first(std::min(numbers.size(), kAtOnce));
    unsigned inexact = 0;
    for (const double x : now) inexact |= static_cast<double>(static_cast<float>(x)) != x ? 1U : 0U;
    if (inexact != 0) break;  // perhaps only NaN, which differs from itself
    numbers = numbers.subspan(now.size());
  }
  return std::ranges::all_of(numbers, is_single_number);
}

// The arrays in ranges of at most kRange entries.
std::vector<Range> ranges_of(const std::vector<EntryArray>& arrays) {
  std::vector<Range> ranges;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    for (std::size_t begin = 0; begin < arrays[a].size(); begin += kRange)
      ranges.push_back({a, begin, std::min(kRange, arrays[a].size() - begin)});
  }
  return ranges;
}

// Successive ranges in groups of about `entries` entries: the index of each group's first range, and the
// number of ranges.
std::vector<std::size_t> groups_of(std::span<const Range> ranges, std::size_t entries) {
  std::vector<std::size_t> firsts;
  std::size_t size = entries;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    if (size + ranges[r].size > entries) {
      firsts.push_back(r);
      size = 0;
    }
    size += ranges[r].size;
  }
  firsts.push_back(ranges.size());
  return firsts;
}

// Calls work(task, range) for all ranges, in tasks of successive ones of about kSortPiece entries together.
void for_ranges(JobContext& context, std::span<const Range> ranges,
                const std::function<void(std::size_t task, std::size_t range)>& work) {
  const std::vector<std::size_t> firsts = groups_of(ranges, kSortPiece);
  for_blocks(&context, firsts.size() - 1, 1, [&](std::size_t task, std::size_t /*end*/) {
    for (std::size_t r = firsts[task]; r < firsts[task + 1]; ++r) {
      context.check_stop();
      work(task, r);
    }
  });
}

EntrySurvey survey_all(const std::vector<EntryArray>& arrays, const std::vector<Range>& ranges,
                       JobContext& context, SortProgress& progress) {
  std::vector<EntrySurvey> surveys(ranges.size());
  for_ranges(context, ranges, [&](std::size_t /*task*/, std::size_t r) {
    const EntryArray& array = arrays[ranges[r].array];
    const EntrySurvey* const known = array.survey();
    if (known != nullptr && ranges[r].begin == 0) surveys[r] = *known;
    std::array<PackedEntry, kCopied> entries;
    for (std::size_t t = 0; known == nullptr && t < ranges[r].size; t += kCopied) {
      const auto now = std::span(entries).first(std::min(kCopied, ranges[r].size - t));
      array.copy_entries(ranges[r].begin + t, now);
      surveys[r].add(EntrySurvey::of(now));
    }
    progress.add(ranges[r].size);
  });
  EntrySurvey all;
  for (const EntrySurvey& survey : surveys) all.add(survey);
  return all;
}

// Moves the entries to their buckets in one array, each bucket in the order of the list, and frees each array
// of the list once it is empty. Returns the buckets.
std::vector<Range> partition(std::vector<EntryArray>& arrays, const std::vector<Range>& ranges,
                             const EntryBuckets& buckets, EntryArray& to, JobContext& context,
                             SortProgress& progress) {
  const std::size_t tasks = groups_of(ranges, kSortPiece).size() - 1;
  // For each task and bucket the number of entries; later the index at which the next one is written.
  std::vector<std::size_t> next(tasks * buckets.count(), 0);
  for_ranges(context, ranges, [&](std::size_t task, std::size_t r) {
    std::size_t* const own = next.data() + task * buckets.count();
    const EntryArray& array = arrays[ranges[r].array];
    for (std::size_t t = ranges[r].begin; t < ranges[r].begin + ranges[r].size; ++t)
      ++own[buckets.bucket(to.word_of(array[t]))];
    progress.add(ranges[r].size);
  });
  std::vector<Range> made(buckets.count());
  std::size_t sum = 0;
  for (std::size_t b = 0; b < buckets.count(); ++b) {
    made[b].begin = sum;
    for (std::size_t task = 0; task < tasks; ++task)
      sum += std::exchange(next[task * buckets.count() + b], sum);
    made[b].size = sum - made[b].begin;
  }
  std::vector<std::atomic<std::size_t>> left(arrays.size());  // entries that have not moved
  for (std::size_t a = 0; a < arrays.size(); ++a) left[a] = arrays[a].size();
  const unsigned numbers = to.layout().numbers;
  for_ranges(context, ranges, [&](std::size_t task, std::size_t r) {
    const Range& range = ranges[r];
    std::size_t* const own = next.data() + task * buckets.count();
    EntryArray& array = arrays[range.array];
    for (std::size_t t = range.begin; t < range.begin + range.size; ++t) {
      const PackedEntry word = to.word_of(array[t]);
      const std::size_t place = own[buckets.bucket(word)]++;
      to.set_word(place, word);
      for (unsigned part = 0; part < numbers; ++part) to.set_number(place, part, array.number(t, part));
    }
    progress.add(range.size);
    if (left[range.array].fetch_sub(range.size) == range.size)
      array = {};
    else
      array.release(range.begin, range.begin + range.size);
  });
  return made;
}

template <unsigned numbers>
struct Record {
  PackedEntry word = 0;
  std::array<double, numbers> value{};
};
template <>
struct Record<0> {
  PackedEntry word = 0;
};

// Sorts each bucket and, unless `keeps_repeated`, moves its distinct entries to its front. Returns the number
// of repeated ones.
template <unsigned numbers>
std::int64_t sort_buckets(EntryArray& array, std::vector<Range>& buckets, bool keeps_repeated,
                          JobContext& context, SortProgress& progress) {
  using Entry = Record<numbers>;
  std::atomic<std::int64_t> repeated{0};
  for_blocks(&context, buckets.size(), kRangesOfTask, [&](std::size_t first, std::size_t last) {
    std::vector<Entry> entries;
    std::vector<Entry> scratch;
    for (Range& bucket : std::span(buckets).subspan(first, last - first)) {
      progress.add(bucket.size);
      Booking booking;
      if (bucket.size > kSortPiece)
        booking = Booking(context.memory(), 2 * bucket.size * sizeof(Entry), "sorting of the matrix entries");
      entries.resize(bucket.size);
      bool ascends = true;
      for (std::size_t k = 0; k < bucket.size; ++k) {
        entries[k].word = array.word(bucket.begin + k);
        if constexpr (numbers > 0)
          for (unsigned part = 0; part < numbers; ++part)
            entries[k].value[part] = array.number(bucket.begin + k, part);
        ascends = ascends && (k == 0 || entries[k - 1].word <= entries[k].word);
      }
      if (!ascends && bucket.size < kComparisonSortBelow)
        std::ranges::stable_sort(entries, {}, &Entry::word);
      else if (!ascends)
        radix_sort(entries.data(), entries.size(), scratch, &context,
                   [](const Entry& entry) { return entry.word; });
      std::size_t distinct = 0;
      std::size_t size = 0;
      for (const Entry& entry : entries) {
        const bool is_repeated = size != 0 && entries[size - 1].word == entry.word;
        distinct += is_repeated ? 0 : 1;
        if (!is_repeated || keeps_repeated) {
          entries[size++] = entry;
          continue;
        }
        if constexpr (numbers > 0)
          for (unsigned part = 0; part < numbers; ++part) entries[size - 1].value[part] += entry.value[part];
      }
      repeated += static_cast<std::int64_t>(bucket.size - distinct);
      bucket.size = size;
      for (std::size_t k = 0; k < size; ++k) {
        array.set_word(bucket.begin + k, entries[k].word);
        if constexpr (numbers > 0)
          for (unsigned part = 0; part < numbers; ++part)
            array.set_number(bucket.begin + k, part, entries[k].value[part]);
      }
    }
  });
  return repeated;
}

}  // namespace

EntryArray::Layout EntryArray::Layout::of(Index largest_row, Index largest_col) {
  Layout layout;
  layout.row_bits = static_cast<unsigned>(std::bit_width(largest_row));
  const unsigned bits = layout.row_bits + static_cast<unsigned>(std::bit_width(largest_col));
  layout.bytes = std::max(1U, (bits + 7) / 8);
  return layout;
}

void EntryArray::Unmap::operator()(char* pages) const noexcept { munmap(pages, bytes); }

void EntryArray::allocate(std::size_t size, const Layout& layout) {
  layout_ = layout;
  size_ = size;
  row_mask_ = (PackedEntry{1} << layout.row_bits) - 1;
  const std::size_t total = std::max<std::size_t>(1, bytes());
  void* const pages = mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  pages_ = {static_cast<char*>(pages), Unmap{total}};
  if (layout.is_single)
    singles_ = static_cast<float*>(pages);
  else
    doubles_ = static_cast<double*>(pages);
  positions_ = pages_.get() + (bytes() - size * layout.bytes);
}

EntryArray::EntryArray(std::size_t size, const Layout& layout) { allocate(size, layout); }

EntryArray::EntryArray(std::vector<PackedEntry> entries) : size_(entries.size()), given_(std::move(entries)) {
  positions_ = reinterpret_cast<char*>(given_.data());
}

EntryArray::EntryArray(std::span<const PackedEntry> entries, std::span<const std::complex<double>> values,
                       bool rounds) {
  survey_ = EntrySurvey::of(entries);
  Layout layout = layout_of(*survey_);
  layout.numbers = values.empty() ? 0 : 1;
  layout.is_single = !values.empty();
  for (const std::complex<double>& value : values) {
    if (value.imag() != 0) layout.numbers = 2;
    layout.is_single = layout.is_single && is_single_number(value.real()) && is_single_number(value.imag());
    layout.is_small = layout.is_small || is_below_normal(value.real()) || is_below_normal(value.imag());
  }
  layout.is_rounded = rounds && !layout.is_single && !layout.is_small && !values.empty();
  layout.is_single = layout.is_single || layout.is_rounded;
  allocate(entries.size(), layout);
  set_entries(entries);
  for (std::size_t k = 0; k < values.size(); ++k) {
    set_number(k, 0, values[k].real());
    if (layout.numbers == 2) set_number(k, 1, values[k].imag());
  }
}

EntryArray::EntryArray(std::span<const PackedEntry> entries, std::span<const double> values, bool rounds) {
  survey_ = EntrySurvey::of(entries);
  Layout layout = layout_of(*survey_);
  layout.numbers = values.empty() ? 0 : 1;
  const auto [least, largest] = magnitudes(values);
  // Then a cast rounds as to_single() does.
  const bool is_usual = largest <= std::numeric_limits<float>::max();
  layout.is_small = least < std::numeric_limits<float>::min() && std::ranges::any_of(values, is_below_normal);
  layout.is_single = !values.empty() && are_single_numbers(values, is_usual);
  layout.is_rounded = rounds && !layout.is_single && !layout.is_small && !values.empty();
  layout.is_single = layout.is_single || layout.is_rounded;
  allocate(entries.size(), layout);
  set_entries(entries);
  if (!layout.is_single)
    std::ranges::copy(values, doubles_);
  else if (is_usual)
    std::ranges::transform(values, singles_, [](double x) { return static_cast<float>(x); });
  else
    std::ranges::transform(values, singles_, to_single);
}

void EntryArray::set_entries(std::span<const PackedEntry> entries) {
  // Eight bytes are written for each entry, of which the next one overwrites those that it does not have.
  const std::size_t last = size_ - std::min(size_, sizeof(PackedEntry));
  for (std::size_t k = 0; k < last; ++k) {
    const PackedEntry word = word_of(entries[k]);
    std::memcpy(positions_ + k * layout_.bytes, &word, sizeof word);
  }
  for (std::size_t k = last; k < size_; ++k) set_word(k, word_of(entries[k]));
}

void EntryArray::copy_entries(std::size_t first, std::span<PackedEntry> to) const {
  const PackedEntry mask = ~PackedEntry{0} >> (64 - 8 * layout_.bytes);
  const std::size_t last = size_ - std::min(size_, sizeof(PackedEntry));
  const std::size_t wide = std::min(to.size(), std::max(last, first) - first);
  for (std::size_t k = 0; k < wide; ++k) {
    PackedEntry word = 0;
    std::memcpy(&word, positions_ + (first + k) * layout_.bytes, sizeof word);
    word &= mask;
    to[k] = pack_entry(static_cast<Index>(word & row_mask_), static_cast<Index>(word >> layout_.row_bits));
  }
  for (std::size_t k = wide; k < to.size(); ++k) to[k] = (*this)[first + k];
}

void EntryArray::copy_numbers(std::size_t first, unsigned part, std::span<double> to) const {
  if (layout_.numbers != 1 || part != 0)
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = number(first + k, part);
  else if (layout_.is_single)
    std::copy_n(singles_ + first, to.size(), to.data());
  else
    std::copy_n(doubles_ + first, to.size(), to.data());
}

void EntryArray::count_from_zero() {
  survey_.reset();
  const PackedEntry one = word_of(pack_entry(1, 1));
  for (std::size_t k = 0; k < size_; ++k) set_word(k, word(k) - one);
}

void EntryArray::release(std::size_t begin, std::size_t end) {
  const std::size_t width = layout_.numbers * (layout_.is_single ? sizeof(float) : sizeof(double));
  release_memory(pages_.get() + begin * width, (end - begin) * width);
  release_memory(positions_ + begin * layout_.bytes, (end - begin) * layout_.bytes);
}

std::size_t SortedEntries::size() const {
  return std::accumulate(ranges.begin(), ranges.end(), std::size_t{0},
                         [](std::size_t sum, const Range& range) { return sum + range.size; });
}

void SortedEntries::consume(JobContext& context, const std::function<void(std::span<const Range>)>& use) {
  const std::size_t entries = (std::size_t{1} << 17U) * context.pool().threads();
  const std::vector<std::size_t> groups = groups_of(ranges, entries);
  for (std::size_t group = 0; group + 1 < groups.size(); ++group) {
    const auto now = std::span<const Range>(ranges).subspan(groups[group], groups[group + 1] - groups[group]);
    use(now);
    for (std::size_t r = 0, first = 0; r < now.size(); ++r) {
      if (r + 1 < now.size() && now[r + 1].array == now[r].array) continue;
      EntryArray& array = arrays[now[r].array];
      const std::size_t end = now[r].begin + now[r].size;
      if (end == array.size())
        array = {};
      else
        array.release(now[first].begin, end);
      first = r + 1;
    }
  }
  arrays.clear();
  booking = {};
}

SortedEntries sort_entries(std::vector<EntryArray> arrays, JobContext& context, SortProgress& progress,
                           bool keeps_repeated, bool rounds) {
  SortedEntries sorted;
  EntryArray::Layout values;
  values.is_single = true;
  std::size_t total = 0;
  std::size_t bytes = 0;
  for (const EntryArray& array : arrays) {
    total += array.size();
    bytes += array.bytes();
    values.numbers = std::max(values.numbers, array.layout().numbers);
    values.is_small = values.is_small || array.layout().is_small;
    values.is_single = values.is_single && (array.layout().is_single || (rounds && !array.layout().is_small));
  }
  if (total == 0) return sorted;
  sorted.booking = Booking(context.memory(), bytes, "sorting of the matrix entries");
  sorted.ranges = ranges_of(arrays);
  const EntrySurvey survey = survey_all(arrays, sorted.ranges, context, progress);
  if (survey.ascending) {
    progress.leave_out(total);
    sorted.arrays = std::move(arrays);
    return sorted;
  }
  EntryArray::Layout layout = EntryArray::Layout::of(survey.largest_row, col_of(survey.largest));
  layout.numbers = values.numbers;
  layout.is_single = values.is_single && values.numbers != 0;
  layout.is_small = values.is_small;
  EntryArray to(total, layout);
  const EntryBuckets buckets(to.word_of(survey.smallest), to.word_of(survey.largest), total);
  sorted.ranges = partition(arrays, sorted.ranges, buckets, to, context, progress);
  const auto sort = layout.numbers == 0   ? sort_buckets<0>
                    : layout.numbers == 1 ? sort_buckets<1>
                                          : sort_buckets<2>;
  sorted.repeated = sort(to, sorted.ranges, keeps_repeated, context, progress);
  sorted.arrays.push_back(std::move(to));
  return sorted;
}

}  // namespace spyctrum
