// SPDX-License-Identifier: Apache-2.0
// One axis of the pruned blockwise transform: some of the outputs of a DFT of n points, from full input. With
// l the largest divisor of n that is at most the number of outputs and n = l·p, the input is split as
// X[j1, j2] = x[p·j1 + j2]: p transforms of length l along j1, then for an output f
//   y[f] = Σ_{j2 < p} g^{j2}·X̂[f mod l, j2],  g = e^{−2πif/n}.
// Cost n·log l + k·n/l for k outputs: O(n log l) where l ≈ k, O(k·n) where n is prime and l = 1. Woolfe,
// Liberty, Rokhlin, Tygert 2008; K. L. Ho, SparseFFT.jl (src/spfft1.jl),
// https://github.com/klho/SparseFFT.jl.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/fft/phase_table.hpp"
#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

/// Sizes and costs of an axis of n points and k outputs, known before any table is made.
struct PrunedSizes {
  /// `real`: the lines are real, so that transforms take half the work and outputs with f mod l > l/2 follow
  /// by conjugation.
  PrunedSizes(std::uint64_t size_of_axis, std::uint64_t output_count, bool real);
  std::uint64_t size = 1;     ///< n
  std::uint64_t outputs = 1;  ///< k
  std::uint64_t length = 1;   ///< l
  std::uint64_t blocks = 1;   ///< p = n/l
  bool real_input = false;

  /// Stored outputs of one transform of length l.
  [[nodiscard]] std::uint64_t stored() const { return real_input ? length / 2 + 1 : length; }
  /// Outputs whose weights g^{j2} are in memory at the same time.
  [[nodiscard]] std::uint64_t outputs_per_pass() const;
  [[nodiscard]] std::uint64_t weight_bytes() const;
  /// Floats of one worker's arrays: lines, their transforms, workspace of the transforms, sums.
  [[nodiscard]] std::uint64_t input_floats() const;
  [[nodiscard]] std::uint64_t spectra_floats() const;
  [[nodiscard]] std::uint64_t work_floats() const;
  [[nodiscard]] std::uint64_t scratch_bytes() const;
  /// Estimated floating-point operations for one line.
  [[nodiscard]] double operations() const;
};

/// One output of an axis.
struct PrunedOutput {
  std::uint64_t frequency = 0;  ///< 0 … n−1
  std::uint64_t source = 0;     ///< f mod l, or l − (f mod l) if `conjugate`
  bool conjugate = false;
  std::uint64_t position = 0;  ///< in the list of requested outputs
};
/// The outputs of an axis, sorted by source so that neighbours read the same inputs.
[[nodiscard]] std::vector<PrunedOutput> pruned_outputs(const FrequencyAxis& outputs,
                                                       const PrunedSizes& sizes);

class PrunedAxis {
 public:
  PrunedAxis(const FrequencyAxis& outputs, bool real_input);

  [[nodiscard]] const PrunedSizes& sizes() const { return sizes_; }

  /// The place (j mod p)·l + ⌊j/p⌋ of element j of a line in the buffer that `load` fills. The values of
  /// `lanes` lines begin at buffer[place·lanes·(real ? 1 : 2)], real parts first.
  [[nodiscard]] std::size_t place(std::uint64_t j) const {
    return static_cast<std::size_t>(j % sizes_.blocks * sizes_.length + j / sizes_.blocks);
  }

  /// Writes the lines first … first+count−1 (count ≤ lanes) into the zeroed buffer; false if all are zero.
  using Load = std::function<bool(std::uint64_t first, std::size_t count, float* buffer)>;
  /// Receives output number `position` of the requested ones for those lines: `lanes` real, then `lanes`
  /// imaginary parts.
  using Store = std::function<void(std::uint64_t first, std::size_t count, std::uint64_t position,
                                   const float* values)>;
  /// Computes all outputs of all lines. Both callbacks run concurrently, for different lines. If the weights
  /// of all outputs do not fit (outputs_per_pass()), there are several passes over the lines. Throws
  /// Failure{cancelled}.
  void transform(std::uint64_t lines, JobContext& context, const Load& load, const Store& store) const;

 private:
  struct Pass;
  void make_weights(const Pass& pass, std::complex<float>* weights, JobContext& context) const;
  [[nodiscard]] const float* transform_blocks(float* input, float* work) const;
  void transform_group(const Pass& pass, const float* spectra, std::uint64_t first, std::size_t count,
                       float* combined, const Store& store) const;

  PrunedSizes sizes_;
  PhaseTable phases_;
  std::vector<PrunedOutput> sorted_;
};

}  // namespace spyctrum
