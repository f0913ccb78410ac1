// SPDX-License-Identifier: Apache-2.0
// The inner loops as one table of functions per instruction set. Each table comes from a relocatable object
// in which every symbol but the function that returns the table is local (CMakeLists.txt). So the linker
// cannot take an inline function that was compiled for AVX for code that runs on a processor without AVX.
//
// Lane format: `lanes` transforms side by side. Element k holds the real parts of all lanes, then the
// imaginary parts: real of lane l at buffer[(2k)·lanes + l], imaginary at buffer[(2k+1)·lanes + l]. A vector
// register holds one part of one element, so a transform in this format never shuffles. Buffers are aligned
// to kAlignment.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "core/device/interface/power_sums.hpp"

namespace spyctrum::kernels {

constexpr std::size_t kAlignment = 64;

/// A prepared one-dimensional FFT of one length; opaque. Made and freed by functions of the same table.
struct FftPlan;

/// Points to be added to a fine grid. A point is (column slot << 32 | row slot); a slot is the position of a
/// row (column) among the occupied ones. The value of a point is row_phase·column_phase, its weights on the
/// grid are the outer product of the taps of its two slots.
template <class T>
struct Spread {
  const std::uint32_t* row_start;
  const T* row_weights;  ///< per slot: row_taps values
  std::size_t row_taps;
  const std::complex<T>* row_phase;
  const std::uint32_t* column_start;  ///< fastest if these are multiples of vector_values / 2
  const T* column_weights;            ///< per slot: column_values values: every tap twice, then zeros
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

  /// Plan of complex transforms of `length` values. Never null; throws std::bad_alloc.
  FftPlan* (*plan)(std::size_t length);
  /// Plan of real-to-complex transforms.
  FftPlan* (*real_plan)(std::size_t length);

  /// One transform per lane, forward e^{−2πi…} or backward e^{+2πi…}, unnormalised. Overwrites `buffer`;
  /// `work` holds workspace(plan) values of T. Returns the place of the result: `buffer` or `work`.
  T* (*fft_lanes)(const FftPlan* plan, T* buffer, T* work, bool forward);
  /// One transform of contiguous values in place; `work` as above.
  void (*fft_single)(const FftPlan* plan, Complex* data, T* work, bool forward);
  /// Transforms real lanes (element k of lane l at buffer[k·lanes + l]); writes the elements 0 … ⌊length/2⌋
  /// of the spectra in lane format to `output`.
  void (*rfft_lanes)(const FftPlan* plan, T* buffer, T* output, T* work);

