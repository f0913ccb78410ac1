// SPDX-License-Identifier: Apache-2.0
// Kernels that correct the outputs of a lattice by the values on the axes. Mirrors remove_leaks() of
// core/fft/axis_leaks.hpp. Pointers are the device's; launches return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include "core/device/interface/lattice.hpp"

namespace spyctrum::cuda {

/// Some of the AxisCorrections of one axis.
struct DeviceCorrections {
  const AxisCorrection* corrections = nullptr;
  std::uint32_t count = 0;
  const float2* values = nullptr;
};

/// Output rows first … first+count−1 of a lattice, `width` values each.
struct CorrectedRows {
  struct Outputs {
    std::uint64_t distinct_rows = 1;
    std::uint64_t distinct_cols = 1;
    std::uint64_t width = 1;
  };
  Outputs outputs;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  float2* values = nullptr;
};

/// Corrects columns by F[u, 0] of each row.
cudaError_t launch_correct_columns(const CorrectedRows& rows, const DeviceCorrections& by,
                                   cudaStream_t stream);
/// Corrects rows by F[0, v] of each column.
cudaError_t launch_correct_rows(const CorrectedRows& rows, const DeviceCorrections& by, cudaStream_t stream);

}  // namespace spyctrum::cuda
