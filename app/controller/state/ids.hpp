// SPDX-License-Identifier: Apache-2.0
// Identifiers of matrices, columns and jobs, and the two clocks.
#pragma once

#include <chrono>
#include <cstdint>

namespace spyctrum {

using MatrixId = std::uint32_t;
using ColumnId = std::uint32_t;
using JobId = std::uint64_t;
using SteadyTime = std::chrono::steady_clock::time_point;
using WallTime = std::chrono::system_clock::time_point;

}  // namespace spyctrum
