// SPDX-License-Identifier: Apache-2.0
// The parts of a parallel radix sort of entries, for patterns (packed_entries.cpp) and for entries with their
// values (core/io/entry_arrays.cpp): a survey of the list, buckets chosen by the leading bits of a key, and
// the sort of one bucket, least significant digit first, 11 bits at a time (D. E. Knuth, The Art of Computer
// Programming, vol. 3, 5.2.5).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/index.hpp"

namespace spyctrum {

inline constexpr std::size_t kSortPiece = std::size_t{1} << 19U;  ///< entries of one task: a few ms
inline constexpr std::size_t kComparisonSortBelow = 1024;         ///< radix_sort() is faster from here on

/// The properties of a list of entries (column << 32) | row by which buckets are chosen.
struct EntrySurvey {
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t largest = 0;
  Index largest_row = 0;
  bool ascending = true;  ///< strictly: sorted and without duplicates

  void add(std::uint64_t entry) { add({entry, entry, static_cast<Index>(entry), true}); }
  /// The survey of `entries`.
  [[nodiscard]] static EntrySurvey of(std::span<const std::uint64_t> entries) {
    EntrySurvey survey;
    bool ascends = true;
    for (std::size_t t = 0; t < entries.size(); ++t) {  // no early exit: it takes more time than it saves
      ascends &= t == 0 || entries[t - 1] < entries[t];
      survey.smallest = std::min(survey.smallest, entries[t]);
      survey.largest = std::max(survey.largest, entries[t]);
      survey.largest_row = std::max(survey.largest_row, static_cast<Index>(entries[t]));
    }
    survey.ascending = ascends;
    return survey;
  }
  /// Adds the entries that follow in the list.
  void add(const EntrySurvey& later) {
    const bool is_empty = smallest > largest;
    ascending = ascending && later.ascending && (is_empty || largest < later.smallest);
    smallest = std::min(smallest, later.smallest);
    largest = std::max(largest, later.largest);
    largest_row = std::max(largest_row, later.largest_row);
  }
};

/// Reports the sorting of `entries` entries as progress of the job's stage: each of four passes (survey,
/// sizes of the buckets, distribution, sorting of the buckets) adds the entries that it has processed.
/// Thread-safe.
class SortProgress {
 public:
  SortProgress(JobContext* context, std::uint64_t entries) : context_(context), total_(kPasses * entries) {}
  /// Throws Failure{cancelled}.
  void add(std::uint64_t entries) {
    if (context_ != nullptr) context_->checkpoint(done_ += entries, total_);
  }
  /// Counts the other passes of entries that the survey found in order. Throws Failure{cancelled}.
  void leave_out(std::uint64_t entries) { add((kPasses - 1) * entries); }
  /// Counts all passes of entries that were expected but do not exist. Throws Failure{cancelled}.
  void expect_fewer(std::uint64_t entries) { add(kPasses * entries); }

 private:
  static constexpr std::uint64_t kPasses = 4;
  JobContext* context_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
};

/// Divides keys from `smallest` to `largest` into buckets of about 2^14 entries (128 kB: they fit the L2
/// cache), at most 2^12 of them (with more, distribution misses the TLB). Keys without unused bits between
/// column and row make buckets of more equal sizes.
class EntryBuckets {
 public:
  EntryBuckets(std::uint64_t smallest, std::uint64_t largest, std::size_t entries) : base_(smallest) {
    const unsigned range_bits = std::bit_width(largest - smallest);
    const unsigned bits = std::min(12U, static_cast<unsigned>(std::bit_width(entries >> 14U)));
    shift_ = range_bits > bits ? range_bits - bits : 0;
    count_ = bucket(largest) + 1;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  // Shifting by 64 is undefined in C++; all entries are then in one bucket.
  [[nodiscard]] std::size_t bucket(std::uint64_t key) const {
    return shift_ >= 64 ? 0 : static_cast<std::size_t>((key - base_) >> shift_);
  }

 private:
  std::uint64_t base_;
  unsigned shift_ = 0;
  std::size_t count_ = 0;
};

/// Sorts elements by key_of(element); elements with equal keys keep their order. Throws Failure{cancelled} if
/// `context` is given and was stopped.
template <class Element, class KeyOf>
void radix_sort(Element* data, std::size_t size, std::vector<Element>& scratch, JobContext* context,
                KeyOf key_of) {
  constexpr unsigned kDigitBits = 11;
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kDigitBits) - 1;
  std::uint64_t varying = 0;
  for (std::size_t t = 1; t < size; ++t) varying |= key_of(data[t]) ^ key_of(data[0]);
  scratch.resize(std::max(scratch.size(), size));
  Element* from = data;
  Element* to = scratch.data();
  std::array<std::size_t, std::size_t{1} << kDigitBits> offsets{};
  for (unsigned shift = 0; shift < 64; shift += kDigitBits) {
    if (((varying >> shift) & kMask) == 0) continue;
    if (context != nullptr) context->check_stop();
    offsets.fill(0);
    for (std::size_t t = 0; t < size; ++t) ++offsets[(key_of(from[t]) >> shift) & kMask];
    std::exclusive_scan(offsets.begin(), offsets.end(), offsets.begin(), std::size_t{0});
    for (std::size_t t = 0; t < size; ++t) to[offsets[(key_of(from[t]) >> shift) & kMask]++] = from[t];
    std::swap(from, to);
  }
  if (from != data) std::copy(from, from + size, data);
}

/// Returns the whole pages of an array to the system before the array is freed. free() alone keeps blocks of
/// less than a few MB for later: a long list that is freed block by block would remain in memory.
void release_memory(const void* begin, std::size_t bytes) noexcept;

}  // namespace spyctrum
