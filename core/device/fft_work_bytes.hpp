// SPDX-License-Identifier: Apache-2.0
// The size of cuFFT's work area for a transform, which only the library knows.
#pragma once

#include <cstdint>

#include "core/base/backend.hpp"
#include "core/device/interface/module.hpp"

namespace spyctrum {

/// Bytes of cuFFT's work area for a transform of this shape, remembered after the first call. 0 if cuFFT
/// cannot plan the transform; a run then fails with the reason.
[[nodiscard]] std::uint64_t device_fft_work_bytes(Backend backend, const cuda::FftShape& shape);

}  // namespace spyctrum
