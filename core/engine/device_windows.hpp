// SPDX-License-Identifier: Apache-2.0
// Windows by rows on a CUDA device.
#pragma once

#include "core/device/device_rows.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// A window by rows: its forecast, and the result.
[[nodiscard]] Forecast forecast_device_window(const Request& request, const FrequencyGrid& window,
                                              const DeviceRows& rows);
[[nodiscard]] Spectrum run_device_window(const Request& request, const DeviceRows& rows, JobContext& context);

}  // namespace spyctrum
