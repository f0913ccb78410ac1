// SPDX-License-Identifier: Apache-2.0
// Hierarchies are made in the background and dropped with the patterns that they are of.
#include "app/controller/pictures/hierarchy_service.hpp"

#include <utility>

namespace spyctrum {

/// Requests one hierarchy for each matrix that has been read and for each order of it in a column. Until a
/// hierarchy exists, pictures are counted from the entries.
void HierarchyService::reconcile() {
  forget_left_orders();
  const OpenMatrix* matrix = state().matrix();
  if (matrix == nullptr || machine_.pictures()) return;
  const PatternPtr pattern = state().pattern();
  if (!matrix->hierarchy && requested_for_matrix_ != pattern) {
    requested_for_matrix_ = pattern;
    make("hierarchy", matrix_name(), pattern, [this](const HierarchyPtr& made) {
      for (OpenMatrix& open : state().matrices)
        if (open.matrix.pattern == made->pattern()) open.hierarchy = made;
    });
  }
  for (const Column& column : state().columns) {
    if (column.arrangement.kind != Arrangement::Kind::reordered || column.hierarchy) continue;
    PatternPtr& requested = requested_for_column_[column.id];
    if (!column.pattern || requested == column.pattern) continue;
    requested = column.pattern;
    make("hierarchy/" + std::to_string(column.id), column.label + " · " + matrix_name(), column.pattern,
         [this, id = column.id](const HierarchyPtr& made) {
           Column* target = state().column(id);
           if (target != nullptr && target->pattern == made->pattern()) target->hierarchy = made;
         });
  }
}

/// Drops the hierarchies of patterns that their columns no longer have.
void HierarchyService::forget_left_orders() {
  for (auto& [id, requested] : requested_for_column_) {
    Column* column = state().column(id);
    if (column == nullptr || !requested || requested == column->pattern) continue;
    requested.reset();
    jobs().drop("hierarchy/" + std::to_string(id));
    column->hierarchy.reset();
  }
}

void HierarchyService::column_removed(ColumnId column) {
  jobs().drop("hierarchy/" + std::to_string(column));
  requested_for_column_.erase(column);
}

void HierarchyService::forget_matrix() {
  jobs().drop_all("hierarchy");
  requested_for_matrix_.reset();
  requested_for_column_.clear();
  for (Column& column : state().columns) column.hierarchy.reset();
}

/// Makes the hierarchy in the background if the pattern is large enough to profit from it.
void HierarchyService::make(const std::string& key, const std::string& label, const PatternPtr& pattern,
                            std::function<void(const HierarchyPtr&)> take) {
  if (pattern->nonzeros() < fewest_entries_ || !PatternHierarchy::fits(*pattern)) return;
  jobs().submit(
      request_job(Lane::background, key, "Hierarchy of the pattern · " + label),
      [pattern](JobContext& context) { return std::make_shared<const PatternHierarchy>(pattern, context); },
      [this, take = std::move(take)](Result<HierarchyPtr> made) {
        if (made) return take(*made);
        report(made.error(), {}, Level::warning, false);
      });
}

}  // namespace spyctrum
