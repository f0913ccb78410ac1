// SPDX-License-Identifier: Apache-2.0
// Oklab (Björn Ottosson 2020, "A perceptual color space for image processing"): a nearly perceptually uniform
// colour space, with L the lightness.
#pragma once

#include <array>
#include <cstdint>

namespace spyctrum {

struct Oklab {
  double l = 0;  ///< 0 black … 1 white
  double a = 0;  ///< green … red
  double b = 0;  ///< blue … yellow
};

[[nodiscard]] Oklab oklab_of(const std::array<std::uint8_t, 3>& srgb);
/// The nearest 8-bit sRGB colour; colours outside the gamut lose chroma, not lightness.
[[nodiscard]] std::array<std::uint8_t, 3> srgb_of(const Oklab& color);

}  // namespace spyctrum
