// SPDX-License-Identifier: Apache-2.0
// Properties of the DFT of every 0/1 matrix, checked for every method: Parseval Σ|F|² = mnK, F[0,0] =
// K, conjugate symmetry, the shift theorem, axes from row and column counts, and spectra known in closed
// form.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "core/methods/method.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

using Complex = std::complex<double>;

Complex turn(std::int64_t numerator, std::int64_t size) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(dft_index(numerator, size)) /
                             static_cast<double>(size));
}

/// The whole plane computed by a method as the window u ≥ −⌊m/2⌋, v ≥ −⌊n/2⌋.
struct Plane {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::vector<std::complex<float>> values;
  [[nodiscard]] Complex at(std::int64_t u, std::int64_t v) const {
    return values[static_cast<std::size_t>(dft_index(u + m / 2, m) * n + dft_index(v + n / 2, n))];
  }
};

Plane plane_of(const Method& method, const PatternPtr& pattern) {
  Request request = request_of(pattern);
  request.window = FrequencyGrid{FrequencyAxis::full(pattern->rows()), FrequencyAxis::full(pattern->cols())};
  if (method.info().uses_block) request.parameters["block"] = "1";
  auto result = run_job(method, std::move(request), pool());
  if (!result) {
    ADD_FAILURE() << method.info().id << ": " << result.error().message();
    return {};
  }
  return {static_cast<std::int64_t>(pattern->rows()), static_cast<std::int64_t>(pattern->cols()),
          (*result)->values};
}

/// Calls check(method, plane) for every registered method: at b = 1 all of them compute coefficients.
template <class Check>
void for_every_method(const PatternPtr& pattern, const Check& check) {
  for (const Method* method : runnable_methods()) {
    if (method->info().scattered) continue;  // no plane; tests/oracle/fps_sft_test.cpp
    SCOPED_TRACE(method->info().id);
    const Plane plane = plane_of(*method, pattern);
    ASSERT_EQ(plane.values.size(), pattern->rows() * pattern->cols());
    check(plane);
  }
}

void expect_plane(const PatternPtr& pattern,
                  const std::function<Complex(std::int64_t, std::int64_t)>& expected) {
  const double tolerance = coefficient_tolerance(*pattern);
  for_every_method(pattern, [&](const Plane& plane) {
    for (std::int64_t u = 0; u < plane.m; ++u)
      for (std::int64_t v = 0; v < plane.n; ++v)
        ASSERT_LE(std::abs(plane.at(u, v) - expected(u, v)), tolerance) << "at " << u << ", " << v;
  });
}

TEST(EverySpectrum, ObeysParsevalAndIsKAtZero) {
  const PatternPtr pattern = random_pattern(37, 60, 400, 21);
  const auto entries = static_cast<double>(pattern->nonzeros());
  for_every_method(pattern, [&](const Plane& plane) {
    double power = 0;
    for (const std::complex<float> value : plane.values) power += std::norm(Complex(value));
    EXPECT_NEAR(power / (37.0 * 60.0 * entries), 1.0, 1e-6);
    EXPECT_NEAR(plane.at(0, 0).real(), entries, coefficient_tolerance(*pattern));
    EXPECT_NEAR(plane.at(0, 0).imag(), 0.0, coefficient_tolerance(*pattern));
  });
}

TEST(EverySpectrum, IsConjugateSymmetric) {
  const PatternPtr pattern = random_pattern(24, 35, 150, 22);
  for_every_method(pattern, [&](const Plane& plane) {
    for (std::int64_t u = 0; u < plane.m; ++u)
      for (std::int64_t v = 0; v < plane.n; ++v)
        ASSERT_LE(std::abs(plane.at(u, v) - std::conj(plane.at(-u, -v))),
                  2 * coefficient_tolerance(*pattern));
  });
}

