// SPDX-License-Identifier: Apache-2.0
// Columns of other patterns than the matrix as it is – a region of it, or its rows and columns in another
// order – and the wave of a frequency with the sum that its coefficient is.
#include <algorithm>
#include <cmath>

#include "app/controller/controller.hpp"
#include "core/matrix/reordering.hpp"

namespace spyctrum {

namespace {

constexpr const char* kRegionMethod = "exact";

std::string arrange_name(ColumnId id) { return "arrange/" + std::to_string(id); }

bool is_of_region(const Column& column) { return column.arrangement.kind == Arrangement::Kind::region; }

}  // namespace

PatternPtr Controller::pattern_of(const Column& column) const {
  return column.arrangement.kind == Arrangement::Kind::matrix ? pattern_ : column.pattern;
}

void Controller::handle(const action::SetColumnArrangement& chosen) {
  Column* column = state_.column(chosen.column);
  if (column == nullptr) return;
  const Arrangement& wanted = chosen.arrangement;
  if (wanted.kind == Arrangement::Kind::reordered && find_order(wanted.order) == nullptr) {
    notify(Level::warning, "There is no order '" + wanted.order + "'.");
    return;
  }
  if (wanted.kind == Arrangement::Kind::region && !state_.region) {
    notify(Level::warning, "No region is selected: Shift and a right drag in the pattern select one.");
    return;
  }
  if (wanted == column->arrangement) return;
  column->arrangement = wanted;
  column->own_range = column->exactness == Exactness::estimate || is_of_region(*column);
  column->feature_errors.reset();
  column->reconstruction_errors.reset();
  choose_reference();
}

void Controller::remove_region_columns() {
  for (std::size_t k = state_.columns.size(); k-- > 0;)
    if (is_of_region(state_.columns[k])) handle(action::RemoveColumn{state_.columns[k].id});
}

void Controller::handle(const action::SelectRegion& chosen) {
  const OpenMatrix* matrix = state_.matrix();
  if (matrix == nullptr) return;
  state_.region.reset();
  state_.region_live = false;
  if (!chosen.region) return remove_region_columns();
  const auto rows = static_cast<double>(matrix->matrix.pattern->rows());
  const auto cols = static_cast<double>(matrix->matrix.pattern->cols());
  const PlaneRect whole{std::clamp(std::floor(chosen.region->top), 0.0, rows),
                        std::clamp(std::floor(chosen.region->left), 0.0, cols),
                        std::clamp(std::ceil(chosen.region->bottom), 0.0, rows),
                        std::clamp(std::ceil(chosen.region->right), 0.0, cols)};
  if (!(whole.height() >= 1 && whole.width() >= 1)) {
    notify(Level::warning, "The region holds no entry of the matrix: it lies outside of it.");
    return remove_region_columns();
  }
  state_.region = whole;
  state_.region_live = chosen.live;
  if (std::any_of(state_.columns.begin(), state_.columns.end(), is_of_region)) return;
  const ColumnId id = add_column(kRegionMethod);
  handle(action::SetColumnArrangement{id, {Arrangement::Kind::region, {}, 1}});
}

void Controller::reconcile_arrangement(Column& column) {
  ColumnWork& work = work_[column.id];
  if (column.arrangement.kind == Arrangement::Kind::matrix || !pattern_) {
    runner_.drop(arrange_name(column.id));
    if (work.arranging.whole && pattern_) {  // back to the matrix as it is
      column.error.reset();
      work.run_key.clear();
    }
    work.arranging = {};
    column.pattern.reset();
    forget_hierarchy(column);
    return;
  }
  ArrangementSpec wanted{pattern_, column.arrangement, {}};
  if (is_of_region(column)) wanted.region = state_.region;
  if (wanted == work.arranging || (is_of_region(column) && !wanted.region)) return;
  work.arranging = wanted;
  JobRequest job = request_job(Lane::compute, arrange_name(column.id), column.label + " · rows and columns");
  job.column = column.id;
  job.listed = !state_.region_live;
  runner_.submit<Arranged>(
      job, [wanted](JobContext& context) { return arrange(wanted, context); },
      [this, id = column.id, wanted](Result<Arranged> arranged) {
        Column* target = state_.column(id);
        if (target == nullptr) return;
        if (!arranged) {
          target->error = arranged.error();
          if (arranged.error().code != ErrorCode::cancelled)
            notify(Level::error, target->label + ": " + arranged.error().message());
          return;
        }
        target->pattern = std::move(arranged->pattern);
        forget_hierarchy(*target);
        target->pattern_note = std::move(arranged->note);
        target->error.reset();
      });
}

void Controller::reconcile_wave() {
  if (!state_.wave || !pattern_) {
    runner_.drop("wave");
    wave_spec_ = {};
    state_.wave_sum.reset();
    return;
  }
  const WaveSpec wanted{pattern_, *state_.wave};
  if (wanted == wave_spec_) return;
  wave_spec_ = wanted;
  state_.wave_sum.reset();
  JobRequest job = request_job(Lane::probe, "wave", "Sum of a coefficient");
  job.listed = false;
  runner_.submit<WaveSum>(
      job,
      [wanted](JobContext& context) {
        return wave_sum(*wanted.pattern, wanted.frequency.first, wanted.frequency.second, context);
      },
      [this](Result<WaveSum> sum) {
        if (sum)
          state_.wave_sum = *sum;
        else
          notify(Level::warning, sum.error().message(), false);
      });
}

}  // namespace spyctrum
