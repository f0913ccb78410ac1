// SPDX-License-Identifier: Apache-2.0
// Two kernels transform groups of four cosets of L×L coefficients by FFTs of N > L cells
// (interface/cosets.hpp), several groups in one launch. A line is a row or column of one coset; a thread
// block has the same line of the four cosets of a group in shared memory:
//
//   resample_rows     A block for each row x of the folded matrix. Each thread takes entries of the row and
//                     adds w·e^{−2πi(ri/m + cj/n)} to their values, for the four cosets; values are integers,
//                     so that threads may add in any order: one unit is 2^−31 of the bound on all values.
//                     They are resampled and transformed along y; the L frequencies q nearest to 0 go to
//                     memory.
//   resample_columns  A block for each frequency q reads four columns, and resamples and transforms them
//                     along x. Coefficients stay in registers: their powers P are added to the boxes (p, q),
//                     Σ f(P), Σ ln P and the number of zeros to a slot of the block. No two blocks of a
//                     launch, and no two launches at a time, add to the same box or slot.
//
// Between the kernels, the values of a row in four cosets at one frequency are a sector of memory, 32 bytes,
// beside that of the next row. Powers in edge boxes are stored, for add_edges() (box_classes.cu).
#include "core/cuda/cosets/coset_passes.cuh"
#include "core/cuda/runtime/launch.cuh"

