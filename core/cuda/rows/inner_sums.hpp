// SPDX-License-Identifier: Apache-2.0
// The inner sums of a tile, as the host code launches them. All pointers are the device's; a tile is
// count × stride values, row-major. Launches return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// Where the entries of a column are: begin … end−1, or, of a long column, the pieces begin … −end−1.
struct ColumnRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The pattern on the device: its columns that hold entries, and what each of n places of a row has.
struct DeviceColumns {
  const void* rows = nullptr;  ///< row indices: 16 bits each when `narrow`, else 32
  bool narrow = false;         ///< m ≤ 2^16
  const std::uint32_t* ids = nullptr;
  const std::int64_t* starts = nullptr;  ///< [active + 1]
  std::uint32_t active = 0;
  std::uint64_t m = 1;
  std::uint64_t reciprocal = 0;         ///< ⌊2^64/m⌋ mod 2^64
  std::uint64_t n = 0;                  ///< columns, empty ones included
  const ColumnRange* ranges = nullptr;  ///< [n], by place in a row of inner sums; for inner sums only
};

/// S[r, j] = Σ_{i in column j} e^{−2πi·u_r·i/m} for all n columns, times chirp[j] where there is one.
struct BuildTile {
  float2* values = nullptr;
  std::uint64_t stride = 0;
  std::uint32_t count = 0;
  const float2* chirp = nullptr;
};

/// A part of a long column.
struct Piece {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Pieces are summed first; those of a column are then added in an order that is always the same, so that
/// results do not depend on timing: by the warp that has the column, or, of a hub, by a block before it.
struct LongColumns {
  const Piece* pieces = nullptr;
  std::uint32_t piece_count = 0;
  const Piece* hubs = nullptr;  ///< begin … end−1: pieces that become one, the first
  std::uint32_t hub_count = 0;
  float2* partial = nullptr;  ///< piece_count × partial_stride
  std::uint64_t partial_stride = 0;
};

/// Pieces of a column from which on it counts as a hub: one warp would add them for longer than the columns
/// of its block take.
inline constexpr std::uint64_t kHubPieces = 32;

/// The paper's build for any rows: one sine and cosine for each term.
cudaError_t launch_build_paper(const DeviceColumns& columns, const BuildTile& tile, const std::uint32_t* u,
                               const LongColumns& longs, cudaStream_t stream);

/// Pairs of rows share a table: 16 rows to a lane, at odd multiples of 16 steps from one exact anchor.
inline constexpr std::uint32_t kPairs = 8;

/// Rows of a progression u_r = (first + step·r) mod m.
struct Progression {
  std::uint64_t first = 0;
  std::uint64_t step = 0;
  const float4* pairs = nullptr;  ///< [m × kPairs/2]: e^{−2πi·16(2p+1)·step·i/m}, two to a float4
  const std::uint64_t* fractions = nullptr;  ///< [m]: i/m in 64 bits
  const float2* roots = nullptr;             ///< [kNearRoots]: e^{−2πik/256}
};
inline constexpr std::uint32_t kNearRoots = 256;
/// For a progression: u_r = anchor ± 16(2p+1) steps from the products of one sine and cosine with a table.
cudaError_t launch_build_pairs(const DeviceColumns& columns, const BuildTile& tile,
                               const Progression& progression, const LongColumns& longs, cudaStream_t stream);

/// The tables of a Progression for a step, computed in double precision.
struct PairTables {
  float4* pairs = nullptr;
  std::uint64_t* fractions = nullptr;
  float2* roots = nullptr;
};
cudaError_t launch_pair_tables(const PairTables& tables, std::uint64_t m, std::uint64_t reciprocal,
                               std::uint64_t step, cudaStream_t stream);

}  // namespace spyctrum::cuda
