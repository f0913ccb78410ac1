// SPDX-License-Identifier: Apache-2.0
// Coefficients on a grid of frequencies on a CUDA device: by the lattice engine in single precision, with the
// axes, taps and corrections of core/fft/lattice_axis.hpp, or by rows. Mirrors windows.hpp. Sums have a fixed
// order: equal requests give bit-equal results on the same device.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"
#include "core/device/lattice_spec.hpp"
#include "core/engine/windows.hpp"
#include "core/features/decoders.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// How a grid is computed on a device: by the lattice engine, or by rows where there is no lattice.
struct DeviceGridPlan {
  FrequencyGrid grid;
  std::optional<DeviceLattice> lattice;
  DeviceRows by_rows;
  std::string by_rows_because;  ///< why there is no lattice; empty with one
};

/// Chooses the lattice engine if both axes are arithmetic progressions, tolerance ≥ 1e-6, the fine grid has
/// at most 32 entries per cell, and it takes at most half of the device's free memory; else rows. Throws
/// Failure{wrong_use} if `engine` is GridEngine::lattice and one of these does not hold.
[[nodiscard]] DeviceGridPlan plan_device_grid(const SparsePattern& pattern, const FrequencyGrid& grid,
                                              GridEngine engine, double tolerance, std::int64_t tile,
                                              Backend backend);
/// Bytes and operations of compute_device_grid(). `decoder`: how the request's features are decoded; the
/// paper's decoder reduces the samples on the device.
[[nodiscard]] Forecast forecast_device_grid(const DeviceGridPlan& plan, const RequestScope& request,
                                            Decoder decoder = Decoder::paper);

/// Coefficients on plan.grid, row-major; empty where samples.to_host is false. Throws as
/// stream_device_rows().
[[nodiscard]] std::vector<std::complex<float>> compute_device_grid(const PatternPtr& pattern,
                                                                   const DeviceGridPlan& plan,
                                                                   Backend backend, JobContext& context,
                                                                   DeviceUse& use,
                                                                   const DeviceSamplesWanted& samples = {});

/// "computed by the lattice engine; device memory …".
[[nodiscard]] std::string note_of(const DeviceGridPlan& plan, const DeviceUse& use);

}  // namespace spyctrum
