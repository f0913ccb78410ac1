// SPDX-License-Identifier: Apache-2.0
// Errors of features are recomputed when the spectrum of the column or of the reference is replaced. The pass
// over exact rows waits until no run of a column is left.
#include "app/controller/columns/comparison_service.hpp"

#include "core/features/feature_errors.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

void ComparisonService::handle(const action::ComputeErrors& /*chosen*/) {
  every_row_ = true;
  pass_ = {};
}

void ComparisonService::reconcile() {
  compare_features();
  reconcile_reconstruction_errors();
}

void ComparisonService::compare_features() {
  const Column* reference = state().reference();
  const bool known = reference != nullptr && reference->spectrum && reference->spectrum->features;
  for (Column& column : state().columns) {
    Compared& compared = compared_[column.id];
    const bool other = !column.is_of_matrix();
    if (other || compared.reconstruction_of != column.spectrum) column.reconstruction_errors.reset();
    if (!known || other || column.reference || !column.spectrum || !column.spectrum->features) {
      column.feature_errors.reset();
      continue;
    }
    if (column.feature_errors && compared.features_of == column.spectrum &&
        compared.features_against == reference->spectrum)
      continue;
    compared.features_of = column.spectrum;
    compared.features_against = reference->spectrum;
    column.feature_errors = feature_errors(*column.spectrum->features, *reference->spectrum->features);
  }
}

void ComparisonService::reconcile_reconstruction_errors() {
  ErrorSpec spec;
  spec.pattern = state().pattern();
  spec.stream_method = usual_method(MethodRole::plane).info().id;
  spec.every_row = every_row_;
  spec.backend = machine_.backend();
  for (const Column& column : state().columns) {
    if (!column.is_of_matrix()) continue;
    const ReconstructionPtr reconstruction = reconstructions_.reconstruction(column.id);
    // The pass takes long, and a newer result of a column would make it useless.
    const bool streams = find_method(column.method)->info().full_plane;
    if ((column.busy && !streams) ||
        (reconstruction && reconstructions_.made_from(column.id) != column.spectrum))
      return;
    if (reconstruction) spec.reconstructions.emplace_back(column.id, reconstruction);
  }
  if (spec == pass_) return;
  pass_ = spec;
  jobs().drop("errors");
  for (Column& column : state().columns) column.errors_busy = false;
  if (!spec.pattern || spec.reconstructions.empty()) return;
  if (!spec.every_row && spec.pattern->cols() > kErrorCoefficients) return;  // a single row would be more
  for (const auto& [id, reconstruction] : spec.reconstructions) state().column(id)->errors_busy = true;
  jobs().submit(
      request_job(Lane::background, "errors", "Errors of the reconstructions · " + matrix_name()),
      [spec](JobContext& context) { return reconstruction_errors(spec, context); },
      [this, spec](const Result<ColumnErrors>& errors) { take_errors(spec, errors); });
}

void ComparisonService::take_errors(const ErrorSpec& spec, const Result<ColumnErrors>& errors) {
  for (const auto& [id, reconstruction] : spec.reconstructions)
    if (Column* column = state().column(id)) column->errors_busy = false;
  if (!errors) return report(errors.error());
  if (errors->fallback) machine_.note_fallback("Errors of the reconstructions", *errors->fallback);
  for (const auto& [id, found] : errors->of_columns) {
    Column* column = state().column(id);
    if (column == nullptr) continue;
    column->reconstruction_errors = found;
    compared_[id].reconstruction_of = column->spectrum;
  }
}

void ComparisonService::forget_matrix() {
  jobs().drop_all("errors");
  pass_ = {};
  every_row_ = false;
  compared_.clear();
  for (Column& column : state().columns) {
    column.errors_busy = false;
    column.feature_errors.reset();
    column.reconstruction_errors.reset();
  }
}

}  // namespace spyctrum
