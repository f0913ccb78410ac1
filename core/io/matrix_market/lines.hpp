// SPDX-License-Identifier: Apache-2.0
// Entry lines of a Matrix Market file, a block of whole lines at a time. Values are converted to floating
// point only where they are asked for: a pattern needs to know only that a number is well formed and whether
// it is zero, and 1e-400, which would be rounded to zero, is not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/matrix_market/header.hpp"
#include "core/io/values.hpp"
#include "core/matrix/packed_entries.hpp"

namespace spyctrum {

/// What is wrong with a line. The caller adds the file and the line of the block's beginning.
struct LineComplaint {
  std::uint64_t line = 0;  ///< number of lines before the wrong one in the block
  std::string what;
  std::string advice;
};

/// Contents of a block of lines, up to its first wrong line.
struct LineBlock {
  std::vector<PackedEntry> entries;     ///< coordinate: entries of the pattern
  std::vector<std::uint64_t> nonzeros;  ///< array: numbers, from 0, of the block's values that are not zero
  std::vector<Value> values;            ///< where they are asked for: of `entries`, of an array of `nonzeros`
  ValueSums sums;                       ///< coordinate: of all entries, where they are asked for
  std::uint64_t lines = 0;              ///< lines in the block, blank and comment lines included
  std::uint64_t count = 0;              ///< lines with an entry or a value
  std::uint64_t zeros = 0;              ///< of them: with the value zero
  std::uint64_t above_diagonal = 0;     ///< of them, if not general: i < j, taken as (j, i)
  std::uint64_t on_diagonal = 0;        ///< of them, if not general: i = j
  std::optional<LineComplaint> complaint;
};

/// What the lines of a file mean.
struct LineRules {
  MarketHeader header;
  bool drop_zeros = false;
  ValueUse values = ValueUse::none;
  bool as_stored = false;  ///< the other triangle of a symmetric file is not filled in
};

/// Parses whole lines, each ended by LF, into `block`, which is empty before. Unless the file is general, an
/// entry (i, j) above the diagonal is stored as (j, i).
void parse_lines(std::string_view text, const LineRules& rules, LineBlock& block);

/// What the symmetry of a file leaves out.
[[nodiscard]] Mirror mirror_of(MarketSymmetry symmetry);

/// Number of the line that holds entry `wanted` of the block, both from 0.
[[nodiscard]] std::uint64_t line_of_entry(std::string_view text, std::uint64_t wanted);

/// What a word is: the number zero, another number, an integer beyond 64 bits, or no number.
enum class ValueKind { zero, nonzero, beyond_64_bits, malformed };
/// Numbers of real and complex files: digits, optionally with a point and an exponent (after e, d or q, or
/// after its sign alone, as Fortran writes 1.0-103), inf and nan. Of integer files: a sign and digits within
/// 64 bits.
[[nodiscard]] ValueKind classify_value(std::string_view word, MarketField field);

}  // namespace spyctrum
