// SPDX-License-Identifier: Apache-2.0
// Pictures for the cards of the gallery: a small matrix of each kind of generator, and its spectrum.
#pragma once

#include <string>
#include <vector>

#include "core/matrix/weights.hpp"

namespace spyctrum::panels {

/// side × side cells each, row by row.
struct GallerySketch {
  int side = 0;
  Weights weights = Weights::pattern;  ///< by value where the kind has values
  std::vector<float> matrix;           ///< weights over the largest |a|, −1 … 1; 0 where no entry is
  std::vector<float> spectrum;  ///< 1 for the largest |F|, 0 for 1/100 of it and less; F[0, 0] in the middle
};

/// The sketch of the generator whose example is `source`; empty (side 0) for other texts. All sketches are
/// computed at the first call, in milliseconds.
[[nodiscard]] const GallerySketch& gallery_sketch(const std::string& source);

}  // namespace spyctrum::panels
