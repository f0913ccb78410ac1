// SPDX-License-Identifier: Apache-2.0
// What the kernels share that transform groups of four cosets: a thread block has the same line, a row or a
// column, of the four. Between the kernels of rows and columns, the values of a row in four cosets at one
// frequency are a sector of memory, 32 bytes, beside that of the next row.
#pragma once

#include "core/cuda/cosets/coset_passes.cuh"

namespace spyctrum::cuda {

/// Values of a group between the kernels, of `rows` rows at `frequencies` frequencies, and the place of those
/// of row x at frequency q.
__device__ __forceinline__ std::int64_t group_values(int frequencies, int rows) {
  return std::int64_t{kLines} * frequencies * rows;
}
__device__ __forceinline__ std::int64_t between(int q, int x, int rows) {
  return (std::int64_t{q} * rows + x) * kLines;
}

/// The phases of an entry in the four cosets of a group. Of cosets (r, c), (r + a, c + b), (r + 2a, c + 2b),
/// … they are those of the first times powers of e^{−2πi(ai/m + bj/n)}.
class GroupPhases {
 public:
  __device__ GroupPhases(const Coset* cosets, const float2* roots)
      : cosets_(cosets),
        roots_(roots),
        row_step_(cosets[1].row - cosets[0].row),
        col_step_(cosets[1].col - cosets[0].col),
        is_run_(cosets[1].row >= cosets[0].row && cosets[1].col >= cosets[0].col) {
    for (int k = 2; k < kLines; ++k)
      is_run_ = is_run_ && cosets[k].row == cosets[0].row + k * row_step_ &&
                cosets[k].col == cosets[0].col + k * col_step_;
  }
  /// mass·e^{−2πi(ri/m + cj/n)} for each coset.
  __device__ __forceinline__ void multiply(const CosetEntry& entry, float mass,
                                           float2 (&values)[kLines]) const {
    const float2 first = phase_of(entry, cosets_[0], roots_);
    values[0] = make_float2(mass * first.x, mass * first.y);
    if (is_run_) {
      const float2 step =
          root_near(turn(row_step_, entry.row_fraction) + turn(col_step_, entry.col_fraction), roots_);
      const float2 two_steps = product(step, step);
      values[1] = product(values[0], step);
      values[2] = product(values[0], two_steps);
      values[3] = product(values[1], two_steps);
    } else {
#pragma unroll
      for (int k = 1; k < kLines; ++k) {
        const float2 phase = phase_of(entry, cosets_[k], roots_);
        values[k] = make_float2(mass * phase.x, mass * phase.y);
      }
    }
  }

 private:
  const Coset* cosets_;
  const float2* roots_;
  std::uint32_t row_step_;
  std::uint32_t col_step_;
  bool is_run_;
};

/// Adds to a place that has integers: first the real parts of a line, then the imaginary ones, so that
/// additions of a warp meet fewer in one bank of shared memory.
template <class L>
__device__ __forceinline__ void add_integers(int line, std::uint32_t place, float2 value) {
  int* const real = reinterpret_cast<int*>(coset_cells + line * L::kPitch) + place;
  atomicAdd(real, __float2int_rn(value.x));
  atomicAdd(real + L::kPitch, __float2int_rn(value.y));
}
template <class L>
__device__ __forceinline__ float2 integers_at(int line, int place) {
  const int* const real = reinterpret_cast<const int*>(coset_cells + line * L::kPitch) + place;
  return make_float2(static_cast<float>(real[0]), static_cast<float>(real[L::kPitch]));
}

/// Adds each of a block's entries to a value of its row in four cosets, that at place_of(entry). `per_unit`:
/// units of an integer value for a weight of 1.
template <class L, class PlaceOf>
__device__ __forceinline__ void fold_row(BlockEntries<L::kThreadCount>& entries, const GroupPhases& phases,
                                         float per_unit, const PlaceOf& place_of) {
  entries.for_each([&](const CosetEntry& entry) {
    float2 values[kLines];
    phases.multiply(entry, per_unit * entry.weight, values);
    const std::uint32_t place = place_of(entry);
#pragma unroll
    for (int line = 0; line < kLines; ++line) add_integers<L>(line, place, values[line]);
  });
}

/// The frequencies of an FFT of N cells that count in a line: 0 … positive − 1 and N − negative … N − 1.
struct LineFrequencies {
  int positive;
  int negative;
  __device__ explicit LineFrequencies(int values) : positive((values + 1) / 2), negative(values / 2) {}
  /// The signed frequencies first + step·p between −size/2 and size/2, both excluded.
  __device__ LineFrequencies(int size, int step, int first)
      : positive((size - 2 * first + 2 * step - 1) / (2 * step)),
        negative((size + 2 * first - 1) / (2 * step)) {}
};

/// The frequencies f = first + kStep·z, z < c, of the FFT that a thread computes. Of L frequencies those
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
  static_assert(kKept % 2 == 0);
  /// z of the kept frequency k; the first half is positive.
  static SPYCTRUM_HOST_DEVICE constexpr bool is_negative(int k) { return 2 * k >= kKept; }
  static __device__ constexpr int z_of(int k) { return is_negative(k) ? k + L::kC - kKept : k; }
  int first;
  int shift;  ///< N − L
  __device__ Frequencies(int first_one, int values) : first(first_one), shift(L::kCells - values) {}
  [[nodiscard]] __device__ int of_fft(int k) const { return first + z_of(k) * L::kStep; }
  [[nodiscard]] __device__ int of_line(int k) const { return of_fft(k) - (is_negative(k) ? shift : 0); }
  [[nodiscard]] __device__ bool is_wanted(int k, const LineFrequencies& line) const {
    const int z = z_of(k);
    if (4 * (z + 1) * L::kStep <= L::kCells || 4 * z * L::kStep >= 3 * L::kCells) return true;
    return is_negative(k) ? of_fft(k) >= L::kCells - line.negative : of_fft(k) < line.positive;
  }
};

