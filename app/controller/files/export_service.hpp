// SPDX-License-Identifier: Apache-2.0
// Files that leave the program: features, values, pictures, sessions. Each is written by a job from values
// that are copied when the action arrives.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/controller/files/comparison_figure.hpp"
#include "app/controller/files/exports.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class ExportService : public Service {
 public:
  ExportService(ServiceContext& context, WriteFigure write_figure)
      : Service(context), write_figure_(std::move(write_figure)) {}
  void handle(const action::ExportFeatures& chosen);
  void handle(const action::ExportMatrix& chosen);
  void handle(const action::ExportValues& chosen);
  void handle(const action::ExportPicture& chosen);
  void handle(const action::ExportFigure& chosen);
  void handle(const action::SaveSession& chosen);
  /// The open rows of all columns, or one picture, as ExportFigure writes them; empty if there is no picture.
  [[nodiscard]] std::optional<ComparisonFigure> comparison(
      const std::optional<action::ExportFigure::One>& one, bool dark) const;

 private:
  [[nodiscard]] PictureRecord record_of(const Column& column, Row row, const std::string& file) const;
  [[nodiscard]] FigureRow figure_row(Row row, const std::vector<const Column*>& columns) const;
  void write_file(const std::string& path, std::function<void(JobContext&)> write, bool announced = true);

  WriteFigure write_figure_;
};

}  // namespace spyctrum
