// SPDX-License-Identifier: Apache-2.0
// The formulas of §3.4 with their letters.
#include "core/theory/cost_formulas.hpp"

#include <algorithm>
#include <cmath>

#include "core/fft/fft.hpp"

namespace spyctrum {

namespace {

double log_of(double x) { return x > 1 ? std::log2(x) : 0; }

/// L: n where it has no prime factor above 7, else the smallest such number ≥ 2n − 1.
double transform_length(std::uint64_t n) {
  return static_cast<double>(is_smooth(n) ? n : smooth_size(2 * n - 1));
}

}  // namespace

double bs_fft_storage(double m, std::uint64_t n, double nonzeros, double active_columns, double index_bytes,
                      double tile) {
  const std::uint64_t half = n / 2 + 1;
  const auto q = static_cast<double>(half);
  const double padded = 4 * std::ceil(q / 4);
  const double length = transform_length(n);
  return index_bytes * nonzeros + (index_bytes + 4) * active_columns + 4 +
         8 * (static_cast<double>(n) + length + 2 * tile * length + m * padded);
}

std::vector<CostFormula> cost_formulas(const SparsePattern& pattern, std::uint64_t block,
                                       std::uint64_t tile) {
  const auto m = static_cast<double>(pattern.rows());
  const auto n = static_cast<double>(pattern.cols());
  const auto nonzeros = static_cast<double>(pattern.nonzeros());
  const auto columns = static_cast<double>(pattern.column_ids().size());
  const auto b = static_cast<double>(block);
  const double m0 = std::ceil(m / b);
  const double n0 = std::ceil(n / b);
  const double h = std::floor(m / 2) + 1;
  const double q = std::floor(n / 2) + 1;
  const double q0 = std::floor(n0 / 2) + 1;
  const double length = transform_length(pattern.cols());
  const double width = std::max(pattern.rows(), pattern.cols()) <= 65536 ? 2 : 4;
  const auto t = static_cast<double>(tile);
  const double pattern_bytes = width * nonzeros + (width + 4) * columns + 4;
  return {{"dense", "Dense FFT", "m·n·log(m·n)", m * n * log_of(m * n), "4·m·n + 8·m·q",
           4 * m * n + 8 * m * q, "§3.4"},
          {"bs-fft-paper", "BS-FFT", "h·K + h·L·log L + m·q",
           h * nonzeros + h * length * log_of(length) + m * q, "p·K + (p+4)·a + 4 + 8·(n + L + 2·T·L + m·σ)",
           bs_fft_storage(m, pattern.cols(), nonzeros, columns, width, t), "§3.4, eq. 18, without cuFFT's W"},
          {"elastic-paper", "Elastic BS-FFT", "m0·K + m0·L·log L + m0·n0",
           m0 * nonzeros + m0 * length * log_of(length) + m0 * n0,
           "p·K + (p+4)·a + 4 + 8·(n + L + 2·T·L + m0·n0)",
           pattern_bytes + 8 * (n + length + 2 * t * length + m0 * n0), "§3.4"},
          {"density-map", "Density Map", "K + m0·n0·(log m0 + log n0)",
           nonzeros + m0 * n0 * (log_of(m0) + log_of(n0)), "8·K + 4·m0·n0 + 8·m0·(⌊n0/2⌋+1)",
           8 * nonzeros + 4 * m0 * n0 + 8 * m0 * q0, "§3.4"}};
}

}  // namespace spyctrum
