// SPDX-License-Identifier: Apache-2.0
// Each file is written by a job, which reports success or failure in a toast.
#include "app/controller/files/export_service.hpp"

#include <algorithm>
#include <cmath>

#include "app/controller/columns/method_input_words.hpp"
#include "app/controller/files/session.hpp"
#include "app/controller/files/source_names.hpp"
#include "core/io/quote.hpp"
#include "core/io/writer.hpp"
#include "core/matrix/weights.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

PictureRecord ExportService::record_of(const Column& column, Row row, const std::string& file) const {
  const Picture& picture = column.picture(row);
  ScaleSettings scale = state().scale;
  if (!column.look.color_map.empty()) scale.color_map = column.look.color_map;
  const double mean_power = state().pattern() ? state().pattern()->weight_squares() : 0;
  PictureRecord record{picture.shown, picture.against, picture.range, std::move(scale), row,
                       mean_power,    column.label,    file,          column.spectrum};
  record.of_values = row == Row::pattern && shows_values(state(), column);
  record.in_logarithms = has_log_values(state());
  return record;
}

namespace {

const char* unit_of_values(ValueQuantity quantity) {
  switch (quantity) {
    case ValueQuantity::sum:
      return "sum of values";
    case ValueQuantity::mean_magnitude:
      return "mean |a|";
    case ValueQuantity::maximum:
      return "largest |a|";
    case ValueQuantity::count:
      break;
  }
  return "entries per position";
}

struct ColorBar {
  const ColorMap* map;
  BarValues values;
  DisplayRange range;
};

ColorBar bar_of(const PictureRecord& record, PictureError error) {
  ColorBar bar{&map_of(record), BarValues::logarithms, record.range};
  if (record.row == Row::error)
    bar.values = error == PictureError::ratio ? BarValues::ratio : BarValues::plain;
  if (!record.of_values) return bar;
  if (!record.in_logarithms) {
    const float high = std::pow(10.0F, record.range.high);
    bar.values = BarValues::plain;
    bar.range = {record.against ? -high : 0, high};
  } else if (record.against) {
    bar.values = BarValues::signs;
  }
  return bar;
}

std::string pattern_words(const Column& column, bool of_values) {
  const std::string words = method_input_words(column, of_values);
  return !words.empty() ? words : of_values ? "values" : "pattern";
}

}  // namespace

FigureRow ExportService::figure_row(Row row, const std::vector<const Column*>& columns) const {
  const bool is_pattern = row == Row::pattern;
  const View& view = state().view(plane_of(row));
  FigureRow made;
  made.row_axis = is_pattern ? "row" : "u";
  made.column_axis = is_pattern ? "column" : "v";
  made.unit = is_pattern          ? "entries per position"
              : row == Row::error ? info(state().scale.error).unit
                                  : "|F|²";
  made.marks_empty = is_pattern;
  made.exponent = exponent_of(row, state().scale);
  if (row == Row::spectrum || row == Row::reconstruction) made.shift = power_shift(state());
  made.shown = columns.size() == 1 ? view_of(state(), *columns.front(), plane_of(row)) : view.rect;
  made.plane = view.full;
  for (const Column* column : columns) {
    const Picture& picture = column->picture(row);
    // A plane that is known whole is its own reconstruction.
    const bool repeats = row == Row::reconstruction && find_method(column->method)->info().full_plane &&
                         state().compare.rows[static_cast<std::size_t>(Row::spectrum)];
    if (!picture.shown || repeats) {
      made.pictures.emplace_back();
      continue;
    }
    const PictureRecord record = record_of(*column, row, {});
    const CellImage& image = *picture.shown;
    const ColorBar bar = bar_of(record, state().scale.error);
    if (record.of_values) {
      made.unit = unit_of_values(record.scale.values);
      made.exponent = 0;
    }
    // The first pattern's bar is that of the row: block sums have a range of their own.
    const bool differs =
        made.map != nullptr && (made.map != bar.map || made.values != bar.values || made.range != bar.range);
    const bool is_own =
        columns.size() > 1 && row != Row::error &&
        (row == Row::pattern ? differs : picture.range_is_own || !column->look.color_map.empty());
    if (!is_own) {
      made.map = bar.map;
      made.values = bar.values;
      made.range = bar.range;
    }
    // A picture of all rows has a cell for each pixel, although its method samples.
    const bool is_whole = image.has_lines && column->spectrum && image.sampled_rows == column->spectrum->m;
    std::string caption =
        is_pattern ? pattern_words(*column, record.of_values)
                   : std::string(name_of(row)) +
                         (row == Row::error ? std::string(", ") + info(state().scale.error).label : "") +
                         ", " + to_string(image.exactness) +
                         (image.sampled && !is_whole ? ", coarser than the pixels" : "");
    if (is_own) caption += ", own range";
    FigurePicture drawn{image.height, image.width, colors_of(record), image.rect, caption};
    if (columns.size() > 1 && column->look.views) {
      drawn.own_view = view_of(state(), *column, plane_of(row));
      drawn.caption += ", own zoom";
    }
    if (is_own) {
      drawn.own_map = bar.map;
      drawn.own_values = bar.values;
      drawn.own_range = bar.range;
    }
    made.pictures.emplace_back(std::move(drawn));
  }
  return made;
}

