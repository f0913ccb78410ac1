// SPDX-License-Identifier: Apache-2.0
// Kernels of the row transform beside its inner sums, as the host code launches them. All pointers are the
// device's; a tile is count × stride values, row-major. Launches return cudaGetLastError().
#pragma once

#include "core/cuda/rows/inner_sums.hpp"

namespace spyctrum::cuda {

/// values[r, k] *= factors[k], k < length.
cudaError_t launch_multiply_rows(float2* values, std::uint32_t count, std::uint64_t length,
                                 const float2* factors, cudaStream_t stream);
/// Rows of n values spread onto `fine` cells, x[k] = Σ_t weights[t, k]·rows[r, (first[k] + t) mod n]; cell
/// A·k + a is stored at [r, a, k], k < M = fine/A: the parts whose FFTs a last butterfly joins.
struct Resampling {
  std::uint64_t n = 0;
  std::uint64_t stride = 0;  ///< of the rows, at least n
  std::uint64_t fine = 0;
  std::uint32_t split = 1;               ///< A; where it is not 1, M is a multiple of kSegment
  std::uint32_t taps = 0;                ///< values to a cell, at most kMostTaps; kFewTaps where A is not 1
  const std::uint32_t* first = nullptr;  ///< [fine], below n
  const float* weights = nullptr;        ///< [taps × fine]
};
inline constexpr std::uint32_t kSegment = kPartAlignment;  ///< values that leave together: 128 bytes
cudaError_t launch_resample(const float2* rows, const Resampling& resampling, std::uint32_t count,
                            float2* fine, cudaStream_t stream);

/// The tables of a shape that is resampled, for rows of n values: what a Resampling has, and correction[v] =
/// 1/φ̂(v) for the frequencies v < n of |v| ≤ half_width; others are not written.
struct ResamplingTables {
  std::uint32_t* first = nullptr;
  float* weights = nullptr;
  float* correction = nullptr;  ///< [n]
};
cudaError_t launch_resampling_tables(const RowTransformPlan& shape, std::uint64_t n,
                                     const ResamplingTables& tables, cudaStream_t stream);

/// Which of L frequencies in DFT order are kept, and of a row of n where they go: cell c < low stays c, the
/// `high` last go to the end of the n.
struct KeptFrequencies {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t shift = 0;  ///< L − n, modulo 2^64
};

/// The last butterfly of a decimation in time: from the FFTs Y of A parts of M cells each, [r, a, q], the
/// frequencies X[q + M·c] = Σ_a w_A^{ac}·w_{AM}^{aq}·Y[a, q], c < A. Those that are kept are stored at
/// out[r, v], times correction[v] where there is one. May be in place where `shift` = 0 and stride = A·M.
struct LastButterfly {
  std::uint64_t part = 0;  ///< M
  Radices radices;         ///< A = first·second
  /// [first + second − 2, M]: w_{AM}^{second·a·q} for a = 1 … first−1, then w_{AM}^{aq}, a = 1 … second−1.
  const float2* twiddles = nullptr;
  const float* correction = nullptr;
  KeptFrequencies kept;
  std::uint64_t stride = 0;  ///< of the rows of `out`
};
cudaError_t launch_last_butterfly(const float2* parts, const LastButterfly& butterfly, std::uint32_t count,
                                  float2* out, cudaStream_t stream);

/// Double to single precision with a factor.
cudaError_t launch_narrow(const double2* from, float2* to, std::uint64_t count, double factor,
                          cudaStream_t stream);

/// What leaves a tile: S[r, v], times chirp[v] where there is one.
struct TileView {
  const float2* values = nullptr;
  std::uint64_t stride = 0;
  std::uint32_t count = 0;
  const float2* chirp = nullptr;
  /// Of a resampled row: frequency v is multiplied by correction[v]; those from `turn` on, the negative ones,
  /// are at v + shift.
  const float* correction = nullptr;
  std::uint64_t turn = 0;
  std::uint64_t shift = 0;  ///< modulo 2^64
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
