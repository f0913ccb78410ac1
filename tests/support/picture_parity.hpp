// SPDX-License-Identifier: Apache-2.0
// Compares every kind of picture by the CPU and by a device, at rectangles inside, across and outside the
// plane.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/device/device_pictures.hpp"
#include "core/pictures/picture_plan.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {

/// Expects cells to agree within `tolerance` relative to their value and to K, the mean power of a spectrum;
/// NaN equals NaN.
inline void expect_same_picture(const CellImage& device, const CellImage& cpu, double tolerance,
                                double scale) {
  ASSERT_EQ(device.cells.size(), cpu.cells.size());
  EXPECT_EQ(device.exactness, cpu.exactness);
  EXPECT_EQ(device.sampled, cpu.sampled);
  EXPECT_EQ(device.rect, cpu.rect);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < cpu.cells.size() && wrong < 5; ++k) {
    const auto got = static_cast<double>(device.cells[k]);
    const auto expected = static_cast<double>(cpu.cells[k]);
    const bool same = std::isnan(expected)
                          ? std::isnan(got)
                          : std::abs(got - expected) <= tolerance * (std::abs(expected) + scale);
    if (same) continue;
    ++wrong;
    ADD_FAILURE() << "cell " << k / 2 << " channel " << k % 2 << ": " << got << " instead of " << expected;
  }
}

inline std::vector<PlaneRect> rectangles_of(const PlaneRect& full) {
  const double h = full.height();
  const double w = full.width();
  const auto part = [&](double top, double left, double bottom, double right) {
    return PlaneRect{full.top + top * h, full.left + left * w, full.top + bottom * h, full.left + right * w};
  };
  return {full,
          part(-0.1, -0.2, 1.15, 1.1),
          part(0.35, 0.4, 0.62, 0.58),
          part(0.48, 0.47, 0.52, 0.53),
          part(0.9, 0.1, 1.4, 0.2),
          part(1.2, 0, 1.5, 1)};
}

struct PictureSize {
  std::uint32_t height, width;
};

inline SpectrumPtr run_for_pictures(const char* method, const PatternPtr& pattern,
                                    const ParameterValues& parameters, const RequestedOutputs& outputs,
                                    ThreadPool& pool) {
  Request request;
  request.pattern = pattern;
  request.parameters = parameters;
  request.outputs = outputs;
  JobContext context(pool);
  auto result = run_method(*find_method(method), request, context);
  if (!result) throw std::runtime_error(result.error().message());
  return *result;
}

/// All sources of pictures of one pattern. `tolerance` is that of sums of single-precision coefficients.
inline void compare_pictures(DevicePictures& device, const NamedPattern& named, PictureSize size,
                             std::uint64_t budget, double tolerance, ThreadPool& pool) {
  const PatternPtr& pattern = named.pattern;
  JobContext context(pool);
  const std::uint64_t m = pattern->rows();
  const std::uint64_t n = pattern->cols();
  const auto entries = static_cast<double>(pattern->nonzeros());
  const SpectrumPtr streamed =
      run_for_pictures("bs-fft", pattern, {}, {false, false, true, size.height}, pool);
  std::vector<SpectrumPtr> sampled{
      run_for_pictures("elastic", pattern, {{"block", "3"}}, {true, false, false, 0}, pool),
      run_for_pictures("density-map", pattern, {{"block", "2"}}, {true, false, false, 0}, pool),
      run_for_pictures("bs-fft", pattern, {}, {true, false, false, 0}, pool)};
  int k = 0;
  for (const PlaneRect& rect : rectangles_of(full_pattern_rect(m, n))) {
    SCOPED_TRACE(named.name + ", pattern, rectangle " + std::to_string(k++));
    expect_same_picture(device.pattern_image(pattern, {rect, size.height, size.width}, context),
                        pattern_image(*pattern, {rect, size.height, size.width}, context), 1e-7, 0);
    for (const std::uint32_t block : {1U, 3U, 16U}) {
      expect_same_picture(device.decimated_image(pattern, block, {rect, size.height, size.width}, context),
                          decimated_image(*pattern, block, {rect, size.height, size.width}, context), 1e-7,
                          0);
      expect_same_picture(device.density_image(pattern, block, {rect, size.height, size.width}, context),
                          density_image(*pattern, block, {rect, size.height, size.width}, context), 1e-7, 0);
    }
  }
  k = 0;
  for (const PlaneRect& rect : rectangles_of(full_spectrum_rect(m, n))) {
    SCOPED_TRACE(named.name + ", spectrum, rectangle " + std::to_string(k++));
    // Every coefficient or the pyramid; every coefficient or samples.
    for (const SpectrumPtr& spectrum : {streamed, SpectrumPtr()}) {
      const DisplayPyramid* pyramid = spectrum ? &*spectrum->pyramid : nullptr;
      expect_same_picture(
          device.exact_image(pattern, spectrum, {rect, size.height, size.width}, budget, context),
          exact_image(*pattern, pyramid, {rect, size.height, size.width}, budget, context), tolerance,
          entries);
    }
    for (const SpectrumPtr& spectrum : sampled) {
      SCOPED_TRACE(spectrum->provenance.method);
      for (const ReducedPlacement placement : {ReducedPlacement::stretched, ReducedPlacement::centre})
        expect_same_picture(
            device.sample_image(spectrum, placement, {rect, size.height, size.width}, context),
            sample_image(*spectrum, placement, {rect, size.height, size.width}, context), 1e-6, 0);
      for (const Fill fill : {Fill::bilinear, Fill::bilinear_centers, Fill::nearest}) {
        const auto reconstruction = Reconstruction::make(spectrum, fill);
        ASSERT_TRUE(reconstruction) << reconstruction.error().message();
        if (reconstruction->is_exact()) continue;
        for (const std::uint64_t coefficients : {budget, m * n})
          expect_same_picture(
              device.reconstruction_image(*reconstruction, {rect, size.height, size.width}, coefficients,
                                          context),
              reconstruction_image(*reconstruction, {rect, size.height, size.width}, coefficients, context),
              2e-5, entries);
      }
    }
  }
}

}  // namespace spyctrum::test
