// SPDX-License-Identifier: Apache-2.0
// The samples of Elastic BS-FFT, F[u, v] at every b-th frequency of both axes but u = 0 and v = 0, and the
// features of the whole plane decoded from them, on either backend.
#pragma once

#include "core/engine/windows.hpp"
#include "core/features/decoders.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Samples of request.pattern on the window of `request` or, without one, on the off-axis grid of its block
/// size b, ⌈m/b⌉×⌈n/b⌉ values, row-major; with their rounding floor and, without a window and if requested,
/// decoded features with standard errors. Reads the parameters block, tolerance and tile. Throws as
/// compute_grid() and compute_device_grid().
[[nodiscard]] Spectrum decoded_samples(const ResolvedRequest& request, GridEngine engine, Decoder decoder,
                                       JobContext& context);

/// Bytes and operations of decoded_samples().
[[nodiscard]] Forecast forecast_decoded_samples(const ResolvedRequest& request, GridEngine engine,
                                                Decoder decoder);

}  // namespace spyctrum
