// SPDX-License-Identifier: Apache-2.0
// Entry lines of a Matrix Market file, a block of whole lines at a time. Values
// are not converted: a pattern needs to know only that a number is well formed
// and whether it is zero, so that no rounding can turn 1e-400 into a stored zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/matrix_market_header.hpp"
#include "core/matrix/packed_entries.hpp"

namespace spyctrum {

/// What is wrong with a line, without its place.
struct LineComplaint {
  std::uint64_t line = 0;  ///< lines before it in the block
  std::string what;
  std::string advice;
};

/// What one block of lines held, up to the first bad line.
struct LineBlock {
  std::vector<PackedEntry> entries;     ///< coordinate: what goes into the pattern
  std::vector<std::uint64_t> nonzeros;  ///< array: which values of the block are not zero
  std::uint64_t lines = 0;              ///< lines in the block, blank and comment lines included
  std::uint64_t count = 0;              ///< entry lines
  std::uint64_t zeros = 0;              ///< of them, zero by value
  std::uint64_t above_diagonal = 0;     ///< of them, mirrored into the lower triangle (symmetric kinds only)
  std::uint64_t on_diagonal = 0;
  std::optional<LineComplaint> complaint;
};

struct LineRules {
  MarketHeader header;
  bool drop_zeros = false;
};

/// Parses whole lines, each ended by LF. In symmetric files an entry above the
/// diagonal is taken as its mirror image below.
void parse_lines(std::string_view text, const LineRules& rules, LineBlock& block);

/// Line (from 0) of the block on which its entry number `wanted` (from 0) stands.
[[nodiscard]] std::uint64_t line_of_entry(std::string_view text, std::uint64_t wanted);

/// How a value reads: a number that is zero, one that is not, or none.
enum class ValueKind { zero, nonzero, beyond_64_bits, malformed };
/// Real: digits with point and exponent (e, d or q, or a bare sign as Fortran
/// writes 1.0-103), inf, nan. Integer: digits only, within 64 bits.
[[nodiscard]] ValueKind classify_value(std::string_view word, MarketField field);

}  // namespace spyctrum
