// SPDX-License-Identifier: Apache-2.0
// Output order of rows and columns. Rows of the half that is not stored are F[−u, −v] = conj F[u, v].
#include "app/cli/arrangement.hpp"

#include <algorithm>
#include <numeric>

namespace spyctrum::cli {

Order natural_order(const FrequencyAxis& axis, bool centered) {
  if (centered) return Order::centered;
  return axis.is_full() ? Order::dft : Order::as_computed;
}

ArrangedAxis arrange(const FrequencyAxis& axis, Order order) {
  ArrangedAxis arranged;
  arranged.positions.resize(axis.count());
  std::iota(arranged.positions.begin(), arranged.positions.end(), std::uint64_t{0});
  if (order == Order::dft) {
    std::ranges::stable_sort(arranged.positions, {}, [&](std::uint64_t k) { return axis.index_at(k); });
  } else if (order == Order::centered) {
    std::ranges::stable_sort(arranged.positions, {}, [&](std::uint64_t k) { return axis.signed_at(k); });
  }
  arranged.frequencies.reserve(axis.count());
  for (const std::uint64_t k : arranged.positions)
    arranged.frequencies.push_back(order == Order::as_computed ? axis.at(k) : axis.signed_at(k));
  return arranged;
}

std::uint64_t arrangement_bytes(std::uint64_t rows, std::uint64_t cols) {
  // Positions and frequencies, their copy for the output, the array for sorting, and the mirrored columns.
  return 32 * (rows + cols) + 16 * cols;
}

ArrangedSpectrum::ArrangedSpectrum(const Spectrum& spectrum, bool window, bool centered)
    : spectrum_(spectrum) {
  const auto order = [&](const FrequencyAxis& axis) {
    return window ? Order::as_computed : natural_order(axis, centered);
  };
  const FrequencyGrid& grid = spectrum.grid;
  cols_ = arrange(grid.cols, order(grid.cols));
  if (!spectrum.hermitian_half) {
    rows_ = arrange(grid.rows, order(grid.rows));
    return;
  }
  // The stored rows u = 0 … ⌊m/2⌋ stand for the full axis; −v is looked up among the stored columns.
  rows_ = arrange(FrequencyAxis::full(spectrum.m), centered ? Order::centered : Order::dft);
  std::vector<std::uint64_t> position_of(spectrum.n);
  for (std::uint64_t q = 0; q < grid.cols.count(); ++q) position_of[grid.cols.index_at(q)] = q;
  mirror_cols_.reserve(cols_.positions.size());
  for (const std::uint64_t q : cols_.positions)
    mirror_cols_.push_back(position_of[dft_index(-grid.cols.at(q), spectrum.n)]);
}

void ArrangedSpectrum::row(std::uint64_t r, std::span<std::complex<float>> out) const {
  const std::uint64_t stride = spectrum_.grid.cols.count();
  if (!spectrum_.hermitian_half) {
    const std::complex<float>* values = spectrum_.values.data() + rows_.positions[r] * stride;
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = values[cols_.positions[c]];
    return;
  }
  const std::uint64_t m = spectrum_.m;
  const std::uint64_t u = dft_index(rows_.frequencies[r], m);
  const bool mirrored = u > m / 2;
  const std::complex<float>* values = spectrum_.values.data() + (mirrored ? m - u : u) * stride;
  for (std::size_t c = 0; c < out.size(); ++c)
    out[c] = mirrored ? std::conj(values[mirror_cols_[c]]) : values[cols_.positions[c]];
}

}  // namespace spyctrum::cli
