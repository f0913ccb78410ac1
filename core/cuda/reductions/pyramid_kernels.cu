// SPDX-License-Identifier: Apache-2.0
// Adds the column sums of bands to cells of the display pyramid, for the rows u, and for the rows −u by
// |F[−u, v]| = |F[u, −v]|: band after band by one warp for each column of cells, or to cells of each band's
// own. Mirrors core/pictures/pyramid_consumer.cpp.
#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/cuda/reductions/warp_sums.cuh"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kCellThreads = 128;
// Lanes that sum one cell of a band: few, since a cell has few columns.
constexpr unsigned kCellLanes = 8;

struct Cell {
  double power = 0;
  float maximum = 0;
};

/// Sums the columns v at the shifted positions begin ≤ k < end, or (if `mirror`) the columns −v, by kLanes
/// neighbouring lanes; valid in the first of them. Columns with |v| > reach are undefined and are skipped.
/// Called by all lanes of a warp.
template <unsigned kLanes>
__device__ Cell sum_columns(const float2* columns, std::uint64_t n, std::uint64_t reach, std::uint64_t begin,
                            std::uint64_t end, bool mirror) {
  Cell cell;
  const std::uint64_t negatives = n / 2;  // the shifted position of v = 0
  begin = max(begin, negatives - min(reach, negatives));
  end = min(end, negatives + reach + 1);
  for (std::uint64_t k = begin + threadIdx.x % kLanes; k < end; k += kLanes) {
    std::uint64_t v = k < negatives ? k + n - negatives : k - negatives;
    if (mirror && v != 0) v = n - v;
    const float2 column = columns[v];
    cell.power += static_cast<double>(column.x);
    cell.maximum = fmaxf(cell.maximum, column.y);
  }
  for (int offset = kLanes / 2; offset > 0; offset /= 2) {
    cell.power += __shfl_down_sync(kAllLanes, cell.power, offset);
    cell.maximum = fmaxf(cell.maximum, __shfl_down_sync(kAllLanes, cell.maximum, offset));
  }
  return cell;
}

/// The largest |v| for which there are column sums.
__device__ std::uint64_t reach_of(const Bands& bands, std::uint64_t width) {
  return bands.symmetric_half ? bands.reach : width;
}

__global__ void add_to_cells(ColumnSums columns, std::uint64_t width, Bands bands, DeviceCells cells) {
  const std::uint64_t c = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (c >= cells.cols) return;
  const std::uint64_t begin = c * width / cells.cols;
  const std::uint64_t end = (c + 1) * width / cells.cols;
  for (std::uint32_t b = 0; b < bands.count; ++b) {
    const Band& band = bands.band[b];
    const float2* sums = columns.values + b * width;
    for (const bool mirror : {false, true}) {
      const std::uint32_t row = mirror ? band.down : band.up;
      if (row == kNoCell) continue;
      const Cell cell = sum_columns<32>(sums, width, reach_of(bands, width), begin, end, mirror);
      if (threadIdx.x % 32 != 0) continue;
      const std::uint64_t at = std::uint64_t{row} * cells.cols + c;
      cells.power[at] += cell.power;
      cells.maximum[at] = fmaxf(cells.maximum[at], cell.maximum);
    }
  }
}

__global__ void cells_of_bands(ColumnSums columns, std::uint64_t width, Bands bands, std::uint32_t cols,
                               CellSum* cells) {
  const std::uint64_t c = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kCellLanes;
  if (c >= cols) return;
  const Band& band = bands.band[blockIdx.y];
  for (const bool mirror : {false, true}) {
    if (mirror && band.down == kNoCell) continue;
    const Cell cell =
        sum_columns<kCellLanes>(columns.values + blockIdx.y * width, width, reach_of(bands, width),
                                c * width / cols, (c + 1) * width / cols, mirror);
    if (threadIdx.x % kCellLanes == 0)
      cells[(2 * std::uint64_t{blockIdx.y} + (mirror ? 1 : 0)) * cols + c] = {static_cast<float>(cell.power),
                                                                              cell.maximum};
  }
}

}  // namespace

cudaError_t launch_cells_of_bands(const ColumnSums& columns, std::uint64_t width, const Bands& bands,
                                  std::uint32_t cols, CellSum* cells, cudaStream_t stream) {
  if (bands.count == 0 || cols == 0) return cudaSuccess;
  const auto blocks =
      static_cast<unsigned>((std::uint64_t{cols} * kCellLanes + kCellThreads - 1) / kCellThreads);
  return launch(cells_of_bands, dim3(blocks, bands.count), kCellThreads, stream, columns, width, bands, cols,
                cells);
}

cudaError_t launch_add_to_cells(const ColumnSums& columns, std::uint64_t width, const Bands& bands,
                                const DeviceCells& cells, cudaStream_t stream) {
  if (bands.count == 0 || cells.cols == 0) return cudaSuccess;
  const auto blocks =
      static_cast<unsigned>((std::uint64_t{cells.cols} * 32 + kCellThreads - 1) / kCellThreads);
  return launch(add_to_cells, blocks, kCellThreads, stream, columns, width, bands, cells);
}

}  // namespace spyctrum::cuda
