// SPDX-License-Identifier: Apache-2.0
// Lines are transformed in lane format (core/kernels/kernel_table.hpp), so that transforms and sums need no
// shuffle. Weights are computed once for all lines, in double precision.
#include "core/methods/pruned/pruned_axis.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "core/fft/aligned_buffer.hpp"
#include "core/fft/fft.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kWeightsAtATime = std::uint64_t{1} << 21;  // 16 MiB: they stay in a shared cache

std::uint64_t largest_divisor(std::uint64_t n, std::uint64_t at_most) {
  std::uint64_t best = 1;
  for (std::uint64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    if (d <= at_most) best = std::max(best, d);
    if (n / d <= at_most) best = std::max(best, n / d);
  }
  return best;
}

PlanPtr plan_of(bool real, std::uint64_t length) {
  return real ? real_plan(length) : complex_plan<float>(length);
}

constexpr std::size_t aligned(std::size_t floats) { return (floats + 15) / 16 * 16; }

}  // namespace

/// The outputs that are computed in one pass over the lines, and the tables that all workers share.
struct PrunedAxis::Pass {
  std::size_t begin = 0;
  std::size_t end = 0;
  const std::complex<float>* weights = nullptr;  ///< [end − begin][blocks]
};

PrunedSizes::PrunedSizes(std::uint64_t size_of_axis, std::uint64_t output_count, bool real)
    : size(size_of_axis),
      outputs(output_count),
      length(largest_divisor(size_of_axis, output_count)),
      blocks(size_of_axis / length),
      real_input(real) {}

std::uint64_t PrunedSizes::outputs_per_pass() const {
  return std::min(outputs, std::max<std::uint64_t>(kernels::kMostCombined, kWeightsAtATime / blocks));
}

std::uint64_t PrunedSizes::weight_bytes() const {
  return outputs_per_pass() * blocks * sizeof(std::complex<float>);
}

std::uint64_t PrunedSizes::input_floats() const {
  return aligned(loops<float>().lanes * size * (real_input ? 1 : 2));
}

std::uint64_t PrunedSizes::spectra_floats() const {
  return real_input ? aligned(2 * loops<float>().lanes * stored() * blocks) : 0;
}

std::uint64_t PrunedSizes::work_floats() const {
  // Making a plan of a long transform takes too long for a forecast; this is more than any plan needs.
  constexpr std::uint64_t kPlanned = std::uint64_t{1} << 22;
  if (length > kPlanned) return aligned(6 * loops<float>().lanes * length);
  return aligned(kernels::kernels().workspace(plan_of(real_input, length).get()));
}

std::uint64_t PrunedSizes::scratch_bytes() const {
  constexpr std::uint64_t kAlignmentSlack = 16;
  return sizeof(float) * (input_floats() + spectra_floats() + work_floats() +
                          aligned(2 * loops<float>().lanes * kernels::kMostCombined) + kAlignmentSlack);
}

double PrunedSizes::operations() const {
  const auto n = static_cast<double>(size);
  const double transforms =
      5.0 * n * std::log2(std::max(2.0, static_cast<double>(length))) / (real_input ? 2 : 1);
  return transforms + 8.0 * static_cast<double>(outputs) * static_cast<double>(blocks);
}

std::vector<PrunedOutput> pruned_outputs(const FrequencyAxis& outputs, const PrunedSizes& sizes) {
  std::vector<PrunedOutput> sorted(outputs.count());
  for (std::uint64_t k = 0; k < outputs.count(); ++k) {
    PrunedOutput& output = sorted[k];
    output.frequency = outputs.index_at(k);
    output.source = output.frequency % sizes.length;
    output.conjugate = sizes.real_input && output.source > sizes.length / 2;
    if (output.conjugate) output.source = sizes.length - output.source;
    output.position = k;
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const PrunedOutput& a, const PrunedOutput& b) { return a.source < b.source; });
  return sorted;
}

PrunedAxis::PrunedAxis(const FrequencyAxis& outputs, bool real_input)
    : sizes_(outputs.size(), outputs.count(), real_input),
      phases_(outputs.size()),
      sorted_(pruned_outputs(outputs, sizes_)) {}

