// SPDX-License-Identifier: Apache-2.0
// Files that the interface writes: features, values, pictures. Each contains its provenance: method,
// parameters, seed, version, exactness. All functions throw Failure{output} and leave no incomplete file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/controller/state.hpp"
#include "core/base/job_context.hpp"
#include "core/features/feature_errors.hpp"
#include "core/pictures/colormap.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

/// Features and costs of one column.
struct FeatureRecord {
  std::string file;
  SpectrumPtr spectrum;  ///< with features
  std::optional<FeatureErrors> errors;
  std::optional<ReconstructionErrors> reconstruction;
  std::string weights = "pattern";  ///< to_string(Weights)
};
/// JSON (an array of objects) where `path` ends in .json, else CSV; one object or line for each record.
void export_features(const std::string& path, const std::vector<FeatureRecord>& records);

/// Writes the stored values in the units of the weights: a .npz with the frequencies of both axes and the
/// provenance, or a plain .npy. Values of a grid are not copied as a whole. A stop of the job stops the file.
void export_values(const std::string& path, const Spectrum& spectrum, const std::string& weights,
                   JobContext& context);

struct PictureRecord {
  std::shared_ptr<const CellImage> image;
  std::shared_ptr<const CellImage> against;  ///< row error
  DisplayRange range;
  ScaleSettings scale;
  Row row = Row::spectrum;
  double mean_power = 0;  ///< of the coefficients: K, or Σw²
  std::string column;
  std::string file;
  SpectrumPtr spectrum;             ///< for the provenance; may be null
  std::string weights = "pattern";  ///< to_string(Weights)
  bool of_values = false;           ///< row pattern: of weights, not of counts
  bool in_logarithms = false;       ///< colours of values: has_log_values()
};
/// The exponent by which values of a row are placed in their range: place_in_range() in
/// comparison_figure.hpp.
[[nodiscard]] double exponent_of(Row row, const ScaleSettings& scale);
/// The picture's colours, height×width, 0xRRGGBB.
[[nodiscard]] std::vector<std::uint32_t> colors_of(const PictureRecord& record);
[[nodiscard]] const ColorMap& map_of(const PictureRecord& record);
/// Writes a PNG with the colour map and range of the screen; one pixel per cell of the image.
void export_picture(const std::string& path, const PictureRecord& record);

void export_text(const std::string& path, const std::string& text);

}  // namespace spyctrum
