// SPDX-License-Identifier: Apache-2.0
// Writes rows as .npy, .npz or .png.
#include "app/cli/row_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/io/export.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum::cli {

namespace {

std::string ending(const std::string& path) {
  const auto dot = path.rfind('.');
  const auto slash = path.rfind('/');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return {};
  return path.substr(dot);
}

const ColorMap* color_map_named(const std::string& name) {
  return name.empty() ? &color_maps().front() : find_color_map(name);
}

std::size_t element_size(Element element) {
  return element == Element::complex64 ? sizeof(std::complex<float>) : sizeof(float);
}

const char* descr_of(Element element) { return element == Element::complex64 ? "<c8" : "<f4"; }

/// Row r as raw bytes.
void fill_row(const PlaneOutput& plane, std::uint64_t r, std::span<std::byte> bytes) {
  if (plane.element == Element::complex64) {
    plane.complex_row(r, {reinterpret_cast<std::complex<float>*>(bytes.data()), plane.cols});
  } else {
    plane.real_row(r, {reinterpret_cast<float*>(bytes.data()), plane.cols});
  }
}

Result<void> write_rows_npy(const std::string& path, const PlaneOutput& plane, JobContext& context) {
  const auto write = [&](std::ostream& out) {
    out << npy_header(descr_of(plane.element), {plane.rows, plane.cols});
    std::vector<std::byte> row(plane.cols * element_size(plane.element));
    for (std::uint64_t r = 0; r < plane.rows && out; ++r) {
      fill_row(plane, r, row);
      out.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(row.size()));
      context.checkpoint(r + 1, plane.rows);
    }
  };
  return write_atomically(path, write, context.stop_token());
}

std::vector<std::byte> all_rows(const PlaneOutput& plane, JobContext& context) {
  const std::size_t stride = plane.cols * element_size(plane.element);
  const Booking booking(context.memory(), stride * plane.rows, "output array");
  std::vector<std::byte> bytes(stride * plane.rows);
  for (std::uint64_t r = 0; r < plane.rows; ++r) {
    fill_row(plane, r, std::span(bytes).subspan(r * stride, stride));
    context.checkpoint(r + 1, plane.rows);
  }
  return bytes;
}

Result<void> write_rows_npz(const std::string& path, const PlaneOutput& plane, JobContext& context) {
  const std::vector<std::byte> bytes = all_rows(plane, context);
  const std::string provenance = provenance_lines(plane.text);
  return write_npz(path,
                   {{"values", NpyArray{descr_of(plane.element), {plane.rows, plane.cols}, bytes}},
                    {"u", npy_of(std::span<const std::int64_t>(plane.u), {plane.rows})},
                    {"v", npy_of(std::span<const std::int64_t>(plane.v), {plane.cols})},
                    {"provenance", npy_text(provenance)}},
                   context.stop_token());
}

/// log10 of magnitude, row by row; NaN where the magnitude is 0.
std::vector<float> log_magnitudes(const PlaneOutput& plane, JobContext& context) {
  std::vector<float> logs(plane.rows * plane.cols);
  std::vector<std::complex<float>> row(plane.element == Element::complex64 ? plane.cols : 0);
  for (std::uint64_t r = 0; r < plane.rows; ++r) {
    const std::span<float> out = std::span(logs).subspan(r * plane.cols, plane.cols);
    if (plane.element == Element::complex64) {
      plane.complex_row(r, row);
      std::ranges::transform(row, out.begin(), [](std::complex<float> value) { return std::abs(value); });
    } else {
      plane.real_row(r, out);
    }
    const float factor = plane.real_is_power ? 0.5F : 1.0F;
    for (float& value : out) value = value > 0 ? factor * std::log10(value) : std::nanf("");
    context.checkpoint(r + 1, plane.rows);
  }
  return logs;
}

/// Percentiles 1 and 99.3 of a bounded sample of the finite values: the range of the picture.
std::pair<float, float> range_of(const std::vector<float>& logs) {
  constexpr std::size_t kSample = 1U << 20U;
  const std::size_t step = std::max<std::size_t>(1, logs.size() / kSample);
  std::vector<float> sample;
  for (std::size_t k = 0; k < logs.size(); k += step) {
    if (std::isfinite(logs[k])) sample.push_back(logs[k]);
  }
  if (sample.empty()) return {0.0F, 1.0F};
  std::ranges::sort(sample);
  const auto at = [&](double share) {
    return sample[static_cast<std::size_t>(share * static_cast<double>(sample.size() - 1))];
  };
  const float low = at(0.01);
  return {low, std::max(at(0.993), low + 1e-6F)};
}

Result<void> write_rows_png(const std::string& path, const PlaneOutput& plane, JobContext& context) {
  constexpr std::uint64_t kLargestPicture = std::uint64_t{1} << 28U;
  if (plane.rows * plane.cols > kLargestPicture) {
    return fail(ErrorCode::wrong_use,
                "A picture of " + std::to_string(plane.rows) + "×" + std::to_string(plane.cols) +
                    " pixels is too large.",
                "Choose a --window, a larger --block, or .npy.");
  }
  const ColorMap& map = *color_map_named(plane.colormap);
  const std::vector<float> logs = log_magnitudes(plane, context);
  const auto [low, high] = range_of(logs);
  std::vector<std::uint8_t> rgb(3 * logs.size());
  for (std::size_t k = 0; k < logs.size(); ++k) {
    const float position =
        std::isfinite(logs[k]) ? std::clamp((logs[k] - low) / (high - low), 0.0F, 1.0F) : 0.0F;
    const auto& color = map.rgb[static_cast<std::size_t>(std::lround(position * 255.0F))];
    std::ranges::copy(color, rgb.begin() + static_cast<std::ptrdiff_t>(3 * k));
    if (k % plane.cols == 0) context.check_stop();
  }
  return write_png(path, static_cast<std::uint32_t>(plane.rows), static_cast<std::uint32_t>(plane.cols), rgb,
                   plane.text, context.stop_token());
}

}  // namespace

Result<void> check_output(const std::string& path, const std::string& colormap) {
  const std::string end = ending(path);
  if (end != ".npy" && end != ".npz" && end != ".png") {
    return fail(ErrorCode::wrong_use, "--out '" + path + "' does not say which format.",
                "End it in .npy, .npz or .png.");
  }
  if (color_map_named(colormap) == nullptr) {
    std::string names;
    for (const ColorMap& map : color_maps()) names += (names.empty() ? "" : ", ") + std::string(map.name);
    return fail(ErrorCode::wrong_use, "There is no colour map '" + colormap + "'.", "Choose " + names + ".");
  }
  return {};
}

Result<void> write_plane(const std::string& path, const PlaneOutput& plane, JobContext& context) {
  if (auto checked = check_output(path, plane.colormap); !checked) return checked;
  context.begin_stage("write");
  auto guarded = run_guarded([&]() -> Result<void> {
    const std::string end = ending(path);
    if (end == ".npy") return write_rows_npy(path, plane, context);
    if (end == ".npz") return write_rows_npz(path, plane, context);
    return write_rows_png(path, plane, context);
  });
  if (!guarded) return tl::unexpected<Error>(guarded.error());
  return *guarded;
}

std::string provenance_lines(const std::vector<std::pair<std::string, std::string>>& text) {
  std::string lines;
  for (const auto& [name, value] : text) lines.append(name).append(": ").append(value).append("\n");
  return lines;
}

}  // namespace spyctrum::cli
