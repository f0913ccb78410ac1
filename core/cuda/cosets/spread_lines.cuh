// SPDX-License-Identifier: Apache-2.0
// The first kernel of a two-dimensional non-uniform FFT of a group of cosets: a thread block has one row of
// cells of each coset of the group in shared memory. Each thread takes entries that are spread onto the row,
// and adds
//
//   w·φ(rows away)·φ(cells away)·e^{−2πi(ri/m + cj/n)}
//
// to kSpreadTaps cells of each coset; cells are integers, so that threads may add in any order: one unit is
// 2^−31 of the bound on all cells. An FFT along the row follows.
#pragma once

#include "core/cuda/cosets/coset_groups.cuh"
#include "core/cuda/tiles/tap_polynomials.cuh"

namespace spyctrum::cuda {

constexpr int kTaps = static_cast<int>(kSpreadTaps);
using SpreadTaps = TapPolynomials<kTaps, static_cast<int>(kSpreadPowers)>;

/// The taps of polynomials at [power][tap].
template <class Number>
SpreadTaps spread_taps(const Number* polynomials) {
  float coefficients[kSpreadPowers][kSpreadTaps];
  for (std::uint32_t k = 0; k < kSpreadPowers * kSpreadTaps; ++k)
    coefficients[k / kSpreadTaps][k % kSpreadTaps] = static_cast<float>(polynomials[k]);
  return SpreadTaps::of(coefficients);
}

/// What is spread onto rows of N cells, and how.
struct SpreadRows {
  OrderedEntries entries;
  SpreadSteps steps;
  float beta = 0;  ///< of φ
  SpreadTaps taps{};
  const float2* roots = nullptr;   ///< as CosetTables
  const float2* first = nullptr;   ///< of N
  const float2* second = nullptr;  ///< of N
};

/// φ of a cell `away` cells from a point.
__device__ __forceinline__ float spread_weight(float beta, float away) {
  const float z = away * (2.0F / kTaps);
  const float square = fminf(z * z, 1.0F);
  // √(1 − z²) − 1 = −z²/(1 + √(1 − z²)), without a difference of nearly equal numbers.
  return __expf(-beta * __fdividef(square, 1.0F + sqrtf(1.0F - square)));
}

/// Adds the entries that are spread onto row `row` to its cells. `per_unit`: units of an integer for a weight
/// of 1. The cells of a line are contiguous; those from N on are cell 0 and the next again.
template <class L>
__device__ __forceinline__ void add_entries(const SpreadRows& spread, const Coset* group,
                                            BlockEntries<L::kThreadCount>& entries, std::uint32_t row,
                                            float per_unit) {
  const GroupPhases phases(group, spread.roots);
  entries.for_each([&](const CosetEntry& entry) {
    const SpreadPosition along(entry.col_fraction, spread.steps.col_step, L::kCells);
    const SpreadPosition across(entry.row_fraction, spread.steps.row_step, spread.steps.rows);
    int tap = static_cast<int>(row - across.first);
    if (tap < 0) tap += static_cast<int>(spread.steps.rows);
    const float weight = spread_weight(spread.beta, static_cast<float>(tap - kTaps / 2) + across.away);
    float2 values[kLines];
    phases.multiply(entry, per_unit * entry.weight * weight, values);
    float taps[kTaps];
    spread.taps.evaluate(2 * along.away, taps);
#pragma unroll
    for (int t = 0; t < kTaps; ++t)
#pragma unroll
      for (int line = 0; line < kLines; ++line)
        add_integers<L>(line, along.first + t,
                        make_float2(taps[t] * values[line].x, taps[t] * values[line].y));
  });
}

/// The first pass over integers, by each thread over at most one set of cells.
template <class L>
__device__ __forceinline__ void first_pass_over_integers(const float2* __restrict__ table) {
  static_assert(kLines * L::kRun <= L::kThreadCount && L::kPitch >= L::kCells + kTaps);
  const int line = static_cast<int>(threadIdx.x) / L::kRun;
  const int i = static_cast<int>(threadIdx.x) % L::kRun;
  float2 x[L::kA];
  if (line < kLines) {
#pragma unroll
    for (int a = 0; a < L::kA; ++a) x[a] = integers_at<L>(line, a * L::kRun + i);
    if (i < kTaps - 1) {
      const float2 again = integers_at<L>(line, L::kCells + i);
      x[0] = make_float2(x[0].x + again.x, x[0].y + again.y);
    }
  }
  __syncthreads();
  if (line < kLines)
    first_pass<L>(x, reinterpret_cast<float2*>(coset_cells) + line * L::kPitch + i, table + i);
}

/// Spreads entries onto row blockIdx.x of the cosets of a group, or folds them where they lie on cells
/// (SpreadSteps::taps is 1), and transforms it but for the last pass. Returns the factor by which the values
/// of that pass are to be multiplied.
template <class L, bool kFolds = false>
__device__ __forceinline__ float spread_row(const SpreadRows& spread, const Coset* group) {
  BlockEntries<L::kThreadCount> entries = entries_of_cells<L::kThreadCount>(
      spread.entries, blockIdx.x, spread.steps.rows, kFolds ? 1 : kSpreadTaps);
  const CellBound bound = *spread.entries.bound;
  clear_cells<L>();
  const float most = largest_cell(bound);
  __syncthreads();
  if constexpr (kFolds)
    fold_row<L>(entries, GroupPhases(group, spread.roots), kCellLimit / most, [&](const CosetEntry& entry) {
      return SpreadPosition(entry.col_fraction, spread.steps.col_step, L::kCells, 1).first;
    });
  else
    add_entries<L>(spread, group, entries, blockIdx.x, kCellLimit / most);
  __syncthreads();
  first_pass_over_integers<L>(spread.first);
  __syncthreads();
  second_pass<L>(spread.second);
  __syncthreads();
  return most / kCellLimit;
}

}  // namespace spyctrum::cuda
