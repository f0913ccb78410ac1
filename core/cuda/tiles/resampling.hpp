// SPDX-License-Identifier: Apache-2.0
// Resampling of rows from n values onto L cells, L a length that cuFFT transforms fast: the spreading of a
// one-dimensional type-1 non-uniform FFT with the exponential of semicircle φ(x) = e^{β(√(1−x²)−1)} (Barnett,
// Magland & af Klinteberg 2019, arXiv 1808.06736). Pointers are the device's; launches return
// cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include "core/device/interface/rows.hpp"

namespace spyctrum::cuda {

/// Rows of n values spread onto `fine` cells, x[k] = Σ_t weights[t, k]·rows[r, (first[k] + t) mod n]; cell
/// A·k + a is stored at [r, a, k], k < M = fine/A: A parts, whose FFTs launch_last_butterfly() joins.
struct Resampling {
  std::uint64_t n = 0;
  std::uint64_t stride = 0;              ///< values from one row to the next, at least n
  std::uint64_t fine = 0;                ///< L
  std::uint32_t split = 1;               ///< A; if A > 1, the cells of a part are a multiple of kSegment
  std::uint32_t taps = 0;                ///< values per cell, at most kMostTaps; at most kFewTaps if A > 1
  const std::uint32_t* first = nullptr;  ///< [fine], below n
  const float* weights = nullptr;        ///< [taps × fine]
};
inline constexpr std::uint32_t kSegment = kPartAlignment;  ///< values that are stored together: 128 bytes
cudaError_t launch_resample(const float2* rows, const Resampling& resampling, std::uint32_t count,
                            float2* fine, cudaStream_t stream);

/// The arrays of a Resampling for rows of n values by a resampled plan, and correction[v] = 1/φ̂(v) for the
/// frequencies v < n of |v| ≤ plan.half_width; others are not written. `weights` null: the correction alone.
struct ResamplingTables {
  std::uint32_t* first = nullptr;
  float* weights = nullptr;
  float* correction = nullptr;  ///< [n]
};
cudaError_t launch_resampling_tables(const RowTransformPlan& plan, std::uint64_t n,
                                     const ResamplingTables& tables, cudaStream_t stream);

}  // namespace spyctrum::cuda
