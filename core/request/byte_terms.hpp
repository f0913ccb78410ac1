// SPDX-License-Identifier: Apache-2.0
// Byte counts of forecasts. Sides may be 2^32−1, so that 8·m·n exceeds 2^64. Sums and products therefore
// saturate instead of wrapping; such a forecast is refused like any other that is too large.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/base/memory_ledger.hpp"

namespace spyctrum {

[[nodiscard]] inline std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}
[[nodiscard]] inline std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return saturating_product(a, saturating_product(b, c));
}

[[nodiscard]] inline std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

/// The terms of a forecast, which are in memory at the same time, and their text for the user: "1.57 GB
/// values + 8.64 MB tables".
class ByteTerms {
 public:
  /// Adds a term of `bytes`; `content` names what they hold: "values".
  void add(std::string_view content, std::uint64_t bytes) {
    total_ = saturating_sum(total_, bytes);
    if (!text_.empty()) text_ += " + ";
    text_.append(format_bytes(bytes)).append(" ").append(content);
  }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::uint64_t total_ = 0;
  std::string text_;
};

}  // namespace spyctrum
