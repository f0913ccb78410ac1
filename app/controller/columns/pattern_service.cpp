// SPDX-License-Identifier: Apache-2.0
// A job computes a pattern in another arrangement; until it ends, the column keeps the old pattern.
#include "app/controller/columns/pattern_service.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/controller/columns/column_service.hpp"
#include "core/matrix/reordering.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

namespace {

std::string arrangement_key(ColumnId id) { return "arrange/" + std::to_string(id); }

struct Arranged {
  PatternPtr pattern;  ///< with the sides of the whole matrix
  std::string note;    ///< a remark on the order; may be empty
};

/// Only the region's entries, or rows and columns permuted by one of orders(). Throws Failure: cancelled,
/// out_of_memory.
Arranged arranged(const PatternService::ArrangementSpec& spec, JobContext& context) {
  if (spec.arrangement.kind == Arrangement::Kind::region) {
    const PlaneRect& region = spec.region.value();
    return {std::make_shared<const SparsePattern>(spec.whole->restricted_to(
                static_cast<std::uint64_t>(region.top), static_cast<std::uint64_t>(region.left),
                static_cast<std::uint64_t>(region.height()), static_cast<std::uint64_t>(region.width()))),
            {}};
  }
  const OrderInfo* order = find_order(spec.arrangement.order);
  if (order == nullptr) throw Failure(ErrorCode::internal, "No order " + spec.arrangement.order + ".");
  Permutation permutation = compute_permutation(*spec.whole, order->order, spec.arrangement.seed, context);
  return {std::make_shared<const SparsePattern>(permuted(*spec.whole, permutation, context)),
          std::move(permutation.note)};
}

}  // namespace

void PatternService::handle(const action::SetColumnArrangement& chosen) {
  Column* column = state().column(chosen.column);
  if (column == nullptr) return;
  const Arrangement& arrangement = chosen.arrangement;
  if (arrangement.kind == Arrangement::Kind::reordered && find_order(arrangement.order) == nullptr)
    return notify(Level::warning, "There is no order '" + arrangement.order + "'.");
  if (arrangement.kind == Arrangement::Kind::region && !state().region)
    return notify(Level::warning, "No region is selected: Shift and a right drag in the pattern select one.");
  if (arrangement == column->arrangement) return;
  column->arrangement = arrangement;
  column->own_range = column->exactness == Exactness::estimate || column->is_of_region();
  choose_reference(state());
}

bool PatternService::is_arranging(ColumnId column) const { return jobs().pending(arrangement_key(column)); }

void PatternService::handle(const action::SelectRegion& chosen) {
  const OpenMatrix* matrix = state().matrix();
  if (matrix == nullptr) return;
  state().region.reset();
  state().region_live = false;
  if (!chosen.region) return remove_region_columns();
  const auto rows = static_cast<double>(matrix->matrix.pattern->rows());
  const auto cols = static_cast<double>(matrix->matrix.pattern->cols());
  const PlaneRect whole{std::clamp(std::floor(chosen.region->top), 0.0, rows),
                        std::clamp(std::floor(chosen.region->left), 0.0, cols),
                        std::clamp(std::ceil(chosen.region->bottom), 0.0, rows),
                        std::clamp(std::ceil(chosen.region->right), 0.0, cols)};
  if (!(whole.height() >= 1 && whole.width() >= 1)) {
    notify(Level::warning, "The region lies outside of the matrix.");
    return remove_region_columns();
  }
  state().region = whole;
  state().region_live = chosen.live;
  if (std::ranges::any_of(state().columns, &Column::is_of_region)) return;
  send(action::AddColumn{usual_method(MethodRole::window).info().id, {Arrangement::Kind::region, {}, 1}});
}

void PatternService::remove_region_columns() {
  for (std::size_t k = state().columns.size(); k-- > 0;)
    if (state().columns[k].is_of_region()) send(action::RemoveColumn{state().columns[k].id});
}

void PatternService::reconcile() {
  for (Column& column : state().columns) reconcile_column(column);
}

void PatternService::reconcile_column(Column& column) {
  ArrangementSpec& arranging = arranging_[column.id];
  if (column.is_of_matrix() || !state().pattern()) {
    jobs().drop(arrangement_key(column.id));
    if (arranging.whole && state().pattern()) column.error.reset();
    arranging = {};
    column.pattern.reset();
    return;
  }
  ArrangementSpec spec{state().pattern(), column.arrangement, {}};
  if (column.is_of_region()) spec.region = state().region;
  if (spec == arranging || (column.is_of_region() && !spec.region)) return;
  arranging = spec;
  const std::string title = state().region_live ? std::string() : column.label + " · rows and columns";
  jobs().submit(
      request_job(Lane::compute, arrangement_key(column.id), title, column.id),
      [spec](JobContext& context) {
        Arranged made = arranged(spec, context);
        made.pattern->determine_properties(context);  // the interface thread needs them at once
        return made;
      },
      [this, id = column.id, spec](Result<Arranged> arranged) {
        Column* target = state().column(id);
        if (target == nullptr) return;
        if (!arranged) {
          target->error = arranged.error();
          return report(arranged.error(), target->label + ": ");
        }
        target->pattern = std::move(arranged->pattern);
        target->pattern_note = std::move(arranged->note);
        target->error.reset();
      });
}

void PatternService::column_removed(ColumnId column) {
  jobs().drop(arrangement_key(column));
  arranging_.erase(column);
  if (std::ranges::none_of(state().columns, &Column::is_of_region)) state().region.reset();
}

void PatternService::forget_matrix() {
  state().region.reset();
  state().region_live = false;
  remove_region_columns();
  jobs().drop_all("arrange/");
  arranging_.clear();
  for (Column& column : state().columns) {
    column.pattern.reset();
    column.pattern_note.clear();
  }
}

}  // namespace spyctrum
