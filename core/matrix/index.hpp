// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spyctrum {

/// A row or column number. Sides go up to 2^32−1.
using Index = std::uint32_t;

}  // namespace spyctrum
