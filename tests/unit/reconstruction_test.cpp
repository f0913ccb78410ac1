// SPDX-License-Identifier: Apache-2.0
// The bilinear reconstruction reproduces nodes, constants, ramps, full planes and DC.
#include "core/reconstruction/reconstruction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

#include "tests/unit/naive_plane.hpp"

namespace spyctrum {
namespace {

using test::NaivePlane;
using test::random_plane;

/// A spectrum with |F| = magnitude(u, v) on the grid, of an m×n plane.
Spectrum made_of(std::uint64_t m, std::uint64_t n, FrequencyAxis rows, FrequencyAxis cols,
                 const std::function<double(std::int64_t, std::int64_t)>& magnitude) {
  Spectrum spectrum;
  spectrum.m = m;
  spectrum.n = n;
  spectrum.nonzeros = 1000;
  spectrum.grid = {std::move(rows), std::move(cols)};
  for (std::uint64_t p = 0; p < spectrum.grid.rows.count(); ++p)
    for (std::uint64_t q = 0; q < spectrum.grid.cols.count(); ++q)
      spectrum.values.emplace_back(std::polar(
          static_cast<float>(magnitude(spectrum.grid.rows.signed_at(p), spectrum.grid.cols.signed_at(q))),
          static_cast<float>(p + 3 * q)));
  return spectrum;
}

Reconstruction reconstruction_of(const Spectrum& spectrum, Fill fill = Fill::bilinear) {
  return Reconstruction::make(std::make_shared<Spectrum>(spectrum), fill).value();
}

float value_at(const Reconstruction& reconstruction, std::int64_t u, std::int64_t v) {
  float value = 0;
  reconstruction.row(u, v, 1, std::span(&value, 1));
  return value;
}

TEST(Reconstruction, ReproducesItsNodesExactly) {
  const auto magnitude = [](std::int64_t u, std::int64_t v) {
    return 3.7 + std::sin(static_cast<double>(5 * u + 11 * v));
  };
  const auto progression = made_of(40, 33, FrequencyAxis::progression(40, 2, 7, 5),
                                   FrequencyAxis::progression(33, 1, 4, 8), magnitude);
  const auto list = made_of(40, 33, FrequencyAxis::list(40, {19, -20, 3, -7}),
                            FrequencyAxis::list(33, {0, 16, -16, 5}), magnitude);
  for (const Spectrum& spectrum : {progression, list}) {
    const Reconstruction reconstruction = reconstruction_of(spectrum);
    std::vector<float> row(spectrum.n);
    for (std::uint64_t p = 0; p < spectrum.grid.rows.count(); ++p) {
      const std::int64_t u = spectrum.grid.rows.at(p);
      reconstruction.row(u, 0, 1, row);
      for (std::uint64_t q = 0; q < spectrum.grid.cols.count(); ++q) {
        const std::int64_t v = spectrum.grid.cols.at(q);
        const float node = std::abs(spectrum.values[p * spectrum.grid.cols.count() + q]);
        EXPECT_FLOAT_EQ(row[static_cast<std::size_t>(dft_index(v, static_cast<std::int64_t>(spectrum.n)))],
                        node);
        EXPECT_FLOAT_EQ(value_at(reconstruction, u, v), node);
      }
    }
  }
}

TEST(Reconstruction, ReproducesConstantPlanes) {
  const auto five = [](std::int64_t, std::int64_t) { return 5.0; };
  Spectrum reduced = made_of(4, 3, FrequencyAxis::full(4), FrequencyAxis::full(3), five);
  reduced.placement = Placement::reduced_plane;
  reduced.m = 17;
  reduced.n = 22;
  for (const Spectrum& spectrum :
       {made_of(17, 22, FrequencyAxis::progression(17, 1, 4, 4), FrequencyAxis::progression(22, 1, 4, 5),
                five),
        made_of(17, 22, FrequencyAxis::list(17, {-8, 0, 8}), FrequencyAxis::list(22, {3}), five), reduced}) {
    for (const Fill fill : {Fill::bilinear, Fill::bilinear_centers}) {
      const Reconstruction reconstruction = reconstruction_of(spectrum, fill);
      for (std::int64_t u = 0; u < 17; ++u)
        for (std::int64_t v = 0; v < 22; ++v)
          EXPECT_FLOAT_EQ(value_at(reconstruction, u, v), u == 0 && v == 0 ? 1000.0F : 5.0F);
    }
  }
}

TEST(Reconstruction, ReproducesRampsBetweenTheOutermostNodes) {
  const auto ramp = [](std::int64_t u, std::int64_t v) {
    return 400.0 + 2.0 * static_cast<double>(u) - 3.0 * static_cast<double>(v) +
           0.25 * static_cast<double>(u * v);
  };
  const Reconstruction reconstruction = reconstruction_of(made_of(
      41, 36, FrequencyAxis::progression(41, -19, 6, 7), FrequencyAxis::progression(36, -17, 5, 7), ramp));
  std::vector<float> row(31);
  for (std::int64_t u = -19; u <= 17; ++u) {
    reconstruction.row(u, -17, 1, row);
    for (std::int64_t v = -17; v <= 13; ++v) {
      if (u == 0 && v == 0) continue;
      EXPECT_NEAR(static_cast<double>(row[static_cast<std::size_t>(v + 17)]), ramp(u, v), 1e-3)
          << u << "," << v;
    }
  }
}

TEST(Reconstruction, IsPeriodicForProgressionsAndClampedForLists) {
  const auto by_row = [](std::int64_t u, std::int64_t) { return u < 0 ? 10.0 : 20.0; };
  // Nodes at −6, −2, 2, 6 of 16: between 6 and −6+16 lie 7, −8, −7.
  const Reconstruction wrapped = reconstruction_of(
      made_of(16, 4, FrequencyAxis::progression(16, -6, 4, 4), FrequencyAxis::full(4), by_row));
  EXPECT_FLOAT_EQ(value_at(wrapped, 7, 1), 17.5F);
  EXPECT_FLOAT_EQ(value_at(wrapped, -8, 1), 15.0F);
  EXPECT_FLOAT_EQ(value_at(wrapped, -7, 1), 12.5F);
  const Reconstruction clamped = reconstruction_of(
      made_of(16, 4, FrequencyAxis::list(16, {-6, -2, 2, 6}), FrequencyAxis::full(4), by_row));
  EXPECT_FLOAT_EQ(value_at(clamped, 7, 1), 20.0F);
  EXPECT_FLOAT_EQ(value_at(clamped, -8, 1), 10.0F);
}

TEST(Reconstruction, AlignsTheEndsOfAReducedPlaneOrItsCellCentres) {
  Spectrum spectrum = made_of(5, 3, FrequencyAxis::full(5), FrequencyAxis::full(3),
                              [](std::int64_t u, std::int64_t) { return 10.0 + static_cast<double>(u); });
  spectrum.placement = Placement::reduced_plane;
  spectrum.m = 21;
  spectrum.n = 9;
  const Reconstruction ends = reconstruction_of(spectrum);
  // Node p at 5p: shifted row x holds 8 + x/5.
  for (std::int64_t u = -10; u <= 10; ++u)
    EXPECT_NEAR(static_cast<double>(value_at(ends, u, 2)), 8 + static_cast<double>(u + 10) / 5, 1e-5);
  const Reconstruction centres = reconstruction_of(spectrum, Fill::bilinear_centers);
  // Node p at (p+½)·21/5 − ½, clamped beyond.
  for (std::int64_t u = -10; u <= 10; ++u) {
    const double p = (static_cast<double>(u + 10) + 0.5) * 5 / 21 - 0.5;
    EXPECT_NEAR(static_cast<double>(value_at(centres, u, 2)), 8 + std::clamp(p, 0.0, 4.0), 1e-5);
  }
}

TEST(Reconstruction, NearestTakesTheMagnitudeOfTheNearestNode) {
  const auto magnitude = [](std::int64_t u, std::int64_t v) {
    return 50 + std::sin(static_cast<double>(5 * u + 11 * v));
  };
  const Spectrum spectrum = made_of(40, 33, FrequencyAxis::list(40, {-20, -7, 3, 19}),
                                    FrequencyAxis::progression(33, -15, 4, 8), magnitude);
  const Reconstruction nearest = reconstruction_of(spectrum, Fill::nearest);
  const auto closest = [](const FrequencyAxis& axis, std::int64_t at, std::int64_t period) {
    std::int64_t best = axis.at(0);
    for (std::uint64_t k = 0; k < axis.count(); ++k) {
      const auto gap = [&](std::int64_t node) {
        const std::int64_t direct = std::abs(node - at);
        return period == 0 ? direct : std::min(direct, period - direct);
      };
      if (gap(axis.at(k)) < gap(best)) best = axis.at(k);
    }
    return best;
  };
  std::vector<float> row(33);
  std::vector<std::int64_t> all(33);
  std::iota(all.begin(), all.end(), -16);
  std::vector<float> ascending(33);
  for (std::int64_t u = -20; u < 20; ++u) {
    nearest.row(u, -16, 1, row);
    nearest.at(u, all, ascending);
    EXPECT_EQ(row, ascending);
    for (std::int64_t v = -16; v <= 16; ++v) {
      if ((u == 0 && v == 0) || (v + 16) % 4 == 3) continue;  // DC; halfway between two nodes
      if (u == -2 || u == 11) continue;                       // halfway too
      const double expected =
          magnitude(closest(spectrum.grid.rows, u, 0), closest(spectrum.grid.cols, v, 33));
      EXPECT_NEAR(static_cast<double>(row[static_cast<std::size_t>(v + 16)]), expected, 1e-4)
          << u << ", " << v;
    }
  }
}

TEST(Reconstruction, IsTheSameFromReducedHalfPlanesAsFromWholeOnes) {
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{6, 5}, {5, 6}}) {
    const NaivePlane plane = random_plane(m, n, 4);
    Spectrum whole = made_of(static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n),
                             FrequencyAxis::full(static_cast<std::uint64_t>(m)),
                             FrequencyAxis::full(static_cast<std::uint64_t>(n)),
                             [&](std::int64_t u, std::int64_t v) { return std::abs(plane.at(u, v)); });
    Spectrum half = made_of(
        static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n),
        FrequencyAxis::progression(static_cast<std::uint64_t>(m), 0, 1,
                                   static_cast<std::uint64_t>(m / 2 + 1)),
        FrequencyAxis::progression(static_cast<std::uint64_t>(n), 0, 1, static_cast<std::uint64_t>(n)),
        [&](std::int64_t u, std::int64_t v) { return std::abs(plane.at(u, v)); });
    half.hermitian_half = true;
    for (Spectrum* spectrum : {&whole, &half}) {
      spectrum->placement = Placement::reduced_plane;
      spectrum->m = 20;
      spectrum->n = 23;
    }
    const Reconstruction a = reconstruction_of(whole);
    const Reconstruction b = reconstruction_of(half);
    for (std::int64_t u = 0; u < 20; ++u)
      for (std::int64_t v = 0; v < 23; ++v) EXPECT_NEAR(value_at(a, u, v), value_at(b, u, v), 1e-5F);
  }
}