namespace spyctrum::cuda {

namespace {

/// Values of a group between the kernels, and the place of those of row x at frequency q.
__device__ __forceinline__ std::int64_t group_values(std::uint32_t values) {
  return std::int64_t{kLines} * values * values;
}
__device__ __forceinline__ std::int64_t between(int q, int x, int values) {
  return (std::int64_t{q} * values + x) * kLines;
}

/// The frequencies f = first + kStep·z, z < c, of the FFT that a thread computes. Of resampled lines those
/// below L/2 are positive and those from N − L/2 on negative, f − (N − L) in the line; L is from N/2 to 3N/4,
/// so that some of the others are known at compile time: kKept of them are left.
template <class L>
struct Frequencies {
  static constexpr bool may_be_wanted(int z) {
    return 8 * z * L::kStep < 3 * L::kCells || 8 * (z + 1) * L::kStep > 5 * L::kCells;
  }
  static constexpr int kept() {
    int count = 0;
    for (int z = 0; z < L::kC; ++z) count += may_be_wanted(z) ? 1 : 0;
    return count;
  }
  static constexpr int kKept = kept();
  static_assert(kKept % 2 == 0 && L::kC % 2 == 0);
  /// z of the kept frequency k; the first half is positive.
  static SPYCTRUM_HOST_DEVICE constexpr bool is_negative(int k) { return 2 * k >= kKept; }
  static __device__ constexpr int z_of(int k) { return is_negative(k) ? k + L::kC - kKept : k; }
  int first;
  int positive;  ///< the number of frequencies from 0 on
  int shift;     ///< N − L
  __device__ Frequencies(int first_one, int values)
      : first(first_one), positive((values + 1) / 2), shift(L::kCells - values) {}
  [[nodiscard]] __device__ int of_fft(int k) const { return first + z_of(k) * L::kStep; }
  [[nodiscard]] __device__ int of_line(int k) const { return of_fft(k) - (is_negative(k) ? shift : 0); }
  [[nodiscard]] __device__ bool is_wanted(int k) const {
    const int z = z_of(k);
    if (4 * (z + 1) * L::kStep <= L::kCells || 4 * z * L::kStep >= 3 * L::kCells) return true;
    return is_negative(k) ? of_fft(k) >= positive + shift : of_fft(k) < positive;
  }
};

/// Values before a resampling: either as they are, or real and imaginary parts, integers, apart from each
/// other, so that additions of a warp meet fewer in one bank.
template <class L>
struct FloatLines {
  static __device__ float2 at(int line, int place) {
    return reinterpret_cast<const float2*>(coset_cells)[line * L::kPitch + place];
  }
};
template <class L>
struct IntegerLines {
  static __device__ float2 at(int line, int place) {
    const int* const real = reinterpret_cast<const int*>(coset_cells + line * L::kPitch) + place;
    return make_float2(static_cast<float>(real[0]), static_cast<float>(real[L::kPitch]));
  }
};

/// Replaces the values of the lines by cells. Value y is at kValuesBefore + y. Called by all threads; returns
/// with all cells written.
template <class L, class Lines>
__device__ __forceinline__ void resample(const CosetTask& task) {
  constexpr int kThreads = L::kCells / kResampledCells;
  auto* const cells = reinterpret_cast<float2*>(coset_cells);
  const int thread = static_cast<int>(threadIdx.x);
  const int first_cell = thread * static_cast<int>(kResampledCells);
  float2 sums[kLines][kResampledCells] = {};
  if (thread < kThreads) {
    // ⌊first_cell·L/N⌋ − kValuesBefore, and kValuesBefore copies before value 0
    const int place = first_cell * static_cast<int>(task.cells) / L::kCells;
    const float4* four = task.tables.four_weights + thread;
    const float* fifth = task.tables.fifth_weights + thread;
#pragma unroll
    for (int y = 0; y < static_cast<int>(kResampledValues); ++y) {
      const float4 first = __ldg(four + y * kThreads);
      const float weights[kResampledCells] = {first.x, first.y, first.z, first.w,
                                              __ldg(fifth + y * kThreads)};
#pragma unroll
      for (int line = 0; line < kLines; ++line) {
        const float2 value = Lines::at(line, place + y);
#pragma unroll
        for (int k = 0; k < static_cast<int>(kResampledCells); ++k)
          add_scaled(sums[line][k], weights[k], value);
      }
    }
  }
  __syncthreads();
  if (thread < kThreads) {
#pragma unroll
    for (int k = 0; k < static_cast<int>(kResampledCells); ++k) {
      const int cell = first_cell + k;
      float2* const to = cells + cell / L::kRun * L::kRunPitch + cell % L::kRun;
#pragma unroll
      for (int line = 0; line < kLines; ++line) to[line * L::kPitch] = sums[line][k];
    }
  }
  __syncthreads();
}

/// The first pass over resampled cells.
template <class L>
__device__ __forceinline__ void first_pass_in_place(const CosetTask& task) {
  for (int k = static_cast<int>(threadIdx.x); k < kLines * L::kRun; k += L::kThreadCount) {
    const int i = k / kLines;
    float2* const own = reinterpret_cast<float2*>(coset_cells) + k % kLines * L::kPitch + i;
    float2 x[L::kA];
#pragma unroll
    for (int a = 0; a < L::kA; ++a) x[a] = own[a * L::kRunPitch];
    first_pass<L>(x, own, task.tables.first + i);
  }
}

/// Adds the entries of a block's row to the values of four cosets. Of cosets (r, c), (r, c + 1), … the phases
/// are those of the first times powers of e^{−2πij/n}. `per_unit`: units of an integer value for a weight
/// of 1.
template <class L>
__device__ __forceinline__ void fold_row(BlockEntries<L::kThreadCount>& entries, const float2* roots,
                                         const Coset* cosets, float per_unit) {
  const auto add = [](std::uint32_t place, int line, float2 value) {
    int* const real = reinterpret_cast<int*>(coset_cells + line * L::kPitch) + place;
    atomicAdd(real, __float2int_rn(value.x));
    atomicAdd(real + L::kPitch, __float2int_rn(value.y));
  };
  bool is_run = true;
  for (int k = 1; k < kLines; ++k)
    is_run = is_run && cosets[k].row == cosets[0].row && cosets[k].col == cosets[0].col + k;
  entries.for_each([&](const CosetEntry& entry) {
    const float mass = per_unit * entry.weight;
    float2 value = phase_of(entry, cosets[0], roots);
    value = make_float2(mass * value.x, mass * value.y);
    add(entry.place, 0, value);
    if (is_run) {
      const float2 step = root_near(turn(1, entry.col_fraction), roots);
      const float2 two_steps = product(step, step);
      const float2 next = product(value, step);
      add(entry.place, 1, next);
      add(entry.place, 2, product(value, two_steps));
      add(entry.place, 3, product(next, two_steps));
    } else {
#pragma unroll
      for (int k = 1; k < kLines; ++k) {
        value = phase_of(entry, cosets[k], roots);
        add(entry.place, k, make_float2(mass * value.x, mass * value.y));
      }
    }
  });
}

/// The place of copy k of the kValuesBefore + kValuesAfter copies, and the value that is copied there.
__device__ __forceinline__ int copied_place(int k, int values) {
  return k < static_cast<int>(kValuesBefore) ? k : k + values;
}
__device__ __forceinline__ int copied_value(int place, int values) {
  const int y = place - static_cast<int>(kValuesBefore);
  return y < 0 ? y + values : y - values;
}

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, Length<kIndex>::kBlocks)
    resample_rows(const __grid_constant__ CosetTask task) {
  using L = Length<kIndex>;
  const int thread = static_cast<int>(threadIdx.x);
  const int values = static_cast<int>(task.cells);
  BlockEntries<L::kThreadCount> entries(task.folded, blockIdx.x, 1);
  const CellBound bound = *task.folded.bound;
  clear_cells<L>();
  const float most = largest_cell(bound);
  __syncthreads();
  fold_row<L>(entries, task.tables.roots, task.batch.coset + blockIdx.y * kLines, kCellLimit / most);
  __syncthreads();
  constexpr int kCopies = static_cast<int>(kValuesBefore + kValuesAfter);
  if (thread < 2 * kLines * kCopies) {  // of the real and imaginary parts of each line
    const int place = copied_place(thread % kCopies, values);
    int* const line = reinterpret_cast<int*>(coset_cells) + thread / kCopies * L::kPitch;
    line[place] = line[kValuesBefore + copied_value(place, values)];
  }
  __syncthreads();
  resample<L, IntegerLines<L>>(task);
  first_pass_in_place<L>(task);
  __syncthreads();
  second_pass<L>(task.tables.second);
  __syncthreads();
  const float unit = most / kCellLimit;
  const int line = thread % kLines;
  float2* const out = task.batch.rows + blockIdx.y * group_values(task.cells) + line;
  const int x = static_cast<int>(blockIdx.x);
  for (int g = thread / kLines; g < L::kStep; g += L::kThreadCount / kLines) {
    const Frequencies<L> frequencies(g, values);
    float2* const positive = out + between(g, x, values);
    float2* const negative = positive - std::int64_t{kLines} * frequencies.shift * values;
    const std::int64_t step = std::int64_t{L::kStep * kLines} * values;
    float2 value[L::kC];
    last_pass<L>(line, g, value);
#pragma unroll
    for (int k = 0; k < Frequencies<L>::kKept; ++k) {
      if (!frequencies.is_wanted(k)) continue;
      const int z = Frequencies<L>::z_of(k);
      const float gain = unit * __ldg(task.tables.gains + frequencies.of_fft(k));
      float2* const to = (Frequencies<L>::is_negative(k) ? negative : positive) + z * step;
      *to = make_float2(gain * value[z].x, gain * value[z].y);
    }
  }
}

/// The sums over the four lanes 4k … 4k + 3 of four values each: that of values[j] in lane 4k + j.
__device__ __forceinline__ float sum_of_lanes(const float (&values)[4], unsigned lane) {
  const bool is_upper = (lane & 2U) != 0;
  float even = is_upper ? values[2] : values[0];
  float odd = is_upper ? values[3] : values[1];
  even += __shfl_xor_sync(kAllLanes, is_upper ? values[0] : values[2], 2);
  odd += __shfl_xor_sync(kAllLanes, is_upper ? values[1] : values[3], 2);
  const bool is_odd = (lane & 1U) != 0;
  return (is_odd ? odd : even) + __shfl_xor_sync(kAllLanes, is_odd ? even : odd, 1);
}

/// The last pass over the four columns of a block, of group `group` of the batch; adds the powers.
/// Neighbouring lanes have one frequency of the four cosets, whose powers count in one box.
template <class L>
__device__ __forceinline__ void add_powers(const CosetTask& task, int q, std::uint32_t group,
                                           ThreadSums& sums) {
  const int values = static_cast<int>(task.cells);
  const int line = static_cast<int>(threadIdx.x) % kLines;
  const Coset coset = task.batch.coset[group * kLines + line];
  const bool has_dc = q == 0 && coset.row == 0 && coset.col == 0;
  float* const edge_powers = task.batch.boxes + (group * kLines + line) * most_edge_boxes(values);
  float* const boxes = task.batch.boxes + std::int64_t{q} * values;
  constexpr int kRounds = (L::kStep * kLines + L::kThreadCount - 1) / L::kThreadCount;
  constexpr int kKept = Frequencies<L>::kKept;
  for (int round = 0; round < kRounds; ++round) {
    // Threads without a frequency take part in the sums of lanes.
    const int g = static_cast<int>(threadIdx.x) / kLines + round * (L::kThreadCount / kLines);
    const bool has_values = L::kStep * kLines % L::kThreadCount == 0 || g < L::kStep;
    const Frequencies<L> frequencies(has_values ? g : 0, values);
    const auto is_wanted = [&](int k) { return has_values && frequencies.is_wanted(k); };
    float box[kKept];
#pragma unroll
    for (int k = 0; k < kKept; ++k) box[k] = is_wanted(k) ? boxes[frequencies.of_line(k)] : 0.0F;
    float2 x[L::kC];
    last_pass<L>(line, frequencies.first, x);
    float power[kKept];
    float shares[(kKept + 3) / 4][4] = {};
#pragma unroll
    for (int k = 0; k < kKept; ++k) {
      const float2 value = x[Frequencies<L>::z_of(k)];
      power[k] = value.x * value.x + value.y * value.y;
      const float gain = __ldg(task.tables.gains + frequencies.of_fft(k));
      power[k] = is_wanted(k) ? gain * gain * power[k] : 1.0F;  // P ln P = ln P = 0
      const std::uint32_t bits = __float_as_uint(box[k]);
      if ((bits & kEdgeMark) != 0) edge_powers[bits & ~kEdgeMark] = power[k];
      shares[k / 4][k % 4] = fmaf(coset.times, power[k], 0.25F * box[k]);
    }
#pragma unroll
    for (int j = 0; j < (kKept + 3) / 4; ++j) {
      const float sum = sum_of_lanes(shares[j], threadIdx.x);
      const int k = 4 * j + line;
      if (k >= kKept || !is_wanted(k)) continue;
      float* const to = boxes + frequencies.of_line(k);
      if ((__float_as_uint(*to) & kEdgeMark) == 0) *to = sum;
    }
    if (has_dc && g == 0) power[0] = 1;
    if (has_values) sums.add(power, coset.times, task.floors);
  }
}

/// Copies the columns of a block, and the values of their ends once more, into shared memory.
template <class L>
__device__ __forceinline__ void load_columns(const CosetTask& task, const float2* in) {
  const int values = static_cast<int>(task.cells);
  const int thread = static_cast<int>(threadIdx.x);
  auto* const to = reinterpret_cast<float2*>(coset_cells) + thread % kLines * L::kPitch;
  const float2* const from = in + thread / kLines * kLines;
  float2* const own = to + kValuesBefore + thread / kLines;
  constexpr int kStride = L::kThreadCount / kLines;
  const int count = (values - thread / kLines + kStride - 1) / kStride;
#pragma unroll 8
  for (int k = 0; k < count; ++k) own[k * kStride] = __ldcs(from + k * (kStride * kLines));
  constexpr int kCopies = static_cast<int>(kValuesBefore + kValuesAfter);
  if (thread < kLines * kCopies) {
    const int place = copied_place(thread / kLines, values);
    to[place] = in[kLines * copied_value(place, values)];
  }
}

template <int kIndex>
__global__ void __launch_bounds__(Length<kIndex>::kThreadCount, Length<kIndex>::kBlocks)
    resample_columns(const __grid_constant__ CosetTask task) {
  using L = Length<kIndex>;
  constexpr int kWarpCount = L::kThreadCount / 32;
  __shared__ float sums[kWarpCount][kPowerSums + 2];
  const int thread = static_cast<int>(threadIdx.x);
  const int values = static_cast<int>(task.cells);
  const int q = static_cast<int>(blockIdx.x);
  fetch_boxes<L>(task, blockIdx.x, 1);
  ThreadSums own;
#pragma unroll 1
  for (std::uint32_t group = 0; group * kLines < task.batch.count; ++group) {
    load_columns<L>(
        task, task.batch.rows + group * group_values(task.cells) + between(q, 0, values) + thread % kLines);
    __syncthreads();
    resample<L, FloatLines<L>>(task);
    first_pass_in_place<L>(task);
    __syncthreads();
    second_pass<L>(task.tables.second);
    __syncthreads();
    add_powers<L>(task, q, group, own);
    __syncthreads();
  }
  store_sums(own, sums, task.batch.slots[blockIdx.x]);
}

}  // namespace

cudaError_t launch_resampled_cosets(const CosetTask& task, int length, cudaStream_t stream) {
  return with_length<kDirectLengths, kAllLengths>(length, [&](auto index) {
    using L = Length<index.value>;
    const std::uint32_t groups = (task.batch.count + kLines - 1) / kLines;
    return launch_both(resample_rows<index.value>, dim3(task.cells, groups), resample_columns<index.value>,
                       task.cells, L::kThreadCount, L::kShared, task, stream);
  });
}

}  // namespace spyctrum::cuda
