// SPDX-License-Identifier: Apache-2.0
// One thread per cell; for counts one thread per entry, which adds 1 to each cell that shows the entry.
#include "core/cuda/pictures/picture_kernels.hpp"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

constexpr unsigned kBlockSide = 16;  // cells of a block along each axis

__device__ float power_of(float2 value) {
  return __fadd_rn(__fmul_rn(value.x, value.x), __fmul_rn(value.y, value.y));
}

__device__ bool is_empty(const CellRange& range) { return range.last <= range.first; }

/// Sum and maximum of the powers of one cell.
struct CellPower {
  double sum = 0;
  float most = 0;
  __device__ void add(float power) {
    sum = __dadd_rn(sum, static_cast<double>(power));
    most = most < power ? power : most;
  }
};

/// Stores fill(row, col) in each cell whose ranges are not empty, and NaN elsewhere.
template <class Fill>
__device__ void fill_cell(const CellGrid& grid, Fill fill) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= grid.height || c >= grid.width) return;
  const float nan = __int_as_float(0x7fc00000);
  const bool shows = !is_empty(grid.rows[r]) && !is_empty(grid.cols[c]);
  grid.cells[std::uint64_t{r} * grid.width + c] = shows ? fill(r, c) : make_float2(nan, nan);
}

/// Mean and maximum of power(p, q) over the ranges of a cell. As on the CPU each row is summed first.
template <class Power>
__device__ float2 reduce_ranges(const CellRange& rows, const CellRange& cols, Power power) {
  double sum = 0;
  float most = 0;
  for (std::int64_t p = rows.first; p < rows.last; ++p) {
    CellPower row{0, most};
    for (std::int64_t q = cols.first; q < cols.last; ++q) row.add(power(p, q));
    sum = __dadd_rn(sum, row.sum);
    most = row.most;
  }
  const double count =
      static_cast<double>(rows.last - rows.first) * static_cast<double>(cols.last - cols.first);
  return make_float2(static_cast<float>(sum / count), most);
}

__global__ void reduce_lattice(CellGrid grid, const float2* __restrict__ lattice_rows, DeviceAxis rows,
                               DeviceAxis cols) {
  fill_cell(grid, [&](std::uint32_t r, std::uint32_t c) {
    return reduce_ranges(grid.rows[r], grid.cols[c], [&](std::int64_t p, std::int64_t q) {
      const std::uint64_t distinct_p = static_cast<std::uint64_t>(p) % rows.distinct;
      const std::uint64_t distinct_q = static_cast<std::uint64_t>(q) % cols.distinct;
      const std::uint64_t col = (cols.first_cell + distinct_q) % cols.fine;
      const float correction = cols.correction[distinct_q];
      const float2 value = lattice_rows[distinct_p * cols.fine + col];
      return power_of(make_float2(__fmul_rn(value.x, correction), __fmul_rn(value.y, correction)));
    });
  });
}

__device__ float2 stored_value(const NodeMap& nodes, std::uint64_t p, std::uint64_t q) {
  const std::uint64_t stored = nodes.rows[p];
  return stored < nodes.stored_rows
             ? nodes.values[stored * nodes.stride + nodes.upright[q]]
             : nodes.values[(stored - nodes.stored_rows) * nodes.stride + nodes.mirrored[q]];
}

__global__ void reduce_values(CellGrid grid, NodeMap nodes) {
  fill_cell(grid, [&](std::uint32_t r, std::uint32_t c) {
    return reduce_ranges(grid.rows[r], grid.cols[c], [&](std::int64_t p, std::int64_t q) {
      return power_of(stored_value(nodes, static_cast<std::uint64_t>(p), static_cast<std::uint64_t>(q)));
    });
  });
}

__device__ float rounded_between(float below, float above, float weight) {
  return __fadd_rn(below, __fmul_rn(weight, __fsub_rn(above, below)));
}

/// Σw² of the two interpolation weights w.
__device__ float spread_of(float weight) {
  const float rest = __fsub_rn(1.0F, weight);
  return __fadd_rn(__fmul_rn(weight, weight), __fmul_rn(rest, rest));
}
/// E|F|² from an interpolated magnitude, as Reconstruction::powers (core/reconstruction).
__device__ float expected_power(float magnitude, float spread) {
  constexpr float kRayleigh = 0.78539816339744831F;  // π/4
  return __fdiv_rn(__fmul_rn(magnitude, magnitude),
                   __fadd_rn(kRayleigh, __fmul_rn(1.0F - kRayleigh, spread)));
}