void PrunedAxis::transform_group(const Pass& pass, const float* spectra, std::uint64_t first,
                                 std::size_t count, float* combined, const Store& store) const {
  const std::size_t lanes = loops<float>().lanes;
  const std::uint64_t blocks = sizes_.blocks;
  for (std::size_t k = pass.begin; k < pass.end;) {
    std::size_t together = 1;
    while (together < kernels::kMostCombined && k + together < pass.end &&
           sorted_[k + together].source == sorted_[k].source)
      ++together;
    const kernels::LaneCombination sums{spectra + 2 * lanes * sorted_[k].source, 2 * lanes * sizes_.stored(),
                                        pass.weights + (k - pass.begin) * blocks, blocks, blocks};
    kernels::kernels().combine_lanes(sums, together, combined);
    for (std::size_t r = 0; r < together; ++r, ++k) {
      float* values = combined + 2 * lanes * r;
      if (sorted_[k].conjugate)
        std::transform(values + lanes, values + 2 * lanes, values + lanes, std::negate<>());
      store(first, count, sorted_[k].position, values);
    }
  }
}

void PrunedAxis::make_weights(const Pass& pass, std::complex<float>* weights, JobContext& context) const {
  const std::uint64_t blocks = sizes_.blocks;
  context.pool().parallel_for(pass.end - pass.begin, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t k = begin; k < end; ++k) {
      const PrunedOutput& output = sorted_[pass.begin + k];
      for (std::uint64_t j = 0; j < blocks; ++j) {
        const auto weight = std::complex<float>(phases_.at(phases_.product(output.frequency, j)));
        weights[k * blocks + j] = output.conjugate ? std::conj(weight) : weight;
      }
      context.check_stop();
    }
  });
}

/// Transforms the blocks of the lines in `input`; returns the array of the results, element c of block j at
/// (j·sizes_.stored() + c)·2·lanes.
const float* PrunedAxis::transform_blocks(float* input, float* work) const {
  const kernels::Loops<float>& loop = loops<float>();
  const PlanPtr plan = plan_of(sizes_.real_input, sizes_.length);
  const std::uint64_t length = sizes_.length;
  float* spectra = sizes_.real_input ? input + sizes_.input_floats() : input;
  for (std::uint64_t j = 0; j < sizes_.blocks; ++j) {
    float* out = spectra + 2 * loop.lanes * sizes_.stored() * j;
    if (sizes_.real_input) {
      loop.rfft_lanes(plan.get(), input + j * length * loop.lanes, out, work);
    } else {
      const float* result = loop.fft_lanes(plan.get(), out, work, true);
      if (result != out) std::memcpy(out, result, 2 * loop.lanes * length * sizeof(float));
    }
  }
  return spectra;
}

void PrunedAxis::transform(std::uint64_t lines, JobContext& context, const Load& load,
                           const Store& store) const {
  const std::size_t lanes = loops<float>().lanes;
  const std::uint64_t per_pass = sizes_.outputs_per_pass();
  const std::size_t worker_floats = sizes_.scratch_bytes() / sizeof(float);
  const unsigned workers = context.pool().threads();
  const Booking booked(context.memory(), workers * worker_floats * sizeof(float), "lines");
  WorkerBuffers<float> scratch(workers, worker_floats);
  BookedVector<std::complex<float>> weights(context, per_pass * sizes_.blocks, "weights");
  const std::uint64_t groups = (lines + lanes - 1) / lanes;
  const std::uint64_t passes = (sizes_.outputs + per_pass - 1) / per_pass;
  std::atomic<std::uint64_t> done{0};
  for (std::uint64_t round = 0; round < passes; ++round) {
    const std::uint64_t begin = round * per_pass;
    const Pass pass{begin, std::min(sizes_.outputs, begin + per_pass), weights.data.data()};
    make_weights(pass, weights.data.data(), context);
    context.pool().parallel_for(groups, 1, [&](std::size_t group, std::size_t /*end*/, unsigned worker) {
      const std::uint64_t first = group * lanes;
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(lanes, lines - first));
      void* start = scratch.of(worker).data();
      std::size_t space = worker_floats * sizeof(float);
      auto* input = static_cast<float*>(std::align(kernels::kAlignment, 1, start, space));
      float* work = input + sizes_.input_floats() + sizes_.spectra_floats();
      float* combined = work + sizes_.work_floats();
      std::memset(input, 0, sizes_.input_floats() * sizeof(float));
      if (load(first, count, input)) {
        const float* spectra = transform_blocks(input, work);
        context.check_stop();
        transform_group(pass, spectra, first, count, combined, store);
      } else {
        std::memset(combined, 0, 2 * lanes * sizeof(float));
        for (std::size_t k = pass.begin; k < pass.end; ++k)
          store(first, count, sorted_[k].position, combined);
      }
      context.checkpoint(++done, groups * passes);
    });
  }
}

}  // namespace spyctrum
