// SPDX-License-Identifier: Apache-2.0
// Kernels of the row transform, as the host code launches them. All pointers are the device's; a tile is
// count × stride values, row-major. Launches return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace spyctrum::cuda {

/// The pattern on the device.
struct DeviceColumns {
  const void* rows = nullptr;  ///< row indices: 16 bits each when `narrow`, else 32
  bool narrow = false;         ///< m ≤ 2^16
  const std::uint32_t* ids = nullptr;
  const std::int64_t* starts = nullptr;
  std::uint32_t active = 0;
  std::uint64_t m = 1;
  std::uint64_t reciprocal = 0;  ///< ⌊2^64/m⌋ mod 2^64
};

/// S[r, j] = Σ_{i in column j} e^{−2πi·u_r·i/m}, times chirp[j] where there is one. Columns without entries
/// are not written.
struct BuildTile {
  float2* values = nullptr;
  std::uint64_t stride = 0;
  std::uint32_t count = 0;
  const float2* chirp = nullptr;
};

/// One thread for each column and row, one sine and cosine for each term: the paper's build.
cudaError_t launch_build_paper(const DeviceColumns& columns, const BuildTile& tile, const std::uint32_t* u,
                               cudaStream_t stream);

inline constexpr std::uint32_t kPieceEntries = 512;  ///< of a column that one block sums

/// A part of a column with more than kPieceEntries entries.
struct Piece {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
/// Such a column: its pieces are summed in their order, so that results do not depend on timing.
struct LongColumn {
  std::uint32_t slot = 0;
  std::uint32_t first_piece = 0;
  std::uint32_t pieces = 0;
};

struct LongColumns {
  const Piece* pieces = nullptr;
  std::uint32_t piece_count = 0;
  const LongColumn* columns = nullptr;
  std::uint32_t column_count = 0;
  float2* partial = nullptr;  ///< piece_count × partial_stride
  std::uint64_t partial_stride = 0;
};

/// Rows of a progression u_r = (first + step·r) mod m: a warp sums a column for 32 anchors, each exact, and
/// rotates them through up to 16 rows that are 32 apart.
struct Progression {
  std::uint64_t first = 0;
  std::uint64_t step = 0;
  const float2* rotation = nullptr;  ///< [i] = e^{−2πi·32·step·i/m}
};
cudaError_t launch_build_rotating(const DeviceColumns& columns, const BuildTile& tile,
                                  const Progression& progression, const LongColumns& longs,
                                  cudaStream_t stream);

/// table[i] = e^{−2πi·factor·i/m}, computed in double precision.
cudaError_t launch_rotation_table(float2* table, std::uint64_t m, std::uint64_t reciprocal,
                                  std::uint64_t factor, cudaStream_t stream);

/// values[r, k] *= factors[k], k < length.
cudaError_t launch_multiply_rows(float2* values, std::uint32_t count, std::uint64_t length,
                                 const float2* factors, cudaStream_t stream);
/// Rows of n values spread onto `fine` cells: fine[r, k] = Σ_j rows[r, j]·weights[j, k − start[j]].
struct Resampling {
  std::uint64_t n = 0;
  std::uint64_t fine = 0;
  std::uint32_t taps = 0;
  const std::uint32_t* start = nullptr;  ///< [n], first cell, the cells cyclic
  const float* weights = nullptr;        ///< [n × taps]
};
cudaError_t launch_resample(const float2* rows, const Resampling& resampling, std::uint32_t count,
                            float2* fine, cudaStream_t stream);

/// Double to single precision with a factor.
cudaError_t launch_narrow(const double2* from, float2* to, std::uint64_t count, double factor,
                          cudaStream_t stream);

/// What leaves a tile: S[r, v], times chirp[v] where there is one.
struct TileView {
  const float2* values = nullptr;
  std::uint64_t stride = 0;
  std::uint32_t count = 0;
  const float2* chirp = nullptr;
  /// Of a resampled row: frequency v is at (first_cell + v) mod stride and is multiplied by correction[v].
  const float* correction = nullptr;
  std::uint64_t first_cell = 0;
};
/// Algorithm 1's finalize into half (m × q): F[u, v] ← S[u, v]; F[(m−u) mod m, v] ← conj S[u, (n−v) mod n].
cudaError_t launch_store_half(const TileView& tile, std::uint64_t first_row, std::uint64_t m, std::uint64_t n,
                              float2* half, cudaStream_t stream);
/// Rows first_row … of n coefficients from half (m × q).
cudaError_t launch_unfold_half(const float2* half, std::uint64_t m, std::uint64_t n, std::uint64_t first_row,
                               std::uint32_t count, float2* rows, cudaStream_t stream);
/// output[r, q] = S[r, columns[q]]; columns null: the first `width`.
cudaError_t launch_gather(const TileView& tile, const std::uint32_t* columns, std::uint64_t width,
                          float2* output, cudaStream_t stream);

}  // namespace spyctrum::cuda
