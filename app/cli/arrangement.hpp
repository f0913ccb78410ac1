// SPDX-License-Identifier: Apache-2.0
// The order in which the values of a spectrum are written. A full axis is written in DFT order 0 … size−1 (as
// numpy.fft.fft2) or, with --centered, in fftshifted order; a sampled axis by ascending signed frequency with
// --centered, else in the order of the computation; a window always in the requested order.
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
  std::vector<std::int64_t> frequencies;  ///< signed, or as asked for a window
};
[[nodiscard]] ArrangedAxis arrange(const FrequencyAxis& axis, Order order);

/// Bytes that arranging axes of `rows` and `cols` frequencies takes at most, also for a stored half plane.
[[nodiscard]] std::uint64_t arrangement_bytes(std::uint64_t rows, std::uint64_t cols);

/// Reads the rows of a spectrum's values, the conjugate half included.
class ArrangedSpectrum {
 public:
  /// `spectrum` must hold values. `window`: the spectrum is that of a window.
  ArrangedSpectrum(const Spectrum& spectrum, bool window, bool centered);
  [[nodiscard]] std::uint64_t rows() const { return rows_.positions.size(); }
  [[nodiscard]] std::uint64_t cols() const { return cols_.positions.size(); }
  [[nodiscard]] const std::vector<std::int64_t>& row_frequencies() const { return rows_.frequencies; }
  [[nodiscard]] const std::vector<std::int64_t>& col_frequencies() const { return cols_.frequencies; }
  /// Row r in output order into `out` of cols() values.
  void row(std::uint64_t r, std::span<std::complex<float>> out) const;

 private:
  const Spectrum& spectrum_;
  ArrangedAxis rows_;
  ArrangedAxis cols_;
  std::vector<std::uint64_t>
      mirror_cols_;  ///< position of −v for every output column; only where half of the rows are stored
};

}  // namespace spyctrum::cli
