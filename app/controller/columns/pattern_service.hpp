// SPDX-License-Identifier: Apache-2.0
// The entries of each column: the matrix as it is, its selected region, or its rows and columns in another
// order. Owns, for each column, the arrangement whose pattern was requested.
#pragma once

#include <map>
#include <optional>

#include "app/controller/service.hpp"

namespace spyctrum {

class PatternService : public Service {
 public:
  /// The inputs from which the pattern of a column is made.
  struct ArrangementSpec {
    PatternPtr whole;
    Arrangement arrangement;
    std::optional<PlaneRect> region;  ///< for Arrangement::Kind::region
    friend bool operator==(const ArrangementSpec&, const ArrangementSpec&) = default;
  };

  using Service::Service;
  void handle(const action::SetColumnArrangement& chosen);
  void handle(const action::SelectRegion& chosen);
  /// Whether the column still shows its former arrangement.
  [[nodiscard]] bool is_arranging(ColumnId column) const;

  void reconcile() override;
  void column_removed(ColumnId column) override;
  void forget_matrix() override;

 private:
  void reconcile_column(Column& column);
  void remove_region_columns();

  std::map<ColumnId, ArrangementSpec> arranging_;
};

}  // namespace spyctrum
