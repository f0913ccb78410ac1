// SPDX-License-Identifier: Apache-2.0
// A reconstruction is computed again when the spectrum or the fill changes.
#include "app/controller/columns/reconstruction_service.hpp"

#include <utility>

namespace spyctrum {

namespace {

std::string reconstruction_key(ColumnId id) { return "reconstruction/" + std::to_string(id); }

bool evaluates_lines(const Column& column) {
  return column.spectrum && column.spectrum->placement == Placement::true_frequencies &&
         column.spectrum->exactness != Exactness::estimate && column.samples > column.spectrum->grid.count();
}

struct Made {
  ReconstructionPtr reconstruction, lines;
  std::shared_ptr<const LineValues> rows;
};

}  // namespace

ReconstructionPtr ReconstructionService::reconstruction(ColumnId column) const {
  const auto work = work_.find(column);
  return work == work_.end() ? nullptr : work->second.reconstruction;
}

SpectrumPtr ReconstructionService::made_from(ColumnId column) const {
  const auto work = work_.find(column);
  return work == work_.end() ? nullptr : work->second.made_from;
}

bool ReconstructionService::is_pending(ColumnId column) const {
  return jobs().pending(reconstruction_key(column));
}

ReconstructionPtr ReconstructionService::lines(const Column& column) const {
  const auto work = work_.find(column.id);
  const bool known = work != work_.end() && work->second.lines_of == state().pattern_of(column);
  return known && evaluates_lines(column) ? work->second.lines : nullptr;
}

std::shared_ptr<const LineValues> ReconstructionService::rows(const Column& column) const {
  const auto work = work_.find(column.id);
  const bool known = work != work_.end() && work->second.made_from == column.spectrum;
  return known ? work->second.rows : nullptr;
}

void ReconstructionService::reconcile() {
  for (Column& column : state().columns) reconcile_column(column);
}

void ReconstructionService::column_removed(ColumnId column) {
  jobs().drop(reconstruction_key(column));
  work_.erase(column);
}

void ReconstructionService::forget_matrix() {
  jobs().drop_all("reconstruction/");
  work_.clear();
}

void ReconstructionService::reconcile_column(Column& column) {
  Work& work = work_[column.id];
  const std::string key = reconstruction_key(column.id);
  if (!column.spectrum || column.spectrum->values.empty()) {
    jobs().drop(key);
    work.reconstruction.reset();
    work.lines.reset();
    work.rows.reset();
    work.made_from = work.requested_from = nullptr;
    return;
  }
  const Fill fill = possible_fill(state().scale.fill, *column.spectrum);
  if (work.requested_from == column.spectrum && work.requested_fill == fill) return;
  const PatternPtr pattern = state().pattern_of(column);
  if (!pattern) return;
  const bool has_same_rows = work.made_from && work.lines_of == pattern &&
                             work.made_from->feature_rows == column.spectrum->feature_rows;
  work.requested_from = column.spectrum;
  work.requested_fill = fill;
  jobs().submit(
      request_job(Lane::compute, key, "Reconstruction of " + column.label, column.id),
      [spectrum = column.spectrum, fill, pattern, with_lines = evaluates_lines(column),
       rows = has_same_rows ? work.rows : nullptr](JobContext& context) {
        Made made;
        made.reconstruction = std::make_shared<const Reconstruction>(
            or_throw(Reconstruction::make(spectrum, fill, *pattern, context)));
        if (fill == Fill::best) {
          made.lines = made.reconstruction;
        } else if (with_lines) {
          auto best = Reconstruction::make(spectrum, Fill::best, *pattern, context);
          if (best) made.lines = std::make_shared<const Reconstruction>(std::move(*best));
        }
        if (made.lines && made.lines->chosen_lines() == nullptr) made.lines.reset();
        if (made.lines && with_lines)
          made.rows = rows ? rows : row_values(*pattern, spectrum->feature_rows, context);
        return made;
      },
      [this, id = column.id, spectrum = column.spectrum, pattern](Result<Made> made) {
        Column* target = state().column(id);
        if (target == nullptr) return;
        if (!made) {
          target->picture(Row::reconstruction).error = made.error();
          return report(made.error());
        }
        Work& finished = work_[id];
        finished.reconstruction = std::move(made->reconstruction);
        finished.lines = std::move(made->lines);
        finished.rows = std::move(made->rows);
        finished.lines_of = pattern;
        finished.made_from = spectrum;
        target->line_coefficients = finished.reconstruction->line_coefficients();
      });
}

}  // namespace spyctrum