TEST(EverySpectrum, ObeysTheShiftTheorem) {
  std::mt19937 random(23);
  const Index m = 20;
  const Index n = 33;
  std::vector<std::pair<Index, Index>> entries;
  std::vector<std::pair<Index, Index>> shifted;
  for (int t = 0; t < 120; ++t) {
    const Index i = random() % m;
    const Index j = random() % n;
    entries.emplace_back(i, j);
    shifted.emplace_back((i + 7) % m, (j + 30) % n);
  }
  const PatternPtr original = make_pattern(m, n, entries);
  const PatternPtr moved = make_pattern(m, n, shifted);
  for (const Method* method : runnable_methods()) {
    if (method->info().scattered) continue;  // no plane; tests/oracle/fps_sft_test.cpp
    SCOPED_TRACE(method->info().id);
    const Plane before = plane_of(*method, original);
    const Plane after = plane_of(*method, moved);
    for (std::int64_t u = 0; u < before.m; ++u)
      for (std::int64_t v = 0; v < before.n; ++v)
        ASSERT_LE(std::abs(after.at(u, v) - turn(7 * u, m) * turn(30 * v, n) * before.at(u, v)),
                  2 * coefficient_tolerance(*original));
  }
}

TEST(EverySpectrum, IsTheDftOfRowAndColumnCountsOnItsAxes) {
  const PatternPtr pattern = random_pattern(41, 26, 300, 24);
  std::vector<Complex> rows(41);
  std::vector<Complex> cols(26);
  for (std::int64_t u = 0; u < 41; ++u)
    for (std::size_t k = 0; k < pattern->row_counts().ids.size(); ++k)
      rows[static_cast<std::size_t>(u)] +=
          static_cast<double>(pattern->row_counts().counts[k]) * turn(u * pattern->row_counts().ids[k], 41);
  for (std::int64_t v = 0; v < 26; ++v)
    for (std::size_t k = 0; k < pattern->column_counts().ids.size(); ++k)
      cols[static_cast<std::size_t>(v)] += static_cast<double>(pattern->column_counts().counts[k]) *
                                           turn(v * pattern->column_counts().ids[k], 26);
  for_every_method(pattern, [&](const Plane& plane) {
    for (std::int64_t u = 0; u < 41; ++u)
      EXPECT_LE(std::abs(plane.at(u, 0) - rows[static_cast<std::size_t>(u)]),
                coefficient_tolerance(*pattern));
    for (std::int64_t v = 0; v < 26; ++v)
      EXPECT_LE(std::abs(plane.at(0, v) - cols[static_cast<std::size_t>(v)]),
                coefficient_tolerance(*pattern));
  });
}

TEST(ClosedForm, OfTheIdentityIsTheAntidiagonal) {
  const Index n = 27;
  std::vector<std::pair<Index, Index>> entries;
  for (Index k = 0; k < n; ++k) entries.emplace_back(k, k);
  expect_plane(make_pattern(n, n, entries), [&](std::int64_t u, std::int64_t v) {
    return dft_index(u + v, n) == 0 ? Complex(n) : Complex(0);
  });
}

TEST(ClosedForm, OfACirculantIsItsSymbolOnTheAntidiagonal) {
  const Index n = 32;
  const std::vector<Index> offsets{0, 1, 5, 31};
  std::vector<std::pair<Index, Index>> entries;
  for (Index i = 0; i < n; ++i)
    for (const Index offset : offsets) entries.emplace_back(i, (i + offset) % n);
  expect_plane(make_pattern(n, n, entries), [&](std::int64_t u, std::int64_t v) {
    if (dft_index(u + v, n) != 0) return Complex(0);
    Complex symbol = 0;
    for (const Index offset : offsets) symbol += turn(v * offset, n);
    return static_cast<double>(n) * symbol;
  });
}

TEST(ClosedForm, OfABlockDiagonalIsAProductOfDirichletKernelsOnAntidiagonals) {
  const Index block = 6;
  const Index blocks = 5;
  const Index n = block * blocks;
  std::vector<std::pair<Index, Index>> entries;
  for (Index b = 0; b < blocks; ++b)
    for (Index i = 0; i < block; ++i)
      for (Index j = 0; j < block; ++j) entries.emplace_back(b * block + i, b * block + j);
  const auto dirichlet = [&](std::int64_t u) {
    Complex sum = 0;
    for (Index k = 0; k < block; ++k) sum += turn(u * k, n);
    return sum;
  };
  expect_plane(make_pattern(n, n, entries), [&](std::int64_t u, std::int64_t v) {
    if (dft_index(u + v, blocks) != 0) return Complex(0);
    return static_cast<double>(blocks) * dirichlet(u) * dirichlet(v);
  });
}

