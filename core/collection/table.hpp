// SPDX-License-Identifier: Apache-2.0
// A collection as a table in memory: a row for each pattern, a column for each of its numbers, conditions
// that select rows ("rows > 1000 entropy < 0.8"), and orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/collection/database.hpp"

namespace spyctrum {

struct CollectionColumn {
  std::string id;     ///< its name in conditions: "rows", "sector_3"
  std::string label;  ///< for the screen: "rows", "sector 3"
  enum class Kind { count, bytes, flag, real } kind = Kind::real;
  bool logarithmic = false;    ///< values span decades and are seldom zero
  std::vector<double> values;  ///< one for each row
};

struct CollectionTable {
  std::string path;                     ///< of the database
  std::vector<IndexedMatrix> matrices;  ///< one for each row
  std::vector<float> signatures;        ///< kSignatureSize for each row
  /// rows, cols, entries, density, bytes, symmetric; each feature (each share of a distribution); the two
  /// principal components of the signatures.
  std::vector<CollectionColumn> columns;

  /// The index of the column with this id; columns.size() if there is none. "nonzeros", its name in JSON,
  /// also means "entries".
  [[nodiscard]] std::size_t column(std::string_view id) const;
};

/// Reads a collection. Throws Failure: those of Database::open() and Database::matrices(); cancelled.
[[nodiscard]] CollectionTable read_collection(const std::string& path, const std::stop_token& stop);

/// A condition on a row: its value in a column stands in `relation` to `number`, or one of its file names
/// contains `text` (holds), or none of them does (holds_not).
struct Condition {
  enum class Relation { less, at_most, greater, at_least, equal, unequal, holds, holds_not };
  std::size_t column = 0;  ///< columns.size(): the names of the files
  Relation relation = Relation::holds;
  double number = 0;
  std::string text;  ///< compared without regard to case
};

/// Parses conditions, all of which must hold, from a text such as `rows > 1000 entropy < 0.8 symmetric = yes
/// file ~ band`. A condition is the id of a column, a relation (< <= > >= = !=; for file: ~ and !~) and a
/// number (with k, M, G or %), or a single word, which means `file ~ word`. Words with blanks are quoted;
/// conditions may be separated by "and" or commas. Errors: wrong_use, with the word found and what was
/// expected.
[[nodiscard]] Result<std::vector<Condition>> parse_conditions(std::string_view text,
                                                              const CollectionTable& table);

/// The rows that fulfil all conditions, ascending.
[[nodiscard]] std::vector<std::uint32_t> fulfilling_rows(const CollectionTable& table,
                                                         std::span<const Condition> conditions);
/// Sorts rows by a column (columns.size(): by the name of the first file). Equal rows keep their order; rows
/// without a number (NaN) come last.
void sort_rows(std::vector<std::uint32_t>& rows, const CollectionTable& table, std::size_t column,
               bool descending);

}  // namespace spyctrum
