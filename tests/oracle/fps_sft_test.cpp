// SPDX-License-Identifier: Apache-2.0
// FPS-SFT recovers a sparse spectrum whole and exactly, with native amplitudes too; of a dense spectrum it
// returns as many coefficients as requested, each exact. Scattered samples: areas, reconstructions, features.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "core/frequency/frequency_grid.hpp"
#include "core/frequency/voronoi_areas.hpp"
#include "core/methods/method.hpp"
#include "core/pictures/view.hpp"
#include "core/reconstruction/reconstruction.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

constexpr RequestedOutputs kBoth{true, true, false, 0};

SpectrumPtr run_fps(const PatternPtr& pattern, ParameterValues parameters, RequestedOutputs outputs = kBoth) {
  auto result = run_job(*find_method("fps-sft"), request_of(pattern, std::move(parameters), outputs), pool());
  if (!result) {
    ADD_FAILURE() << result.error().message();
    return nullptr;
  }
  return *result;
}

/// Entries of a cell of p×q repeated over m×n: at most p·q coefficients differ from zero.
PatternPtr periodic_pattern(Index m, Index n, Index p, Index q, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<bool> cell(std::size_t{p} * q);
  for (auto&& chosen : cell) chosen = random() % 3 == 0;
  cell[0] = true;
  std::vector<std::pair<Index, Index>> places;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j)
      if (cell[std::size_t{i % p} * q + j % q]) places.emplace_back(i, j);
  return make_pattern(m, n, places);
}

/// Entries where (i − j) mod n is one of `diagonals`: all coefficients lie on u + v = 0.
PatternPtr circulant_pattern(Index n, const std::vector<Index>& diagonals) {
  std::vector<std::pair<Index, Index>> places;
  for (Index j = 0; j < n; ++j)
    for (const Index d : diagonals) places.emplace_back((j + d) % n, j);
  return make_pattern(n, n, places);
}

/// The nonzero coefficients of the plane (above rounding), by direct sums.
std::set<std::pair<std::int64_t, std::int64_t>> support_of(const SparsePattern& pattern) {
  std::set<std::pair<std::int64_t, std::int64_t>> support;
  const auto m = static_cast<std::int64_t>(pattern.rows());
  const auto n = static_cast<std::int64_t>(pattern.cols());
  for (std::int64_t u = 0; u < m; ++u)
    for (std::int64_t v = 0; v < n; ++v)
      if (std::abs(direct_coefficient(pattern, u, v)) > 1e-6 * static_cast<double>(pattern.nonzeros()))
        support.emplace(signed_index(u, m), signed_index(v, n));
  return support;
}

TEST(FpsSft, RecoversASparseSpectrumWholeWithEitherAmplitude) {
  const std::vector<NamedPattern> sparse{
      {"checkerboard 60x60", periodic_pattern(60, 60, 2, 2, 1)},
      {"blocks of 3x5 in 48x40", periodic_pattern(48, 40, 3, 5, 3)},
      {"blocks of 5x7 in 35x49", periodic_pattern(35, 49, 5, 7, 4)},
      {"identity 61x61", circulant_pattern(61, {0})},
      {"circulant 45x45", circulant_pattern(45, {0, 4, 17})},
      {"full 31x29 (one coefficient)", full_pattern(31, 29)},
  };
  for (const NamedPattern& named : sparse) {
    const auto support = support_of(*named.pattern);
    for (const char* amplitude : {"exact", "native"}) {
      SCOPED_TRACE(named.name + ", " + amplitude + ", " + std::to_string(support.size()) + " coefficients");
      const SpectrumPtr spectrum = run_fps(named.pattern, {{"block", "4"}, {"amplitude", amplitude}});
      ASSERT_TRUE(spectrum);
      ASSERT_GE(spectrum->points.count(), support.size()) << "the test requests enough points";
      std::size_t found = 0;
      const double tolerance = 1e-5 * static_cast<double>(named.pattern->nonzeros());
      for (std::size_t k = 0; k < spectrum->points.count(); ++k) {
        const std::int64_t u = spectrum->points.u[k];
        const std::int64_t v = spectrum->points.v[k];
        found += support.count({u, v});
        EXPECT_LE(
            std::abs(std::complex<double>(spectrum->values[k]) - direct_coefficient(*named.pattern, u, v)),
            tolerance)
            << u << ", " << v;
      }
      EXPECT_EQ(found, support.size()) << spectrum->provenance.note;
    }
  }
}

