// SPDX-License-Identifier: Apache-2.0
// Pictures of the values of a matrix: what a cell shows of the weights a of its entries.
#pragma once

#include <memory>

#include "core/pictures/view.hpp"

namespace spyctrum {

/// A quantity computed from the weights a of a cell's entries.
enum class ValueQuantity {
  sum,             ///< Σa, signed
  mean_magnitude,  ///< the mean of |a|
  maximum,         ///< the largest |a|
  count,           ///< number of entries: the picture of the pattern
};

/// The values of a picture's cells, divided by sign, since colours and logarithms apply to magnitudes. Both
/// channels of `above` contain the value if it is positive, else 0; `below` contains the magnitude of
/// negative values. `below` is null if no cell can be negative: for magnitudes, and for a matrix without
/// negative weights.
struct ValueImages {
  std::shared_ptr<const CellImage> above, below;
};

/// Computes the height × width picture of the weights a (factor 2^weight_exponent() included) in `rect`;
/// O(entries in view). A cell smaller than an entry shows the entry in which it lies. With `block` > 1 a cell
/// shows the `block` × `block` blocks that it contains, or the one in which it lies; the sum is then the mean
/// sum per block. Values beyond single precision become its largest finite number. Throws Failure{cancelled};
/// Failure{internal} for ValueQuantity::count, which pattern_image() draws.
[[nodiscard]] ValueImages value_images(const SparsePattern& pattern, ValueQuantity quantity,
                                       const PictureArea& area, JobContext& context, std::uint32_t block = 1);

/// Whether a colour scale in proportion to Σa would leave most of a picture near zero: in a picture of the
/// whole matrix of at most 256 × 256 cells, the median of |Σa| ≠ 0 is below a fifth of its quantile of 99.3
/// %. False without weights. Throws Failure{cancelled}.
[[nodiscard]] bool needs_log_scale(const SparsePattern& pattern, JobContext& context);

}  // namespace spyctrum
