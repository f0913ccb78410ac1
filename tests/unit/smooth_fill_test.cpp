// SPDX-License-Identifier: Apache-2.0
// The reconstruction fills "smooth" and "best", and non-negative least squares.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stop_token>

#include "core/fft/lattice.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/nnls.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"
#include "core/reconstruction/smooth_fill.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/text_request.hpp"

namespace spyctrum {
namespace {

using test::generated;

/// Gram matrix and products of random X and z.
struct Problem {
  std::vector<double> gram, products;
};
Problem random_problem(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  constexpr std::size_t kRows = 40;
  std::vector<double> x(kRows * count);
  std::vector<double> z(kRows);
  for (double& value : x) value = normal(random);
  for (double& value : z) value = normal(random);
  Problem problem{std::vector<double>(count * count), std::vector<double>(count)};
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t i = 0; i < count; ++i) {
      problem.products[i] += x[r * count + i] * z[r];
      for (std::size_t j = 0; j < count; ++j)
        problem.gram[i * count + j] += x[r * count + i] * x[r * count + j];
    }
  return problem;
}

TEST(NonNegativeLeastSquares, SatisfiesTheKarushKuhnTuckerConditions) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const std::size_t count = 1 + seed % 12;
    const Problem problem = random_problem(count, seed);
    const std::vector<double> weights = non_negative_least_squares(problem.gram, problem.products);
    for (std::size_t k = 0; k < count; ++k) {
      double gradient = problem.products[k];
      for (std::size_t j = 0; j < count; ++j) gradient -= problem.gram[k * count + j] * weights[j];
      EXPECT_GE(weights[k], 0);
      EXPECT_LT(gradient, 1e-6) << "seed " << seed;
      if (weights[k] > 0) {
        EXPECT_NEAR(gradient, 0, 1e-6) << "seed " << seed;
      }
    }
  }
}

TEST(NonNegativeLeastSquares, HandlesEqualAndZeroColumns) {
  // Columns 0 and 1 are the same, column 2 is zero; z is twice column 0.
  const std::vector<double> gram{4, 4, 0, 4, 4, 0, 0, 0, 0};
  const std::vector<double> products{8, 8, 0};
  const std::vector<double> weights = non_negative_least_squares(gram, products);
  EXPECT_NEAR(weights[0] + weights[1], 2, 1e-6);
  EXPECT_EQ(weights[2], 0);
}

class Fills : public testing::Test {
 protected:
  SpectrumPtr sampled(const PatternPtr& pattern, const char* method, int block) {
    Request request;
    request.pattern = pattern;
    request.parameters["block"] = std::to_string(block);
    request.outputs = {true, false, false, 64};
    auto spectrum = run_method(*find_method(method), request, context_);
    EXPECT_TRUE(spectrum);
    return spectrum ? *spectrum : nullptr;
  }
  double distance(const PatternPtr& pattern, const char* method, int block, Fill fill) {
    const auto made = Reconstruction::make(sampled(pattern, method, block), fill, *pattern, context_);
    EXPECT_TRUE(made);
    ReconstructionErrorConsumer consumer(*made);
    RowConsumer* const consumers[] = {&consumer};
    Request request;
    request.pattern = pattern;
    EXPECT_TRUE(stream_method(*find_method("exact"), request, consumers, context_));
    return consumer.errors().hellinger;
  }
  ThreadPool pool_{2};
  JobContext context_{pool_};
};

TEST_F(Fills, SmoothReachesTheHellingerBoundOfAGaussianPlane) {
  const PatternPtr pattern = generated("gen:random:n=700,nnz=9000");
  for (const int block : {4, 8}) {
    EXPECT_NEAR(distance(pattern, "elastic", block, Fill::smooth), kSmoothingBound, 0.006) << block;
    EXPECT_GT(distance(pattern, "elastic", block, Fill::bilinear), 0.38) << block;
  }
}

TEST_F(Fills, BestIsBelowTheBoundWhereCoefficientsAreKnown) {
  // At b = 4 nodes, their mirrors and their transposes are a quarter of the plane.
  const PatternPtr pattern = generated("gen:random:n=700,nnz=9000");
  EXPECT_LT(distance(pattern, "elastic", 4, Fill::best), 0.32);
  const PatternPtr symmetric = generated("gen:power-law:n=700,nnz=9000");
  ASSERT_TRUE(symmetric->symmetric());
  EXPECT_LT(distance(symmetric, "elastic", 4, Fill::best), 0.30);
  const PatternPtr band = generated("gen:laplacian-2d:nx=25,ny=27");
  EXPECT_LT(distance(band, "elastic", 16, Fill::best), 0.2);
  EXPECT_GT(distance(band, "elastic", 16, Fill::bilinear), 0.4);
}

