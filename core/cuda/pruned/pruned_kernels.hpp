// SPDX-License-Identifier: Apache-2.0
// Kernels of the pruned blockwise transform (mathematics: core/methods/pruned/pruned_axis.hpp). A line of n =
// p·l elements is stored as p blocks of l, element j at [j mod p, ⌊j/p⌋]. Pointers are the device's; launches
// return cudaGetLastError().
#pragma once

#include <cuda_runtime_api.h>

#include "core/cuda/pattern/device_columns.hpp"

namespace spyctrum::cuda {

/// The outputs of lines whose blocks were transformed: y[f] = Σ_{j<p} g^{jf}·X̂[j, f mod l], g = e^{−2πi/n}.
struct PrunedOutputs {
  std::uint64_t size = 1;                      ///< n
  std::uint64_t reciprocal = 0;                ///< ⌊2^64/n⌋ mod 2^64
  std::uint64_t length = 1;                    ///< l
  std::uint64_t blocks = 1;                    ///< p
  bool real_input = false;                     ///< the transform of a block has ⌊l/2⌋+1 values
  std::uint64_t count = 0;                     ///< k
  const std::uint32_t* frequencies = nullptr;  ///< f, [k], sorted so that neighbours read neighbours in X̂
  const std::uint32_t* positions = nullptr;    ///< [k], index of each output in the result
};
/// Where outputs are stored: that number r of line c at positions[r]·output_stride + line_ids[c]·line_stride.
/// line_ids null: line_ids[c] = first_line + c.
struct PrunedPlace {
  const std::uint32_t* line_ids = nullptr;
  std::uint64_t first_line = 0;
  std::uint64_t line_stride = 1;
  std::uint64_t output_stride = 1;
};

/// Writes the weights (1 without weights) of the entries of the column slots first … first+count−1, into
/// zeroed lines of p blocks, `pitch` reals from one block to the next.
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
