// SPDX-License-Identifier: Apache-2.0
// Makes columns from the matrices of a database, parses conditions, selects and sorts rows.
#include "core/collection/table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/text.hpp"
#include "core/collection/projection.hpp"
#include "core/features/feature_table.hpp"

namespace spyctrum {

namespace {

using Kind = CollectionColumn::Kind;
using Relation = Condition::Relation;

template <class ValueOf>
void add_column(CollectionTable& table, CollectionColumn column, const ValueOf& value_of) {
  column.values.reserve(table.matrices.size());
  for (const IndexedMatrix& matrix : table.matrices) column.values.push_back(value_of(matrix));
  table.columns.push_back(std::move(column));
}

void add_columns(CollectionTable& table) {
  const auto add = [&](const char* id, Kind kind, bool logarithmic, auto value_of) {
    add_column(table, {id, id, kind, logarithmic, {}},
               [&](const IndexedMatrix& matrix) { return static_cast<double>(value_of(matrix)); });
  };
  add("rows", Kind::count, true, [](const IndexedMatrix& one) { return one.rows; });
  add("cols", Kind::count, true, [](const IndexedMatrix& one) { return one.cols; });
  add("entries", Kind::count, true, [](const IndexedMatrix& one) { return one.nonzeros; });
  add("density", Kind::real, true, [](const IndexedMatrix& one) {
    return static_cast<double>(one.nonzeros) / static_cast<double>(one.rows) / static_cast<double>(one.cols);
  });
  add("bytes", Kind::bytes, true, [](const IndexedMatrix& one) { return one.bytes; });
  add("symmetric", Kind::flag, false, [](const IndexedMatrix& one) { return one.symmetric; });
  add("exact", Kind::flag, false, [](const IndexedMatrix& one) { return one.exact; });
  for (const FeatureDefinition& feature : kFeatureTable) {
    if (!feature.is_distribution()) {
      add_column(table, {feature.id, feature.label, Kind::real, false, {}},
                 [&](const IndexedMatrix& matrix) { return feature.number(matrix.features); });
      continue;
    }
    for (std::size_t k = 0; k < feature.of(Features{}).size(); ++k) {
      const auto name = [&](const char* between) {
        return std::string(feature.stem).append(between).append(std::to_string(k));
      };
      add_column(table, {name("_"), name(" "), Kind::real, false, {}},
                 [&](const IndexedMatrix& matrix) { return feature.of(matrix.features)[k]; });
    }
  }
}

struct Word {
  std::string text;
  bool is_relation = false;
  bool is_quoted = false;
};

/// Splits a text into words: rows>=1k file ~ "a b" → rows, >=, 1k, file, ~, a b.
std::vector<Word> words_of(std::string_view text) {
  constexpr std::string_view kSpaces = " \t,";
  constexpr std::string_view kSigns = "<>=!~";
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size();) {
    if (kSpaces.find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    if (text[at] == '"') {
      const std::size_t end = text.find('"', at + 1);
      words.push_back({std::string(text.substr(at + 1, end == std::string_view::npos ? end : end - at - 1)),
                       false, true});
      at = end == std::string_view::npos ? text.size() : end + 1;
      continue;
    }
    const bool is_relation = kSigns.find(text[at]) != std::string_view::npos;
    std::size_t end = at;
    while (end < text.size() && kSpaces.find(text[end]) == std::string_view::npos && text[end] != '"' &&
           (kSigns.find(text[end]) != std::string_view::npos) == is_relation)
      ++end;
    words.push_back({std::string(text.substr(at, end - at)), is_relation});
    at = end;
  }
  return words;
}

std::optional<Relation> relation_of(std::string_view sign) {
  static constexpr std::array<std::pair<std::string_view, Relation>, 9> kRelations{
      {{"<", Relation::less},
       {"<=", Relation::at_most},
       {">", Relation::greater},
       {">=", Relation::at_least},
       {"=", Relation::equal},
       {"==", Relation::equal},
       {"!=", Relation::unequal},
       {"~", Relation::holds},
       {"!~", Relation::holds_not}}};
  for (const auto& [text, relation] : kRelations)
    if (text == sign) return relation;
  return std::nullopt;
}

/// The value of "1.5k", "80%" or "yes" (1); empty if the text is not a number.
std::optional<double> number_of(std::string_view text) {
  if (text == "yes" || text == "no") return text == "yes" ? 1 : 0;
  static constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}}};
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest(parsed.ptr, static_cast<std::size_t>(text.data() + text.size() - parsed.ptr));
  if (parsed.ec != std::errc() || !std::isfinite(value)) return std::nullopt;
  if (rest == "%") return value / 100;  // exactly 0.7 for 70 %, unlike a factor of 0.01
  for (const auto& [unit, factor] : kUnits)
    if (rest == unit) return value * factor;
  return std::nullopt;
}

/// The first few ids that contain the first three letters of `word`, or of all ids if there are none.
std::string known_ids(const CollectionTable& table, std::string_view word) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> ids{"file"};
  const std::string_view beginning = word.substr(0, 3);
  for (const CollectionColumn& column : table.columns)
    if (contains_ignoring_case(column.id, beginning)) ids.push_back(column.id);
  if (ids.size() == 1)
    for (const CollectionColumn& column : table.columns) ids.push_back(column.id);
  const bool is_cut = ids.size() > kMost;
  if (is_cut) ids.resize(kMost);
  return joined(ids) + (is_cut ? ", …" : "");
}

