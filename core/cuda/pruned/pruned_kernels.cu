// SPDX-License-Identifier: Apache-2.0
// Fills the blocks of lines, and combines their transforms, which cuFFT computes.
#include <algorithm>

#include "core/cuda/pattern/entries.cuh"
#include "core/cuda/pattern/phase.cuh"
#include "core/cuda/pruned/pruned_kernels.hpp"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

constexpr std::uint64_t kMostY = 65535;  // blocks along y that a launch allows
constexpr std::uint64_t kPiece = 16;     // blocks whose weights are products of one exact weight

__global__ void scatter_blocks(DeviceColumns columns, std::uint64_t first, std::uint64_t count,
                               std::uint32_t blocks, std::uint64_t pitch, float* lines) {
  for_each_entry(columns, first, count, [&](std::uint32_t i, std::uint64_t slot, float weight) {
    lines[((slot - first) * blocks + i % blocks) * pitch + i / blocks] = weight;
  });
}

__global__ void split_rows(const float2* rows, std::uint64_t count, std::uint64_t n, std::uint32_t blocks,
                           float2* lines) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const std::uint64_t length = n / blocks;
  // Consecutive threads write consecutive elements of a block.
  const std::uint64_t from = at % length * blocks + at / length;
  for (std::uint64_t c = blockIdx.y; c < count; c += gridDim.y) lines[c * n + at] = rows[c * n + from];
}

__global__ void combine_blocks(const float2* spectra, PrunedOutputs outputs, PrunedPlace place,
                               std::uint64_t count, float2* out) {
  const std::uint64_t r = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (r >= outputs.count) return;
  const std::uint32_t frequency = outputs.frequencies[r];
  const std::uint64_t position = outputs.positions[r];
  std::uint64_t source = frequency % outputs.length;
  const bool mirrored = outputs.real_input && source > outputs.length / 2;
  if (mirrored) source = outputs.length - source;
  const std::uint64_t kept = outputs.real_input ? outputs.length / 2 + 1 : outputs.length;
  const std::uint64_t step = fraction_of(frequency, outputs.size, outputs.reciprocal);
  const float2 turned = root_at(static_cast<std::uint32_t>(step >> 32U));
  for (std::uint64_t c = blockIdx.y; c < count; c += gridDim.y) {
    const float2* line = spectra + c * outputs.blocks * kept + source;
    float2 sum = make_float2(0, 0);
    std::uint64_t turns = 0;
    // Each piece begins with an exact weight: a longer chain of products would lose digits.
    for (std::uint64_t first = 0; first < outputs.blocks; first += kPiece) {
      const std::uint64_t end = min(first + kPiece, outputs.blocks);
      float2 piece = make_float2(0, 0);
      float2 weight = root_at(static_cast<std::uint32_t>(turns >> 32U));
      for (std::uint64_t j = first; j < end; ++j, turns += step) {
        const float2 value = line[j * kept];
        const float2 term = product(weight, mirrored ? conjugate(value) : value);
        piece.x += term.x;
        piece.y += term.y;
        weight = product(weight, turned);
      }
      sum.x += piece.x;
      sum.y += piece.y;
    }
    const std::uint64_t id = place.line_ids != nullptr ? place.line_ids[c] : place.first_line + c;
    out[position * place.output_stride + id * place.line_stride] = sum;
  }
}

unsigned along_y(std::uint64_t count) { return static_cast<unsigned>(std::min(count, kMostY)); }

}  // namespace

cudaError_t launch_scatter_blocks(const DeviceColumns& columns, std::uint64_t first, std::uint64_t count,
                                  std::uint64_t blocks, std::uint64_t pitch, float* lines,
                                  cudaStream_t stream) {
  return launch(scatter_blocks, entry_blocks(count), kEntryThreads, stream, columns, first, count,
                static_cast<std::uint32_t>(blocks), pitch, lines);
}

cudaError_t launch_split_rows(const float2* rows, std::uint64_t count, std::uint64_t n, std::uint64_t blocks,
                              float2* lines, cudaStream_t stream) {
  return launch(split_rows, dim3(blocks_for(n), along_y(count)), kThreads, stream, rows, count, n,
                static_cast<std::uint32_t>(blocks), lines);
}

cudaError_t launch_combine_blocks(const float2* spectra, const PrunedOutputs& outputs,
                                  const PrunedPlace& place, std::uint64_t count, float2* out,
                                  cudaStream_t stream) {
  return launch(combine_blocks, dim3(blocks_for(outputs.count), along_y(count)), kThreads, stream, spectra,
                outputs, place, count, out);
}

}  // namespace spyctrum::cuda
