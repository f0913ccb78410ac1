// SPDX-License-Identifier: Apache-2.0
// One job for each file; it says in a toast that the file was written, or why not.
#include "app/controller/files/export_service.hpp"

#include <utility>

#include "app/controller/files/exports.hpp"
#include "app/controller/files/session.hpp"
#include "app/controller/files/source_names.hpp"

namespace spyctrum {

void ExportService::write_file(const std::string& path, std::function<void(JobContext&)> write) {
  jobs().submit(request_job(Lane::input_output, "write/" + path, "Writing " + short_name(path)),
                std::move(write), [this, path](const Result<void>& written) {
                  if (written)
                    notify(Level::info, "Wrote " + path + ".");
                  else
                    notify(Level::error, written.error().message());
                });
}

void ExportService::handle(const action::SaveSession& chosen) {
  write_file(chosen.path, [path = chosen.path, text = to_json_text(session_of(state()))](JobContext&) {
    export_text(path, text);
  });
}

void ExportService::handle(const action::ExportFeatures& chosen) {
  const OpenMatrix* matrix = state().matrix();
  if (matrix == nullptr) return;
  std::vector<FeatureRecord> records;
  for (const Column& column : state().columns) {
    if (!column.spectrum || !column.spectrum->features) continue;
    records.push_back({column.label, matrix->matrix.name, matrix->matrix.report.file, column.spectrum,
                       column.feature_errors, column.reconstruction_errors});
  }
  if (records.empty()) return notify(Level::warning, "There are no features to write yet.");
  write_file(chosen.path, [path = chosen.path, records = std::move(records)](JobContext&) {
    export_features(path, records);
  });
}

void ExportService::handle(const action::ExportValues& chosen) {
  const Column* column = state().column(chosen.column);
  if (column == nullptr || !column->spectrum) return;
  if (column->spectrum->values.empty())
    return notify(Level::warning, column->label +
                                      " was computed as a stream, so its values were not stored "
                                      "and cannot be written.");
  write_file(chosen.path, [path = chosen.path, spectrum = column->spectrum](JobContext&) {
    export_values(path, *spectrum);
  });
}

void ExportService::handle(const action::ExportPicture& chosen) {
  const Column* column = state().column(chosen.column);
  const OpenMatrix* matrix = state().matrix();
  if (column == nullptr || matrix == nullptr) return;
  const Picture& picture = column->picture(chosen.row);
  if (!picture.shown) return notify(Level::warning, "There is no picture to write yet.");
  PictureRecord record{picture.shown,
                       picture.against,
                       picture.range,
                       state().scale,
                       chosen.row,
                       column->label,
                       matrix->matrix.report.file,
                       column->spectrum};
  write_file(chosen.path,
             [path = chosen.path, record = std::move(record)](JobContext&) { export_picture(path, record); });
}

}  // namespace spyctrum
