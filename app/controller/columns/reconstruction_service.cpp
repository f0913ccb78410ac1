// SPDX-License-Identifier: Apache-2.0
// A reconstruction is made anew when the spectrum or the way of filling changes.
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
  const Fill fill = state().scale.fill;
  Work& work = work_[column.id];
  const std::string key = reconstruction_key(column.id);
  if (!column.spectrum || column.spectrum->values.empty()) {
    jobs().drop(key);
    work.reconstruction.reset();
    work.lines.reset();
    work.made_from = work.requested_from = nullptr;
    return;
  }
  if (work.requested_from == column.spectrum && work.requested_fill == fill) return;
  if (!state().pattern_of(column)) return;
  work.requested_from = column.spectrum;
  work.requested_fill = fill;
  jobs().submit(
      request_job(Lane::compute, key, "Reconstruction of " + column.label, column.id),
      [spectrum = column.spectrum, fill, pattern = state().pattern_of(column),
       with_lines = evaluates_lines(column)](JobContext& context) {
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
        return made;
      },
      [this, id = column.id, spectrum = column.spectrum,
       pattern = state().pattern_of(column)](Result<Made> made) {
        Column* target = state().column(id);
        if (target == nullptr) return;
        if (!made) {
          target->picture(Row::reconstruction).error = made.error();
          return report(made.error());
        }
        Work& finished = work_[id];
        finished.reconstruction = std::move(made->reconstruction);
        finished.lines = std::move(made->lines);
        finished.lines_of = pattern;
        finished.made_from = spectrum;
        target->line_coefficients = finished.reconstruction->line_coefficients();
      });
}

}  // namespace spyctrum