/// Returns the condition that begins at words[at] and sets `at` to the word after it. Throws
/// Failure{wrong_use}.
Condition condition_at(const std::vector<Word>& words, std::size_t& at, const CollectionTable& table) {
  const Word& first = words[at++];
  if (first.is_relation)
    throw Failure(ErrorCode::wrong_use, "Before " + first.text + " the name of a column is missing.",
                  "Columns: " + known_ids(table, {}) + ".");
  const std::size_t column = table.column(first.text);
  const bool is_name = column == table.columns.size();
  const bool has_relation = at < words.size() && words[at].is_relation;
  if (!has_relation) {
    if (first.is_quoted || (is_name && first.text != "file")) return {column, Relation::holds, 0, first.text};
    throw Failure(ErrorCode::wrong_use, "After " + first.text + " a relation and a value are missing.",
                  "For example: " + first.text + (is_name ? " ~ band." : " > 0.5."));
  }
  if (is_name && number_of(first.text))
    throw Failure(ErrorCode::wrong_use, "The name of a column must come before the number.",
                  "For example: rows > 1000.");
  if (is_name && first.text != "file")
    throw Failure(ErrorCode::wrong_use, "There is no column " + first.text + ".",
                  "Columns: " + known_ids(table, first.text) + ".");
  const std::string& sign = words[at++].text;
  const std::optional<Relation> relation = relation_of(sign);
  const bool is_of_names = relation == Relation::holds || relation == Relation::holds_not;
  if (!relation || is_of_names != is_name)
    throw Failure(ErrorCode::wrong_use, first.text + " " + sign + " is not a condition.",
                  is_name ? "Relations of file: ~ (contains) and !~ (does not contain)."
                          : "Relations of numbers: < <= > >= = and !=.");
  if (at == words.size() || words[at].is_relation)
    throw Failure(ErrorCode::wrong_use, "After " + first.text + " " + sign + " a value is missing.", {});
  const Word& value = words[at++];
  if (is_name) return {column, *relation, 0, value.text};
  const std::optional<double> number = number_of(value.text);
  if (!number)
    throw Failure(ErrorCode::wrong_use,
                  first.text + " " + sign + " " + value.text + ": " + value.text + " is not a number.",
                  table.columns[column].kind == Kind::flag ? "Write yes or no."
                                                           : "For example 0.8, 1e6, 10k, 2.5M or 80%.");
  return {column, *relation, *number, {}};
}

bool fulfils(const CollectionTable& table, std::size_t row, const Condition& condition) {
  const auto is_in_a_name = [&] {
    return std::ranges::any_of(table.matrices[row].files, [&](const std::string& file) {
      return contains_ignoring_case(file, condition.text);
    });
  };
  const bool is_of_names = condition.column == table.columns.size();
  const double value = is_of_names ? 0 : table.columns[condition.column].values[row];
  switch (condition.relation) {
    case Relation::less:
      return value < condition.number;
    case Relation::at_most:
      return value <= condition.number;
    case Relation::greater:
      return value > condition.number;
    case Relation::at_least:
      return value >= condition.number;
    case Relation::equal:
      return value == condition.number;
    case Relation::unequal:
      return value != condition.number;
    case Relation::holds:
      return is_in_a_name();
    case Relation::holds_not:
      return !is_in_a_name();
  }
  return false;
}

}  // namespace

std::size_t CollectionTable::column(std::string_view id) const {
  if (id == "nonzeros") id = "entries";
  return static_cast<std::size_t>(std::ranges::find(columns, id, &CollectionColumn::id) - columns.begin());
}

CollectionTable read_collection(const std::string& path, const std::stop_token& stop) {
  CollectionTable table;
  table.path = path;
  table.matrices = Database::open(path, stop).matrices(table.signatures);
  add_columns(table);
  Projection projection = principal_components(table.signatures, stop);
  for (std::size_t j = 0; j < 2; ++j) {
    const std::string place = std::to_string(j + 1);
    table.columns.push_back(
        {"pc_" + place,
         "principal component " + place + " (" + number_text(100 * projection.shares.at(j), 2) + " %)",
         Kind::real, false, std::move(projection.places.at(j))});
  }
  return table;
}

Result<std::vector<Condition>> parse_conditions(std::string_view text, const CollectionTable& table) {
  return run_guarded([&] {
    std::vector<Condition> conditions;
    const std::vector<Word> words = words_of(text);
    for (std::size_t at = 0; at < words.size();) {
      if (words[at].text == "and" && !words[at].is_quoted)
        ++at;
      else
        conditions.push_back(condition_at(words, at, table));
    }
    return conditions;
  });
}

std::vector<std::uint32_t> fulfilling_rows(const CollectionTable& table,
                                           std::span<const Condition> conditions) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < table.matrices.size(); ++row)
    if (std::ranges::all_of(conditions, [&](const Condition& one) { return fulfils(table, row, one); }))
      rows.push_back(static_cast<std::uint32_t>(row));
  return rows;
}

void sort_rows(std::vector<std::uint32_t>& rows, const CollectionTable& table, std::size_t column,
               bool descending) {
  if (column >= table.columns.size()) {
    std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
      const std::string& first = table.matrices[descending ? b : a].files.front();
      return first < table.matrices[descending ? a : b].files.front();
    });
    return;
  }
  const std::vector<double>& values = table.columns[column].values;
  std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    if (std::isnan(values[a]) || std::isnan(values[b]))
      return !std::isnan(values[a]) && std::isnan(values[b]);
    return descending ? values[b] < values[a] : values[a] < values[b];
  });
}

}  // namespace spyctrum
