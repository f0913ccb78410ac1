// SPDX-License-Identifier: Apache-2.0
// Many signatures as points of a plane: their first two principal components.
#pragma once

#include <array>
#include <span>
#include <stop_token>
#include <vector>

namespace spyctrum {

struct Projection {
  std::array<std::vector<double>, 2> places;  ///< of each signature, along both components; their mean is 0
  std::array<double, 2> shares{};             ///< of the variance, 0 … 1; 0 if all signatures are equal
};

/// The principal components of largest variance of signatures (kSignatureSize values each), scaled so that
/// squared distances are weighted as in a comparison (kSignatureParts). The part "size" is left out, since a
/// comparison counts it only up to a bound. Components are unit vectors whose entry of largest magnitude is
/// positive. Throws Failure{cancelled}.
[[nodiscard]] Projection principal_components(std::span<const float> signatures, const std::stop_token& stop);

}  // namespace spyctrum
