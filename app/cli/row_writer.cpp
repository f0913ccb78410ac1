// SPDX-License-Identifier: Apache-2.0
// Writes rows as .npy, .npz or .png.
#include "app/cli/row_writer.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/counts_text.hpp"
#include "core/base/text.hpp"
#include "core/io/export.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum::cli {

namespace {

const ColorMap* color_map_named(const std::string& name) {
  return name.empty() ? &color_maps().front() : find_color_map(name);
}

std::size_t element_size(Element element) {
  return element == Element::complex64 ? sizeof(std::complex<float>) : sizeof(float);
}

const char* descr_of(Element element) { return element == Element::complex64 ? "<c8" : "<f4"; }

/// Row r, scaled, as raw bytes.
void fill_row(const PlaneOutput& plane, std::uint64_t r, std::span<std::byte> bytes) {
  if (plane.element == Element::complex64)
    plane.complex_row(r, {reinterpret_cast<std::complex<float>*>(bytes.data()), plane.cols});
  else
    plane.real_row(r, {reinterpret_cast<float*>(bytes.data()), plane.cols});
  if (plane.scale == 1) return;
  // A complex number is scaled as its two parts.
  for (float& value : std::span(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)))
    value = static_cast<float>(static_cast<double>(value) * plane.scale);
}

/// The values, which are computed row by row while they are written.
NpyArray values_of(const PlaneOutput& plane, JobContext& context) {
  NpyArray values{descr_of(plane.element), {plane.rows, plane.cols}, {}};
  values.pieces = [&](const auto& put) {
    std::vector<std::byte> row(plane.cols * element_size(plane.element));
    for (std::uint64_t r = 0; r < plane.rows; ++r) {
      fill_row(plane, r, row);
      if (!put(row)) return;
      context.checkpoint(r + 1, plane.rows);
    }
  };
  return values;
}

void write_rows_npz(const std::string& path, const PlaneOutput& plane, JobContext& context) {
  const std::string provenance = provenance_lines(plane.text);
  or_throw(write_npz(path,
                     {{"values", values_of(plane, context)},
                      {"u", npy_of(std::span<const std::int64_t>(plane.u), {plane.rows})},
                      {"v", npy_of(std::span<const std::int64_t>(plane.v), {plane.cols})},
                      {"provenance", npy_text(provenance)}},
                     context.stop_token()));
}

/// Logarithms of magnitudes; holds one row.
class LogMagnitudes {
 public:
  explicit LogMagnitudes(const PlaneOutput& plane) : plane_(plane), row_(plane.cols) {}

  /// log10 of the magnitudes of row r, NaN where the magnitude is 0; valid until the next call.
  std::span<const float> row(std::uint64_t r) {
    plane_.real_row(r, row_);
    return logarithms(row_);
  }
  /// The same at columns first, first + step, ….
  std::span<const float> samples(std::uint64_t r, std::uint64_t first, std::uint64_t step) {
    const std::size_t count = (plane_.cols - first + step - 1) / step;
    const std::span<float> found = std::span(row_).first(count);
    if (plane_.real_samples) {
      plane_.real_samples(r, first, step, found);
      return logarithms(found);
    }
    row(r);
    for (std::size_t k = 0; k < count; ++k) row_[k] = row_[first + k * step];
    return found;
  }

 private:
  std::span<const float> logarithms(std::span<float> values) const {
    const float factor = plane_.real_is_power ? 0.5F : 1.0F;
    for (float& value : values) value = value > 0 ? factor * std::log10(value) : std::nanf("");
    return values;
  }

  const PlaneOutput& plane_;
  std::vector<float> row_;
};

/// The range of the picture: percentiles 1 and 99.3 of a bounded sample of the finite values.
std::pair<float, float> range_of(const PlaneOutput& plane, LogMagnitudes& logs, JobContext& context) {
  constexpr std::uint64_t kSample = 1U << 20U;
  const std::uint64_t step = std::max<std::uint64_t>(1, plane.rows * plane.cols / kSample);
  std::vector<float> sample;
  // Values 0, step, 2·step, … of the plane, row after row.
  for (std::uint64_t r = 0; r < plane.rows; ++r) {
    const std::uint64_t first = (step - r * plane.cols % step) % step;
    if (first >= plane.cols) continue;
    for (const float value : logs.samples(r, first, step))
      if (std::isfinite(value)) sample.push_back(value);
    context.check_stop();
  }
  if (sample.empty()) return {0.0F, 1.0F};
  std::ranges::sort(sample);
  const auto at = [&](double share) {
    return sample[static_cast<std::size_t>(share * static_cast<double>(sample.size() - 1))];
  };
  const float low = at(0.01);
  return {low, std::max(at(0.993), low + 1e-6F)};
}

void write_rows_png(const std::string& path, const PlaneOutput& plane, JobContext& context) {
  constexpr std::uint64_t kLargestPicture = std::uint64_t{1} << 28U;
  if (plane.rows > kLargestPicture / plane.cols)
    throw Failure(ErrorCode::wrong_use,
                  "A picture of " + sides_text(plane.cols, plane.rows) + " pixels is too large.",
                  "Choose a --window, a larger --block, or .npy.");
  const ColorMap& map = *color_map_named(plane.colormap);
  LogMagnitudes logs(plane);
  const auto [low, high] = range_of(plane, logs, context);
  const auto paint_row = [&, low = low, high = high](std::uint32_t r, std::span<std::uint8_t> rgb) {
    auto out = rgb.begin();
    for (const float value : logs.row(r)) {
      const float position =
          std::isfinite(value) ? std::clamp((value - low) / (high - low), 0.0F, 1.0F) : 0.0F;
      out = std::ranges::copy(map.rgb[static_cast<std::size_t>(std::lround(position * 255.0F))], out).out;
    }
    context.checkpoint(r + 1, plane.rows);
  };
  or_throw(write_png_rows(path, static_cast<std::uint32_t>(plane.rows),
                          static_cast<std::uint32_t>(plane.cols), paint_row, plane.text,
                          context.stop_token()));
}

}  // namespace

void check_output(const std::string& path, const std::string& colormap, const std::stop_token& stop) {
  if (!path.ends_with(".npy") && !path.ends_with(".npz") && !path.ends_with(".png"))
    throw Failure(ErrorCode::wrong_use, "--out '" + path + "' does not say which format.",
                  "End it in .npy, .npz or .png.");
  if (color_map_named(colormap) == nullptr)
    throw Failure(ErrorCode::wrong_use, "There is no colour map '" + colormap + "'.",
                  "Choose " + joined(color_maps(), &ColorMap::name) + ".");
  or_throw(check_writable(path, stop));
}

void write_plane(const std::string& path, const PlaneOutput& plane, JobContext& context) {
  context.begin_stage("write");
  // A row as values, its magnitudes and its colours.
  const Booking row(context.memory(), 16 * plane.cols, "rows of the output");
  if (path.ends_with(".npy"))
    or_throw(write_npy(path, values_of(plane, context), context.stop_token()));
  else if (path.ends_with(".npz"))
    write_rows_npz(path, plane, context);
  else
    write_rows_png(path, plane, context);
}

std::string provenance_lines(const std::vector<std::pair<std::string, std::string>>& text) {
  std::string lines;
  for (const auto& [name, value] : text) lines.append(name).append(": ").append(value).append("\n");
  return lines;
}

}  // namespace spyctrum::cli
