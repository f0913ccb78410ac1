// SPDX-License-Identifier: Apache-2.0
// What only cuFFT knows of a transform before it runs.
#pragma once

#include <cstdint>

#include "core/base/backend.hpp"
#include "core/device/interface/module.hpp"

namespace spyctrum {

/// cuFFT's work area; asked once for each shape. 0 where the library does not plan it: the run will say so.
[[nodiscard]] std::uint64_t device_fft_work_bytes(Backend backend, const cuda::FftShape& shape);

}  // namespace spyctrum