// Periods that share factors with the sides put several coefficients into each bin of every line: the method
// cannot separate them with any slopes, and must not report them as verified.
TEST(FpsSft, ReportsHowFewItVerifiedIfEveryLineMixesTheSameCoefficients) {
  const PatternPtr pattern = periodic_pattern(64, 64, 4, 4, 2);
  const SpectrumPtr spectrum = run_fps(pattern, {{"block", "8"}});
  ASSERT_TRUE(spectrum);
  EXPECT_EQ(spectrum->points.count(), 64U);
  EXPECT_NE(spectrum->provenance.note.find("without that check"), std::string::npos)
      << spectrum->provenance.note;
  for (std::size_t k = 0; k < spectrum->points.count(); ++k)
    EXPECT_LE(std::abs(std::complex<double>(spectrum->values[k]) -
                       direct_coefficient(*pattern, spectrum->points.u[k], spectrum->points.v[k])),
              coefficient_tolerance(*pattern));
}

TEST(FpsSft, ReturnsAsManyExactCoefficientsAsAskedWhateverThePattern) {
  for (const NamedPattern& named : awkward_patterns()) {
    for (const std::int64_t block : {1, 2, 3, 7, 1000}) {
      SCOPED_TRACE(named.name + ", block " + std::to_string(block));
      const SpectrumPtr spectrum = run_fps(named.pattern, {{"block", std::to_string(block)}});
      ASSERT_TRUE(spectrum);
      const std::uint64_t expected = block_count(named.pattern->rows(), static_cast<std::uint64_t>(block)) *
                                     block_count(named.pattern->cols(), static_cast<std::uint64_t>(block));
      const ScatteredPoints& points = spectrum->points;
      ASSERT_EQ(points.count(), expected);
      ASSERT_EQ(spectrum->values.size(), expected);
      EXPECT_EQ(spectrum->placement, Placement::scattered);
      EXPECT_EQ(spectrum->exactness, Exactness::exact_samples);
      double area = 0;
      for (std::size_t k = 0; k < expected; ++k) {
        if (k > 0) {
          EXPECT_LT(std::pair(points.u[k - 1], points.v[k - 1]), std::pair(points.u[k], points.v[k]));
        }
        ASSERT_EQ(signed_index(points.u[k], static_cast<std::int64_t>(named.pattern->rows())), points.u[k]);
        ASSERT_EQ(signed_index(points.v[k], static_cast<std::int64_t>(named.pattern->cols())), points.v[k]);
        ASSERT_LE(std::abs(std::complex<double>(spectrum->values[k]) -
                           direct_coefficient(*named.pattern, points.u[k], points.v[k])),
                  coefficient_tolerance(*named.pattern));
        area += static_cast<double>(points.weight[k]);
      }
      const double plane =
          static_cast<double>(named.pattern->rows()) * static_cast<double>(named.pattern->cols());
      EXPECT_NEAR(area / plane, 1, 1e-5);
      const auto again = run_fps(named.pattern, {{"block", std::to_string(block)}});
      ASSERT_TRUE(again);
      EXPECT_EQ(again->points.u, points.u);
      EXPECT_EQ(again->points.v, points.v);
    }
  }
}

TEST(FpsSft, IsTheSameForAnyNumberOfThreadsAndDiffersBySeed) {
  const PatternPtr pattern = random_pattern(300, 280, 2500, 7);
  std::vector<std::vector<std::int32_t>> columns;
  for (const auto& [threads, seed] :
       std::vector<std::pair<unsigned, std::uint64_t>>{{1, 1}, {3, 1}, {2, 2}}) {
    ThreadPool some(threads);
    JobContext::Options options;
    options.seed = seed;
    JobContext context(some, std::move(options));
    const auto result =
        run_method(*find_method("fps-sft"), request_of(pattern, {{"block", "5"}}, kBoth), context);
    ASSERT_TRUE(result) << result.error().message();
    columns.push_back((*result)->points.v);
  }
  EXPECT_EQ(columns[0], columns[1]);
  EXPECT_NE(columns[0], columns[2]);
}

