// SPDX-License-Identifier: Apache-2.0
// How the FFT of a row is taken on a CUDA device. The paper's rule is direct or Bluestein. Ours puts a row of
// bad length onto a number of cells that cuFFT is fast at (a non-uniform FFT of one dimension), and cuts long
// rows into parts that cuFFT transforms in one pass through memory, joined by one butterfly. A length is bad
// where neither it nor its parts are among those that cuFFT takes in one pass, which only the library knows.
#pragma once

#include "core/base/backend.hpp"
#include "core/base/cuda_module.hpp"
#include "core/fft/lattice_axis.hpp"

namespace spyctrum {

struct RowShape {
  std::uint64_t cells = 0;  ///< that are transformed
  std::uint64_t split = 1;  ///< parts, see cuda::RowTask::split
  bool resampled = false;   ///< n values onto `cells`
};

[[nodiscard]] RowShape row_shape(std::uint64_t n, cuda::RowAlgorithm algorithm, Backend backend);

/// Tables that put a row of n values onto the cells of a row_shape() that is resampled, at least 1.58·n.
class RowResampling {
 public:
  explicit RowResampling(std::uint64_t n);
  [[nodiscard]] const cuda::LatticeAxisView& view() const { return view_; }
  [[nodiscard]] static std::uint64_t bytes(std::uint64_t n);
  [[nodiscard]] static std::uint64_t values_of_cell(std::uint64_t n);  ///< that fall on a cell, at most

 private:
  LatticeAxis<float> axis_;
  cuda::LatticeAxisView view_;
};

}  // namespace spyctrum
