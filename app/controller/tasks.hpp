// SPDX-License-Identifier: Apache-2.0
// What the interface's jobs compute, as functions of values: pictures with the
// ranges of their pixels, the values under the crosshair, errors against the exact
// rows. They run on worker threads, see no AppState, and throw Failure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/controller/state.hpp"
#include "core/base/job_context.hpp"
#include "core/device/device_pictures.hpp"
#include "core/methods/method.hpp"
#include "core/pictures/view.hpp"
#include "core/reconstruction/reconstruction.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

using ImagePtr = std::shared_ptr<const CellImage>;
using ReconstructionPtr = std::shared_ptr<const Reconstruction>;

/// What a picture is made from; equal specs make equal pictures.
struct PictureSpec {
  enum class Source { none, entries, densities, kept, coefficients, samples, reconstruction };
  Source source = Source::none;
  PatternPtr pattern;
  SpectrumPtr spectrum;              ///< coefficients: its pyramid, when there is one; samples: its values
  ReconstructionPtr reconstruction;  ///< source reconstruction
  PlaneRect rect;
  PixelSize size;
  std::uint32_t block = 1;  ///< densities, kept
  ReducedPlacement placement = ReducedPlacement::stretched;
  /// Makes it sooner and not different.
  struct Aid {
    HierarchyPtr hierarchy;  ///< of the pattern, or null
    friend bool operator==(const Aid&, const Aid&) { return true; }
  } aid{};
  friend bool operator==(const PictureSpec&, const PictureSpec&) = default;
};

/// What the automatic range depends on besides the pixels.
struct RangeSpec {
  double low_percent = 1, high_percent = 99.3;
  bool skip_dc = true, skip_axes = true;
  Channel channel = Channel::mean;
  friend bool operator==(const RangeSpec&, const RangeSpec&) = default;
};
[[nodiscard]] RangeSpec range_spec(const ScaleSettings& scale, Row row);

struct ImageRange {
  DisplayRange range;
  Histogram histogram;
};
/// Range and histogram of the pixels shown.
[[nodiscard]] ImageRange measure(const CellImage& image, const RangeSpec& spec);
/// Symmetric range of log10(image) − log10(against) over pixels where both are positive: L is the
/// high_percent percentile of its magnitude. Both pictures have one rect and size.
[[nodiscard]] ImageRange measure_difference(const CellImage& image, const CellImage& against,
                                            const RangeSpec& spec);

/// What a device could not do, and so the CPU did.
using Fallback = std::optional<Error>;
/// Whether what ended so on a CUDA device is done again by the CPU: it did not fit there, or the device
/// failed. Not what was cancelled, nor what was wrong from the start.
[[nodiscard]] bool is_for_cpu(Backend backend, const Error& error);

struct RunOutcome {
  SpectrumPtr spectrum;
  Fallback fallback;
};
/// A process's first work on a device waits for the driver, cuFFT and CUB to load what sizes of real matrices
/// need, a second and more on a machine that has not done it before: that is done here, once, ahead of what
/// is timed. `pictures`: draws some too; may be null.
void wake_device(Backend backend, const std::shared_ptr<DevicePictures>& pictures, JobContext& context);

/// run_method(), a second time on the CPU where is_for_cpu() says so. Throws Failure.
[[nodiscard]] RunOutcome run_or_fall_back(const Method& method, const ResolvedRequest& request,
                                          JobContext& context);

struct MadePicture {
  ImagePtr image;
  ImageRange measured;
  Fallback fallback;
};
/// At most this many exact coefficients are computed for one picture.
inline constexpr std::uint64_t kPictureBudget = std::uint64_t{1} << 20U;
/// On `device`, or on the CPU where that is null or cannot (is_for_cpu()).
[[nodiscard]] MadePicture make_picture(const PictureSpec& spec, const RangeSpec& range,
                                       const std::shared_ptr<DevicePictures>& device, JobContext& context);

/// What the pattern of a column is made from.
struct ArrangementSpec {
  PatternPtr whole;
  Arrangement arrangement;
  std::optional<PlaneRect> region;
  friend bool operator==(const ArrangementSpec&, const ArrangementSpec&) = default;
};
struct Arranged {
  PatternPtr pattern;
  std::string note;
};
[[nodiscard]] Arranged arrange(const ArrangementSpec& spec, JobContext& context);

struct WaveSpec {
  PatternPtr pattern;
  std::pair<std::int64_t, std::int64_t> frequency;
  friend bool operator==(const WaveSpec&, const WaveSpec&) = default;
};

/// One column at the crosshair.
struct ProbeSource {
  ColumnId column = 0;
  SpectrumPtr spectrum;
  ReconstructionPtr reconstruction;
  PatternPtr own_pattern;  ///< of another arrangement than the matrix; else null
  friend bool operator==(const ProbeSource&, const ProbeSource&) = default;
};
struct ProbeSpec {
  PatternPtr pattern;
  std::int64_t u = 0, v = 0;
  ReducedPlacement placement = ReducedPlacement::stretched;
  std::vector<ProbeSource> sources;
  friend bool operator==(const ProbeSpec&, const ProbeSpec&) = default;
};
struct Probe {
  std::complex<double> coefficient;
  std::vector<ColumnProbe> columns;
};
[[nodiscard]] Probe probe(const ProbeSpec& spec, JobContext& context);

/// The stored coefficient of `spectrum` nearest to (u, v), and where it lies in the m×n plane.
/// Empty when no values are stored.
struct NearestSample {
  std::complex<float> value;
  double u = 0, v = 0;
};
[[nodiscard]] std::optional<NearestSample> nearest_sample(const Spectrum& spectrum, std::int64_t u,
                                                          std::int64_t v, ReducedPlacement placement);

/// Errors of several reconstructions in one pass over exact rows of `pattern`: over every row when
/// `every_row` is set or the plane holds at most kErrorCoefficients of them, else over rows spread
/// evenly off the axis u = 0, about kErrorCoefficients in all (the result says that it is sampled). The
/// controller asks for no sample where one row has more.
inline constexpr std::uint64_t kErrorCoefficients = std::uint64_t{1} << 24U;
struct ErrorSpec {
  PatternPtr pattern;
  std::string stream_method;  ///< a full-plane method, for every row
  std::vector<std::pair<ColumnId, ReconstructionPtr>> reconstructions;
  bool every_row = false;
  Backend backend{};  ///< of the passes over every row
  friend bool operator==(const ErrorSpec&, const ErrorSpec&) = default;
};
struct ColumnErrors {
  std::vector<std::pair<ColumnId, ReconstructionErrors>> of_columns;
  Fallback fallback;
};
[[nodiscard]] ColumnErrors reconstruction_errors(const ErrorSpec& spec, JobContext& context);

}  // namespace spyctrum