TEST(FpsSft, AWindowHoldsTheFoundCoefficientsAndZeroElsewhere) {
  const PatternPtr pattern = periodic_pattern(48, 40, 3, 5, 3);
  Request request = request_of(pattern, {{"block", "8"}});
  request.window = FrequencyGrid{FrequencyAxis::full(48), FrequencyAxis::full(40)};
  const auto result = run_job(*find_method("fps-sft"), request, pool());
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ((*result)->exactness, Exactness::estimate);
  for (std::uint64_t p = 0; p < 48; ++p)
    for (std::uint64_t q = 0; q < 40; ++q)
      EXPECT_LE(
          std::abs(std::complex<double>((*result)->values[p * 40 + q]) -
                   direct_coefficient(*pattern, (*result)->grid.rows.at(p), (*result)->grid.cols.at(q))),
          1e-5 * static_cast<double>(pattern->nonzeros()));
}

/// The point nearest to every coefficient, by comparing all points.
TEST(SiteRaster, AreasAreThoseOfTheNearestPointsWhereTheRasterIsThePlane) {
  std::mt19937 random(5);
  const std::uint64_t m = 37;
  const std::uint64_t n = 52;
  std::vector<std::int32_t> u;
  std::vector<std::int32_t> v;
  for (int k = 0; k < 60; ++k) {
    const auto row = static_cast<std::int32_t>(random() % m) - 18;
    const auto col = static_cast<std::int32_t>(random() % n) - 26;
    bool known = false;
    for (std::size_t l = 0; l < u.size(); ++l) known = known || (u[l] == row && v[l] == col);
    if (known) continue;
    u.push_back(row);
    v.push_back(col);
  }
  JobContext context(pool());
  const SiteRaster raster = make_site_raster(m, n, u, v, context);
  ASSERT_EQ(raster.rows, m);
  ASSERT_EQ(raster.cols, n);
  for (std::int64_t row = -18; row <= 18; ++row) {
    for (std::int64_t col = -26; col < 26; ++col) {
      const auto distance = [&](std::size_t k) {
        const double down = static_cast<double>(u[k] - row) / static_cast<double>(m);
        const double along = static_cast<double>(v[k] - col) / static_cast<double>(n);
        return down * down + along * along;
      };
      double least = 1e9;
      for (std::size_t k = 0; k < u.size(); ++k) least = std::min(least, distance(k));
      EXPECT_NEAR(distance(raster.point_near(row, col, u, v)), least, 1e-12) << row << ", " << col;
    }
  }
}

TEST(SiteRaster, NaturalNeighboursKeepSamplesAndStayBetweenThem) {
  const PatternPtr pattern = random_pattern(120, 150, 1500, 8);
  const SpectrumPtr spectrum = run_fps(pattern, {{"block", "6"}});
  ASSERT_TRUE(spectrum);
  float most = 0;
  for (const auto value : spectrum->values)
    if (std::abs(value) < static_cast<float>(pattern->nonzeros()) * 0.99F)
      most = std::max(most, std::abs(value));
  for (const Fill fill : {Fill::bilinear, Fill::nearest}) {
    const Reconstruction plane = Reconstruction::make(spectrum, fill).value();
    std::vector<float> row(150);
    std::vector<float> stepped(50);
    for (std::size_t k = 0; k < spectrum->points.count(); ++k) {
      const std::int64_t u = spectrum->points.u[k];
      plane.row(u, -75, 1, row);
      EXPECT_FLOAT_EQ(row[static_cast<std::size_t>(spectrum->points.v[k] + 75)],
                      std::abs(spectrum->values[k]));
      plane.row(u, -74, 3, stepped);
      for (std::size_t q = 0; q < 50; ++q) EXPECT_NEAR(stepped[q], row[3 * q + 1], 1e-3F);
      if (u == 0) continue;
      EXPECT_LE(*std::max_element(row.begin(), row.end()), 1.001F * static_cast<float>(pattern->nonzeros()));
      EXPECT_GT(*std::min_element(row.begin(), row.end()), 0.0F);
    }
    EXPECT_GT(most, 0.0F);
  }
}

