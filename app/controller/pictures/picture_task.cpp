// SPDX-License-Identifier: Apache-2.0
// Pictures come from core/pictures or from a device; ranges are percentiles of log10 of their positive
// pixels.
#include "app/controller/pictures/picture_task.hpp"

#include <algorithm>
#include <cmath>

#include "core/matrix/kept_entries.hpp"
#include "core/pictures/counted_cells.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kHistogramBins = 96;

/// Histogram of log10 values, without the lowest and the highest thousandth: one outlier would squeeze the
/// rest into a few bins.
Histogram histogram_of(std::vector<float>& values) {
  Histogram histogram;
  if (values.empty()) return histogram;
  const auto at = [&](double share) {
    const auto place =
        values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
  };
  histogram.low = at(0.001);
  histogram.high = at(0.999);
  if (!(histogram.high > histogram.low)) {
    histogram.low -= 0.5F;
    histogram.high = histogram.low + 1;
  }
  histogram.counts.assign(kHistogramBins, 0);
  const float scale = static_cast<float>(kHistogramBins) / (histogram.high - histogram.low);
  for (const float value : values) {
    const float bin = (value - histogram.low) * scale;
    if (bin < 0 || bin > static_cast<float>(kHistogramBins)) continue;
    ++histogram.counts[std::min(kHistogramBins - 1, static_cast<std::size_t>(bin))];
  }
  return histogram;
}

/// Samples as means over the cells of sample_area(), with the chosen lines where there are any.
CellImage samples_image(const PictureSpec& spec, DevicePictures* device, JobContext& context) {
  const std::uint64_t rows = spec.rows ? spec.rows->lines().rows.indices.size() : 0;
  const PictureArea cells =
      sample_area(*spec.spectrum, spec.placement, spec.area, spec.samples_per_cell, kLeastCells, rows);
  CellImage image;
  if (spec.reconstruction && device != nullptr)
    image = device->sample_image_with_lines(spec.spectrum, *spec.reconstruction, cells, spec.area, context,
                                            spec.rows.get());
  else if (spec.reconstruction)
    image = sample_image_with_lines(*spec.spectrum, *spec.reconstruction, cells, spec.area, context,
                                    spec.rows.get());
  else if (device != nullptr)
    image = device->sample_image(spec.spectrum, spec.placement, cells, context);
  else
    image = sample_image(*spec.spectrum, spec.placement, cells, context);
  const bool is_whole = image.sampled_rows == spec.spectrum->m;
  if (cells.samples_per_cell > 0 && !is_whole) image.relative_error = 1 / std::sqrt(cells.samples_per_cell);
  return image;
}

/// If cells of a picture contain fewer samples than requested, gives all cells of a square the mean of that
/// square. Cells on the axes u = 0 and v = 0 keep their values, which are computed from the whole axis.
void average_samples(CellImage& image, std::uint32_t samples_per_cell) {
  const double largest_error = 1 / std::sqrt(std::max(1.0, static_cast<double>(samples_per_cell)));
  if (image.exactness != Exactness::exact_samples || image.relative_error <= largest_error) return;
  const auto side = static_cast<std::uint32_t>(std::ceil(image.relative_error / largest_error));
  const AxisCells zero = axis_cells(image);
  const auto each_beside_axes = [&](std::uint32_t top, std::uint32_t left, auto&& visit) {
    for (std::uint32_t row = top; row < std::min(top + side, image.height); ++row) {
      if (zero.rows[row]) continue;
      for (std::uint32_t col = left; col < std::min(left + side, image.width); ++col) {
        float* cell = &image.cells[2 * (static_cast<std::size_t>(row) * image.width + col)];
        if (std::isfinite(cell[0]) && !zero.cols[col]) visit(cell);
      }
    }
  };
  for (std::uint32_t top = 0; top < image.height; top += side) {
    for (std::uint32_t left = 0; left < image.width; left += side) {
      double sum = 0, count = 0;
      float most = 0;
      each_beside_axes(top, left, [&](const float* cell) {
        sum += static_cast<double>(cell[0]);
        most = std::max(most, cell[1]);
        ++count;
      });
      each_beside_axes(top, left, [&](float* cell) {
        cell[0] = static_cast<float>(sum / count);
        cell[1] = most;
      });
    }
  }
  image.relative_error /= side;
  image.device = nullptr;  // the device's copy has the cells before averaging
}

