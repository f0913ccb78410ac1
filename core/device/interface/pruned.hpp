// SPDX-License-Identifier: Apache-2.0
// The pruned blockwise transform on a device (core/methods/pruned/pruned_axis.hpp has the mathematics).
#pragma once

#include <cstdint>

#include "core/device/interface/fft_shape.hpp"
#include "core/device/interface/host.hpp"

namespace spyctrum::cuda {

/// One axis of the transform: n = l·p.
struct PrunedAxisSpec {
  std::uint64_t size = 1;    ///< n
  std::uint64_t length = 1;  ///< l
  std::uint64_t blocks = 1;  ///< p
  bool real_input = false;
  std::uint64_t outputs = 1;                   ///< k
  const std::uint32_t* frequencies = nullptr;  ///< [k], 0 … n−1, by f mod l, so that reads are coalesced
  const std::uint32_t* positions = nullptr;    ///< [k]: position of each output
};
/// The k1×k2 outputs of the two axes, row-major.
struct PrunedTask {
  static constexpr const char* kName = "pruned";
  PatternView pattern;
  PrunedAxisSpec down;      ///< transforms the columns of the matrix, which are real
  PrunedAxisSpec along;     ///< transforms the rows of the result
  float* values = nullptr;  ///< [k1 × k2] complex, on the host
};
/// Complex values of a line: p blocks of l values, or of ⌊l/2⌋+1 for real input.
[[nodiscard]] constexpr std::uint64_t pruned_line_values(const PrunedAxisSpec& axis) {
  return axis.blocks * (axis.real_input ? axis.length / 2 + 1 : axis.length);
}
/// Number of lines that are transformed together: about 128 MiB, and some milliseconds of sums.
[[nodiscard]] constexpr std::uint64_t pruned_lines(const PrunedAxisSpec& axis, std::uint64_t lines) {
  const std::uint64_t by_bytes = (std::uint64_t{1} << 24) / pruned_line_values(axis);
  const std::uint64_t by_work = (std::uint64_t{1} << 34) / axis.outputs / axis.blocks;
  std::uint64_t at_once = by_bytes < by_work ? by_bytes : by_work;
  at_once = at_once < lines ? at_once : lines;
  return at_once < 1 ? 1 : at_once;
}
[[nodiscard]] constexpr FftShape pruned_fft(const PrunedAxisSpec& axis, std::uint64_t lines) {
  return {axis.real_input, 1, axis.length, axis.length, axis.blocks * lines};
}

}  // namespace spyctrum::cuda