  /// Copies `count` ≤ lanes rows of `length` values, row k at rows[k·stride], to lanes (those beyond `count`
  /// become zero), and back.
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
  /// As lanes_to_columns, multiplied by row_factors[k]·column_factors[l] and converted to single precision.
  void (*lanes_to_scaled_columns)(const T* lanes, std::size_t length, std::complex<float>* columns,
                                  std::size_t stride, std::size_t count, const T* row_factors,
                                  const T* column_factors);
  /// Adds the points to the grid, multiplied by `weights` unless these are null. Start cells and taps must
  /// lie inside the padded grid.
  void (*spread)(const Spread<T>& to, const std::uint64_t* points, std::size_t count, const float* weights);
};

/// Input of the inner sums S[u, j] = Σ_{i in column j} a_ij·w^{ui}, w = e^{−2πi/m} (i in w: imaginary unit).
/// A slot stands for one occupied row i.
struct InnerSums {
  const std::uint32_t* column_ids;    ///< ids of the occupied columns number first … last−1
  const std::int64_t* column_starts;  ///< begin of each of these columns in `slots`, and the end of the last
  std::size_t columns;                ///< last − first
  const std::uint32_t* slots;         ///< per entry
  const float* rotations;             ///< per slot: w^{ki} for lanes k, real parts then imaginary parts
  /// per slot; null stands for 1. For fewer than kMostBlocks blocks: w^{ui} of the first u, then w^{lanes·i}.
  /// Otherwise kMiddlePhases values: w^{ui} of the middle frequency u + 3·lanes/2, w^{i·lanes/2},
  /// w^{3i·lanes/2}, and two values that are not read
  const float* phases;
  /// columns written: [column_begin, column_end); empty columns are written as 0
  std::uint64_t column_begin;
  std::uint64_t column_end;
  const float* weights = nullptr;  ///< a_ij per entry; null stands for 1
};

/// Most groups of `lanes` row frequencies per call of inner_sums().
constexpr std::size_t kMostBlocks = 4;
/// Values per slot of InnerSums::phases for kMostBlocks blocks.
constexpr std::size_t kMiddlePhases = 8;

/// Weighted sums of elements in lane format (f.lanes lanes): output r is Σ_{k < count}
/// weights[r·weight_stride + k] times the element at input + k·stride floats.
struct LaneCombination {
  const float* input;
  std::size_t stride;
  const std::complex<float>* weights;
  std::size_t weight_stride;
  std::size_t count;
};

/// Resampling of elements in lane format (f.lanes lanes): cell c is Σ_{k < taps} weights[c·taps + k]·
/// values[(first[c] + k) mod count], taps ≤ count.
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

/// Sums over powers P. Those below the smallest normal float (1.2e−38), zeros included, enter none of them.
struct PowerSums {
  double power = 0;      ///< Σ P
  PowerTerms<double> f;  ///< Σ f(P) of kPowerFunctions
  double log_power = 0;  ///< Σ ln P
};

/// Rows of KernelTable::single_power_sums().
inline constexpr std::size_t kPowerRows = kPowerSums + 2;

struct KernelTable {
  const char* name;  ///< "x86-64-v3", …

  /// The sums over P = |values[k]|², k < count, with P in single precision. Relative error of each logarithm
  /// about 1e−7; at most 16 terms are added in single precision, then double.
  PowerSums (*power_sums)(const std::complex<float>* values, std::size_t count);
  /// Writes the terms of power_sums(), with the same bits: for values[k] P to terms[k], f(P) of function t of
  /// kPowerFunctions to terms[(1 + t)·count + k], and ln P to the last of the kPowerRows rows of `count`.
  void (*single_power_sums)(const std::complex<float>* values, std::size_t count, float* terms);

  /// Inner sums of `blocks` ≤ kMostBlocks groups of f.lanes consecutive frequencies: group b in lane format
  /// at output[b], column j at element j − column_begin. Frequencies advance within a block by the slot's
  /// rotations and between blocks by its step, with at most three successive rotations in single precision;
  /// kMostBlocks blocks start from their middle, with at most two. With null phases and one block: the sums
  /// of the rotations themselves.
  void (*inner_sums)(const InnerSums& sums, std::size_t blocks, float* const* output);
  /// buffer[k] *= factors[k], k < count, in lane format of f.lanes; with conjugated factors if `conjugate`.
  void (*scale_lanes)(float* buffer, const std::complex<float>* factors, std::size_t count, bool conjugate);

  /// Writes `outputs` ≤ kMostCombined sums one after the other, in lane format, to `output`.
  void (*combine_lanes)(const LaneCombination& sums, std::size_t outputs, float* output);
  /// Writes the cells in lane format at `output`.
  void (*resample_lanes)(const LaneResampling& how, float* output);

  void (*free_plan)(FftPlan* plan);
  std::size_t (*workspace)(const FftPlan* plan);   ///< values of T, not bytes
  std::size_t (*plan_bytes)(const FftPlan* plan);  ///< bytes of its tables
  Loops<float> f;
  Loops<double> d;
};

/// The table of the widest instruction set that was built and that this processor has; or the one that the
/// environment variable SPYCTRUM_ISA names (baseline, v3), if the processor has it. Throws
/// Failure{backend_unavailable} if no table runs here, since the program was built for another processor
/// alone (SPYCTRUM_THIS_PROCESSOR_ONLY).
[[nodiscard]] const KernelTable& kernels();

/// The table named `name` (baseline, v3), or nullptr if it was not built or cannot run on this processor.
/// For tests and benchmarks.
[[nodiscard]] const KernelTable* kernels_for(const char* name);

}  // namespace spyctrum::kernels
