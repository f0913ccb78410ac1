// SPDX-License-Identifier: Apache-2.0
// The inner loops as one table of functions per instruction set. Each table is linked from a relocatable
// object of its own in which every symbol but the one that returns the table has been made local
// (CMakeLists.txt), so that the linker cannot choose an inline function compiled for AVX for code that runs
// on a processor without it.
//
// Lane format: `lanes` transforms side by side. Element k holds the real parts of all lanes, then the
// imaginary parts: real of lane l at buffer[(2k)·lanes + l], imaginary at buffer[(2k+1)·lanes + l]. A vector
// register holds one part of one element, so a transform in this format never shuffles. Buffers are aligned
// to kAlignment.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

namespace spyctrum::kernels {

constexpr std::size_t kAlignment = 64;

/// A prepared one-dimensional FFT of one length; opaque. Made and freed by functions of the same table.
struct FftPlan;

/// Points on a fine grid. A point is (column slot << 32 | row slot); a slot is the
/// position of a row (column) among the occupied ones. The value of a point is
/// row_phase·column_phase, its weights are the outer product of the slots' taps.
template <class T>
struct Spread {
  const std::uint32_t* row_start;
  const T* row_weights;  ///< per slot: row_taps values
  std::size_t row_taps;
  const std::complex<T>* row_phase;
  const std::uint32_t* column_start;  ///< fastest where these are multiples of vector_values / 2
  const T* column_weights;            ///< per slot: column_values values, every tap twice, then zeros
  std::size_t column_values;          ///< a multiple of Loops::vector_values, or 0: one tap of weight 1
  const std::complex<T>* column_phase;
  std::complex<T>* grid;
  std::size_t stride;  ///< complex values from one grid row to the next
};

/// Loops that exist in single and in double precision.
template <class T>
struct Loops {
  using Complex = std::complex<T>;
  std::size_t lanes;
  std::size_t vector_values;  ///< values of T in the widest vector register

  /// Complex transforms of `length` values. Never null; throws std::bad_alloc.
  FftPlan* (*plan)(std::size_t length);
  /// Real to complex.
  FftPlan* (*real_plan)(std::size_t length);

  /// One transform of every lane, forward e^{−2πi…} or backward e^{+2πi…},
  /// unnormalised. `buffer` is overwritten; returns where the result is: in
  /// `buffer` or in `work`. `work` holds workspace(plan) values of T.
  T* (*fft_lanes)(const FftPlan* plan, T* buffer, T* work, bool forward);
  /// One contiguous transform in place; `work` as above.
  void (*fft_single)(const FftPlan* plan, Complex* data, T* work, bool forward);
  /// Real lanes (element k of lane l at buffer[k·lanes + l]) to half a spectrum:
  /// elements 0 … ⌊length/2⌋ in lane format at `output`.
  void (*rfft_lanes)(const FftPlan* plan, T* buffer, T* output, T* work);

