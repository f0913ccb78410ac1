// SPDX-License-Identifier: Apache-2.0
// Blocks of lines of a list of edges in their usual form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/io/decimal_sign.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::edge_list_reader {

/// The smallest number of a vertex, and the largest ones of a row and of a column.
struct Extent {
  std::uint64_t least = kLargestSide;
  std::uint64_t last_row = 0;
  std::uint64_t last_col = 0;

  void add(std::uint64_t row, std::uint64_t col) {
    least = std::min({least, row, col});
    last_row = std::max(last_row, row);
    last_col = std::max(last_col, col);
  }
  void add(const Extent& other) {
    least = std::min(least, other.least);
    last_row = std::max(last_row, other.last_row);
    last_col = std::max(last_col, other.last_col);
  }
};

/// The form of the lines, once the first edges have shown it: two vertices, perhaps a weight, perhaps words.
struct EdgeForm {
  char delimiter = ' ';  ///< as of ColumnCursor
  bool is_weighted = false;
  bool has_words = false;   ///< words that are not weights follow the vertices and are skipped
  DecimalSign sign{};       ///< of the weights before
  std::uint64_t least = 0;  ///< number of a vertex
  std::uint64_t most_row = kLargestSide;
  std::uint64_t most_col = kLargestSide;
};

/// The edges of a block of lines, to be added to the counts of the whole file.
struct EdgeBlock {
  EntryBlock edges;
  Extent extent;
  bool real = false;  // whether some weight is not a whole number
  DecimalSign sign;   // of the weights
};

/// Parses whole lines, each ended by LF. If any line has another form, such as a comment, edges.is_plain is
/// false, and the block must be read line by line.
[[nodiscard]] EdgeBlock parse_edges(std::string_view text, const EdgeForm& form, const LoadOptions& options);

}  // namespace spyctrum::edge_list_reader
