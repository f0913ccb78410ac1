// SPDX-License-Identifier: Apache-2.0
// Bluestein's chirp transform of length n through one of length L ≥ 2n−1, with jv = (j² + v² − (v−j)²)/2:
//   X[v] = c_v·Σ_j (x[j]·c_j)·conj(c_{v−j}),  c_j = e^{−πi·j²/n}  (L. I. Bluestein, IEEE Trans. AU-18, 1970).
// The convolution is two FFTs of length L. Forward, unnormalised; j² is reduced mod 2n in integers. Used by
// LengthRule::paper, which takes for L the smallest number ≥ 2n−1 without a prime factor above 7.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernels/kernel_table.hpp"

namespace spyctrum {

class Chirp {
 public:
  Chirp(std::size_t n, std::size_t padded);
  [[nodiscard]] std::size_t length() const { return response_.size(); }  ///< L
  /// Transforms n elements in lane format in a buffer of L elements; `plan` is the FFT of length L. Returns
  /// where the n results are: in `lanes` or in `work`.
  [[nodiscard]] float* transform_lanes(const kernels::FftPlan* plan, float* lanes, float* work) const;
  /// Transforms n contiguous values in place, in a buffer of L values.
  void transform_row(const kernels::FftPlan* plan, std::complex<float>* row, float* work) const;
  [[nodiscard]] std::uint64_t bytes() const {
    return (factors_.size() + response_.size()) * sizeof(std::complex<float>);
  }

 private:
  std::vector<std::complex<float>> factors_;
  std::vector<std::complex<float>> response_;
};

}  // namespace spyctrum
