// SPDX-License-Identifier: Apache-2.0
// Bluestein's chirp transform of length n through L = the smallest 7-smooth length ≥ 2n−1 (Bluestein 1970;
// the paper's LengthRule). Forward, unnormalised; indices j² mod 2n in integers.
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
  /// `plan`: of L. n elements in lane format in a buffer of L; returns where the n results are.
  [[nodiscard]] float* transform_lanes(const kernels::FftPlan* plan, float* lanes, float* work) const;
  /// n contiguous values in a row of L, in place.
  void transform_row(const kernels::FftPlan* plan, std::complex<float>* row, float* work) const;
  [[nodiscard]] std::uint64_t bytes() const {
    return (factors_.size() + response_.size()) * sizeof(std::complex<float>);
  }

 private:
  std::vector<std::complex<float>> factors_;
  std::vector<std::complex<float>> response_;
};

}  // namespace spyctrum
