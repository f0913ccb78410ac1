// SPDX-License-Identifier: Apache-2.0
// One kernel that computes rows of the plane from rows of inner sums: resampling, FFT, correction and one
// write, in the shared memory of one, two or four multiprocessors. For devices of compute capability 9.0
// and newer. Pointers are the device's; launches return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "core/device/interface/rows.hpp"

namespace spyctrum::cuda {

/// Whether this module has the kernel for a device of this compute capability (90 for 9.0).
[[nodiscard]] bool has_row_kernel(int capability);

/// Computes out[r, v] = Σ_j S[r, j]·e^{−2πivj/n} for the frequencies |v| ≤ reach; other values are not
/// written. `rows`: rows of n values S, `stride` values apart, each with kKernelHalo values before and after
/// it that repeat its other end.
struct KernelRows {
  const float2* rows = nullptr;
  std::uint64_t stride = 0;
  std::uint32_t n = 0;
  std::uint32_t reach = 0;
  const float* correction = nullptr;  ///< [n], of launch_resampling_tables()
  const float2* roots = nullptr;      ///< of kernel_root_table()
  float2* out = nullptr;
  std::uint64_t out_stride = 0;
};
cudaError_t launch_row_kernel(const RowTransformPlan& plan, const KernelRows& rows, std::uint32_t count,
                              cudaStream_t stream);

/// The kernel_roots() roots of unity of a length, computed in double precision.
[[nodiscard]] std::vector<float2> kernel_root_table(const KernelLength& length);

}  // namespace spyctrum::cuda