TEST(Reconstruction, OfAnExactFullPlaneIsThePlane) {
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{8, 9}, {9, 8}, {1, 6}, {6, 1}}) {
    const NaivePlane plane = random_plane(m, n, 3);
    const auto magnitude = [&](std::int64_t u, std::int64_t v) { return std::abs(plane.at(u, v)); };
    const auto um = static_cast<std::uint64_t>(m);
    const auto un = static_cast<std::uint64_t>(n);
    Spectrum half = made_of(um, un, FrequencyAxis::progression(um, 0, 1, um / 2 + 1),
                            FrequencyAxis::progression(un, 0, 1, un), magnitude);
    half.hermitian_half = true;
    for (const Spectrum& spectrum :
         {half, made_of(um, un, FrequencyAxis::full(um), FrequencyAxis::full(un), magnitude)}) {
      const Reconstruction reconstruction = reconstruction_of(spectrum);
      EXPECT_TRUE(reconstruction.is_exact());
      std::vector<float> row(un + 3);
      for (std::int64_t u = -m; u < m; ++u) {
        reconstruction.row(u, 2, -3, row);
        for (std::size_t k = 0; k < row.size(); ++k) {
          const std::int64_t v = 2 - 3 * static_cast<std::int64_t>(k);
          const bool is_dc = dft_index(u, m) == 0 && dft_index(v, n) == 0;
          EXPECT_NEAR(static_cast<double>(row[k]), is_dc ? 1000 : magnitude(u, v), 1e-5);
        }
      }
    }
  }
}

