// SPDX-License-Identifier: Apache-2.0
// The beginning of a Matrix Market file: banner, comments, size line. R. F. Boisvert, R. Pozo, K. Remington,
// "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/text_reader.hpp"

namespace spyctrum {

enum class MarketFormat { coordinate, array };
enum class MarketField { pattern, integer, real, complex };

struct MarketHeader {
  MarketFormat format = MarketFormat::coordinate;
  MarketField field = MarketField::real;
  Mirror symmetry = Mirror::none;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t entries = 0;       ///< coordinate: in the size line; array: the number of values it implies
  std::uint64_t size_line = 0;     ///< number of the size line in the file, from 1
  std::vector<std::string> notes;  ///< sentences for the load report
};

[[nodiscard]] std::string_view to_string(MarketFormat format);
[[nodiscard]] std::string_view to_string(MarketField field);

/// Whether the text begins with %%MatrixMarket, in capital or small letters, with one % or two, possibly
/// after a byte order mark or blanks.
[[nodiscard]] bool begins_with_banner(std::string_view text);

/// Reads banner, comments and size line. Throws Failure{bad_input}, {cancelled}.
[[nodiscard]] MarketHeader read_market_header(TextReader& text);

}  // namespace spyctrum
