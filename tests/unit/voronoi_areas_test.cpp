// SPDX-License-Identifier: Apache-2.0
// voronoi_areas() against areas counted on a fine raster, and its promises: the sum, the point (0, 0),
// conjugate pairs.
#include "core/frequency/voronoi_areas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <set>

namespace spyctrum::test {
namespace {

struct Points {
  std::vector<std::int32_t> u;
  std::vector<std::int32_t> v;
};

Points listed(const std::set<std::pair<std::int32_t, std::int32_t>>& places) {
  Points points;
  for (const auto& [u, v] : places) {
    points.u.push_back(u);
    points.v.push_back(v);
  }
  return points;
}

/// About `pairs` conjugate pairs of an m×n plane, within `reach` of the sides, and (0, 0).
Points conjugate_pairs(std::int32_t m, std::int32_t n, int pairs, double reach, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> at(-reach / 2, reach / 2);
  std::set<std::pair<std::int32_t, std::int32_t>> places{{0, 0}};
  for (int k = 0; k < pairs; ++k) {
    const auto u = static_cast<std::int32_t>(std::lround(at(random) * (m - 1)));
    const auto v = static_cast<std::int32_t>(std::lround(at(random) * (n - 1)));
    if (2 * std::abs(u) >= m || 2 * std::abs(v) >= n) continue;
    places.insert({u, v});
    places.insert({-u, -v});
  }
  return listed(places);
}

class VoronoiAreas : public testing::Test {
 protected:
  ThreadPool pool_{2};
  JobContext context_{pool_};
  std::vector<float> areas(std::int32_t m, std::int32_t n, const Points& points) {
    context_.memory().restart_peak();
    auto result = voronoi_areas(static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n), points.u,
                                points.v, context_);
    EXPECT_EQ(context_.memory().current(), 0U);
    EXPECT_LE(context_.memory().peak(), voronoi_areas_bytes(points.u.size()));
    return result;
  }
};

TEST_F(VoronoiAreas, AreThoseOfAFineRasterToAThousandth) {
  for (const auto& [m, n] : {std::pair{223, 472}, {400, 400}, {31, 2000}}) {
    const Points points = conjugate_pairs(m, n, 12, 1, 3);
    const std::vector<float> found = areas(m, n, points);
    constexpr int kSide = 3001;
    std::vector<double> counted(points.u.size());
    std::vector<double> across(points.u.size());  // squared distances along u
    for (int r = 0; r < kSide; ++r) {
      const double u = -std::floor(m / 2.0) - 0.5 + (r + 0.5) * m / kSide;
      for (std::size_t k = 0; k < points.u.size(); ++k) {
        const bool is_origin = points.u[k] == 0 && points.v[k] == 0;
        across[k] = is_origin ? 1e9 : std::pow((points.u[k] - u) / m, 2);
      }
      for (int c = 0; c < kSide; ++c) {
        const double v = -std::floor(n / 2.0) - 0.5 + (c + 0.5) * n / kSide;
        std::size_t nearest = 0;
        double least = 1e9;
        // Pointers, since this is compiled without optimisation.
        const double* row = across.data();
        for (const std::int32_t *at = points.v.data(), *end = at + points.v.size(); at != end; ++at, ++row) {
          const double along = (*at - v) / n;
          const double distance = *row + along * along;
          if (distance >= least) continue;
          least = distance;
          nearest = static_cast<std::size_t>(at - points.v.data());
        }
        counted[nearest] += static_cast<double>(m) * n / kSide / kSide;
      }
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (points.u[k] == 0 && points.v[k] == 0) {
        EXPECT_EQ(found[k], 1.0F);
        continue;
      }
      // Conjugate points lie in reverse order. The raster counts the coefficient (0, 0) with its neighbours.
      const double pair = (counted[k] + counted[found.size() - 1 - k]) / 2;
      EXPECT_NEAR(found[k], pair, 1e-3 * pair + 1) << m << " x " << n << ", point " << k;
    }
  }
}

TEST_F(VoronoiAreas, AddUpToThePlaneAndAreEqualForConjugatePairs) {
  for (const auto& [m, n, pairs, reach] : {std::tuple{223, 472, 20, 1.0},
                                           {1024, 1024, 4000, 1.0},
                                           {1023, 77, 9000, 1.0},
                                           {3000, 2000, 2000, 0.1}}) {
    const Points points = conjugate_pairs(m, n, pairs, reach, 5);
    const std::vector<float> found = areas(m, n, points);
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_GT(found[k], 0) << k;
      EXPECT_EQ(found[k], found[found.size() - 1 - k]) << m << " x " << n << ", point " << k;
    }
    const double sum = std::accumulate(found.begin(), found.end(), 0.0);
    EXPECT_NEAR(sum / (static_cast<double>(m) * n), 1, 1e-6) << m << " x " << n;
  }
}

TEST_F(VoronoiAreas, AreOneWhereEveryCoefficientIsAPoint) {
  for (const auto& [m, n] : {std::pair{12, 9}, {1, 7}, {8, 1}, {1, 1}}) {
    std::set<std::pair<std::int32_t, std::int32_t>> places;
    for (std::int32_t u = -(m / 2); u < m - m / 2; ++u)
      for (std::int32_t v = -(n / 2); v < n - n / 2; ++v) places.insert({u, v});
    for (const float area : areas(m, n, listed(places))) EXPECT_NEAR(area, 1, 1e-5) << m << " x " << n;
  }
}

TEST_F(VoronoiAreas, OfAFewPointsFollowTheirBisectors) {
  EXPECT_FLOAT_EQ(areas(100, 120, listed({{0, 0}}))[0], 12000);
  EXPECT_FLOAT_EQ(areas(100, 120, listed({{7, -3}}))[0], 12000);
  // The plane of rows −50.5 … 49.5 is cut at row 15, and at row −10 without (0, 0), whose square is taken.
  const std::vector<float> two = areas(100, 120, listed({{-10, 5}, {40, 5}}));
  EXPECT_FLOAT_EQ(two[0], 65.5F * 120);
  EXPECT_FLOAT_EQ(two[1], 34.5F * 120);
  const std::vector<float> with_dc = areas(100, 120, listed({{-30, 5}, {0, 0}, {10, 5}}));
  EXPECT_FLOAT_EQ(with_dc[0], 40.5F * 120);
  EXPECT_FLOAT_EQ(with_dc[1], 1);
  EXPECT_FLOAT_EQ(with_dc[2], 59.5F * 120 - 1);
}

TEST_F(VoronoiAreas, AreTheSameOnAnyNumberOfThreads) {
  const Points points = conjugate_pairs(1500, 1400, 20000, 1, 9);
  const std::vector<float> expected = areas(1500, 1400, points);
  ThreadPool other(5);
  JobContext context(other);
  EXPECT_EQ(voronoi_areas(1500, 1400, points.u, points.v, context), expected);
}

}  // namespace
}  // namespace spyctrum::test
