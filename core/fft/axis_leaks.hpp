// SPDX-License-Identifier: Apache-2.0
// The values on the axes u = 0 and v = 0, and what a lattice gets wrong because of them. A type-1 non-uniform
// FFT returns at the fine frequency κ, with N fine cells and the transform φ̂ of the spreading function,
//   F(κ) + Σ_{l≠0} F(κ + lN)·φ̂(κ + lN)/φ̂(κ).
// The shares φ̂(κ + lN)/φ̂(κ) are chosen for F of magnitude √K, but F[0, 0] = K (with weights √Σa² and Σa), and
// the other values on the axes, of banded and blocked patterns above all, are far above √K. They are the DFTs
// of the row and column sums, known in double precision: outputs on an axis are replaced by them, from others
// their leaks are subtracted. Mirrored by core/cuda/lattice/axis_kernels.cu.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/fft/lattice_axis.hpp"

namespace spyctrum {

/// The value at frequency 0 of an axis appears in `output` (p < distinct), `share` times.
struct AxisLeak {
  std::uint64_t output = 0;
  double share = 0;
};

/// Of one axis: the output at frequency 0, and those to which it leaks; p < distinct.
struct ZeroOfAxis {
  std::optional<std::uint64_t> output;
  std::vector<AxisLeak> leaks;  ///< at most kMostLeaks
};
inline constexpr std::size_t kMostLeaks = 31;

/// Σ_k sums[k]·e^{−2πi f_p i_k/m}, i_k = counts.ids[k], at the frequencies f_p of `axis` (p < distinct
/// frequencies), in double precision, with an error of about 1e-11·Σ |sums|; empty `sums` stand for the
/// counts.
[[nodiscard]] std::vector<std::complex<double>> axis_values(const AxisCounts& counts,
                                                            std::span<const double> sums,
                                                            const FrequencyAxis& axis);

/// What is to be put right of a lattice; empty where nothing is.
struct AxisLeaks {
  ZeroOfAxis rows;                               ///< u = 0
  ZeroOfAxis cols;                               ///< v = 0
  std::vector<std::complex<double>> row_values;  ///< F[u_p, 0]; empty where cols has neither
  std::vector<std::complex<double>> col_values;  ///< F[0, v_q]; empty where rows has neither
  [[nodiscard]] bool empty() const { return row_values.empty() && col_values.empty(); }
};

/// The leaks of windows (steps of ±1) and of lattices with outputs on an axis. Other lattices leave the axes
/// out: what leaks to them is as small as the other aliases.
[[nodiscard]] AxisLeaks axis_leaks(const SparsePattern& pattern, const FrequencyGrid& grid,
                                   const LatticeAxisSizes& rows, const LatticeAxisSizes& cols,
                                   const SpreadShape& shape);

/// Puts the outputs right, row by row with `stride` values each; the distinct ones.
void remove_leaks(const AxisLeaks& leaks, std::complex<float>* output, std::size_t stride);

/// Bytes of axis_leaks() at most.
[[nodiscard]] std::uint64_t axis_leaks_bytes(const LatticeAxisSizes& rows, const LatticeAxisSizes& cols);

}  // namespace spyctrum
