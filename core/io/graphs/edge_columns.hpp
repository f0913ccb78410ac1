// SPDX-License-Identifier: Apache-2.0
// The columns of a list of edges: which of them have vertices, weights and types. Tables of numbers use the
// first functions to be told apart from lists of edges.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// The number of a vertex, as is_vertex(); empty for other words and beyond 2^53.
[[nodiscard]] std::optional<std::uint64_t> vertex_number(std::string_view word);

/// Columns with larger numbers are not looked at.
inline constexpr std::uint64_t kMostColumns = 1000;

/// The columns, from 0, that contain row, column and weight.
struct Columns {
  bool chosen = false;     ///< by the user: every line must have all of them
  bool by_fields = false;  ///< every delimiter begins a column, which may be empty
  std::vector<std::size_t> numbers{0, 1, 2};
  std::optional<std::size_t> type{};  ///< the column with Directed or Undirected
};

/// The columns of vertices, weight and type according to a line of column names; empty if it does not name
/// the columns of both vertices.
[[nodiscard]] std::optional<Columns> named_columns(std::string_view line, char delimiter);

/// Sets `found` to the words in the columns for row, column and weight; returns how many of them there are
/// before the first that is missing or empty.
std::size_t pick(std::string_view line, char delimiter, const Columns& columns,
                 std::array<std::string_view, 3>& found);

/// The word in a column, from 0, in small letters; empty if there is none.
[[nodiscard]] std::string word_in(std::string_view line, char delimiter, std::size_t column);

/// The text of the weight in a Python dictionary such as {'color': 'red', 'weight': 3.5}, without NumPy's
/// np.float64() around it; empty if there is none.
[[nodiscard]] std::string_view weight_of(std::string_view dictionary);

}  // namespace spyctrum::edge_list_reader
