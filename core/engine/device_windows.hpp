// SPDX-License-Identifier: Apache-2.0
// Windows (the coefficients that a request names) by rows on a CUDA device. Mirrors windows.hpp.
#pragma once

#include <complex>
#include <vector>

#include "core/device/device_rows.hpp"
#include "core/features/decoders.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Bytes and operations of run_device_window() for `window`. `decoder`: how requested features are decoded;
/// the paper's decoder reduces the samples on the device.
[[nodiscard]] Forecast forecast_device_window(const RequestScope& request, const FrequencyGrid& window,
                                              const DeviceRows& rows, Decoder decoder = Decoder::paper);
/// The coefficients of the request's window. Throws as stream_device_rows().
[[nodiscard]] Spectrum run_device_window(const RequestScope& request, const DeviceRows& rows,
                                         JobContext& context);

/// The coefficients on `grid`, row-major, by rows; empty where samples.to_host is false. Unless they are
/// computed by the paper's algorithm, those on the axes are replaced as by set_axis_values(). Throws as
/// stream_device_rows().
[[nodiscard]] std::vector<std::complex<float>> compute_rows_of_grid(const SparsePattern& pattern,
                                                                    Backend backend, const DeviceRows& rows,
                                                                    const FrequencyGrid& grid,
                                                                    const DeviceSampleOutputs& samples,
                                                                    JobContext& context, DeviceUse& use);

}  // namespace spyctrum
