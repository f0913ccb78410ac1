// SPDX-License-Identifier: Apache-2.0
// How a line of column names tells a list of edges from a table of numbers.
#pragma once

#include <string_view>

namespace spyctrum::edge_list_reader {

/// Whether a line of column names such as "id,source,target,weight" names the columns of both vertices.
/// `delimiter`: a comma, semicolon, | or tab; ' ' for any number of blanks and tabs.
[[nodiscard]] bool names_edges(std::string_view line, char delimiter);

}  // namespace spyctrum::edge_list_reader
