// SPDX-License-Identifier: Apache-2.0
// Coefficients by cuFINUFFT on CUDA.
#pragma once

#include <complex>
#include <vector>

#include "core/device/device_job.hpp"
#include "core/methods/finufft/finufft_points.hpp"

namespace spyctrum {

/// Device bytes: points, targets and modes as on the host, and the library's grids.
[[nodiscard]] ByteTerms finufft_device_terms(const FinufftPlan& plan);

/// finufft_cpu() on a CUDA device, with two differences: a stop waits until the library's call ends, and the
/// library's atomic sums differ in their last digits from run to run.
[[nodiscard]] std::vector<std::complex<float>> finufft_cuda(const SparsePattern& pattern,
                                                            const FrequencyGrid& grid,
                                                            const FinufftOptions& options, Backend backend,
                                                            JobContext& context, DeviceUse& use);

}  // namespace spyctrum
