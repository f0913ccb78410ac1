// SPDX-License-Identifier: Apache-2.0
// The texts of the exactness badge.
#include "core/spectrum/spectrum.hpp"

#include <array>

namespace spyctrum {

const char* to_string(Exactness exactness) {
  static constexpr std::array kNames{"exact", "exact samples", "estimate"};
  return kNames.at(static_cast<std::size_t>(exactness));
}

}  // namespace spyctrum
