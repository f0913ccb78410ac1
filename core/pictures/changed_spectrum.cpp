// SPDX-License-Identifier: Apache-2.0
// Adds one wave, c/(mn)·(after − before)·cos(…), per changed coefficient.
#include "core/pictures/changed_spectrum.hpp"

#include <complex>
#include <numbers>

#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/entry_weights.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

namespace {

/// exp(2πi·u·k/size), k = 0 … size−1.
std::vector<std::complex<double>> wave_along(std::int64_t u, std::int64_t size) {
  std::vector<std::complex<double>> wave;
  wave.reserve(static_cast<std::size_t>(size));
  for (std::int64_t k = 0; k < size; ++k)
    wave.push_back(std::polar(
        1.0, 2 * std::numbers::pi * static_cast<double>(u * k % size) / static_cast<double>(size)));
  return wave;
}

}  // namespace

std::vector<float> matrix_of_changed_spectrum(const SparsePattern& pattern,
                                              std::span<const ChangedCoefficient> changed) {
  const auto m = static_cast<std::int64_t>(pattern.rows()), n = static_cast<std::int64_t>(pattern.cols());
  std::vector<double> matrix(static_cast<std::size_t>(m * n), 0.0);
  for_each_entry(pattern, nullptr, [&](Index row, Index col, std::size_t) {
    matrix[static_cast<std::size_t>(row) * static_cast<std::size_t>(n) + col] = 1;
  });
  for (const ChangedCoefficient& one : changed) {
    const bool is_own_mirror =
        is_self_mirrored(one.u, pattern.rows()) && is_self_mirrored(one.v, pattern.cols());
    const std::complex<double> added = (is_own_mirror ? 1 : 2) * (one.after - one.before) /
                                       static_cast<double>(m * n) *
                                       std::polar(1.0, std::arg(coefficient_at(pattern, one.u, one.v)));
    const std::vector<std::complex<double>> down = wave_along(one.u, m), across = wave_along(one.v, n);
    std::size_t at = 0;
    for (const std::complex<double> row : down)
      for (const std::complex<double> col : across) matrix[at++] += (added * row * col).real();
  }
  return {matrix.begin(), matrix.end()};
}

}  // namespace spyctrum
