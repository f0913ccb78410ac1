// SPDX-License-Identifier: Apache-2.0
// Pictures of the values of a matrix: what a cell shows of the weights of the entries that it covers.
#pragma once

#include <memory>

#include "core/pictures/view.hpp"

namespace spyctrum {

/// What a cell shows of the weights a of its entries.
enum class ValueQuantity {
  sum,             ///< Σa, signed
  mean_magnitude,  ///< the mean of |a|
  maximum,         ///< the largest |a|
  count,           ///< their number: the picture of the pattern
};

/// The values of a cell, split by sign, since colours and logarithms are of magnitudes: `above` has a
/// positive value in both channels, else 0; `below` the magnitude of a negative one. `below` is null where no
/// cell can be negative: of magnitudes, and of a matrix without negative weights.
struct ValueImages {
  std::shared_ptr<const CellImage> above, below;
};

/// A height × width picture of the weights a (2^weight_exponent() included) in `rect`; O(entries in view). A
/// cell smaller than an entry shows the entry in which it lies. With `block` > 1 a cell shows the blocks of
/// `block` × `block` positions in it, or that in which it lies, and its sum is the mean sum of a block.
/// Beyond single precision values are its largest finite number. Throws Failure{cancelled};
/// Failure{internal} for ValueQuantity::count, which is pattern_image().
[[nodiscard]] ValueImages value_images(const SparsePattern& pattern, ValueQuantity quantity,
                                       const PlaneRect& rect, std::uint32_t height, std::uint32_t width,
                                       JobContext& context, std::uint32_t block = 1);

}  // namespace spyctrum
