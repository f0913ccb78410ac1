// SPDX-License-Identifier: Apache-2.0
// Tables of roots of unity for the kernels of cosets (CosetTables), computed in double precision on the host.
#pragma once

#include <vector_types.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace spyctrum::cuda {

/// e^{−i·angle}.
[[nodiscard]] inline float2 root_of_angle(double angle) {
  return {static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle))};
}

/// e^{−2πi·rk/(rows·columns)} for r < rows, k < columns: the twiddle factors after a pass over `rows` cells.
[[nodiscard]] inline std::vector<float2> twiddle_factors(std::uint32_t rows, std::uint32_t columns) {
  std::vector<float2> roots;
  roots.reserve(std::size_t{rows} * columns);
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t k = 0; k < columns; ++k)
      roots.push_back(root_of_angle(2 * std::numbers::pi * r * k / (static_cast<double>(rows) * columns)));
  return roots;
}

/// e^{−2πik/256} for k < 256.
[[nodiscard]] inline std::vector<float2> roots_of_256() {
  std::vector<float2> roots;
  roots.reserve(256);
  for (int k = 0; k < 256; ++k) roots.push_back(root_of_angle(2 * std::numbers::pi * k / 256));
  return roots;
}

}  // namespace spyctrum::cuda