std::optional<ComparisonFigure> ExportService::comparison(const std::optional<action::ExportFigure::One>& one,
                                                          bool dark) const {
  const OpenMatrix* matrix = state().matrix();
  if (matrix == nullptr) return {};
  const SparsePattern& pattern = *matrix->matrix.pattern;
  const std::string& weights = matrix->matrix.report.weights;
  ComparisonFigure figure{
      .title = matrix->matrix.name + ", " + grouped(pattern.rows()) + " × " + grouped(pattern.cols()) +
               ", K = " + grouped(pattern.nonzeros()) + (weights == "pattern" ? "" : ", weights: " + weights),
      .headings = {},
      .rows = {},
      .dark = dark,
      .note = "Spyctrum " SPYCTRUM_VERSION ", seed " + std::to_string(state().settings.seed)};
  std::vector<const Column*> columns;
  for (const Column& column : state().columns)
    if (!one || one->column == column.id) columns.push_back(&column);
  for (const Column* column : columns)
    figure.headings.push_back(column->label +
                              (column->uses_block ? ", b = " + std::to_string(column->block) : ""));
  for (std::size_t k = 0; k < kRows; ++k) {
    const Row row = static_cast<Row>(k);
    if (one ? one->row != row : !state().compare.rows[k]) continue;
    FigureRow made = figure_row(row, columns);
    if (std::ranges::any_of(made.pictures, [](const auto& picture) { return picture.has_value(); }))
      figure.rows.push_back(std::move(made));
  }
  if (figure.rows.empty()) return {};
  return figure;
}

void ExportService::handle(const action::ExportFigure& chosen) {
  if (state().matrix() == nullptr) return;
  std::optional<ComparisonFigure> figure = comparison(chosen.one, chosen.dark);
  if (!figure) return notify(Level::warning, "There is no picture to write yet.");
  if (!write_figure_) return notify(Level::warning, "This program draws no figures.");
  write_file(
      chosen.path,
      [write = write_figure_, path = chosen.path, figure = *std::move(figure),
       pixels = chosen.pixels](JobContext&) { or_throw(write(path, figure, pixels)); },
      chosen.announced);
}

void ExportService::write_file(const std::string& path, std::function<void(JobContext&)> write,
                               bool announced) {
  jobs().submit(request_job(Lane::input_output, "write/" + path, "Writing " + short_name(path)),
                std::move(write), [this, path, announced](const Result<void>& written) {
                  if (!written) return notify(Level::error, written.error().message());
                  if (announced) notify(Level::info, "Wrote " + escaped(path) + ".");
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
    records.push_back({matrix->matrix.report.file, column.spectrum, column.feature_errors,
                       column.reconstruction_errors, matrix->matrix.report.weights});
  }
  if (records.empty()) return notify(Level::warning, "There are no features to write yet.");
  write_file(chosen.path, [path = chosen.path, records = std::move(records)](JobContext&) {
    export_features(path, records);
  });
}

void ExportService::handle(const action::ExportMatrix& chosen) {
  const OpenMatrix* open = state().matrix();
  if (open == nullptr) return;
  const Result<const Writer*> writer = writer_for(chosen.path);
  if (!writer) return report(writer.error());
  write_file(chosen.path, [path = chosen.path, writer = *writer, matrix = open->matrix](JobContext& context) {
    const std::string comment = "Spyctrum " SPYCTRUM_VERSION ", " + matrix.report.file;
    or_throw(write_matrix(with_weights_as_values(matrix), *writer, path, comment, context));
  });
}

void ExportService::handle(const action::ExportValues& chosen) {
  const Column* column = state().column(chosen.column);
  if (column == nullptr || !column->spectrum) return;
  if (column->spectrum->values.empty())
    return notify(
        Level::warning,
        column->label +
            " was computed as a stream, so its values were not stored and cannot be written. The command "
            "\"spyctrum-cli spectrum\" writes them.");
  write_file(chosen.path, [path = chosen.path, spectrum = column->spectrum,
                           weights = state().matrix()->matrix.report.weights](JobContext& context) {
    export_values(path, *spectrum, weights, context);
  });
}

void ExportService::handle(const action::ExportPicture& chosen) {
  const Column* column = state().column(chosen.column);
  const OpenMatrix* matrix = state().matrix();
  if (column == nullptr || matrix == nullptr) return;
  const Picture& picture = column->picture(chosen.row);
  if (!picture.shown) return notify(Level::warning, "There is no picture to write yet.");
  PictureRecord record = record_of(*column, chosen.row, matrix->matrix.report.file);
  record.weights = matrix->matrix.report.weights;
  write_file(
      chosen.path,
      [path = chosen.path, record = std::move(record)](JobContext&) { export_picture(path, record); },
      chosen.announced);
}

}  // namespace spyctrum
