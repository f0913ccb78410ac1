// SPDX-License-Identifier: Apache-2.0
// Non-negative least squares, min ‖Xa − z‖² with a ≥ 0, from the normal equations XᵀX and Xᵀz (Lawson &
// Hanson, Solving Least Squares Problems, 1974, ch. 23), for the few dozen unknowns of SmoothFill.
#pragma once

#include <span>
#include <vector>

namespace spyctrum {

/// Returns a, count values ≥ 0. `gram` is XᵀX, row-major count×count, symmetric; `products` is Xᵀz. Columns
/// of X that depend linearly on others get weight 0.
[[nodiscard]] std::vector<double> non_negative_least_squares(std::span<const double> gram,
                                                             std::span<const double> products);

}  // namespace spyctrum
