// SPDX-License-Identifier: Apache-2.0
// One thread for each position of a line, or for each known coefficient of a line.
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/slices/slice_kernels.hpp"

namespace spyctrum::cuda {

namespace {

constexpr double kUnit = 70368744177664.0;  // 2^46

__device__ float sample(const DeviceSlices& slices, std::uint64_t i, std::uint64_t j, float scale) {
  std::int64_t low = slices.starts[j];
  std::int64_t high = slices.starts[j + 1];
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    const std::uint32_t row = slices.row_indices[middle];
    if (row == i) return slices.weights != nullptr ? slices.weights[middle] * scale : scale;
    if (row < i) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return 0;
}

__global__ void sample_lines(DeviceSlices slices, float2* out) {
  const std::uint64_t l = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (l >= slices.length) return;
  const SliceLine line = slices.lines[blockIdx.y];
  const std::uint64_t m = slices.rows;
  const std::uint64_t n = slices.cols;
  // Factors below 2^32, so that no product overflows.
  const std::uint64_t i = (line.slope_rows % m * (l % m) + line.offset_rows) % m;
  const std::uint64_t j = (line.slope_cols % n * (l % n) + line.offset_cols) % n;
  const float scale = 1.0F / static_cast<float>(slices.length);
  float2* at = out + 3 * slices.length * blockIdx.y + l;
  at[0] = make_float2(sample(slices, i, j, scale), 0);
  at[slices.length] = make_float2(sample(slices, i + 1 == m ? 0 : i + 1, j, scale), 0);
  at[2 * slices.length] = make_float2(sample(slices, i, j + 1 == n ? 0 : j + 1, scale), 0);
}

__device__ double2 root(std::uint64_t product, std::uint64_t size) {
  double sine = 0;
  double cosine = 0;
  sincospi(2.0 * static_cast<double>(product % size) / static_cast<double>(size), &sine, &cosine);
  return make_double2(cosine, sine);
}

__device__ double2 times(double2 a, double2 b) {
  return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ void add(std::int64_t* sum, double2 value) {
  auto* at = reinterpret_cast<unsigned long long*>(sum);
  atomicAdd(at, static_cast<unsigned long long>(__double2ll_rn(value.x * kUnit)));
  atomicAdd(at + 1, static_cast<unsigned long long>(__double2ll_rn(value.y * kUnit)));
}

__global__ void sum_known(DeviceSlices slices, SliceKnown known, std::int64_t* sums) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= known.count) return;
  const SliceLine line = slices.lines[blockIdx.y];
  const std::uint64_t m = slices.rows;
  const std::uint64_t n = slices.cols;
  const std::uint64_t length = slices.length;
  const std::uint64_t u = known.u[k];
  const std::uint64_t v = known.v[k];
  const double plane = static_cast<double>(m) * static_cast<double>(n);
  const double2 value = make_double2(known.values[2 * k] / plane, known.values[2 * k + 1] / plane);
  const double2 at = times(times(value, root(u * line.offset_rows, m)), root(v * line.offset_cols, n));
  // α0·(L/m)·u + α1·(L/n)·v mod L; α0·u mod m keeps the products below 2^64.
  const std::uint64_t down = line.slope_rows % m * u % m * (length / m);
  const std::uint64_t along = line.slope_cols % n * v % n * (length / n);
  std::int64_t* sum = sums + 2 * (3 * length * blockIdx.y + (down + along) % length);
  add(sum, at);
  add(sum + 2 * length, times(at, root(u, m)));
  add(sum + 4 * length, times(at, root(v, n)));
}

__global__ void subtract(const std::int64_t* sums, std::uint64_t count, float2* bins) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count) return;
  bins[k].x -= static_cast<float>(static_cast<double>(sums[2 * k]) / kUnit);
  bins[k].y -= static_cast<float>(static_cast<double>(sums[2 * k + 1]) / kUnit);
}

}  // namespace

cudaError_t launch_sample_lines(const DeviceSlices& slices, float2* out, cudaStream_t stream) {
  return launch(sample_lines, dim3(blocks_for(slices.length), slices.count), kThreads, stream, slices, out);
}

cudaError_t launch_sum_known(const DeviceSlices& slices, const SliceKnown& known, std::int64_t* sums,
                             cudaStream_t stream) {
  if (known.count == 0) return cudaSuccess;
  return launch(sum_known, dim3(blocks_for(known.count), slices.count), kThreads, stream, slices, known,
                sums);
}

cudaError_t launch_subtract(const std::int64_t* sums, std::uint64_t count, float2* bins,
                            cudaStream_t stream) {
  return launch(subtract, blocks_for(count), kThreads, stream, sums, count, bins);
}

}  // namespace spyctrum::cuda
