// SPDX-License-Identifier: Apache-2.0
// The lattice engine on CUDA: the same axes, taps and corrections as on the CPU (core/fft/lattice_axis.hpp)
// up to rounding, single precision, sums in a fixed order: equal requests give equal bits on the same device.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "core/methods/cuda_job.hpp"
#include "core/methods/device_lattice.hpp"
#include "core/methods/windows.hpp"

namespace spyctrum {

/// How a grid is computed on a device: by the lattice engine, or by rows where there is no lattice.
struct CudaGridPlan {
  FrequencyGrid grid;
  std::optional<DeviceLattice> lattice;
  CudaRows by_rows;
  std::string by_rows_because;  ///< empty with a lattice
};

/// The lattice engine where both axes are progressions, the tolerance is one of single precision and the fine
/// grid is neither crowded nor larger than half of the device's free memory; else rows. Throws
/// Failure{wrong_use} where `engine` demands the lattice and that is not possible.
[[nodiscard]] CudaGridPlan plan_cuda_grid(const SparsePattern& pattern, const FrequencyGrid& grid,
                                          GridEngine engine, double tolerance, std::int64_t tile,
                                          Backend backend);
[[nodiscard]] Forecast forecast_cuda_grid(const CudaGridPlan& plan, const Request& request);

/// Values on plan.grid, row-major; none where they stay on the device.
[[nodiscard]] std::vector<std::complex<float>> compute_cuda_grid(const PatternPtr& pattern,
                                                                 const CudaGridPlan& plan, Backend backend,
                                                                 JobContext& context, CudaUse& use,
                                                                 const CudaSamples& samples = {});

/// The same with a lattice, its values left on the device until the end: for measurements. The last of
/// `times` in a queue is timed.
[[nodiscard]] CudaUse measure_cuda_lattice(const PatternPtr& pattern, const CudaGridPlan& plan,
                                           Backend backend, JobContext& context, std::uint32_t times = 1);

/// "computed by the lattice engine; device memory …".
[[nodiscard]] std::string note_of(const CudaGridPlan& plan, const CudaUse& use);

}  // namespace spyctrum
