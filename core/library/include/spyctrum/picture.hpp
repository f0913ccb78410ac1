// SPDX-License-Identifier: Apache-2.0
// A view of a pattern, a spectrum or a result, reduced to the pixels of a picture in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spyctrum/spectrum.hpp"

namespace spyctrum::v0 {

/// [top, bottom) × [left, right), rows downwards. In a pattern, entry (i, j) covers [i, i+1) × [j, j+1). In a
/// spectrum, coefficient (u, v) covers [u−½, u+½) × [v−½, v+½), so that F[0,0] lies in the middle of the
/// whole plane.
struct Rect {
  double top = 0, left = 0, bottom = 0, right = 0;
};

struct PictureOptions {
  std::uint32_t height = 512, width = 512;  ///< pixels, each 1 … 32768
  std::optional<Rect> view = {};            ///< empty: the whole matrix or plane
  std::string color_map = {};  ///< "cividis", "viridis", "magma", "gray", …; empty: the default
};

struct Picture {
  std::uint32_t height = 0, width = 0;
  Rect view;
  Exactness exactness = Exactness::exact;
  bool sampled = false;  ///< pixels show samples instead of all coefficients
  /// Row-major, [height × width], the top row first. Patterns: number of entries in the pixel. Spectra: mean
  /// |F|² of the coefficients in the pixel, or the coefficient in which the pixel lies. NaN outside of the
  /// matrix or plane.
  std::vector<float> values;
  /// log10 of the values at the first and the last colour: the percentiles 1 and 99.3 of the positive values.
  float low = 0, high = 1;
  /// Row-major, [height × width × 4], the top row first: red, green, blue, alpha. Alpha is 0 outside of the
  /// plane, 255 elsewhere.
  std::vector<std::uint8_t> rgba;
};

}  // namespace spyctrum::v0
