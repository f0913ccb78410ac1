// SPDX-License-Identifier: Apache-2.0
// Description of a figure of the comparison, for print: a row for each kind of picture, a column for each
// method, with titles, axes, captions and a colour bar per row.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/pictures/colormap.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

/// The position of a value in a range, both given by log10: 0 at the low end, 1 at the high end, ½ if the
/// range is empty. Linear in the logarithm if `exponent` is 0, otherwise in value^exponent (½ makes a
/// magnitude of a power).
[[nodiscard]] inline double place_in_range(double log_value, const DisplayRange& range, double exponent) {
  const double low = range.low, high = range.high;
  if (!(high > low)) return 0.5;
  if (exponent == 0) return (log_value - low) / (high - low);
  const auto raised = [&](double log) { return std::pow(10.0, exponent * log); };
  return (raised(log_value) - raised(low)) / (raised(high) - raised(low));
}

/// What the range of a colour bar is of, and how its numbers follow from it.
enum class BarValues {
  logarithms,  ///< the range is of log10 of the values that the colour bar names
  ratio,       ///< the range is of log10 of ratios of powers, which the colour bar names in dB
  plain,       ///< the range is of the values themselves
  signs,       ///< the range is of log10 of magnitudes, positive above the middle of the colour bar
};

struct FigurePicture {
  std::uint32_t height = 0, width = 0;
  std::vector<std::uint32_t> rgb;  ///< height×width, 0xRRGGBB
  PlaneRect rect;                  ///< the area of the picture: signed frequencies, or rows and columns
  std::string caption;
  std::optional<PlaneRect> own_view{};  ///< the area of its frame, if that is not FigureRow::shown
  /// Colours, values and range of a picture with its own bar; null if it shares that of its row.
  const ColorMap* own_map = nullptr;
  BarValues own_values = BarValues::logarithms;
  DisplayRange own_range{};
};

struct FigureRow {
  std::string row_axis, column_axis;  ///< "u" and "v"
  std::string unit;                   ///< of the colour bar
  const ColorMap* map = nullptr;      ///< null if each picture has its own bar
  bool marks_empty = false;           ///< the colour bar names the colour of places without entries: black
  BarValues values = BarValues::logarithms;
  DisplayRange range;
  float shift = 0;                                     ///< added for the colour bar: power_shift()
  double exponent = 0;                                 ///< of place_in_range()
  PlaneRect shown;                                     ///< area of each picture's frame
  PlaneRect plane;                                     ///< ticks are drawn only inside of it
  std::vector<std::optional<FigurePicture>> pictures;  ///< one for each heading
};

struct ComparisonFigure {
  std::string title;
  std::vector<std::string> headings;
  std::vector<FigureRow> rows;
  bool dark = false;
  std::string note{};     ///< small, below all pictures: version, seed
  std::string caption{};  ///< below the title, in a moving picture: what this frame shows
};

/// Writes a figure to a path, with the pixels of a PNG per point. Errors: output, wrong_use.
using WriteFigure = std::function<Result<void>(const std::string&, const ComparisonFigure&, double)>;

/// A moving picture that is being written. Its destructor removes what is incomplete.
class AnimationFile {
 public:
  AnimationFile() = default;
  virtual ~AnimationFile() = default;
  AnimationFile(const AnimationFile&) = delete;
  AnimationFile& operator=(const AnimationFile&) = delete;

  /// Appends a frame. Throws Failure{output}, also where it is not of the first one's size.
  virtual void add(const ComparisonFigure& frame) = 0;
  /// After the last frame: the file is complete. Returns its path, or the first and last of several paths, as
  /// a message says them. Throws Failure: output, cancelled.
  virtual std::string finish(const std::stop_token& stop) = 0;
};

/// Begins a moving picture at a path, with pixels per point and seconds per frame. Errors: output,
/// wrong_use.
using OpenAnimation =
    std::function<Result<std::shared_ptr<AnimationFile>>(const std::string&, double, double)>;

}  // namespace spyctrum