__global__ void reduce_bilinear(CellGrid grid, NodeMap nodes, PickMap picks) {
  fill_cell(grid, [&](std::uint32_t r, std::uint32_t c) {
    const auto magnitude = [&](std::uint32_t p, std::uint32_t q) {
      return __fsqrt_rn(power_of(stored_value(nodes, p, q)));
    };
    CellPower cell;
    std::uint32_t count = 0;
    for (std::uint32_t i = picks.row_starts[r]; i < picks.row_starts[r + 1]; ++i) {
      const PickView down = picks.row_picks[i];
      for (std::uint32_t j = picks.col_starts[c]; j < picks.col_starts[c + 1]; ++j) {
        const PickView across = picks.col_picks[j];
        if (down.is_zero != 0 && across.is_zero != 0) continue;
        const float before = rounded_between(magnitude(down.below, across.below),
                                             magnitude(down.above, across.below), down.weight);
        const float behind = rounded_between(magnitude(down.below, across.above),
                                             magnitude(down.above, across.above), down.weight);
        const float value = rounded_between(before, behind, across.weight);
        cell.add(expected_power(value, __fmul_rn(spread_of(down.weight), spread_of(across.weight))));
        ++count;
      }
    }
    const double mean = count != 0 ? cell.sum / static_cast<double>(count) : 0.0;
    return make_float2(static_cast<float>(mean), cell.most);
  });
}

/// The cells of a pyramid that contain indices first … last−1 of the shifted plane, and the number in each.
struct PyramidSpan {
  std::uint64_t size;
  std::uint64_t cells;
  std::uint64_t first;
  std::uint64_t last;
  __device__ PyramidSpan(const CellRange& range, std::uint64_t plane, std::uint32_t count)
      : size(plane),
        cells(count),
        first(static_cast<std::uint64_t>(range.first + static_cast<std::int64_t>(plane / 2))),
        last(static_cast<std::uint64_t>(range.last + static_cast<std::int64_t>(plane / 2))) {}
  [[nodiscard]] __device__ std::uint64_t begin(std::uint64_t cell) const { return cell * size / cells; }
  [[nodiscard]] __device__ std::uint64_t first_cell() const { return ((first + 1) * cells - 1) / size; }
  [[nodiscard]] __device__ bool holds(std::uint64_t cell) const { return cell < cells && begin(cell) < last; }
  [[nodiscard]] __device__ double shared(std::uint64_t cell) const {
    return static_cast<double>(min(begin(cell + 1), last) - max(begin(cell), first));
  }
};

__global__ void reduce_pyramid(CellGrid grid, PyramidPlane pyramid) {
  fill_cell(grid, [&](std::uint32_t r, std::uint32_t c) {
    const PyramidSpan rows(grid.rows[r], pyramid.m, pyramid.rows);
    const PyramidSpan cols(grid.cols[c], pyramid.n, pyramid.cols);
    double sum = 0;
    double area = 0;
    float most = 0;
    for (std::uint64_t p = rows.first_cell(); rows.holds(p); ++p) {
      for (std::uint64_t q = cols.first_cell(); cols.holds(q); ++q) {
        const std::uint64_t cell = p * pyramid.cols + q;
        const double weight = rows.shared(p) * cols.shared(q);
        sum = __dadd_rn(sum, __dmul_rn(weight, static_cast<double>(pyramid.means[cell])));
        area += weight;
        const float maximum = pyramid.maxima[cell];
        most = most < maximum ? maximum : most;
      }
    }
    return make_float2(static_cast<float>(sum / area), most);
  });
}