/// Whether a device can draw the picture: it draws neither incomplete pyramids nor scattered samples nor
/// reconstructions without magnitudes of nodes.
bool is_for_device(const PictureSpec& spec) {
  using Source = PictureSpec::Source;
  if (spec.source == Source::coefficients) return spec.budget != 0;
  if (spec.source == Source::samples) return spec.spectrum->placement != Placement::scattered;
  return spec.source != Source::reconstruction || !spec.reconstruction->nodes().magnitudes.empty();
}

/// Draws on `device`, or on the CPU where that is null.
CellImage draw(const PictureSpec& spec, DevicePictures* device, JobContext& context) {
  const PictureArea& pixels = spec.area;
  const PatternHierarchy* const hierarchy = spec.aid.hierarchy.get();
  switch (spec.source) {
    case PictureSpec::Source::entries:
      return device != nullptr ? device->pattern_image(spec.pattern, pixels, context)
                               : pattern_image(*spec.pattern, pixels, context, hierarchy);
    case PictureSpec::Source::densities:
      return device != nullptr ? device->density_image(spec.pattern, spec.block, pixels, context)
                               : density_image(*spec.pattern, spec.block, pixels, context, hierarchy);
    case PictureSpec::Source::decimated:
      return device != nullptr ? device->decimated_image(spec.pattern, spec.block, pixels, context)
                               : decimated_image(*spec.pattern, spec.block, pixels, context);
    case PictureSpec::Source::coefficients: {
      if (device != nullptr)
        return device->exact_image(spec.pattern, spec.spectrum, pixels, spec.budget, context);
      const DisplayPyramid* pyramid =
          spec.spectrum && spec.spectrum->pyramid ? &*spec.spectrum->pyramid : nullptr;
      return exact_image(*spec.pattern, pyramid, pixels, spec.budget, context);
    }
    case PictureSpec::Source::samples:
      return samples_image(spec, device, context);
    case PictureSpec::Source::reconstruction:
      return device != nullptr
                 ? device->reconstruction_image(*spec.reconstruction, pixels, spec.budget, context)
                 : reconstruction_image(*spec.reconstruction, pixels, spec.budget, context);
    case PictureSpec::Source::values:  // make_values()
    case PictureSpec::Source::none:
      break;
  }
  throw Failure(ErrorCode::internal, "A picture was requested without a source.");
}

/// The picture of a matrix's values, drawn by the CPU. Range and histogram count magnitudes of both signs.
MadePicture make_values(const PictureSpec& spec, const RangeSpec& range, JobContext& context) {
  MadePicture made;
  ValueImages images = value_images(*spec.pattern, spec.quantity, spec.area, context, spec.block);
  made.image = std::move(images.above);
  made.below = std::move(images.below);
  CellImage magnitudes = *made.image;
  if (made.below)
    for (std::size_t k = 0; k < magnitudes.cells.size(); ++k)
      magnitudes.cells[k] = std::max(magnitudes.cells[k], made.below->cells[k]);
  made.measured = measure(magnitudes, range, context.pool());
  // If all magnitudes are equal, they have the colour at the top of the map.
  DisplayRange& shown = made.measured.range;
  if (shown.high - shown.low < 0.01F) shown.low = shown.high - 1;
  // Beside its middle a diverging map is nearly white: the smallest magnitudes lie a third away from it.
  if (made.below) shown.low -= (shown.high - shown.low) / 2;
  return made;
}

}  // namespace

RangeSpec range_spec(const ScaleSettings& scale, Row row) {
  // Of patterns the second channel is the share of positions that hold an entry.
  if (row == Row::pattern) return {0, 100, false, false, Channel::maximum};
  return {scale.low_percent, scale.high_percent, scale.skip_dc,
          scale.skip_axes,   scale.channel,      row == Row::error ? scale.error : PictureError::ratio};
}

