// SPDX-License-Identifier: Apache-2.0
// The share of a matrix that a threshold on |a| keeps.
#pragma once

#include <optional>

#include "app/controller/state.hpp"

namespace spyctrum {

struct KeptShare {
  double entries = 0;  ///< of the K stored ones
  double energy = 0;   ///< of Σa²
};
/// The share for a column whose method sees SeenPattern::largest_entries and has a result; else empty.
[[nodiscard]] std::optional<KeptShare> kept_share(const AppState& state, const Column& column);

}  // namespace spyctrum
