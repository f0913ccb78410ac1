// SPDX-License-Identifier: Apache-2.0
// Coefficients on a grid of frequencies on a CUDA device: by the lattice engine in single precision, with the
// axes, taps and corrections of core/fft/lattice_axis.hpp; by rows; or by direct sums in double precision,
// for crowded fine grids and where rows do not fit. Mirrors windows.hpp. Sums have a fixed order: equal
// requests give bit-equal results on the same device.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"
#include "core/device/lattice_spec.hpp"
#include "core/engine/windows.hpp"
#include "core/features/decoders.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// How a grid is computed on a device: by the lattice engine or, where there is no lattice, by rows or
/// directly.
struct DeviceGridPlan {
  FrequencyGrid grid;
  std::optional<DeviceLattice> lattice;
  /// The same in groups of cosets, which are faster; `lattice` is computed if their sums would lose digits.
  std::optional<DeviceLattice> in_groups;
  DeviceRows by_rows;
  bool direct = false;             ///< by direct sums
  std::string no_lattice_because;  ///< empty with a lattice
};

/// Chooses the lattice engine if both axes are arithmetic progressions, tolerance ≥ 1e-6, the fine grid has
/// at most 32 entries per cell, and it takes at most half of the device's free memory. Else direct sums, if
/// they are faster than rows, or rows take more than `device_bytes` (by default what is free there). With
/// GridEngine::lattice rows are never chosen. Throws Failure{wrong_use} if `engine` is GridEngine::lattice
/// and an axis is not evenly spaced.
[[nodiscard]] DeviceGridPlan plan_device_grid(const SparsePattern& pattern, const FrequencyGrid& grid,
                                              GridEngine engine, double tolerance, std::int64_t tile,
                                              Backend backend,
                                              std::optional<std::uint64_t> device_bytes = {});
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
                                                                   const DeviceSampleOutputs& samples = {});

/// "computed by the lattice engine; device memory …".
[[nodiscard]] std::string note_of(const DeviceGridPlan& plan, const DeviceUse& use);

// Windows (the coefficients that a request names) by rows on a CUDA device. Mirrors windows.hpp.

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