ImageRange measure(const CellImage& image, const RangeSpec& spec, ThreadPool& pool) {
  ImageRange measured;
  pool.parallel_for(2, 1, [&](std::size_t which, std::size_t, unsigned) {
    if (which == 0) {
      measured.range = automatic_range(image, spec.low_percent, spec.high_percent, spec.skip_dc,
                                       spec.skip_axes, spec.channel == Channel::mean ? 0 : 1);
    } else {
      std::vector<float> values =
          counted_logs(image, spec.skip_dc, spec.skip_axes, spec.channel == Channel::mean ? 0 : 1);
      std::erase_if(values, [](float log) { return !std::isfinite(log); });
      measured.histogram = histogram_of(values);
    }
  });
  return measured;
}

ImageRange measure_difference(const CellImage& image, const CellImage& against, const RangeSpec& spec,
                              double entries) {
  std::vector<float> errors;
  const std::size_t cells = std::min(image.cells.size(), against.cells.size()) / 2;
  const std::size_t channel = spec.channel == Channel::mean ? 0 : 1;
  errors.reserve(cells);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const float a = image.cells[2 * cell + channel];
    const float b = against.cells[2 * cell + channel];
    if (!std::isfinite(a) || !std::isfinite(b) || !(a > 0 && b > 0)) continue;
    if (const auto error = error_of(spec.error, a, b, entries)) errors.push_back(static_cast<float>(*error));
  }
  ImageRange measured;
  measured.histogram = histogram_of(errors);
  const auto percentile = [&](double percent) {
    const auto place =
        errors.begin() + static_cast<std::ptrdiff_t>(percent / 100 * static_cast<double>(errors.size() - 1));
    std::nth_element(errors.begin(), place, errors.end());
    return *place;
  };
  if (!info(spec.error).is_signed) {
    measured.range = {-3, 0};
    if (!errors.empty()) measured.range = {percentile(spec.low_percent), percentile(spec.high_percent)};
    if (!(measured.range.high > measured.range.low)) measured.range.low = measured.range.high - 1;
    return measured;
  }
  float limit = 1e-3F;
  for (float& error : errors) error = std::abs(error);
  if (!errors.empty()) limit = std::max(limit, percentile(spec.high_percent));
  measured.range = {-limit, limit};
  return measured;
}

MadePicture make_picture(const PictureSpec& spec, const RangeSpec& range,
                         const std::shared_ptr<DevicePictures>& device, JobContext& context) {
  context.begin_stage("draw");
  if (spec.largest != 0) {
    PictureSpec kept = spec;
    kept.largest = 0;
    const PatternPtr largest = largest_entries(*spec.pattern, spec.largest, &context);
    if (largest) kept.pattern = largest;
    return make_picture(kept, range, nullptr, context);
  }
  if (spec.source == PictureSpec::Source::values) return make_values(spec, range, context);
  MadePicture made;
  Result<CellImage> image =
      run_guarded([&] { return draw(spec, is_for_device(spec) ? device.get() : nullptr, context); });
  if (!image && device && is_for_cpu(device->backend(), image.error())) {
    made.fallback = image.error();
    image = run_guarded([&] { return draw(spec, nullptr, context); });
  }
  if (image && spec.source == PictureSpec::Source::coefficients)
    average_samples(*image, spec.samples_per_cell);
  made.image = std::make_shared<const CellImage>(or_throw(std::move(image)));
  context.check_stop();
  made.measured = measure(*made.image, range, context.pool());
  using Source = PictureSpec::Source;
  const bool is_share =
      spec.source == Source::entries || spec.source == Source::densities || spec.source == Source::decimated;
  if (DisplayRange& shown = made.measured.range; is_share && shown.high > 0)  // no share exceeds 100 %
    shown = {std::min(shown.low, -1.0F), 0};
  return made;
}

}  // namespace spyctrum