TEST_F(Fills, BestKeepsThePowerOfKnownLinesOnThem) {
  // All power is on the lines u + v = 100k, which `best` knows; beside them F is zero.
  const PatternPtr blocks = generated("gen:block-diagonal");
  for (const int block : {2, 16, 64})
    EXPECT_LT(distance(blocks, "elastic", block, Fill::best), 1e-3) << block;
  EXPECT_GT(distance(blocks, "elastic", 16, Fill::smooth), 0.9) << "control: no line is known";
  const PatternPtr mesh = generated("gen:laplacian-2d:nx=24,ny=24");
  EXPECT_LT(distance(mesh, "elastic", 4, Fill::best), 0.07);
}

TEST_F(Fills, ARidgeOfAReducedPlaneRemains) {
  const PatternPtr pattern = generated("gen:circulant:n=512,degree=7,stride=37");
  for (const int block : {2, 4, 8}) {
    const Reconstruction plane =
        *Reconstruction::make(sampled(pattern, "density-map", block), Fill::best, *pattern, context_);
    double on_ridge = 0, beside = 0;
    std::vector<float> row(512);
    for (std::int64_t u = 20; u < 240; ++u) {
      plane.row(u, -256, 1, row);
      on_ridge += static_cast<double>(row[static_cast<std::size_t>(256 - u)]);
      beside += static_cast<double>(row[static_cast<std::size_t>(356 - u)]);
    }
    EXPECT_GT(on_ridge, 20 * beside) << block;
    EXPECT_LT(distance(pattern, "density-map", block, Fill::best), 0.93) << block;
  }
  // A plane of noise with a ridge keeps both.
  const PatternPtr band = generated("gen:power-law:n=700,nnz=9000");
  EXPECT_LT(distance(band, "density-map", 4, Fill::best), distance(band, "density-map", 4, Fill::bilinear));
}

TEST_F(Fills, BestIsAsCloseAsTheCloserOfSmoothAndBilinear) {
  // H of bilinear − H of smooth, samples of Density Map: both signs occur.
  const std::pair<const char*, bool> patterns[] = {{"gen:circulant:n=512,degree=7,stride=37", false},
                                                   {"gen:block-diagonal:n=500,block=10", false},
                                                   {"gen:power-law:n=700,nnz=9000", true},
                                                   {"gen:random:n=700,nnz=9000", true}};
  for (const auto& [text, is_smooth_closer] : patterns) {
    const PatternPtr pattern = generated(text);
    const double bilinear = distance(pattern, "density-map", 2, Fill::bilinear);
    const double smooth = distance(pattern, "density-map", 2, Fill::smooth);
    EXPECT_EQ(smooth < bilinear, is_smooth_closer) << text;
    EXPECT_LT(distance(pattern, "density-map", 2, Fill::best), std::min(bilinear, smooth) + 0.005) << text;
  }
}

TEST_F(Fills, BestUsesTheNodesOnLinesWhereFewNodesAreBesideThem) {
  // 9 x 9 nodes, a few of them beside the lines: these alone give 0.15.
  const PatternPtr mesh = generated("gen:laplacian-2d:nx=24,ny=24");
  EXPECT_LT(distance(mesh, "elastic", 64, Fill::best), 0.135);
  EXPECT_GT(distance(mesh, "elastic", 64, Fill::smooth), 0.3) << "control: no magnitude is known";
}

