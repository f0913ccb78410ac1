// SPDX-License-Identifier: Apache-2.0
// Corrections of a lattice transform for the large values on the axes u = 0 and v = 0. A type-1 non-uniform
// FFT with N fine cells and the spreading function φ returns, at the fine frequency κ,
//   F(κ) + Σ_{l≠0} F(κ + lN)·φ̂(κ + lN)/φ̂(κ),        φ̂ the Fourier transform of φ.
// The aliases φ̂(κ + lN)/φ̂(κ) are small enough where |F| ≈ √K. But F[0, 0] = K (with weights: Σa beside
// √Σa²), and the other values on the axes, too, can be far above √K, above all those of banded and blocked
// patterns and of patterns with long rows. The values on the axes are DFTs of the row and column sums. So
// outputs on an axis are replaced by them in double precision (axis_values.hpp), and their aliases ("leaks")
// are subtracted from the other outputs, as far as they exceed all other aliases; by a device in
// core/cuda/lattice.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/fft/lattice_axis.hpp"

namespace spyctrum {

/// One axis of a lattice as it is computed: in cosets (coset_of()), each a lattice of these sizes.
struct ComputedAxis {
  const FrequencyAxis& axis;
  const LatticeAxisSizes& sizes;
  std::uint64_t cosets = 1;
  /// Outputs of all cosets without repetitions.
  [[nodiscard]] std::uint64_t distinct() const { return cosets == 1 ? sizes.distinct : axis.count(); }
};

/// Aliases of frequency 0 of an axis: the output with number `output` (< ComputedAxis::distinct()) contains
/// the value at frequency 0 times `share`, the sum of φ̂(κ + lN)/φ̂(κ) over these aliases.
struct AxisLeak {
  std::uint64_t output = 0;
  double share = 0;
};

/// How frequency 0 of one axis appears among its outputs.
struct ZeroOfAxis {
  std::optional<std::uint64_t> output;
  std::vector<AxisLeak> leaks;  ///< outputs that contain aliases of it, at most kMostLeaks of each coset
};
inline constexpr std::size_t kMostLeaks = 31;

/// Returns the first k with axis.at(k) ≡ 0 (mod m), or nothing if no frequency of the axis is 0. In constant
/// time for a progression, in O(count) for a list.
[[nodiscard]] std::optional<std::uint64_t> first_zero(const FrequencyAxis& axis);

/// The corrections of one lattice transform.
struct AxisLeaks {
  ZeroOfAxis rows;  ///< u = 0
  ZeroOfAxis cols;  ///< v = 0
  /// F[u_p, 0] of all distinct outputs; empty where neither an output nor a leak of `cols` needs it
  std::vector<std::complex<double>> row_values;
  /// F[0, v_q]; empty where neither an output nor a leak of `rows` needs it. Where they are for leaks alone,
  /// they contain the leaks of F[0, 0], as the outputs do
  std::vector<std::complex<double>> col_values;
};

/// Returns the corrections of a lattice that was computed with these axes. Values that only leak are computed
/// from the lattice's own tables, in a time that is small beside the lattice's. Rows and columns in parallel.
template <class T>
[[nodiscard]] AxisLeaks axis_leaks(const SparsePattern& pattern, const FrequencyGrid& grid,
                                   const LatticeAxis<T>& rows, const LatticeAxis<T>& cols,
                                   const SpreadShape& shape, ThreadPool& pool);
/// The same for a lattice whose tables are elsewhere, by axis_values().
[[nodiscard]] AxisLeaks axis_leaks(const SparsePattern& pattern, const ComputedAxis& rows,
                                   const ComputedAxis& cols, const SpreadShape& shape, ThreadPool& pool);

/// Corrects the distinct outputs in place: rows of `stride` values, row-major.
void remove_leaks(const AxisLeaks& leaks, std::complex<float>* output, std::size_t stride);

/// An upper bound of the bytes that axis_leaks() takes.
[[nodiscard]] std::uint64_t axis_leaks_bytes(const ComputedAxis& rows, const ComputedAxis& cols);

}  // namespace spyctrum
