// SPDX-License-Identifier: Apache-2.0
// Rows and columns are copied into lane format (core/kernels/kernel_table.hpp), transformed `lanes` at a
// time, and copied back; two-dimensional transforms divide such groups over the pool and check for a stop
// before each.
#include "core/fft/fft.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "core/fft/aligned_buffer.hpp"
#include "core/fft/result_cache.hpp"

namespace spyctrum {

namespace {

struct PlanKey {
  std::size_t length = 0;
  std::size_t value_bytes = 0;  // of T
  bool real = false;
  friend bool operator==(const PlanKey&, const PlanKey&) = default;
};

using PlanCache = ResultCache<PlanKey, kernels::FftPlan>;
PlanCache plans(std::size_t{64} << 20U);

template <class T>
PlanPtr plan_for(std::size_t length, bool real) {
  return plans.get({length, sizeof(T), real}, [&] {
    const auto& table = kernels::kernels();
    const PlanPtr made(real ? loops<T>().real_plan(length) : loops<T>().plan(length),
                       [free_plan = table.free_plan](kernels::FftPlan* plan) { free_plan(plan); });
    return PlanCache::Made{made, table.plan_bytes(made.get())};
  });
}

/// Lane buffer and work space of one thread for transforms of one plan.
template <class T>
struct Scratch {
  Scratch(const kernels::FftPlan* plan, std::size_t length)
      : lanes(2 * length * loops<T>().lanes), work(kernels::kernels().workspace(plan)) {}
  AlignedBuffer<T> lanes;
  AlignedBuffer<T> work;
};

/// Whether `count` transforms of this length are faster together in lane format than one after the other: not
/// beyond the cache, since every pass of an FFT reads the whole group.
template <class T>
bool is_faster_in_lanes(std::size_t length, std::size_t count) {
  constexpr std::size_t kLargestBytes = std::size_t{4} << 20;
  const std::size_t lanes = loops<T>().lanes;
  return 2 * count >= lanes && 2 * length * lanes * sizeof(T) <= kLargestBytes;
}

template <class T>
void transform_rows(const kernels::FftPlan* plan, std::complex<T>* data, std::size_t length,
                    std::size_t count, std::size_t stride, bool forward, Scratch<T>& scratch) {
  const auto& loop = loops<T>();
  for (std::size_t k = 0; k < count;) {
    const std::size_t group = std::min(loop.lanes, count - k);
    std::complex<T>* rows = data + k * stride;
    if (is_faster_in_lanes<T>(length, group)) {
      loop.rows_to_lanes(rows, stride, group, length, scratch.lanes.data());
      const T* result = loop.fft_lanes(plan, scratch.lanes.data(), scratch.work.data(), forward);
      loop.lanes_to_rows(result, length, rows, stride, group);
    } else {
      for (std::size_t r = 0; r < group; ++r)
        loop.fft_single(plan, rows + r * stride, scratch.work.data(), forward);
    }
    k += group;
  }
}

/// Runs work(first, count, scratch, worker) on groups of at most `lanes` of `total`, over the pool, with a
/// check for a stop before each group.
template <class Work>
void over_groups(std::size_t total, const kernels::FftPlan* plan, std::size_t length, JobContext& context,
                 const Work& work) {
  const std::size_t lanes = loops<float>().lanes;
  std::vector<std::optional<Scratch<float>>> scratches(context.pool().threads());
  const std::size_t groups = (total + lanes - 1) / lanes;
  // Some 10^5 values per range: the cost of handing out a range vanishes, and a range takes far less than 50
  // ms.
  const std::size_t grain = std::max<std::size_t>(1, 100'000 / (length * lanes));
  context.pool().parallel_for(groups, grain, [&](std::size_t begin, std::size_t end, unsigned worker) {
    std::optional<Scratch<float>>& scratch = scratches[worker];
    if (!scratch) scratch.emplace(plan, length);
    for (std::size_t g = begin; g < end; ++g) {
      context.check_stop();
      work(g * lanes, std::min(lanes, total - g * lanes), *scratch, worker);
    }
  });
}

void columns_over_pool(std::complex<float>* data, std::size_t rows, std::size_t cols, JobContext& context,
                       bool forward) {
  if (rows == 1) return;
  const PlanPtr plan = complex_plan<float>(rows);
  const auto& loop = loops<float>();
  over_groups(cols, plan.get(), rows, context,
              [&](std::size_t first, std::size_t count, Scratch<float>& scratch, unsigned) {
                loop.columns_to_lanes(data + first, cols, count, rows, scratch.lanes.data());
                const float* result =
                    loop.fft_lanes(plan.get(), scratch.lanes.data(), scratch.work.data(), forward);
                loop.lanes_to_columns(result, rows, data + first, cols, count);
              });
}

}  // namespace

template <>
const kernels::Loops<float>& loops<float>() {
  return kernels::kernels().f;
}
template <>
const kernels::Loops<double>& loops<double>() {
  return kernels::kernels().d;
}

template <class T>
PlanPtr complex_plan(std::size_t length) {
  return plan_for<T>(length, false);
}
template PlanPtr complex_plan<float>(std::size_t);
template PlanPtr complex_plan<double>(std::size_t);

PlanPtr real_plan(std::size_t length) { return plan_for<float>(length, true); }

template <class T>
void fft_rows(std::complex<T>* data, std::size_t length, std::size_t count, std::size_t stride,
              bool forward) {
  if (length == 0 || count == 0) return;
  const PlanPtr plan = complex_plan<T>(length);
  Scratch<T> scratch(plan.get(), length);
  transform_rows(plan.get(), data, length, count, stride, forward, scratch);
}
template void fft_rows(std::complex<float>*, std::size_t, std::size_t, std::size_t, bool);
template void fft_rows(std::complex<double>*, std::size_t, std::size_t, std::size_t, bool);

void fft_2d(std::complex<float>* data, std::size_t rows, std::size_t cols, JobContext& context,
            bool forward) {
  if (rows == 0 || cols == 0) return;
  const PlanPtr plan = complex_plan<float>(cols);
  over_groups(rows, plan.get(), cols, context,
              [&](std::size_t first, std::size_t count, Scratch<float>& scratch, unsigned) {
                transform_rows(plan.get(), data + first * cols, cols, count, cols, forward, scratch);
              });
  columns_over_pool(data, rows, cols, context, forward);
}

void fft_2d_real_transposed(const float* input, std::complex<float>* output, std::size_t rows,
                            std::size_t cols, JobContext& context) {
  if (rows == 0 || cols == 0) return;
  const std::size_t half = cols / 2 + 1;
  const auto& loop = loops<float>();
  const PlanPtr real = real_plan(cols);
  // The lane buffer holds the input; its spectrum, up to two values longer, has a buffer of its own.
  WorkerBuffers<float> spectra(context.pool().threads(), 2 * half * loop.lanes);
  over_groups(rows, real.get(), cols, context,
              [&](std::size_t first, std::size_t count, Scratch<float>& scratch, unsigned worker) {
                float* spectrum = spectra.of(worker).data();
                loop.real_rows_to_lanes(input + first * cols, cols, count, cols, scratch.lanes.data());
                loop.rfft_lanes(real.get(), scratch.lanes.data(), spectrum, scratch.work.data());
                loop.lanes_to_columns(spectrum, half, output + first, rows, count);
              });
  const PlanPtr plan = complex_plan<float>(rows);
  over_groups(half, plan.get(), rows, context,
              [&](std::size_t first, std::size_t count, Scratch<float>& scratch, unsigned) {
                transform_rows(plan.get(), output + first * rows, rows, count, rows, true, scratch);
              });
}

std::uint64_t smooth_size(std::uint64_t n) {
  if (n <= 1) return 1;
  std::uint64_t best = std::bit_ceil(n);
  for (std::uint64_t a = 1; a < best; a *= 7)
    for (std::uint64_t b = a; b < best; b *= 5)
      for (std::uint64_t c = b; c < best; c *= 3) {
        std::uint64_t d = c;
        while (d < n) d *= 2;
        best = std::min(best, d);
      }
  return best;
}

bool is_smooth(std::uint64_t n) {
  if (n == 0) return false;
  for (const std::uint64_t p : {2U, 3U, 5U, 7U})
    while (n % p == 0) n /= p;
  return n == 1;
}

}  // namespace spyctrum
