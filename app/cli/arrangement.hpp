// SPDX-License-Identifier: Apache-2.0
// In which order the values of a spectrum are written. A full axis goes out in DFT order 0 … size−1
// (as numpy.fft.fft2) or, centred, in fftshifted order; a sampled axis ascending by signed frequency
// when centred, as computed otherwise; a window always as it was asked for.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "core/frequency/frequency_grid.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum::cli {

enum class Order { as_computed, dft, centered };

/// The order for an axis that was not asked for as a window.
[[nodiscard]] Order natural_order(const FrequencyAxis& axis, bool centered);

/// Positions along one axis in output order, and their frequencies.
struct ArrangedAxis {
  std::vector<std::uint64_t> positions;   ///< into the axis
  std::vector<std::int64_t> frequencies;  ///< signed, or as asked for a window
};
[[nodiscard]] ArrangedAxis arrange(const FrequencyAxis& axis, Order order);

/// Reads the rows of a spectrum's values, the conjugate half included.
class ArrangedSpectrum {
 public:
  /// `spectrum` holds values. `window`: it was asked for as a window.
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
  std::vector<std::uint64_t> mirror_cols_;  ///< position of −v for every output column; hermitian half only
};

}  // namespace spyctrum::cli
