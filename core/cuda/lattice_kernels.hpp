// SPDX-License-Identifier: Apache-2.0
// Kernels of the lattice engine, as the host code launches them. Launches return cudaGetLastError().
#pragma once

#include "core/cuda/row_kernels.hpp"

namespace spyctrum::cuda {

/// One axis on the device (see LatticeAxisView).
struct DeviceAxis {
  const std::uint32_t* start = nullptr;
  const float* weights = nullptr;
  const float2* phase = nullptr;
  const float* correction = nullptr;
  std::uint64_t fine = 1;
  std::uint64_t kept = 1;
  std::uint64_t count = 1;
  std::uint64_t first_cell = 0;
  std::uint32_t taps = 1;
};

/// slots[t] = the active column of entry t.
cudaError_t launch_column_slots(const DeviceColumns& columns, std::uint32_t* slots, cudaStream_t stream);
/// Adds every entry's taps to the fine grid (rows.fine × cols.fine, cleared before). Slots of columns are the
/// active columns in order; the entries' indices are slots of rows.
cudaError_t launch_spread(const DeviceColumns& columns, const std::uint32_t* column_slots,
                          std::uint64_t entries, const DeviceAxis& rows, const DeviceAxis& cols, float2* grid,
                          cudaStream_t stream);
/// Output rows first_row … first_row+count−1 from the transformed fine grid, corrected; outputs beyond those
/// kept repeat.
cudaError_t launch_extract(const float2* grid, const DeviceAxis& rows, const DeviceAxis& cols,
                           std::uint64_t first_row, std::uint32_t count, float2* output, cudaStream_t stream);

}  // namespace spyctrum::cuda
