// SPDX-License-Identifier: Apache-2.0
// Files that leave the program: features, values, pictures, sessions. Each is written by a job from values
// that are copied when the action arrives. Owns no data.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/controller/files/exports.hpp"
#include "app/controller/service.hpp"
#include "app/figures/comparison_figure.hpp"

namespace spyctrum {

class ExportService : public Service {
 public:
  using Service::Service;
  void handle(const action::ExportFeatures& chosen);
  void handle(const action::ExportValues& chosen);
  void handle(const action::ExportPicture& chosen);
  void handle(const action::ExportFigure& chosen);
  void handle(const action::SaveSession& chosen);

 private:
  [[nodiscard]] PictureRecord record_of(const Column& column, Row row, const std::string& file) const;
  [[nodiscard]] FigureRow figure_row(Row row, const std::vector<const Column*>& columns) const;
  void write_file(const std::string& path, std::function<void(JobContext&)> write);
};

}  // namespace spyctrum
