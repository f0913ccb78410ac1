// SPDX-License-Identifier: Apache-2.0
// Bluestein's chirp transform: a DFT of length n by convolution of length L ≥ 2n−1. With jv = (j² + v² −
// (v−j)²)/2,
//   X[v] = c_v·Σ_j (x[j]·c_j)·conj(c_{v−j}),  c_j = e^{−πi·j²/n}  (L. I. Bluestein, IEEE Trans. AU-18, 1970).
// The convolution takes two FFTs of length L. Forward, unnormalised; j² is reduced mod 2n in integers.
// LengthRule::paper uses it with the smallest L ≥ 2n−1 that has no prime factor above 7.
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
  /// Transforms n elements in lane format; `lanes` and `work` hold L elements each, `plan` is the FFT of
  /// length L. Returns the buffer that holds the n results: `lanes` or `work`.
  [[nodiscard]] float* transform_lanes(const kernels::FftPlan* plan, float* lanes, float* work) const;
  /// Transforms the n contiguous values at `row` in place; `row` and `work` have room for L values.
  void transform_row(const kernels::FftPlan* plan, std::complex<float>* row, float* work) const;
  [[nodiscard]] std::uint64_t bytes() const {
    return (factors_.size() + response_.size()) * sizeof(std::complex<float>);
  }

 private:
  std::vector<std::complex<float>> factors_;
  std::vector<std::complex<float>> response_;
};

}  // namespace spyctrum