TEST(Reconstruction, GivesTheSameForRowsPointsAndSteps) {
  const auto wavy = [](std::int64_t u, std::int64_t v) {
    return 9 + 4 * std::sin(static_cast<double>(u * 7 + v * 3));
  };
  for (const Spectrum& spectrum : {made_of(50, 47, FrequencyAxis::progression(50, 1, 6, 8),
                                           FrequencyAxis::progression(47, 2, 7, 6), wavy),
                                   made_of(50, 47, FrequencyAxis::list(50, {-25, -4, 0, 24}),
                                           FrequencyAxis::list(47, {23, -23, 1, -8}), wavy)}) {
    const Reconstruction reconstruction = reconstruction_of(spectrum);
    std::vector<std::int64_t> columns;
    for (std::int64_t v = -23; v <= 23; ++v) columns.push_back(v);
    std::vector<float> points(47);
    std::vector<float> row(47);
    for (std::int64_t u = -25; u < 25; ++u) {
      reconstruction.at(u, columns, points);
      for (const std::int64_t step : {1, 3, -2, 10}) {
        reconstruction.row(u, 5, step, row);
        for (std::size_t k = 0; k < row.size(); ++k) {
          const std::int64_t v = signed_index(5 + step * static_cast<std::int64_t>(k), 47);
          EXPECT_NEAR(row[k], points[static_cast<std::size_t>(v + 23)], 1e-5F * row[k]);
          EXPECT_NEAR(row[k], value_at(reconstruction, u, v), 1e-5F * row[k]);
        }
      }
    }
  }
}

TEST(Reconstruction, RefusesASpectrumWithoutValues) {
  Spectrum spectrum;
  spectrum.m = spectrum.n = 10;
  const auto result = Reconstruction::make(std::make_shared<Spectrum>(spectrum), Fill::bilinear);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::wrong_use);
}

TEST(Fill, IsParsedByItsName) {
  EXPECT_EQ(parse_fill("bilinear").value(), Fill::bilinear);
  EXPECT_EQ(parse_fill("bilinear-centers").value(), Fill::bilinear_centers);
  EXPECT_EQ(parse_fill("nearest").value(), Fill::nearest);
  EXPECT_EQ(parse_fill("smooth").value(), Fill::smooth);
  EXPECT_EQ(parse_fill("best").value(), Fill::best);
  EXPECT_FALSE(parse_fill("cubic"));
}

}  // namespace
}  // namespace spyctrum
