// SPDX-License-Identifier: Apache-2.0
// The order in which the values of a spectrum are written. A full axis is written in DFT order 0 … size−1 (as
// numpy.fft.fft2) or, with --centered, in fftshifted order; a sampled axis with --centered by ascending
// signed frequency, otherwise in the order of the computation; a window always in the requested order.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "core/frequency/frequency_grid.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum::cli {

enum class Order { as_computed, dft, centered };

/// The order for an axis that is not a window.
[[nodiscard]] Order natural_order(const FrequencyAxis& axis, bool centered);

/// One axis in output order: positions in the stored axis, and frequencies.
struct ArrangedAxis {
  std::vector<std::uint64_t> positions;   ///< into the axis
  std::vector<std::int64_t> frequencies;  ///< signed; for a window as requested
};
[[nodiscard]] ArrangedAxis arrange(const FrequencyAxis& axis, Order order);

/// An upper bound of the bytes for arranging axes of `rows` and `cols` frequencies, also for a stored half
/// plane.
[[nodiscard]] std::uint64_t arrangement_bytes(std::uint64_t rows, std::uint64_t cols);

/// Reads the rows of a spectrum's values, including the conjugate half.
class ArrangedSpectrum {
 public:
  /// `spectrum` must have values. `window`: the spectrum is that of a window.
  ArrangedSpectrum(const Spectrum& spectrum, bool window, bool centered);
  [[nodiscard]] std::uint64_t rows() const { return rows_.positions.size(); }
  [[nodiscard]] std::uint64_t cols() const { return cols_.positions.size(); }
  [[nodiscard]] const std::vector<std::int64_t>& row_frequencies() const { return rows_.frequencies; }
  [[nodiscard]] const std::vector<std::int64_t>& col_frequencies() const { return cols_.frequencies; }
  /// Writes row r in output order to `out`, which has cols() values.
  void row(std::uint64_t r, std::span<std::complex<float>> out) const;

 private:
  const Spectrum& spectrum_;
  ArrangedAxis rows_;
  ArrangedAxis cols_;
  std::vector<std::uint64_t>
      mirror_cols_;  ///< position of −v for every output column; only if half of the rows are stored
};

}  // namespace spyctrum::cli
