// SPDX-License-Identifier: Apache-2.0
// The last butterfly of an FFT by decimation in time (Cooley & Tukey 1965): A transforms of length M become
// one of length A·M. Pointers are the device's; launches return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include "core/device/interface/rows.hpp"

namespace spyctrum::cuda {

/// The cells of L cells in DFT order, those of the frequencies |v| ≤ reach, that are stored in a row of n
/// values: cell c < low at c, and each of the last `high` cells c at c − shift.
struct StoredFrequencies {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t shift = 0;  ///< L − n, modulo 2^64
};

/// From the FFTs Y of A parts of M cells each, [r, a, q], the frequencies X[q + M·c] =
/// Σ_a w_A^{ac}·w_{AM}^{aq}·Y[a, q], c < A, w_N = e^{−2πi/N}. out[r, v] is X[v] times correction[v] (1 if
/// that is null), for the frequencies v of `stored`. May be in place if shift = 0 and stride = A·M.
struct LastButterfly {
  std::uint64_t part = 0;  ///< M
  Radices radices;         ///< A = first·second
  /// [first + second − 2, M]: w_{AM}^{second·a·q} for a = 1 … first−1, then w_{AM}^{aq}, a = 1 … second−1.
  const float2* twiddles = nullptr;
  const float* correction = nullptr;
  StoredFrequencies stored;
  std::uint64_t stride = 0;  ///< values from one row of `out` to the next
};
cudaError_t launch_last_butterfly(const float2* parts, const LastButterfly& butterfly, std::uint32_t count,
                                  float2* out, cudaStream_t stream);

}  // namespace spyctrum::cuda
