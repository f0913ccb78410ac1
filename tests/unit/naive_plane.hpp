// SPDX-License-Identifier: Apache-2.0
// The DFT plane of a small real matrix by direct sums in double precision, against which the results of
// consumers are checked, and functions that deliver its rows to consumers.
#pragma once

#include <complex>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "core/frequency/frequency_grid.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum::test {

struct NaivePlane {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::vector<std::complex<double>> values;  ///< m×n, DFT order

  [[nodiscard]] std::complex<double> at(std::int64_t u, std::int64_t v) const {
    return values[static_cast<std::size_t>(dft_index(u, m) * n + dft_index(v, n))];
  }
  [[nodiscard]] double power(std::int64_t u, std::int64_t v) const { return std::norm(at(u, v)); }
};

/// Direct sums over each row, then over each column.
inline NaivePlane naive_plane(std::int64_t m, std::int64_t n, const std::vector<double>& input) {
  const auto root = [](std::int64_t k, std::int64_t size) {
    return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k % size) / static_cast<double>(size));
  };
  const auto index = [n](std::int64_t row, std::int64_t col) {
    return static_cast<std::size_t>(row * n + col);
  };
  std::vector<std::complex<double>> partial(input.size());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t v = 0; v < n; ++v)
      for (std::int64_t j = 0; j < n; ++j) partial[index(i, v)] += input[index(i, j)] * root(v * j, n);
  NaivePlane plane{m, n, std::vector<std::complex<double>>(input.size())};
  for (std::int64_t u = 0; u < m; ++u)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t v = 0; v < n; ++v) plane.values[index(u, v)] += partial[index(i, v)] * root(u * i, m);
  return plane;
}

/// Of a symmetric n×n matrix of random reals.
inline NaivePlane symmetric_plane(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> input(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j)
      input[static_cast<std::size_t>(i * n + j)] = input[static_cast<std::size_t>(j * n + i)] =
          uniform(random);
  return naive_plane(n, n, input);
}

/// Of an m×n matrix with random entries (0 or 1 with the given density; reals when density is 0).
inline NaivePlane random_plane(std::int64_t m, std::int64_t n, unsigned seed, double density = 0) {
  std::mt19937 random(seed);
  std::vector<double> input(static_cast<std::size_t>(m * n));
  std::uniform_real_distribution<double> uniform(0, 1);
  for (double& value : input) {
    const double drawn = uniform(random);
    value = density > 0 ? (drawn < density ? 1.0 : 0.0) : drawn;
  }
  return naive_plane(m, n, input);
}

/// Delivers row u of the half plane as a full-plane method does.
inline void deliver_row(const NaivePlane& plane, std::int64_t u, RowConsumer& consumer, unsigned worker) {
  std::vector<std::complex<float>> row(static_cast<std::size_t>(plane.n));
  for (std::int64_t v = 0; v < plane.n; ++v)
    row[static_cast<std::size_t>(v)] = std::complex<float>(plane.at(u, v));
  consumer.consume({u, u != 0 && 2 * u != plane.m, row}, worker);
}

/// Delivers all rows of the half plane, the last first, as three workers.
inline void deliver(const NaivePlane& plane, RowConsumer& consumer) {
  consumer.begin(static_cast<std::uint64_t>(plane.m), static_cast<std::uint64_t>(plane.n), 3);
  for (std::int64_t u = plane.m / 2; u >= 0; --u)
    deliver_row(plane, u, consumer, static_cast<unsigned>(u % 3));
  consumer.finish();
}

/// The symmetric half of a symmetric matrix's plane; 1e30 at the unspecified values.
inline void deliver_symmetric_half(const NaivePlane& plane, RowConsumer& consumer) {
  const auto side = static_cast<std::uint64_t>(plane.n);
  consumer.begin(side, side, 3);
  for (std::int64_t u = 0; u <= plane.n / 2; ++u) {
    std::vector<std::complex<float>> row(side, {1e30F, -1e30F});
    for (std::int64_t v = -u; v <= u; ++v)
      row[static_cast<std::size_t>(dft_index(v, plane.n))] = std::complex<float>(plane.at(u, v));
    consumer.consume({u, u != 0 && 2 * u != plane.n, row, true}, static_cast<unsigned>(u % 3));
  }
  consumer.finish();
}

}  // namespace spyctrum::test
