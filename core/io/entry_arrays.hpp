// SPDX-License-Identifier: Apache-2.0
// Entries with their values while a file is read: arrays of few bytes for each entry, which are sorted by
// position together with the values. Sorting as in core/matrix/packed_entries.hpp, on the job's threads,
// with checks for a stop every few milliseconds.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/io/values.hpp"
#include "core/matrix/entry_sort.hpp"
#include "core/matrix/packed_entries.hpp"

namespace spyctrum {

/// Bytes of a list below which releasing its pages would cost more time than it saves memory.
inline constexpr std::size_t kReleasedBytes = std::size_t{1} << 25U;

/// Entries in any order. A position is the number (column << row_bits) | row in the fewest whole bytes that
/// hold all positions of the array: 5 bytes for 10^6 × 10^6. A value is 0 (a pattern), 1 or
/// 2 numbers (real and imaginary part), in single precision if that represents all of them exactly, else in
/// double precision.
class EntryArray {
 public:
  struct Layout {
    unsigned row_bits = 32;
    unsigned bytes = 8;       ///< of a position
    unsigned numbers = 0;     ///< of a value
    bool is_single = false;   ///< whether numbers are stored in single precision
    bool is_rounded = false;  ///< whether some numbers were rounded to single precision
    bool is_small = false;    ///< whether some number x has 0 < |x| < 1.2e-38, the least normal single number
    /// The layout of positions up to this row and column, without values.
    [[nodiscard]] static Layout of(Index largest_row, Index largest_col);
  };

  EntryArray() = default;
  /// Takes positions as they are, 8 bytes each, without values.
  explicit EntryArray(std::vector<PackedEntry> entries);
  /// Copies entries and their values; no values: a pattern. If `rounds`, all values are kept in single
  /// precision unless one of them has fewer digits there (0 < |x| < 1.2e-38).
  EntryArray(std::span<const PackedEntry> entries, std::span<const std::complex<double>> values,
             bool rounds = false);
  /// The same for real values.
  EntryArray(std::span<const PackedEntry> entries, std::span<const double> values, bool rounds = false);
  /// Entries that are not set yet; memory is taken as they are set.
  EntryArray(std::size_t size, const Layout& layout);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] std::size_t bytes() const {
    return size_ * (layout_.bytes + layout_.numbers * (layout_.is_single ? sizeof(float) : sizeof(double)));
  }
  /// The position of entry k as the array stores it; entries ascend as their words do. Reads only the bytes
  /// of entry k, since other threads may write its neighbours.
  [[nodiscard]] PackedEntry word(std::size_t k) const {
    const char* const from = positions_ + k * layout_.bytes;
    std::uint32_t low = 0;
    unsigned byte = 0;
    if (layout_.bytes >= 4) {
      std::memcpy(&low, from, 4);
      byte = 4;
    }
    PackedEntry word = low;
    for (; byte < layout_.bytes; ++byte)
      word |= static_cast<PackedEntry>(static_cast<unsigned char>(from[byte])) << 8 * byte;
    return word;
  }
  [[nodiscard]] PackedEntry word_of(PackedEntry entry) const {
    return (static_cast<PackedEntry>(col_of(entry)) << layout_.row_bits) | row_of(entry);
  }
  [[nodiscard]] PackedEntry operator[](std::size_t k) const {
    const PackedEntry word = this->word(k);
    return pack_entry(static_cast<Index>(word & row_mask_), static_cast<Index>(word >> layout_.row_bits));
  }
  /// Writes only the bytes of entry k, so that other threads may write its neighbours.
  void set_word(std::size_t k, PackedEntry word) {
    char* const to = positions_ + k * layout_.bytes;
    unsigned byte = 0;
    if (layout_.bytes >= 4) {
      std::memcpy(to, &word, 4);
      byte = 4;
    }
    for (; byte < layout_.bytes; ++byte) to[byte] = static_cast<char>(word >> 8 * byte);
  }
  /// Number `part` of the value of entry k; 0 where the array has none.
  [[nodiscard]] double number(std::size_t k, unsigned part) const {
    if (part >= layout_.numbers) return 0;
    const std::size_t at = k * layout_.numbers + part;
    return layout_.is_single ? static_cast<double>(singles_[at]) : doubles_[at];
  }
  void set_number(std::size_t k, unsigned part, double x) {
    const std::size_t at = k * layout_.numbers + part;
    if (layout_.is_single)
      singles_[at] = to_single(x);
    else
      doubles_[at] = x;
  }
  /// The survey of all entries; null if they were taken as they are or set one by one.
  [[nodiscard]] const EntrySurvey* survey() const { return survey_ ? &*survey_ : nullptr; }
  /// Copies the entries from `first` on, or number `part` of their values, as operator[] and number() return
  /// them. No other thread may write entries of this array.
  void copy_entries(std::size_t first, std::span<PackedEntry> to) const;
  void copy_numbers(std::size_t first, unsigned part, std::span<double> to) const;
  /// Whether positions were taken as they are; take() returns them.
  [[nodiscard]] bool is_given() const { return !given_.empty(); }
  [[nodiscard]] std::vector<PackedEntry> take() && { return std::move(given_); }
  /// Subtracts 1 from all rows and columns, which must be at least 1.
  void count_from_zero();
  /// Returns the pages of the entries begin … end−1 to the system; these must not be read again.
  void release(std::size_t begin, std::size_t end);

 private:
  /// Returns pages to the system, which free() does not do while later allocations are in use.
  struct Unmap {
    std::size_t bytes;
    void operator()(char* pages) const noexcept;
  };
  void allocate(std::size_t size, const Layout& layout);
  /// Sets the positions of a new array.
  void set_entries(std::span<const PackedEntry> entries);

  std::optional<EntrySurvey> survey_;
  Layout layout_;
  std::size_t size_ = 0;
  PackedEntry row_mask_ = 0xFFFFFFFFU;
  std::vector<PackedEntry> given_;        // positions that were taken as they are; else:
  std::unique_ptr<char[], Unmap> pages_;  // the numbers, then the positions
  float* singles_ = nullptr;              // the numbers, if they are in single precision
  double* doubles_ = nullptr;             // the numbers, if they are in double precision
  char* positions_ = nullptr;
};

/// Entries in ascending order: those of the ranges, one range after the other.
struct SortedEntries {
  struct Range {
    std::size_t array = 0;  ///< index of the array
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  std::vector<EntryArray> arrays;
  std::vector<Range> ranges;
  std::int64_t repeated = 0;  ///< entries at the position of an earlier one
  Booking booking;            ///< of the arrays

  [[nodiscard]] std::size_t size() const;
  /// Calls use(group) for groups of successive ranges and frees the memory of each group afterwards, so that
  /// not all entries are in memory besides what use() makes of them.
  void consume(JobContext& context, const std::function<void(std::span<const Range>)>& use);
};

/// Sorts entries and frees each array once its entries have moved, so that sorting takes little more memory
/// than one copy of the entries. Values at one position are added in double precision in the order of the
/// list, or, if `keeps_repeated`, remain separate entries in that order. If `rounds`, values are rounded to
/// single precision while they are sorted, unless an array is_small. `progress` counts all entries. Throws
/// Failure{cancelled}; Failure{out_of_memory} beyond the job's allowance.
[[nodiscard]] SortedEntries sort_entries(std::vector<EntryArray> arrays, JobContext& context,
                                         SortProgress& progress, bool keeps_repeated = false,
                                         bool rounds = false);

}  // namespace spyctrum
