// SPDX-License-Identifier: Apache-2.0
// Projection slices of FPS-SFT on a device (core/methods/fps_sft/fps_slices.hpp has the mathematics).
#pragma once

#include <cstdint>

#include "core/device/interface/fft_shape.hpp"

namespace spyctrum::cuda {

class Slices;

/// Makes a sampler of slices along lines of the pattern, which it copies. Pointers are to host memory.
struct SliceTask {
  static constexpr const char* kName = "slices";
  std::uint64_t rows = 1;
  std::uint64_t cols = 1;
  std::uint64_t length = 1;      ///< L = lcm(m, n), below 2^32
  std::uint64_t lines = 1;       ///< the most lines per call
  std::uint64_t most_known = 0;  ///< the most known coefficients per call
  std::uint64_t nonzeros = 0;
  const std::int64_t* starts = nullptr;        ///< [cols + 1], for every column, including empty ones
  const std::uint32_t* row_indices = nullptr;  ///< [nonzeros], ascending in a column
  const float* weights = nullptr;              ///< [nonzeros]; null: every entry counts as 1
  Slices** made = nullptr;  ///< receives the sampler, which the caller owns; the task's Host must outlive it
};

/// The FFT of the slices of all lines of a call.
[[nodiscard]] constexpr FftShape slice_fft(const SliceTask& task) {
  return {false, 1, task.length, task.length, 3 * task.lines};
}

struct SliceLine {
  std::uint64_t slope_rows = 1, slope_cols = 1;    ///< α0 ≤ m, α1 ≤ n
  std::uint64_t offset_rows = 0, offset_cols = 0;  ///< τ0 < m, τ1 < n
};

/// Known coefficients F[u, v], 0 ≤ u < m, 0 ≤ v < n; values are pairs (real, imaginary).
struct SliceKnown {
  std::uint64_t count = 0;
  const std::uint32_t* u = nullptr;
  const std::uint32_t* v = nullptr;
  const float* values = nullptr;
};

class Slices {
 public:
  virtual ~Slices() = default;
  /// Writes the bins of the slices at (τ0, τ1), (τ0 + 1, τ1), (τ0, τ1 + 1) of every line, 3·L complex values
  /// per line, minus the contributions of the known coefficients. These are summed in fixed point in units of
  /// 2^−46, so that equal calls give equal bits on the same device. Returns seconds on the device.
  virtual double bins(const SliceLine* lines, std::uint64_t count, const SliceKnown& known, float* out) = 0;
};

}  // namespace spyctrum::cuda