TEST_F(Fills, SmoothIsAsSymmetricAsThePlane) {
  // |F[−u, −v]| = |F[u, v]|, but the mirror of a node is no node.
  const PatternPtr pattern = generated("gen:power-law:n=701,nnz=9000");
  const auto asymmetry = [&](Fill fill) {
    const Reconstruction plane =
        *Reconstruction::make(sampled(pattern, "elastic", 12), fill, *pattern, context_);
    std::vector<float> row(701), mirrored(701);
    double squares = 0, differences = 0;
    for (std::int64_t u = 30; u < 340; u += 7) {
      plane.row(u, -350, 1, row);
      plane.row(-u, -350, 1, mirrored);
      for (std::size_t v = 0; v < 701; ++v) {
        const auto difference = static_cast<double>(row[v] - mirrored[700 - v]);
        differences += difference * difference;
        squares += static_cast<double>(row[v] * row[v]);
      }
    }
    return std::sqrt(differences / squares);
  };
  EXPECT_LT(asymmetry(Fill::smooth), 0.003);
  EXPECT_GT(asymmetry(Fill::bilinear), 0.2) << "control";
}

TEST_F(Fills, ReportsProgressThatNeverFalls) {
  std::vector<std::uint64_t> done;
  JobContext::Options options;
  options.on_progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.stage, "reconstruct");
    EXPECT_EQ(progress.total, 1000U);
    done.push_back(progress.done);
  };
  JobContext context(pool_, std::move(options));
  const PatternPtr pattern = generated("gen:power-law:n=6000,nnz=60000");
  ASSERT_TRUE(Reconstruction::make(sampled(pattern, "elastic", 4), Fill::best, *pattern, context));
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  // The end of each part is reported: the choice of the lines, their values, and the smoothing.
  for (const std::uint64_t part : {0U, 50U, 300U, 1000U})
    EXPECT_GE(std::count(done.begin(), done.end(), part), 1) << part;
}

TEST_F(Fills, CancellingStopsTheSmoothing) {
  const PatternPtr pattern = generated("gen:power-law:n=6000,nnz=60000");
  const SpectrumPtr spectrum = sampled(pattern, "elastic", 4);
  for (const std::uint64_t at : {0U, 50U, 300U}) {
    std::stop_source stop;
    JobContext::Options options;
    options.stop = stop.get_token();
    options.on_progress = [&](const Progress& progress) {
      if (progress.done >= at) stop.request_stop();
    };
    JobContext context(pool_, std::move(options));
    const auto made = Reconstruction::make(spectrum, Fill::best, *pattern, context);
    ASSERT_FALSE(made) << at;
    EXPECT_EQ(made.error().code, ErrorCode::cancelled);
  }
}

TEST_F(Fills, BestHoldsTheKnownMagnitudesExactly) {
  for (const char* text : {"gen:power-law:n=301,nnz=3000", "gen:random:rows=120,cols=301,nnz=2000"}) {
    const PatternPtr pattern = generated(text);
    const auto m = static_cast<std::int64_t>(pattern->rows());
    const auto n = static_cast<std::int64_t>(pattern->cols());
    const SpectrumPtr spectrum = sampled(pattern, "elastic", 7);
    const Reconstruction best = *Reconstruction::make(spectrum, Fill::best, *pattern, context_);
    EXPECT_GE(best.line_coefficients(), static_cast<std::uint64_t>(9 * (m + n)));
    const auto check = [&](std::int64_t u, std::int64_t v) {
      const FrequencyGrid one{FrequencyAxis::list(pattern->rows(), {signed_index(u, m)}),
                              FrequencyAxis::list(pattern->cols(), {signed_index(v, n)})};
      const double exact = std::abs(direct_transform(*pattern, one, context_)[0]);
      float found = 0;
      best.row(u, v, 1, std::span(&found, 1));
      EXPECT_NEAR(static_cast<double>(found), exact, 1e-3) << text << ' ' << u << ' ' << v;
    };
    for (std::uint64_t p = 0; p < spectrum->grid.rows.count(); p += 5)
      for (std::uint64_t q = 0; q < spectrum->grid.cols.count(); q += 7) {
        const std::int64_t u = spectrum->grid.rows.signed_at(p);
        const std::int64_t v = spectrum->grid.cols.signed_at(q);
        check(u, v);
        check(-u, -v);
        if (pattern->symmetric()) check(v, u), check(-v, -u);
      }
    for (const std::int64_t line : {-8, -1, 0, 3, 8}) check(line, 41), check(-41, line);
  }
}