/// The first pass over cells of four lines.
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

/// Where the frequencies of a line are stored. Of N cells, 0 ≤ f < N/2 is stored at to[f·stride], times
/// unit·gains[f]; f > N/2, which stands for f − N, at to[(f − shift)·stride], times unit·gains[f −
/// gain_shift].
struct LineStore {
  float2* to;
  std::int64_t stride;
  int shift;
  const float* gains;
  int gain_shift;
  float unit;
};

/// The last pass over line threadIdx.x % kLines, of which the `wanted` ones of `values` frequencies are
/// stored.
template <class L>
__device__ __forceinline__ void store_frequencies(const LineStore& store, int values,
                                                  const LineFrequencies& wanted) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t step = L::kStep * store.stride;
  for (int g = thread / kLines; g < L::kStep; g += L::kThreadCount / kLines) {
    const Frequencies<L> frequencies(g, values);
    float2* const positive = store.to + g * store.stride;
    float2* const negative = positive - store.shift * store.stride;
    float2 value[L::kC];
    last_pass<L>(thread % kLines, g, value);
#pragma unroll
    for (int k = 0; k < Frequencies<L>::kKept; ++k) {
      if (!frequencies.is_wanted(k, wanted)) continue;
      const int z = Frequencies<L>::z_of(k);
      const bool is_negative = Frequencies<L>::is_negative(k);
      const float gain =
          store.unit * __ldg(store.gains + frequencies.of_fft(k) - (is_negative ? store.gain_shift : 0));
      float2* const to = (is_negative ? negative : positive) + z * step;
      *to = make_float2(gain * value[z].x, gain * value[z].y);
    }
  }
}

/// The same of row x of `rows` rows of four cosets, whose frequencies go to memory between the kernels.
template <class L>
__device__ __forceinline__ void store_row(const CosetTask& task, int x, int rows, float unit) {
  const int values = static_cast<int>(task.plane.cells);
  float2* const to = task.batch.rows + blockIdx.y * group_values(values, rows) + between(0, x, rows) +
                     static_cast<int>(threadIdx.x) % kLines;
  store_frequencies<L>({to, between(1, 0, rows), L::kCells - values, task.tables.gains, 0, unit}, values,
                       LineFrequencies(values));
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

/// The last pass over the four columns of a block, of group `group` of the batch; adds the powers of
/// `counted` frequencies, each `times` times. Neighbouring lanes have one frequency of the four cosets, whose
/// powers count in one box. (If entries are not spread, all frequencies of a line are counted.)
template <class L>
__device__ __forceinline__ void add_powers(const CosetTask& task, int q, std::uint32_t group, float times,
                                           const LineFrequencies& counted, ThreadSums& sums) {
  const int values = static_cast<int>(task.plane.cells);
  const int line = static_cast<int>(threadIdx.x) % kLines;
  const Coset& coset = task.batch.coset[group * kLines + line];
  const bool has_dc = q == 0 && coset.row == 0 && coset.col == 0;
  float* const edge_powers = edge_powers_of(task, group * kLines + line);
  float* const boxes = task.batch.boxes + std::int64_t{q} * values;
  constexpr int kRounds = (L::kStep * kLines + L::kThreadCount - 1) / L::kThreadCount;
  constexpr int kKept = Frequencies<L>::kKept;
  const LineFrequencies all(values);
  for (int round = 0; round < kRounds; ++round) {
    // Threads without a frequency take part in the sums of lanes.
    const int g = static_cast<int>(threadIdx.x) / kLines + round * (L::kThreadCount / kLines);
    const bool has_values = L::kStep * kLines % L::kThreadCount == 0 || g < L::kStep;
    const Frequencies<L> frequencies(has_values ? g : 0, values);
    const auto is_in_line = [&](int k) { return has_values && frequencies.is_wanted(k, all); };
    const auto counts = [&](int k) { return has_values && frequencies.is_wanted(k, counted); };
    float box[kKept];
#pragma unroll
    for (int k = 0; k < kKept; ++k) box[k] = is_in_line(k) ? boxes[frequencies.of_line(k)] : 0.0F;
    float2 x[L::kC];
    last_pass<L>(line, frequencies.first, x);
    float power[kKept];
    float shares[(kKept + 3) / 4][4] = {};
#pragma unroll
    for (int k = 0; k < kKept; ++k) {
      const float2 value = x[Frequencies<L>::z_of(k)];
      const float gain = __ldg(task.tables.gains + frequencies.of_fft(k));
      power[k] = gain * gain * (value.x * value.x + value.y * value.y);
      if (isnan(box[k])) edge_powers[__float_as_uint(box[k]) & ~kEdgeMark] = power[k];
      shares[k / 4][k % 4] = fmaf(counts(k) ? times : 0.0F, power[k], 0.25F * box[k]);
      if (!counts(k)) power[k] = 1.0F;  // P ln P = ln P = 0
    }
#pragma unroll
    for (int j = 0; j < (kKept + 3) / 4; ++j) {
      const float sum = sum_of_lanes(shares[j], threadIdx.x);
      const int k = 4 * j + line;
      if (k < kKept && is_in_line(k) && !isnan(sum)) boxes[frequencies.of_line(k)] = sum;
    }
    if (has_dc && g == 0) power[0] = 1;
    if (has_values) sums.add(power, times, task.floors);
  }
}

}  // namespace spyctrum::cuda
