// SPDX-License-Identifier: Apache-2.0
// What lists of edges and tables of numbers have in common, and how they are told apart.
#pragma once

#include <cstddef>
#include <string_view>

namespace spyctrum::edge_list_reader {

/// Whether a line begins with # or %, or is the line "sep=;" that tells spreadsheets the delimiter.
[[nodiscard]] bool is_comment(std::string_view line);

/// Whether a line of column names such as "id,source,target,weight" names the columns of both vertices.
/// `delimiter`: a comma, semicolon, | or tab; ' ' for any number of blanks and tabs.
[[nodiscard]] bool names_edges(std::string_view line, char delimiter);

/// Whether a word is a whole number from 0, in digits or as a real number (3.0).
[[nodiscard]] bool is_vertex(std::string_view word);
/// In lines of more columns vertices are recognised in digits alone: real numbers are a table of values.
inline constexpr std::size_t kMostColumnsOfReals = 3;

}  // namespace spyctrum::edge_list_reader
