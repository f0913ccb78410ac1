// SPDX-License-Identifier: Apache-2.0
// Makes one picture of the comparison and the range of its pixels, as functions of values: jobs call them on
// worker threads. They do not use AppState, and throw Failure.
#pragma once

#include <cstdint>
#include <memory>

#include "app/controller/device_runs.hpp"
#include "app/controller/state.hpp"
#include "core/base/job_context.hpp"
#include "core/device/device_pictures.hpp"
#include "core/pictures/view.hpp"
#include "core/reconstruction/known_coefficients.hpp"
#include "core/reconstruction/reconstruction.hpp"

namespace spyctrum {

using ImagePtr = std::shared_ptr<const CellImage>;

/// The inputs of a picture; equal specs make equal pictures.
struct PictureSpec {
  enum class Source { none, entries, values, densities, decimated, coefficients, samples, reconstruction };
  Source source = Source::none;
  PatternPtr pattern;
  SpectrumPtr spectrum;              ///< coefficients: its pyramid, when there is one; samples: its values
  ReconstructionPtr reconstruction;  ///< source reconstruction; samples: the lines drawn with them, or null
  std::shared_ptr<const LineValues> rows;  ///< samples with lines: whole rows that are samples, too, or null
  PictureArea area;
  ValueQuantity quantity = ValueQuantity::sum;  ///< values
  std::uint64_t largest = 0;  ///< entries, values: only this many entries of largest |a|; 0: all
  std::uint32_t block = 1;    ///< densities, decimated
  ReducedPlacement placement = ReducedPlacement::stretched;
  std::uint32_t samples_per_cell = 1;  ///< samples: at least this many are averaged
  /// coefficients, reconstruction: the most coefficients that may be computed.
  std::uint64_t budget = 0;
  /// Makes the same picture faster; specs that differ only in it are equal.
  struct Aid {
    HierarchyPtr hierarchy;  ///< of the pattern, or null
    friend bool operator==(const Aid&, const Aid&) { return true; }
  } aid{};
  friend bool operator==(const PictureSpec&, const PictureSpec&) = default;
};

/// The inputs of the automatic range besides the pixels.
struct RangeSpec {
  double low_percent = 1, high_percent = 99.3;
  bool skip_dc = true, skip_axes = true;
  Channel channel = Channel::mean;
  PictureError error = PictureError::ratio;  ///< row error
  friend bool operator==(const RangeSpec&, const RangeSpec&) = default;
};
[[nodiscard]] RangeSpec range_spec(const ScaleSettings& scale, Row row);

struct ImageRange {
  DisplayRange range;
  Histogram histogram;
};
/// Range and histogram of the pixels shown.
[[nodiscard]] ImageRange measure(const CellImage& image, const RangeSpec& spec, ThreadPool& pool);
/// Range of error_of() over the pixels of `image` against `against`, both with the same rect and size: −L … L
/// if the measure is signed, with L the high_percent percentile of the magnitudes; otherwise the percentiles.
/// `entries`: K.
[[nodiscard]] ImageRange measure_difference(const CellImage& image, const CellImage& against,
                                            const RangeSpec& spec, double entries);

struct MadePicture {
  ImagePtr image;
  ImagePtr below;  ///< of signed values: ValueImages; else null
  ImageRange measured;
  Fallback fallback;
};
/// The mean of 64 powers of noise has a relative standard error of 1/8.
inline constexpr std::uint32_t kSamplesPerCell = 64;
/// Pictures of few samples have smaller cells, about this many, since a few large ones would show no
/// structure.
inline constexpr std::uint32_t kLeastCells = 256;
/// The first picture of a view computes at most `first` coefficients. If it is coarser than its pixels, a
/// second one follows, which computes at most `most`.
struct PictureBudget {
  std::uint64_t first = 0, most = 0;
};
/// 2^26 single-precision coefficients take 0.5 GiB.
inline constexpr PictureBudget kExactBudget{std::uint64_t{1} << 20U, std::uint64_t{1} << 26U};
/// For a reconstruction, which is evaluated row by row: 2^32 coefficients take a few seconds.
inline constexpr PictureBudget kReconstructionBudget{std::uint64_t{1} << 24U, std::uint64_t{1} << 32U};
/// Draws on `device`, or on the CPU if `device` is null or cannot (is_for_cpu()).
[[nodiscard]] MadePicture make_picture(const PictureSpec& spec, const RangeSpec& range,
                                       const std::shared_ptr<DevicePictures>& device, JobContext& context);

}  // namespace spyctrum
