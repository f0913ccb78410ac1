// SPDX-License-Identifier: Apache-2.0
// Kernels of the inner sums of a tile, which is stored as count × stride values, row-major. Pointers are the
// device's; launches return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/pattern/device_columns.hpp"

namespace spyctrum::cuda {

/// The tile of S[r, j] = Σ_{i in column j} w[i, j]·e^{−2πi·u_r·i/m} for all n columns, w = 1 without weights,
/// times chirp[j] unless `chirp` is null. The first and last `halo` ≤ n values of a row are repeated after
/// its end and before its beginning.
struct BuildTile {
  float2* values = nullptr;
  std::uint64_t stride = 0;
  std::uint32_t count = 0;
  const float2* chirp = nullptr;
  std::uint32_t halo = 0;
};

/// Pieces of long columns are summed first. The sums of a column's pieces are then added in a fixed order, so
/// that results do not depend on timing: by the warp of the column or, for a hub (a column of at least
/// kHubPieces pieces), by a thread block of an earlier kernel.
struct LongColumns {
  const ColumnRange* pieces = nullptr;
  std::uint32_t piece_count = 0;
  const ColumnRange* hubs = nullptr;  ///< begin … end−1: pieces whose sums are added into the first
  std::uint32_t hub_count = 0;
  float2* partial = nullptr;  ///< piece_count × partial_stride
  std::uint64_t partial_stride = 0;
};

/// With more pieces one warp would take longer to add them than its block takes for the other columns.
inline constexpr std::uint64_t kHubPieces = 32;

/// Inner sums for any row frequencies by one sine and cosine per term, as in the paper.
cudaError_t launch_build_paper(const DeviceColumns& columns, const BuildTile& tile, const std::uint32_t* u,
                               const LongColumns& longs, cudaStream_t stream);

inline constexpr std::uint32_t kNearRoots = 256;
/// roots[k] = e^{−2πik/256}, k < kNearRoots, computed in double precision.
cudaError_t launch_near_roots(float2* roots, cudaStream_t stream);

/// Rows u of a tile.
struct Runs {
  const std::uint32_t* u = nullptr;
  std::uint32_t count = 0;
  /// True if u consists of runs 32q … 32q + 31, of which the first may begin later and the last end earlier:
  /// faster than other rows, with the same bits.
  bool are_runs = false;
  const float2* roots = nullptr;  ///< [kNearRoots], of launch_near_roots()
};
/// Inner sums for any row frequencies. The sum of a row does not depend on which other rows are computed.
cudaError_t launch_build_runs(const DeviceColumns& columns, const BuildTile& tile, const Runs& runs,
                              const LongColumns& longs, cudaStream_t stream);

/// Pairs of rows per lane: 16 rows, at odd multiples of 16 steps from one exact anchor row.
inline constexpr std::uint32_t kPairs = 8;

/// Rows of a progression u_r = (first + step·r) mod m.
struct Progression {
  std::uint64_t first = 0;
  std::uint64_t step = 0;
  const float4* pairs = nullptr;  ///< [m × kPairs/2]: e^{−2πi·16(2p+1)·step·i/m}, two in a float4
  const std::uint64_t* fractions = nullptr;  ///< [m]: i/m in 64 bits
  const float2* roots = nullptr;             ///< [kNearRoots], of launch_near_roots()
};
/// Inner sums of a progression: the terms of the rows anchor ± 16(2p+1) steps are computed from one sine and
/// cosine and a table.
cudaError_t launch_build_pairs(const DeviceColumns& columns, const BuildTile& tile,
                               const Progression& progression, const LongColumns& longs, cudaStream_t stream);

/// The tables of a Progression for a step, computed in double precision.
struct PairTables {
  float4* pairs = nullptr;
  std::uint64_t* fractions = nullptr;
};
cudaError_t launch_pair_tables(const PairTables& tables, std::uint64_t m, std::uint64_t reciprocal,
                               std::uint64_t step, cudaStream_t stream);

}  // namespace spyctrum::cuda
