// SPDX-License-Identifier: Apache-2.0
// The collection that is open: its table, which rows are shown in what order, pictures of those that were
// looked at, and the neighbours of the selected matrix.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/collection/nearest.hpp"
#include "core/collection/table.hpp"

namespace spyctrum {

/// Which rows are shown, and in what order.
struct CollectionChoice {
  std::string where;           ///< as parse_conditions() reads it
  std::string order = "file";  ///< id of a column; "file": by name
  bool descending = false;
  friend bool operator==(const CollectionChoice&, const CollectionChoice&) = default;
};

/// The matrices nearest to the selected matrix, without those of the same pattern.
struct NeighbourView {
  std::vector<Neighbour> list{};       ///< nearest first
  std::optional<std::uint32_t> own{};  ///< the row that has the matrix's pattern
  bool busy = false;
  bool waits = false;  ///< a large matrix: FindNeighbours begins
  std::string problem{};
};

struct CollectionView {
  std::string path;    ///< of the database; empty: no collection is open
  bool whole = false;  ///< it fills the screen
  bool reading = false;
  bool indexing = false;                         ///< IndexFolder is at work
  std::string problem;                           ///< why it could not be read; `table` is then the previous
                                                 ///< one
  std::shared_ptr<const CollectionTable> table;  ///< null until it was read
  CollectionChoice choice;
  std::string choice_problem;        ///< what is wrong in choice.where; `shown` is then the previous list
  std::vector<std::uint32_t> shown;  ///< rows of the table
  std::uint64_t version = 0;         ///< grows whenever `table` or `shown` changes
  /// By content: pictures that were requested. Null: the collection has none.
  std::map<std::uint64_t, std::shared_ptr<const Thumbnails>> thumbnails;
  std::string thumbnails_problem;
  NeighbourView neighbours;
};

}  // namespace spyctrum
