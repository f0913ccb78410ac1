// SPDX-License-Identifier: Apache-2.0
// The strata of the stratified decoder: powers of lines, chosen lines, sampled rows.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numeric>

#include "core/features/chosen_lines.hpp"
#include "core/features/feature_errors.hpp"
#include "core/features/line_family.hpp"
#include "core/features/moments.hpp"
#include "core/fft/lattice.hpp"
#include "core/methods/method.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/signed_weights.hpp"
#include "tests/support/text_request.hpp"

namespace spyctrum {
namespace {

using test::generated;

constexpr LineDirection kDirections[] = {LineDirection::rows, LineDirection::columns, LineDirection::sums,
                                         LineDirection::differences};

class Strata : public testing::Test {
 protected:
  Features features(const PatternPtr& pattern, const char* method, int block = 0, unsigned threads = 2) {
    ThreadPool pool(threads);
    JobContext context(pool);
    Request request;
    request.pattern = pattern;
    if (block > 0) request.parameters["block"] = std::to_string(block);
    const auto spectrum = run_method(*find_method(method), request, context);
    EXPECT_TRUE(spectrum);
    return spectrum ? (*spectrum)->features.value() : Features{};
  }
  /// |F|² of the whole plane, by direct summation.
  std::vector<double> powers(const SparsePattern& pattern) {
    const FrequencyGrid grid{FrequencyAxis::progression(pattern.rows(), 0, 1, pattern.rows()),
                             FrequencyAxis::progression(pattern.cols(), 0, 1, pattern.cols())};
    std::vector<double> result;
    for (const auto value : direct_transform(pattern, grid, context_)) result.push_back(std::norm(value));
    return result;
  }
  /// Row-major index in the plane of position t on line c.
  static std::size_t position(LineDirection direction, std::uint64_t c, std::uint64_t t, std::uint64_t n) {
    switch (direction) {
      case LineDirection::rows:
        return c * n + t;
      case LineDirection::columns:
        return t * n + c;
      case LineDirection::sums:
        return t * n + (c + n - t) % n;
      case LineDirection::differences:
        return t * n + (t + n - c) % n;
    }
    return 0;
  }
  ThreadPool pool_{2};
  JobContext context_{pool_};
};

TEST_F(Strata, LinesAreRowsOfTheReindexedPattern) {
  const PatternPtr pattern = generated("gen:random:n=23,nnz=90");
  const std::vector<double> plane = powers(*pattern);
  for (const LineDirection direction : kDirections) {
    const std::vector<double> lines = powers(pattern_along(*pattern, direction, context_));
    for (std::uint64_t c = 0; c < 23; ++c)
      for (std::uint64_t t = 0; t < 23; ++t)
        EXPECT_NEAR(lines[c * 23 + t], plane[position(direction, c, t, 23)], 1e-6);
  }
}

TEST_F(Strata, LinePowersAreUnbiasedEstimates) {
  const PatternPtr pattern = generated("gen:power-law:n=400,nnz=4000,symmetric=0");
  const std::vector<double> plane = powers(*pattern);
  for (const LineDirection direction : kDirections) {
    const std::vector<float> estimates = line_powers(*pattern, direction, context_);
    double sum = 0;
    double log_ratio = 0;
    for (std::uint64_t c = 0; c < 400; ++c) {
      double exact = 0;
      for (std::uint64_t t = 0; t < 400; ++t) exact += plane[position(direction, c, t, 400)];
      exact /= 400.0 * static_cast<double>(pattern->nonzeros());
      sum += static_cast<double>(estimates[c]);
      log_ratio += std::log(static_cast<double>(estimates[c]) / exact);
    }
    EXPECT_NEAR(sum / 400, 1, 0.2);  // hubs: few columns contribute, so the variance is large
    EXPECT_NEAR(log_ratio / 400, 0, 0.1);
  }
}

TEST_F(Strata, RowPowersAreThoseOfThePlane) {
  const PatternPtr arrow = generated("gen:arrow:n=300,head=3");  // three columns of 300 entries: transformed
  for (const PatternPtr& pattern :
       {arrow, test::with_signed_weights(arrow), generated("gen:random:rows=230,cols=310,nnz=1700")}) {
    const std::vector<double> plane = powers(*pattern);
    const std::vector<float> rows = row_powers(*pattern, context_);
    ASSERT_EQ(rows.size(), pattern->rows());
    const double mean = static_cast<double>(pattern->cols()) * pattern->weight_squares();
    for (std::size_t u = 0; u < rows.size(); ++u) {
      const auto row = plane.begin() + static_cast<std::ptrdiff_t>(u * pattern->cols());
      const double exact =
          std::accumulate(row, row + static_cast<std::ptrdiff_t>(pattern->cols()), 0.0) / mean;
      EXPECT_NEAR(static_cast<double>(rows[u]), exact, 1e-6 * (1 + exact)) << u;
    }
  }
}

TEST_F(Strata, RowPowersOfCrowdedColumnsAreLeftOut) {
  EXPECT_TRUE(row_powers(*generated("gen:random:n=300,nnz=45000"), context_).empty());
}

TEST_F(Strata, DiagonalsOfRectangularPatternsAreRefused) {
  const PatternPtr pattern = generated("gen:random:rows=20,cols=30,nnz=90");
  EXPECT_THROW(static_cast<void>(line_powers(*pattern, LineDirection::sums, context_)), Failure);
}

LineSet set_of(std::uint64_t size, std::initializer_list<std::uint64_t> lines) {
  LineSet set;
  set.chosen.assign(size, 0);
  for (const std::uint64_t c : lines) set.chosen[c] = set.chosen[(size - c) % size] = 1;
  for (std::uint64_t c = 0; c < size; ++c)
    if (set.chosen[c] != 0) set.indices.push_back(c);
  return set;
}

TEST_F(Strata, EachCoefficientOfCrossingLinesCountsOnce) {
  for (const char* text : {"gen:random:n=26,nnz=120", "gen:random:n=27,nnz=120,seed=2", "gen:band:n=26"}) {
    const PatternPtr pattern = generated(text);
    const std::uint64_t n = pattern->cols();
    const ChosenLines lines{
        n, n, set_of(n, {0, 3, n / 2}), set_of(n, {0, 2, 5}), set_of(n, {0, 4}), set_of(n, {1, n / 2})};
    const std::vector<double> plane = powers(*pattern);
    double power = 0;
    double count = 0;
    for (std::uint64_t u = 0; u < n; ++u)
      for (std::uint64_t v = 0; v < n; ++v) {
        const bool covered = lines.rows.holds(u) || lines.columns.holds(v) || lines.sums.holds((u + v) % n) ||
                             lines.differences.holds((u + n - v) % n);
        if (!covered || (u == 0 && v == 0)) continue;
        power += plane[u * n + v];
        count += 1;
      }
    const FeatureTotals totals = totals_of(lines, *pattern, context_);
    EXPECT_EQ(totals.count, count) << text;
    EXPECT_NEAR(totals.non_dc_power(), power, 1e-5 * power) << text;
    EXPECT_NEAR(std::accumulate(totals.sectors.begin(), totals.sectors.end(), 0.0), power, 1e-5 * power);
  }
}

/// All sums, in one list.
std::vector<double> sums_in(const FeatureTotals& totals) {
  std::vector<double> all{totals.low, totals.log_power, totals.count, totals.zeros, totals.dc_power};
  const auto append = [&](const auto& some) { all.insert(all.end(), std::begin(some), std::end(some)); };
  append(totals.radial);
  append(totals.sectors);
  append(totals.f.of);
  append(totals.tiny_count);
  append(totals.tiny_log);
  return all;
}

TEST_F(Strata, SumsOverDiagonalsHaveTheBitsOfCoefficientsClassifiedOneByOne) {
  for (const char* text :
       {"gen:random:n=2,nnz=3", "gen:random:n=3,nnz=5", "gen:random:n=26,nnz=120", "gen:random:n=97,nnz=600",
        "gen:power-law:n=1000,nnz=5000", "gen:band:n=601", "gen:circulant:n=512,degree=3,offset=2"}) {
    const PatternPtr pattern = generated(text);
    const std::uint64_t n = pattern->cols();
    // Rows and columns cross the diagonals, and some sums the differences.
    ChosenLines lines{n, n, set_of(n, {}), set_of(n, {n / 3}), set_of(n, {0}), set_of(n, {0})};
    for (std::uint64_t c = 1; c <= n / 2; ++c)
      for (LineSet* set : {&lines.sums, &lines.differences})
        if (set == &lines.differences || c % 3 == 1) set->chosen[c] = set->chosen[n - c] = 1;
    for (LineSet* set : {&lines.sums, &lines.differences}) {
      set->indices.clear();
      for (std::uint64_t c = 0; c < n; ++c)
        if (set->chosen[c] != 0) set->indices.push_back(c);
    }
    lines.rows.chosen[n / 7] = 1;
    lines.columns.indices.clear();  // columns are left out but not summed
    FeatureTotals expected;
    const auto side = static_cast<std::int64_t>(n);
    for (const LineDirection direction : {LineDirection::sums, LineDirection::differences}) {
      const bool is_sum = direction == LineDirection::sums;
      const std::vector<std::int64_t> half = computed_lines(lines, direction);
      std::vector<FeatureTotals> of_lines(half.size());
      for_each_row_of(pattern_along(*pattern, direction, context_), half, context_,
                      [&](std::size_t k, std::span<std::complex<float>> values, unsigned) {
                        const auto c = static_cast<std::uint64_t>(half[k]);
                        for (std::uint64_t u = 0; u < n; ++u) {
                          const std::uint64_t v = is_sum ? (c + n - u) % n : (u + n - c) % n;
                          if (lines.rows.holds(u) || lines.columns.holds(v)) continue;
                          if (!is_sum && lines.sums.holds((u + v) % n)) continue;
                          of_lines[k].add_segment(
                              values.subspan(u, 1),
                              classify(signed_index(static_cast<std::int64_t>(u), side),
                                       signed_index(static_cast<std::int64_t>(v), side), n, n),
                              line_weight(lines, direction, half[k]));
                        }
                      });
      FeatureTotals sum;
      for (const FeatureTotals& one : of_lines) sum.add(one);
      expected.add(sum);
    }
    EXPECT_EQ(sums_in(totals_of(lines, *pattern, context_)), sums_in(expected)) << text;
  }
}

TEST_F(Strata, FeaturesAreExactWhereAllRowsAreSampled) {
  // Rectangular patterns have no diagonals among the chosen lines: only the sampled rows find the ridge,
  // whose coefficients are all above the threshold.
  for (const char* text : {"gen:band:rows=101,cols=141,bandwidth=4", "gen:band:rows=100,cols=150,bandwidth=3",
                           "gen:arrow:n=90", "gen:random:n=64,nnz=300"}) {
    const PatternPtr pattern = generated(text);
    const FeatureErrors errors = feature_errors(features(pattern, "elastic", 16), features(pattern, "exact"));
    EXPECT_LT(errors["entropy"], 1e-5) << text;
    EXPECT_LT(errors["radial"], 2e-3) << text;
    EXPECT_LT(errors["sectors"], 2e-3) << text;
    EXPECT_LT(errors["flatness"], 1e-3) << text;
  }
}

TEST_F(Strata, RidgesBetweenTheNodesEnterTheFeatures) {
  // Without chosen lines and sampled rows the entropy of each of these would be wrong by several per cent.
  for (const char* text : {"gen:laplacian-2d:nx=37,ny=41", "gen:circulant:n=1501,degree=7,stride=13",
                           "gen:band:n=1400,bandwidth=3", "gen:block-diagonal:n=1440,block=24",
                           "gen:laplacian-3d:nx=11,ny=12,nz=13", "gen:arrow:n=1400"}) {
    const PatternPtr pattern = generated(text);
    const Features exact = features(pattern, "exact");
    for (const int block : {4, 16, 64}) {
      const FeatureErrors errors = feature_errors(features(pattern, "elastic", block), exact);
      EXPECT_LT(errors["entropy"], 1e-3) << text << ", b = " << block;
      EXPECT_LT(errors["radial"], 0.03) << text << ", b = " << block;
      EXPECT_LT(errors["sectors"], 0.03) << text << ", b = " << block;
    }
  }
}

TEST_F(Strata, FeaturesDoNotDependOnTheNumberOfThreads) {
  const PatternPtr pattern = generated("gen:rmat:n=1024,nnz=9000");
  const Features one = features(pattern, "elastic", 8, 1);
  const Features three = features(pattern, "elastic", 8, 3);
  EXPECT_NEAR(one.entropy, three.entropy, 1e-12);
  EXPECT_NEAR(one.radial[3], three.radial[3], 1e-12);
}

TEST(LineSample, RegressionOnKnownPowerRemovesErrorsProportionalToPower) {
  // If every sum of a line is proportional to its power, and the power is known, the estimate is exact.
  LineSample sample;
  Moments truth;
  for (int k = 1; k <= 40; ++k) {
    Moments line;
    for (std::size_t r = 0; r < kRadialBins; ++r) line.sums[r] = k * static_cast<double>(r + 1);
    line.sums[Moments::kPowerLog] = 3.0 * k;
    line.sums[Moments::kCount] = 100;
    truth += line;
    if (k % 4 == 1) sample.add(line);
  }
  Moments estimate = 4.0 * sample.sums();
  const Moments slopes = sample.slopes(estimate);
  estimate += (truth.power() - estimate.power()) * slopes;
  EXPECT_NEAR(estimate.power(), truth.power(), 1e-9 * truth.power());
  EXPECT_NEAR(estimate.sums[Moments::kPowerLog], truth.sums[Moments::kPowerLog],
              1e-3 * truth.sums[Moments::kPowerLog]);
  EXPECT_EQ(estimate.count(), truth.count());
  EXPECT_LT(sample.residual_variances(slopes).sums[Moments::kPowerLog],
            1e-3 * sample.residual_variances({}).sums[Moments::kPowerLog]);
}

}  // namespace
}  // namespace spyctrum
