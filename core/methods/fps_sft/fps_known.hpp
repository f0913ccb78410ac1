// SPDX-License-Identifier: Apache-2.0
// The coefficients found so far: a list without duplicates, and a hash table from (u, v) to its elements.
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>

#include "core/base/job_context.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

class FpsKnown {
 public:
  FpsKnown(std::uint64_t most, JobContext& context)
      : most_(most),
        table_(context, table_size(most), "table of coordinates"),
        u_(context, most, "rows"),
        v_(context, most, "columns"),
        values_(context, most, "values"),
        round_(context, most, "rounds") {}

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t missing() const { return most_ - count_; }
  [[nodiscard]] std::uint32_t u(std::uint64_t k) const { return u_.data[k]; }  ///< 0 … m−1
  [[nodiscard]] std::uint32_t v(std::uint64_t k) const { return v_.data[k]; }
  [[nodiscard]] std::complex<float>& value(std::uint64_t k) { return values_.data[k]; }
  [[nodiscard]] const std::complex<float>& value(std::uint64_t k) const { return values_.data[k]; }

  [[nodiscard]] const std::uint32_t* rows() const { return u_.data.data(); }
  [[nodiscard]] const std::uint32_t* cols() const { return v_.data.data(); }
  /// Interleaved real and imaginary parts.
  [[nodiscard]] const float* values() const { return reinterpret_cast<const float*>(values_.data.data()); }

  /// Prefetches the element of the hash table that add(u, v) reads first.
  void prefetch(std::uint32_t u, std::uint32_t v) const { __builtin_prefetch(&table_.data[slot_of(u, v)]); }

  struct Place {
    std::uint64_t index = 0;
    bool added = false;
    bool first_of_round = false;  ///< this was the first add() of (u, v) in this round
  };
  /// Finds (u, v) in the list; appends it if it is new and missing() > 0.
  Place add(std::uint32_t u, std::uint32_t v, std::uint32_t round) {
    std::size_t slot = slot_of(u, v);
    while (table_.data[slot] != 0) {
      const std::uint64_t index = table_.data[slot] - 1;
      if (u_.data[index] == u && v_.data[index] == v) {
        const bool first = round_.data[index] != round;
        round_.data[index] = round;
        return {index, false, first};
      }
      slot = (slot + 1) & (table_.data.size() - 1);
    }
    if (missing() == 0) return {count_, false, false};
    u_.data[count_] = u;
    v_.data[count_] = v;
    values_.data[count_] = 0;
    round_.data[count_] = round;
    table_.data[slot] = static_cast<std::uint32_t>(count_ + 1);
    return {count_++, true, true};
  }

  [[nodiscard]] static std::uint64_t bytes(std::uint64_t most) {
    return saturating_sum(4 * table_size(most), saturating_product(4 + 4 + 8 + 4, most));
  }

 private:
  /// Forecasts of planes that fit nowhere have up to 2^64 coefficients.
  static std::uint64_t table_size(std::uint64_t most) {
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 60U;
    return std::bit_ceil(2 * std::min(most, kLargest) + 16);
  }
  [[nodiscard]] std::size_t slot_of(std::uint32_t u, std::uint32_t v) const {
    std::uint64_t key = (std::uint64_t{u} << 32U | v) * 0x9e3779b97f4a7c15U;
    key ^= key >> 29U;
    return static_cast<std::size_t>(key * 0xbf58476d1ce4e5b9U >> 20U) & (table_.data.size() - 1);
  }

  std::uint64_t most_;
  std::uint64_t count_ = 0;
  BookedVector<std::uint32_t> table_;  // index + 1
  BookedVector<std::uint32_t> u_;
  BookedVector<std::uint32_t> v_;
  BookedVector<std::complex<float>> values_;
  BookedVector<std::uint32_t> round_;  // of the last add()
};

}  // namespace spyctrum