/// The first of the cells first … last−1 whose range ends (if `ends`) or begins after index i.
__device__ std::uint32_t cell_behind(const CellRange* ranges, std::uint32_t first, std::uint32_t last,
                                     std::int64_t i, bool ends) {
  while (first < last) {
    const std::uint32_t middle = first + (last - first) / 2;
    if ((ends ? ranges[middle].last : ranges[middle].first) > i)
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}

__global__ void count_entries(CellGrid grid, EntryList list, CellsInView view, std::uint32_t* counts) {
  const std::uint64_t t = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (t >= list.slots.entries) return;
  const std::uint32_t row_id = list.row_ids[list.slots.rows[t]];
  const std::uint32_t col_id = list.col_ids[list.slots.cols[t]];
  const auto block = static_cast<std::uint32_t>(list.block);
  if (list.first_of_blocks && (row_id % block != 0 || col_id % block != 0)) return;
  const auto i = static_cast<std::int64_t>(row_id / block);
  const auto j = static_cast<std::int64_t>(col_id / block);
  const std::uint32_t top = cell_behind(grid.rows, view.first_row, view.last_row, i, true);
  const std::uint32_t bottom = cell_behind(grid.rows, top, view.last_row, i, false);
  if (top >= bottom) return;
  const std::uint32_t left = cell_behind(grid.cols, view.first_col, view.last_col, j, true);
  const std::uint32_t right = cell_behind(grid.cols, left, view.last_col, j, false);
  for (std::uint32_t r = top; r < bottom; ++r)
    for (std::uint32_t c = left; c < right; ++c) atomicAdd(&counts[std::uint64_t{r} * grid.width + c], 1U);
}

__device__ double extent(const CellRange& blocks, std::uint64_t block, std::uint64_t size) {
  const std::uint64_t end = min(size, static_cast<std::uint64_t>(blocks.last) * block);
  return static_cast<double>(end - static_cast<std::uint64_t>(blocks.first) * block);
}

__global__ void finish_counts(CellGrid grid, EntryList list, const std::uint32_t* __restrict__ counts) {
  fill_cell(grid, [&](std::uint32_t r, std::uint32_t c) {
    const CellRange rows = grid.rows[r];
    const CellRange cols = grid.cols[c];
    const double count = counts[std::uint64_t{r} * grid.width + c];
    const double blocks =
        list.mean_of_blocks || list.first_of_blocks
            ? static_cast<double>(rows.last - rows.first) * static_cast<double>(cols.last - cols.first)
            : 1.0;
    const double places = extent(rows, list.block, list.m) * extent(cols, list.block, list.n);
    return make_float2(static_cast<float>(count / blocks),
                       static_cast<float>(count / (list.first_of_blocks ? blocks : places)));
  });
}

__global__ void patch(float2* cells, const std::uint32_t* numbers, const float2* values,
                      std::uint64_t count) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) cells[numbers[k]] = values[k];
}

dim3 blocks_of(const CellGrid& grid) {
  return {(grid.width + kBlockSide - 1) / kBlockSide, (grid.height + kBlockSide - 1) / kBlockSide};
}

}  // namespace

cudaError_t launch_reduce_lattice(const CellGrid& grid, const float2* lattice_rows, const DeviceAxis& rows,
                                  const DeviceAxis& cols, cudaStream_t stream) {
  return launch(reduce_lattice, blocks_of(grid), dim3(kBlockSide, kBlockSide), stream, grid, lattice_rows,
                rows, cols);
}

cudaError_t launch_reduce_values(const CellGrid& grid, const NodeMap& nodes, cudaStream_t stream) {
  return launch(reduce_values, blocks_of(grid), dim3(kBlockSide, kBlockSide), stream, grid, nodes);
}

cudaError_t launch_reduce_bilinear(const CellGrid& grid, const NodeMap& nodes, const PickMap& picks,
                                   cudaStream_t stream) {
  return launch(reduce_bilinear, blocks_of(grid), dim3(kBlockSide, kBlockSide), stream, grid, nodes, picks);
}

cudaError_t launch_reduce_pyramid(const CellGrid& grid, const PyramidPlane& pyramid, cudaStream_t stream) {
  return launch(reduce_pyramid, blocks_of(grid), dim3(kBlockSide, kBlockSide), stream, grid, pyramid);
}

cudaError_t launch_count_entries(const CellGrid& grid, const EntryList& list, const CellsInView& view,
                                 std::uint32_t* counts, cudaStream_t stream) {
  return launch_threads(count_entries, list.slots.entries, stream, grid, list, view, counts);
}

cudaError_t launch_finish_counts(const CellGrid& grid, const EntryList& list, const std::uint32_t* counts,
                                 cudaStream_t stream) {
  return launch(finish_counts, blocks_of(grid), dim3(kBlockSide, kBlockSide), stream, grid, list, counts);
}

cudaError_t launch_patch(float2* cells, const std::uint32_t* numbers, const float2* values,
                         std::uint64_t count, cudaStream_t stream) {
  return launch_threads(patch, count, stream, cells, numbers, values, count);
}

}  // namespace spyctrum::cuda
