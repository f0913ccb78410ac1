// SPDX-License-Identifier: Apache-2.0
#include "core/io/graphs/edge_columns.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/text.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::edge_list_reader {

bool is_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with('%') || line.starts_with("sep=");
}

bool names_edges(std::string_view line, char delimiter) { return named_columns(line, delimiter).has_value(); }

bool is_vertex(std::string_view word) { return is_digits(word) || vertex_number(word).has_value(); }

std::optional<std::uint64_t> vertex_number(std::string_view word) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53U;
  if (is_digits(word)) {
    const WholeNumber whole = parse_whole_number(word);
    return whole.kind == WholeNumber::Kind::number && whole.value <= kMost ? std::optional(whole.value)
                                                                           : std::nullopt;
  }
  if (word.find_first_of(".eE") == std::string_view::npos || classify_real(word) == ValueKind::malformed)
    return std::nullopt;
  const double number = number_of(word);
  if (!(number >= 0) || number > static_cast<double>(kMost) || number != std::floor(number))
    return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

std::optional<Columns> named_columns(std::string_view line, char delimiter) {
  // Without blanks and underlines.
  static constexpr std::array kSources =
      std::to_array<std::string_view>({"source", "src", "from", "sourceid", "srcid", "fromid", "id1",
                                       "fromnode", "fromnodeid", "sourcenode", "node1", "row"});
  static constexpr std::array kTargets =
      std::to_array<std::string_view>({"target", "dst", "to", "targetid", "dstid", "toid", "id2", "tonode",
                                       "tonodeid", "targetnode", "node2", "col", "column"});
  static constexpr std::array kWeights = std::to_array<std::string_view>({"weight", "value", "val", "data"});
  static constexpr std::array<std::span<const std::string_view>, 3> kNames{kSources, kTargets, kWeights};
  constexpr std::size_t kNone = kMostColumns;
  std::array<std::size_t, 3> found{kNone, kNone, kNone};
  std::optional<std::size_t> type;
  ColumnCursor cursor(line, delimiter);
  std::string_view word;
  for (std::size_t at = 0; at < kMostColumns && cursor.next(word); ++at) {
    std::string name;
    for (const char c : word)
      if (c != ' ' && c != '_') name += lower_case(c);
    for (std::size_t k = 0; k < found.size(); ++k)
      if (found.at(k) == kNone && std::ranges::find(kNames.at(k), name) != kNames.at(k).end())
        found.at(k) = at;
    if (name == "type" && !type) type = at;
  }
  if (found[0] == kNone || found[1] == kNone) return std::nullopt;
  const bool has_weight = found[2] != kNone;
  if (found[0] == 0 && found[1] == 1 && (!has_weight || found[2] == 2) && !type) return Columns();
  Columns columns{.by_fields = true, .numbers = {found[0], found[1]}, .type = type};
  if (has_weight) columns.numbers.push_back(found[2]);
  return columns;
}

std::size_t pick(std::string_view line, char delimiter, const Columns& columns,
                 std::array<std::string_view, 3>& found) {
  found = {};
  ColumnCursor cursor(line, delimiter);
  const std::size_t last = *std::ranges::max_element(columns.numbers);
  std::string_view word;
  for (std::size_t at = 0; at <= last && cursor.next(word); ++at)
    for (std::size_t k = 0; k < columns.numbers.size(); ++k)
      if (columns.numbers[k] == at) found.at(k) = word;
  std::size_t count = 0;
  while (count < columns.numbers.size() && !found.at(count).empty()) ++count;
  return count;
}

std::string word_in(std::string_view line, char delimiter, std::size_t column) {
  ColumnCursor cursor(line, delimiter);
  std::string_view word;
  for (std::size_t at = 0; at <= column; ++at)
    if (!cursor.next(word)) return {};
  std::string small(word);
  std::ranges::transform(small, small.begin(), lower_case);
  return small;
}

std::string_view weight_of(std::string_view dictionary) {
  std::size_t at = std::min(dictionary.find("'weight':"), dictionary.find("\"weight\":"));
  if (at == std::string_view::npos) return {};
  dictionary.remove_prefix(dictionary.find(':', at) + 1);
  std::string_view number = trimmed(dictionary.substr(0, dictionary.find_first_of(",})")), " ");
  at = number.find('(');
  return at == std::string_view::npos ? number : number.substr(at + 1);
}

}  // namespace spyctrum::edge_list_reader
