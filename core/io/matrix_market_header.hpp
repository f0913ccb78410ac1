// SPDX-License-Identifier: Apache-2.0
// The head of a Matrix Market file: banner, comments, size line. R. F. Boisvert,
// R. Pozo, K. Remington, "The Matrix Market Exchange Formats: Initial Design",
// NISTIR 5935, 1996.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/line_source.hpp"

namespace spyctrum {

enum class MarketFormat { coordinate, array };
enum class MarketField { pattern, integer, real, complex };
enum class MarketSymmetry { general, symmetric, skew_symmetric, hermitian };

struct MarketHeader {
  MarketFormat format = MarketFormat::coordinate;
  MarketField field = MarketField::real;
  MarketSymmetry symmetry = MarketSymmetry::general;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t entries = 0;    ///< entry lines announced (coordinate) or implied (array)
  std::uint64_t size_line = 0;  ///< number of the size line, from 1
  std::vector<std::string> notes;
};

[[nodiscard]] std::string_view to_string(MarketFormat format);
[[nodiscard]] std::string_view to_string(MarketField field);
[[nodiscard]] std::string_view to_string(MarketSymmetry symmetry);

/// Whether a file begins like a Matrix Market banner (any case, one or two %).
[[nodiscard]] bool begins_with_banner(std::string_view text);

/// "FILE, line N: found …; …" as an Error with code bad_input.
[[nodiscard]] Failure market_failure(std::string_view name, std::uint64_t line, const std::string& what,
                                     const std::string& advice);

/// White-space separated words of a line.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);

/// A whole number in decimal digits, as far as 64 bits hold it.
struct WholeNumber {
  enum class Kind { number, negative, too_large, other } kind = Kind::other;
  std::uint64_t value = 0;
};
[[nodiscard]] WholeNumber parse_whole_number(std::string_view word);

/// Reads banner, comments and size line; throws Failure{bad_input}.
[[nodiscard]] MarketHeader read_market_header(LineSource& lines, std::string_view name);

}  // namespace spyctrum