TEST(ClosedForm, OfACheckerboardHasTwoCoefficients) {
  const Index n = 18;
  std::vector<std::pair<Index, Index>> entries;
  for (Index i = 0; i < n; ++i)
    for (Index j = i % 2; j < n; j += 2) entries.emplace_back(i, j);
  expect_plane(make_pattern(n, n, entries), [&](std::int64_t u, std::int64_t v) {
    const bool peak = (u == 0 && v == 0) || (2 * u == n && 2 * v == n);
    return peak ? Complex(n * n / 2.0) : Complex(0);
  });
}

TEST(EveryFullPlaneMethod, GivesTheSameFeaturesAndPyramid) {
  const PatternPtr pattern = random_pattern(45, 64, 500, 25);
  const RequestedOutputs outputs{false, true, true, 16};
  std::optional<Spectrum> first;
  for (const Method* method : runnable_methods()) {
    if (!method->info().full_plane) continue;
    SCOPED_TRACE(method->info().id);
    const auto result = run_job(*method, request_of(pattern, {}, outputs), pool());
    ASSERT_TRUE(result) << result.error().message();
    const Spectrum& spectrum = **result;
    ASSERT_TRUE(spectrum.features && spectrum.pyramid);
    EXPECT_TRUE(spectrum.values.empty());
    EXPECT_EQ(spectrum.features->samples, 45U * 64U);
    EXPECT_NEAR(spectrum.features->total_power / (45.0 * 64.0 * static_cast<double>(pattern->nonzeros())),
                1.0, 1e-6);
    double power = 0;
    for (std::uint32_t r = 0; r < spectrum.pyramid->rows; ++r) {
      const std::uint64_t begin = r * 45ULL / spectrum.pyramid->rows;
      const std::uint64_t end = (r + 1ULL) * 45 / spectrum.pyramid->rows;
      const auto height = static_cast<double>(end - begin);
      for (std::uint32_t c = 0; c < spectrum.pyramid->cols; ++c)
        power +=
            height * 4.0 * static_cast<double>(spectrum.pyramid->mean_power[r * spectrum.pyramid->cols + c]);
    }
    EXPECT_NEAR(power / (45.0 * 64.0 * static_cast<double>(pattern->nonzeros())), 1.0, 1e-5);
    if (!first) {
      first = spectrum;
      continue;
    }
    EXPECT_NEAR(spectrum.features->entropy, first->features->entropy, 1e-6);
    EXPECT_NEAR(spectrum.features->flatness / first->features->flatness, 1.0, 1e-4);
    for (std::size_t k = 0; k < kRadialBins; ++k)
      EXPECT_NEAR(spectrum.features->radial[k], first->features->radial[k], 1e-6);
    for (std::size_t k = 0; k < kSectors; ++k)
      EXPECT_NEAR(spectrum.features->sectors[k], first->features->sectors[k], 1e-6);
    for (std::size_t k = 0; k < first->pyramid->max_power.size(); ++k)
      EXPECT_NEAR(spectrum.pyramid->max_power[k], first->pyramid->max_power[k],
                  1e-4F * (first->pyramid->max_power[k] + static_cast<float>(pattern->nonzeros())));
  }
}

TEST(EveryMethod, EstimatesTheExactFeaturesCloselyAtASmallBlock) {
  const PatternPtr pattern = random_pattern(300, 260, 3000, 26);
  const auto exact = run_job(*find_method("bs-fft"), request_of(pattern), pool());
  ASSERT_TRUE(exact);
  const Features& reference = *(*exact)->features;
  for (const Method* method : runnable_methods()) {
    if (!method->info().uses_block) continue;
    SCOPED_TRACE(method->info().id);
    const auto at_one = run_job(*method, request_of(pattern, {{"block", "1"}}), pool());
    ASSERT_TRUE(at_one) << at_one.error().message();
    EXPECT_NEAR((*at_one)->features->entropy, reference.entropy, 1e-5);
    for (std::size_t k = 0; k < kRadialBins; ++k)
      EXPECT_NEAR((*at_one)->features->radial[k], reference.radial[k], 1e-5);
    const auto sampled = run_job(*method, request_of(pattern, {{"block", "4"}}), pool());
    ASSERT_TRUE(sampled) << sampled.error().message();
    ASSERT_TRUE((*sampled)->features);
    if (method->info().id == "elastic") {
      EXPECT_NEAR((*sampled)->features->entropy / reference.entropy, 1.0, 2e-3);
    }
  }
}

}  // namespace
}  // namespace spyctrum::test
