// SPDX-License-Identifier: Apache-2.0
// Parses entry lines of a Matrix Market file, one block of whole lines at a time. Values are converted to
// floating point only on request: for a pattern it is enough to check that a number is well formed and
// whether it is zero. 1e-400 is not zero, although conversion would round it to zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/matrix_market/header.hpp"

namespace spyctrum {

/// The error in a line. The caller adds the file and the line at which the block begins.
struct LineComplaint {
  std::uint64_t line = 0;  ///< number of lines before the wrong one in the block
  std::string what;
  std::string advice;
};

/// Contents of a block of lines, up to its first wrong line. In the array format positions are not known yet:
/// `entries` and `sums` are empty.
struct LineBlock : EntryBlock {
  std::vector<std::uint64_t> nonzeros;  ///< array: indices, from 0, of the block's values that are not zero
  std::uint64_t above_diagonal = 0;     ///< unless general: entries with i < j
  std::uint64_t on_diagonal = 0;        ///< unless general: entries with i = j
  std::optional<LineComplaint> complaint;
};

/// How the lines of a file are read.
struct LineRules {
  MarketHeader header;
  LoadOptions options;
  bool as_stored = false;  ///< the other triangle of a symmetric file is not filled in
};

/// Parses whole lines, each ended by LF, into `block`, which must be empty. Unless the file is general or
/// `rules.as_stored`, an entry (i, j) above the diagonal becomes (j, i), with its value mirrored.
void parse_lines(std::string_view text, const LineRules& rules, LineBlock& block);

/// The number of entries in a valid line: 0 if it is blank or a comment, more than 1 in arrays alone.
[[nodiscard]] std::uint64_t entries_in(std::string_view line, const MarketHeader& header);

/// Skips a number in the usual form (sign, digits, a point, an exponent after e or d) in a text that ends
/// with LF, and sets `is_zero`. Returns false if the number has another form.
[[nodiscard]] bool take_real(const char*& at, bool& is_zero);

}  // namespace spyctrum
