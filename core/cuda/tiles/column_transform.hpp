// SPDX-License-Identifier: Apache-2.0
// Inner sums of consecutive rows by one FFT for each column: a type-1 non-uniform FFT of one dimension
// (Barnett, Magland & af Klinteberg 2019, arXiv 1808.06736). Pointers are the device's; launches return
// cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "core/cuda/tiles/inner_sums.hpp"
#include "core/device/interface/rows.hpp"

namespace spyctrum::cuda {

/// Rows u = first, first + 1, … of a tile.
struct ConsecutiveRows {
  std::uint32_t first = 0;
  const ColumnTransform* plan = nullptr;  ///< the host's
  const float* gains = nullptr;           ///< ColumnTransform::gains
  const float2* twiddles = nullptr;       ///< of column_twiddles()
  const float2* roots = nullptr;          ///< [kNearRoots], of launch_near_roots()
};
/// Inner sums of consecutive rows, without chirps. The sum of a row depends on the rows of its tile in the
/// last digits. `longs` without hubs; its pieces have at most kColumnEntries entries.
cudaError_t launch_column_transforms(const DeviceColumns& columns, const BuildTile& tile,
                                     const ConsecutiveRows& rows, const LongColumns& longs,
                                     cudaStream_t stream);

/// The kColumnCells twiddle factors of a column's FFT, computed in double precision.
[[nodiscard]] std::vector<float2> column_twiddles();

}  // namespace spyctrum::cuda
