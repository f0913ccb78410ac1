// SPDX-License-Identifier: Apache-2.0
// The matrix of a changed spectrum against the direct inverse transform of the whole changed plane.
#include "core/pictures/changed_spectrum.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

/// (1/mn) Σ F'[u, v]·exp(2πi(ui/m + vj/n)), where F' has the magnitude `after` at the changed coefficients
/// and their mirrors.
std::complex<double> inverse_at(const SparsePattern& pattern, const std::vector<ChangedCoefficient>& changed,
                                std::int64_t i, std::int64_t j) {
  const auto m = static_cast<std::int64_t>(pattern.rows()), n = static_cast<std::int64_t>(pattern.cols());
  const auto same = [](std::int64_t a, std::int64_t b, std::int64_t size) { return (a - b) % size == 0; };
  std::complex<double> sum = 0;
  for (std::int64_t u = 0; u < m; ++u) {
    for (std::int64_t v = 0; v < n; ++v) {
      std::complex<double> value = direct_coefficient(pattern, u, v);
      for (const ChangedCoefficient& one : changed)
        if ((same(u, one.u, m) && same(v, one.v, n)) || (same(u, -one.u, m) && same(v, -one.v, n)))
          value += (one.after - one.before) * std::polar(1.0, std::arg(value));
      const double turn = static_cast<double>(u * i % m) / static_cast<double>(m) +
                          static_cast<double>(v * j % n) / static_cast<double>(n);
      sum += value * std::polar(1.0, 2 * std::numbers::pi * turn);
    }
  }
  return sum / static_cast<double>(m * n);
}

TEST(ChangedSpectrum, IsTheInverseTransformOfTheChangedPlane) {
  const PatternPtr pattern = random_pattern(6, 8, 14, 5);
  std::vector<ChangedCoefficient> changed = {{1, -3, 0, 0}, {3, 4, 0, 0}, {0, 0, 0, 0}};  // two own mirrors
  for (ChangedCoefficient& one : changed) {
    one.before = std::abs(direct_coefficient(*pattern, one.u, one.v));
    one.after = one.before + 5;
  }
  changed.front().after = changed.front().before / 2;  // one becomes smaller
  const std::vector<float> matrix = matrix_of_changed_spectrum(*pattern, changed);
  ASSERT_EQ(matrix.size(), 48U);
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 8; ++j) {
      const std::complex<double> expected = inverse_at(*pattern, changed, i, j);
      EXPECT_NEAR(expected.imag(), 0, 1e-9) << "the changed matrix is real";
      EXPECT_NEAR(static_cast<double>(matrix[static_cast<std::size_t>(8 * i + j)]), expected.real(), 1e-5);
    }
  }
}

TEST(ChangedSpectrum, WithoutChangesIsThePattern) {
  const PatternPtr pattern = make_pattern(2, 3, {{0, 2}, {1, 0}});
  EXPECT_EQ(matrix_of_changed_spectrum(*pattern, {}), (std::vector<float>{0, 0, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace spyctrum::test