TEST_F(Fills, BestIsThePlaneItselfWhereEveryRowWasSampled) {
  const PatternPtr pattern = generated("gen:random:rows=120,cols=301,nnz=2000");
  const SpectrumPtr exact = sampled(pattern, "elastic", 1);
  Spectrum spectrum = *sampled(pattern, "elastic", 7);
  const auto largest_error = [&] {
    const Reconstruction best =
        *Reconstruction::make(std::make_shared<const Spectrum>(spectrum), Fill::best, *pattern, context_);
    const Reconstruction plane = *Reconstruction::make(exact, Fill::bilinear);
    std::vector<float> found(301), expected(301);
    float error = 0;
    for (std::int64_t u = 0; u < 120; ++u) {
      best.row(u, 0, 1, found);
      plane.row(u, 0, 1, expected);
      for (std::size_t v = 0; v < 301; ++v) error = std::max(error, std::abs(found[v] - expected[v]));
    }
    return error;
  };
  spectrum.feature_rows.clear();
  for (std::int64_t u = 9; u < 59; ++u) spectrum.feature_rows.push_back(u);
  EXPECT_GT(largest_error(), 1) << "control: rows 59 and 61 are not known";
  spectrum.feature_rows.push_back(59);
  EXPECT_LT(largest_error(), 1e-2);
}

TEST_F(Fills, RowsAndPointsAgreeForEveryStep) {
  const PatternPtr pattern = generated("gen:band:n=211,bandwidth=3");
  for (const Fill fill : {Fill::smooth, Fill::best}) {
    const Reconstruction plane =
        *Reconstruction::make(sampled(pattern, "elastic", 5), fill, *pattern, context_);
    for (const std::int64_t u : {0, 7, -30, 105}) {
      std::vector<float> whole(211);
      plane.row(u, -105, 1, whole);
      for (const std::int64_t step : {2, 3, 50, -1}) {
        std::vector<float> some(100);
        plane.row(u, -100, step, some);
        for (std::size_t k = 0; k < some.size(); ++k) {
          const std::int64_t v = signed_index(-100 + static_cast<std::int64_t>(k) * step, 211);
          EXPECT_NEAR(some[k], whole[static_cast<std::size_t>(v + 105)], 1e-3F + 1e-4F * some[k]);
        }
      }
      const std::vector<std::int64_t> places{-105, -50, 0, 1, 2, 104};
      std::vector<float> points(places.size());
      plane.at(u, places, points);
      for (std::size_t k = 0; k < places.size(); ++k) {
        const float expected = whole[static_cast<std::size_t>(places[k] + 105)];
        EXPECT_NEAR(points[k], expected, 1e-3F + 1e-4F * expected);
      }
    }
  }
}

TEST_F(Fills, AreDefinedForReducedAndTinyPlanes) {
  const PatternPtr pattern = generated("gen:random:n=90,nnz=700");
  for (const int block : {1, 4, 64}) {
    for (const char* method : {"density-map", "elastic", "elastic-paper"}) {
      for (const Fill fill : {Fill::smooth, Fill::best}) {
        const double found = distance(pattern, method, block, fill);
        EXPECT_TRUE(std::isfinite(found)) << method << ' ' << block;
        EXPECT_LT(found, block == 1 ? 1e-3 : 0.5) << method << ' ' << block;
      }
    }
  }
}

TEST_F(Fills, AreRefusedForLongerSidesThanTheySupport) {
  const PatternPtr pattern = generated("gen:random:n=1000000000,nnz=100");
  Request request;
  request.pattern = pattern;
  request.window = FrequencyGrid{FrequencyAxis::progression(1000000000, 0, 1, 8),
                                 FrequencyAxis::progression(1000000000, 0, 1, 8)};
  request.outputs = {true, false, false, 64};
  const auto spectrum = run_method(*find_method("exact"), request, context_);
  ASSERT_TRUE(spectrum);
  const auto made = Reconstruction::make(*spectrum, Fill::smooth, *pattern, context_);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::wrong_use);
  EXPECT_NE(made.error().advice.find("bilinear"), std::string::npos);
  EXPECT_EQ(possible_fill(Fill::smooth, **spectrum), Fill::bilinear);
  Spectrum shorter = **spectrum;
  shorter.m = kLongestWholeLine + 1;
  shorter.n = 3;
  EXPECT_EQ(possible_fill(Fill::best, shorter), Fill::smooth);
  EXPECT_EQ(possible_fill(Fill::nearest, shorter), Fill::nearest);
  shorter.exactness = Exactness::estimate;  // no lines are computed
  EXPECT_EQ(possible_fill(Fill::best, shorter), Fill::best);
}

}  // namespace
}  // namespace spyctrum
