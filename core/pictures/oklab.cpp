// SPDX-License-Identifier: Apache-2.0
// Conversions between sRGB, linear sRGB and Oklab.
#include "core/pictures/oklab.hpp"

#include <algorithm>
#include <cmath>

namespace spyctrum {

namespace {

double linear(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

std::uint8_t encoded(double c) {
  const double clipped = std::clamp(c, 0.0, 1.0);
  const double s = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * std::pow(clipped, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * s));
}

std::array<double, 3> linear_srgb_of(const Oklab& color) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(color.l + 0.3963377774 * color.a + 0.2158037573 * color.b);
  const double m = cube(color.l - 0.1055613458 * color.a - 0.0638541728 * color.b);
  const double s = cube(color.l - 0.0894841775 * color.a - 1.2914855480 * color.b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool in_gamut(const std::array<double, 3>& rgb) {
  return std::all_of(rgb.begin(), rgb.end(), [](double c) { return c >= -1e-6 && c <= 1 + 1e-6; });
}

}  // namespace

Oklab oklab_of(const std::array<std::uint8_t, 3>& srgb) {
  const double r = linear(srgb[0]);
  const double g = linear(srgb[1]);
  const double b = linear(srgb[2]);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

std::array<std::uint8_t, 3> srgb_of(const Oklab& color) {
  Oklab fitted = color;
  for (int step = 0; step < 60 && !in_gamut(linear_srgb_of(fitted)); ++step) {
    fitted.a *= 0.97;
    fitted.b *= 0.97;
  }
  const std::array<double, 3> rgb = linear_srgb_of(fitted);
  return {encoded(rgb[0]), encoded(rgb[1]), encoded(rgb[2])};
}

}  // namespace spyctrum