  /// `count` ≤ lanes rows of `length` values, row k at rows[k·stride], into
  /// lanes (lanes beyond `count` become zero), and back.
  void (*rows_to_lanes)(const Complex* rows, std::size_t stride, std::size_t count, std::size_t length,
                        T* lanes);
  void (*lanes_to_rows)(const T* lanes, std::size_t length, Complex* rows, std::size_t stride,
                        std::size_t count);
  void (*real_rows_to_lanes)(const T* rows, std::size_t stride, std::size_t count, std::size_t length,
                             T* lanes);
  /// `count` ≤ lanes adjacent columns: element k of lane l is columns[k·stride + l].
  void (*columns_to_lanes)(const Complex* columns, std::size_t stride, std::size_t count, std::size_t length,
                           T* lanes);
  void (*lanes_to_columns)(const T* lanes, std::size_t length, Complex* columns, std::size_t stride,
                           std::size_t count);
  /// As lanes_to_columns, times row_factors[k]·column_factors[l], to single precision.
  void (*lanes_to_scaled_columns)(const T* lanes, std::size_t length, std::complex<float>* columns,
                                  std::size_t stride, std::size_t count, const T* row_factors,
                                  const T* column_factors);
  /// Adds the points to the grid, times `weights` where these are not null: start cells and taps stay inside
  /// the grid's padding.
  void (*spread)(const Spread<T>& to, const std::uint64_t* points, std::size_t count, const float* weights);
};

/// Input of the inner sums S[u, j] = Σ_{i in column j} a_ij·w^{ui}, w = e^{−2πi/m}
/// (i in w: imaginary unit). A slot stands for one occupied row i.
struct InnerSums {
  const std::uint32_t* column_ids;    ///< of the occupied columns [first, last)
  const std::int64_t* column_starts;  ///< into slots, for these columns and one more
  std::size_t columns;                ///< last − first
  const std::uint32_t* slots;         ///< per nonzero
  const float* rotations;             ///< per slot: w^{ki} for lanes k, real parts then imaginary parts
  const float* phases;  ///< per slot; null: 1. For fewer than kMostBlocks blocks w^{ui} of the first u, then
                        ///< w^{lanes·i}; else kMiddlePhases: w^{ui} of the middle frequency u + 3·lanes/2,
                        ///< w^{i·lanes/2}, w^{3i·lanes/2}, and two values that are not read
  std::uint64_t column_begin;  ///< columns written: [column_begin, column_end), empty columns as 0
  std::uint64_t column_end;
  const float* weights = nullptr;  ///< a_ij per nonzero; null: 1
};

/// Most groups of `lanes` row frequencies per call of inner_sums().
constexpr std::size_t kMostBlocks = 4;
/// Values per slot of InnerSums::phases for kMostBlocks blocks.
constexpr std::size_t kMiddlePhases = 8;

/// Weighted sums over elements in lane format of f.lanes: output r is Σ_k weights[r·weight_stride + k] times
/// the element at input + k·stride floats, k < count.
struct LaneCombination {
  const float* input;
  std::size_t stride;
  const std::complex<float>* weights;
  std::size_t weight_stride;
  std::size_t count;
};

/// Elements in lane format of f.lanes summed onto cells: cell c is Σ_k weights[c·taps + k]·values[(first[c] +
/// k) mod count], k < taps ≤ count.
struct LaneResampling {
  const float* values;
  std::size_t count;
  const std::uint32_t* first;
  const float* weights;
  std::size_t taps;
  std::size_t cells;
};

/// Most outputs per call of combine_lanes().
constexpr std::size_t kMostCombined = 4;

struct KernelTable {
  const char* name;  ///< "x86-64-v3", …

  /// See reductions.hpp.
  std::size_t (*power_log_sums)(const std::complex<float>* values, std::size_t count, double* sum_power,
                                double* sum_power_log_power, double* sum_log_power);

  /// Sums for `blocks` ≤ kMostBlocks groups of f.lanes consecutive frequencies, group b in lane format at
  /// output[b], element j − column_begin. Frequencies advance within a block by the slot's rotations, between
  /// blocks by its step: at most three successive rotations in single precision; kMostBlocks blocks start
  /// from their middle, at most two rotations away. Null phases with one block: the sums of the rotations
  /// themselves.
  void (*inner_sums)(const InnerSums& sums, std::size_t blocks, float* const* output);
  /// buffer[k] *= factors[k] (conjugated factors where asked), k < count, in lane format of f.lanes.
  void (*scale_lanes)(float* buffer, const std::complex<float>* factors, std::size_t count, bool conjugate);

  /// `outputs` ≤ kMostCombined sums, one after the other in lane format at `output`.
  void (*combine_lanes)(const LaneCombination& sums, std::size_t outputs, float* output);
  /// Writes the cells in lane format at `output`.
  void (*resample_lanes)(const LaneResampling& how, float* output);

  void (*free_plan)(FftPlan* plan);
  std::size_t (*workspace)(const FftPlan* plan);   ///< values of T, not bytes
  std::size_t (*plan_bytes)(const FftPlan* plan);  ///< bytes of its tables
  Loops<float> f;
  Loops<double> d;
};

/// The table for this processor: that of the widest instruction set which was
/// built and which the processor has, or the one that the environment variable
/// SPYCTRUM_ISA names (baseline, v3, v4) if the processor has it.
[[nodiscard]] const KernelTable& kernels();

/// The table named `name` (baseline, v3, v4), or nullptr where it was not built
/// or this processor cannot run it. For tests and benchmarks.
[[nodiscard]] const KernelTable* kernels_for(const char* name);

}  // namespace spyctrum::kernels
