// SPDX-License-Identifier: Apache-2.0
// What a figure of the comparison shows, for print: a row for each kind of picture, a column for each method,
// with titles, axes, captions and a colour bar for each row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/pictures/colormap.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

/// Place of a value, by log10, in a range of log10, 0 at the low end and 1 at the high end: in proportion to
/// the logarithm where `exponent` is 0, else to value^exponent (½ of a power is its magnitude). ½ in an empty
/// range.
[[nodiscard]] double place_in_range(double log_value, const DisplayRange& range, double exponent);

struct FigurePicture {
  std::uint32_t height = 0, width = 0;
  std::vector<std::uint32_t> rgb;  ///< height×width, 0xRRGGBB
  PlaneRect rect;                  ///< what the picture covers: signed frequencies, or rows and columns
  std::string caption;
  std::optional<PlaneRect> own_view{};  ///< what its frame shows where that is not FigureRow::shown
  /// Colours and range of a picture with a bar of its own, null where it shares that of its row.
  const ColorMap* own_map = nullptr;
  DisplayRange own_range{};
};

struct FigureRow {
  std::string row_axis, column_axis;  ///< "u" and "v"
  std::string unit;                   ///< of the colour bar
  const ColorMap* map = nullptr;      ///< null where each picture has a bar of its own
  enum class Values {
    logarithms,  ///< the range is of log10 of the values that the colour bar names
    ratio,       ///< the range is of log10 of ratios of powers, which the colour bar names in dB
    plain,       ///< the range is of the values themselves
  };
  Values values = Values::logarithms;
  DisplayRange range;
  float shift = 0;      ///< what is added to it for the colour bar: power_shift()
  double exponent = 0;  ///< of place_in_range()
  PlaneRect shown;      ///< what the frame of each picture shows
  PlaneRect plane;      ///< ticks stand inside of it only
  std::vector<std::optional<FigurePicture>> pictures;  ///< one for each heading
};

struct ComparisonFigure {
  std::string title;
  std::vector<std::string> headings;
  std::vector<FigureRow> rows;
  bool dark = false;
  std::string note{};  ///< small, below all pictures: version, seed
};

/// Writes a figure to a path, with the pixels of a PNG per point. Errors: output, wrong_use.
using WriteFigure = std::function<Result<void>(const std::string&, const ComparisonFigure&, double)>;

}  // namespace spyctrum
