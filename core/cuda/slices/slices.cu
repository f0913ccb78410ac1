// SPDX-License-Identifier: Apache-2.0
// The pattern stays on the device until the object is destroyed; lines and known coefficients are uploaded
// with each call. Kernels: one thread for each position of a line, or for each known coefficient of a line.
#include <memory>

#include "core/cuda/runtime/fft_plans.hpp"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/runtime/streams.hpp"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/device/interface/slices.hpp"

namespace spyctrum::cuda {

namespace {

/// A SliceTask with its arrays on the device.
struct DeviceSlices {
  std::uint64_t rows = 1, cols = 1, length = 1;
  const std::int64_t* starts = nullptr;
  const std::uint32_t* row_indices = nullptr;
  const float* weights = nullptr;
  const SliceLine* lines = nullptr;  ///< [count]
  std::uint32_t count = 0;
};

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

/// out[line, slice, l] = A[(α0·l + τ0) mod m, (α1·l + τ1) mod n]/L; slices 1 and 2 have τ0 + 1 and τ1 + 1.
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

/// sums[line, slice, bin] += the known coefficients of that bin; real and imaginary parts in units of 2^−46.
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

/// bins[k] -= sums[k].
__global__ void subtract(const std::int64_t* sums, std::uint64_t count, float2* bins) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count) return;
  bins[k].x -= static_cast<float>(static_cast<double>(sums[2 * k]) / kUnit);
  bins[k].y -= static_cast<float>(static_cast<double>(sums[2 * k + 1]) / kUnit);
}

class DeviceLines : public Slices {
 public:
  DeviceLines(const SliceTask& spec, Host& host)
      : host_(host),
        spec_(spec),
        starts_(upload(host, spec.starts, spec.cols + 1, "pattern")),
        rows_(upload(host, spec.row_indices, spec.nonzeros, "pattern")),
        weights_(upload(host, spec.weights, spec.weights != nullptr ? spec.nonzeros : 0, "weights")),
        lines_(host, spec.lines, "lines"),
        u_(host, spec.most_known, "known coefficients"),
        v_(host, spec.most_known, "known coefficients"),
        values_(host, 2 * spec.most_known, "known coefficients"),
        bins_(host, 3 * spec.lines * spec.length, "slices"),
        sums_(host, 6 * spec.lines * spec.length, "sums of known coefficients"),
        stream_(host),
        plan_(host, slice_fft(spec), stream_.get()),
        began_(host),
        ended_(host) {
    check(host, cudaGetDevice(&device_), "finding the current device");
  }

  double bins(const SliceLine* lines, std::uint64_t count, const SliceKnown& known, float* out) override {
    const DeviceScope scope(host_, device_);
    const std::uint64_t values = 3 * count * spec_.length;
    copy_to_device(host_, lines_.get(), lines, count, stream_.get(), "lines to the device");
    copy_to_device(host_, u_.get(), known.u, known.count, stream_.get(), "lines to the device");
    copy_to_device(host_, v_.get(), known.v, known.count, stream_.get(), "lines to the device");
    copy_to_device(host_, values_.get(), known.values, 2 * known.count, stream_.get(), "lines to the device");
    const DeviceSlices slices{spec_.rows,  spec_.cols,     spec_.length, starts_.get(),
                              rows_.get(), weights_.get(), lines_.get(), static_cast<std::uint32_t>(count)};
    began_.record(stream_.get());
    // Lines after the first `count` are also transformed, but not read.
    set_zero(host_, bins_.get(), 3 * spec_.lines * spec_.length, stream_.get(), "clearing slices");
    check(host_,
          launch(sample_lines, dim3(blocks_for(slices.length), slices.count), kThreads, stream_.get(), slices,
                 bins_.get()),
          "sampling lines");
    plan_.complex(bins_.get(), CUFFT_FORWARD);
    if (known.count != 0) {
      set_zero(host_, sums_.get(), 2 * values, stream_.get(), "clearing sums");
      check(host_,
            launch(sum_known, dim3(blocks_for(known.count), slices.count), kThreads, stream_.get(), slices,
                   SliceKnown{known.count, u_.get(), v_.get(), values_.get()}, sums_.get()),
            "summing known coefficients");
      check(host_, launch_threads(subtract, values, stream_.get(), sums_.get(), values, bins_.get()),
            "subtracting");
    }
    ended_.record(stream_.get());
    ended_.synchronize();
    download(host_, out, bins_.get(), values, "slices to the host");
    return ended_.seconds_since(began_);
  }

 private:
  int device_ = 0;
  Host& host_;
  SliceTask spec_;
  DeviceBuffer<std::int64_t> starts_;
  DeviceBuffer<std::uint32_t> rows_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<SliceLine> lines_;
  DeviceBuffer<std::uint32_t> u_, v_;
  DeviceBuffer<float> values_;
  DeviceBuffer<float2> bins_;
  DeviceBuffer<std::int64_t> sums_;
  Stream stream_;
  FftPlan plan_;
  Event began_, ended_;
};

Timing run(const SliceTask& task, Host& host) {
  *task.made = std::make_unique<DeviceLines>(task, host).release();
  return {};
}

}  // namespace

template <>
TaskEntry task_entry<SliceTask>() {
  return make_task_entry<SliceTask, run>();
}

}  // namespace spyctrum::cuda
