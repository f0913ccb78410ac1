// SPDX-License-Identifier: Apache-2.0
// Sorts on the device by CUB's radix sort, which takes seconds to compile and is therefore in one source.
#pragma once

#include "core/cuda/runtime/device_memory.hpp"

namespace spyctrum::cuda {

/// Sorts `count` values by their keys, which are below `limit`; values of equal keys keep their order.
/// Returns true if the sorted keys and values are in the second arrays, false if in the first. `Value`:
/// std::uint32_t or unsigned long long.
template <class Value>
[[nodiscard]] bool sort_pairs(Host& host, std::uint64_t limit, std::uint64_t count, std::uint32_t* keys[2],
                              Value* values[2], cudaStream_t stream, const char* what);

}  // namespace spyctrum::cuda