TEST(SiteRaster, DcIsKeptAndSpreadOverNoOtherCell) {
  const std::vector<std::int32_t> u{-40, 0, 0, 30};
  const std::vector<std::int32_t> v{10, 0, 45, -20};
  const std::vector<std::complex<float>> values{{3, 0}, {5000, 0}, {0, 2}, {-4, 0}};
  JobContext context(pool());
  const SiteRaster raster = make_site_raster(100, 120, u, v, context);
  for (const auto& field : {nearest_field(raster, values), natural_field(raster, values, context)}) {
    EXPECT_LE(*std::ranges::max_element(field), 4.0F);
    EXPECT_GE(*std::ranges::min_element(field), 2.0F);
  }
  const std::vector<float> weights = voronoi_areas(100, 120, u, v, context);
  ASSERT_EQ(weights.size(), 4U);
  EXPECT_EQ(weights[1], 1.0F);
  EXPECT_FLOAT_EQ(std::accumulate(weights.begin(), weights.end(), 0.0F), 12000.0F);
}

/// Sites in one corner, whose discs cross the whole raster.
TEST(SiteRaster, InterpolationHasTheSameBitsOnAnyNumberOfThreadsAndStops) {
  std::vector<std::int32_t> u;
  std::vector<std::int32_t> v;
  std::vector<std::complex<float>> values;
  for (std::int32_t k = 0; k < 400; ++k) {
    u.push_back(-100 + k / 20);
    v.push_back(-90 + k % 20);
    values.emplace_back(1.0F + static_cast<float>(k % 7), 0.5F);
  }
  JobContext context(pool());
  const SiteRaster raster = make_site_raster(200, 180, u, v, context);
  const std::vector<float> field = natural_field(raster, values, context);
  ThreadPool one(1);
  JobContext alone(one);
  EXPECT_EQ(natural_field(raster, values, alone), field);
  std::stop_source source;
  JobContext::Options options;
  options.stop = source.get_token();
  JobContext stopped(pool(), std::move(options));
  source.request_stop();
  EXPECT_THROW((void)natural_field(raster, values, stopped), Failure);
}

TEST(FpsSft, PicturesShowTheSamplesAndFeaturesWeighThem) {
  const PatternPtr pattern = random_pattern(120, 150, 1500, 8);
  const SpectrumPtr spectrum = run_fps(pattern, {{"block", "4"}});
  ASSERT_TRUE(spectrum);
  ASSERT_TRUE(spectrum->features);
  EXPECT_NEAR(spectrum->features->total_power / (120.0 * 150.0 * static_cast<double>(pattern->nonzeros())), 1,
              0.2);
  double power = 0;
  double mass_log_mass = 0;
  for (std::size_t k = 0; k < spectrum->points.count(); ++k) {
    const bool is_dc = spectrum->points.u[k] == 0 && spectrum->points.v[k] == 0;
    const double mass = (is_dc ? 1.0 : static_cast<double>(spectrum->points.weight[k])) *
                        std::norm(std::complex<double>(spectrum->values[k]));
    power += mass;
    mass_log_mass += mass > 0 ? mass * std::log(mass) : 0;
  }
  EXPECT_NEAR(
      spectrum->features->entropy,
      (std::log(power) - mass_log_mass / power) / std::log(static_cast<double>(spectrum->points.count())),
      1e-7);  // powers are sums of single-precision squares
  JobContext context(pool());
  const CellImage image =
      sample_image(*spectrum, ReducedPlacement::stretched, {full_spectrum_rect(120, 150), 120, 150}, context);
  for (std::size_t k = 0; k < spectrum->points.count(); ++k) {
    const auto cell = static_cast<std::size_t>(spectrum->points.u[k] + 60) * 150 +
                      static_cast<std::size_t>(spectrum->points.v[k] + 75);
    EXPECT_FLOAT_EQ(image.cells[2 * cell], std::norm(spectrum->values[k]));
  }
  for (const float value : image.cells) EXPECT_TRUE(std::isfinite(value));
  const CellImage beyond =
      sample_image(*spectrum, ReducedPlacement::stretched, {{-30, -40, 10, 200}, 33, 70}, context);
  EXPECT_TRUE(std::isnan(beyond.cells[std::size_t{2} * 69]));
}

}  // namespace
}  // namespace spyctrum::test
