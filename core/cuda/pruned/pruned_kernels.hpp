// SPDX-License-Identifier: Apache-2.0
// Kernels of the pruned blockwise transform (core/methods/pruned/pruned_axis.hpp has the mathematics), on the
// device. A line of n = p·l elements lies as p blocks of l, element j at [j mod p, ⌊j/p⌋]. Launches return
// cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include "core/cuda/pattern/device_columns.hpp"

namespace spyctrum::cuda {

/// Outputs of lines whose blocks have been transformed, one of each: y[f] = Σ_j g^{jf}·X̂[j, f mod l].
struct PrunedOutputs {
  std::uint64_t size = 1;                      ///< n
  std::uint64_t reciprocal = 0;                ///< ⌊2^64/n⌋ mod 2^64
  std::uint64_t length = 1;                    ///< l
  std::uint64_t blocks = 1;                    ///< p
  bool real_input = false;                     ///< blocks hold ⌊l/2⌋+1 values each
  std::uint64_t count = 0;                     ///< k
  const std::uint32_t* frequencies = nullptr;  ///< f, [k], sorted so that neighbours read neighbours in X̂
  const std::uint32_t* positions = nullptr;    ///< [k], where they go
};
/// The output at positions[r] of line c goes to out[positions[r]·output_stride + line_ids[c]·line_stride];
/// line_ids null: line first_line + c.
struct PrunedPlace {
  const std::uint32_t* line_ids = nullptr;
  std::uint64_t first_line = 0;
  std::uint64_t line_stride = 1;
  std::uint64_t output_stride = 1;
};

/// Ones at the entries of the columns first … first+count−1 (slots), in lines of p·pitch reals that were
/// zeroed, pitch from block to block.
cudaError_t launch_scatter_blocks(const DeviceColumns& columns, std::uint64_t first, std::uint64_t count,
                                  std::uint64_t blocks, std::uint64_t pitch, float* lines,
                                  cudaStream_t stream);
/// lines[c, j mod p, ⌊j/p⌋] = rows[c, j], `count` rows of n.
cudaError_t launch_split_rows(const float2* rows, std::uint64_t count, std::uint64_t n, std::uint64_t blocks,
                              float2* lines, cudaStream_t stream);
cudaError_t launch_combine_blocks(const float2* spectra, const PrunedOutputs& outputs,
                                  const PrunedPlace& place, std::uint64_t count, float2* out,
                                  cudaStream_t stream);

}  // namespace spyctrum::cuda
