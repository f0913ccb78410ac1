// SPDX-License-Identifier: Apache-2.0
// Features and display pyramid against a naive evaluation of their definitions over the whole plane, and
// against closed forms.
#include "core/spectrum/features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "core/features/decoders.hpp"
#include "core/features/feature_bins.hpp"
#include "core/features/feature_consumer.hpp"
#include "core/pictures/pyramid_consumer.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "tests/support/feature_bits.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/test_pool.hpp"
#include "tests/unit/naive_plane.hpp"

namespace spyctrum {
namespace {

using test::deliver;
using test::deliver_symmetric_half;
using test::naive_plane;
using test::NaivePlane;
using test::random_plane;
using test::symmetric_plane;

struct Sample {
  std::int64_t u, v;
  double power;
};

/// Features by the definitions of core/features, one coefficient at a time.
Features naive_features(const std::vector<Sample>& samples, std::int64_t m, std::int64_t n) {
  const double pi = std::numbers::pi;
  Features features;
  double total = 0;
  double rest = 0;
  double logs = 0;
  for (const Sample& s : samples) total += s.power;
  const double floor = std::ldexp(total / static_cast<double>(samples.size()), -41);
  for (const Sample& s : samples) {
    if (s.u == 0 && s.v == 0) continue;
    rest += s.power;
    logs += std::log(std::max(s.power, floor));
  }
  for (const Sample& s : samples) {
    // The radius in units of 1/(mn), squared, against the edges k·√½/16: sides of at most 60 fit in 64 bits.
    const std::int64_t square = 512 * (s.u * s.u * n * n + s.v * s.v * m * m);
    std::size_t ring = 15;
    while (square < static_cast<std::int64_t>(ring * ring) * m * m * n * n) --ring;
    features.radial[ring] += s.power / total;
    features.entropy -= s.power / total * std::log(s.power / total);
    if (s.u == 0 && s.v == 0) continue;
    // A coefficient and its conjugate mirror have the direction of the one with u = 0 … ⌊m/2⌋.
    std::int64_t u = s.u;
    std::int64_t v = s.v;
    if (2 * u == -m) {
      u = m / 2;
    } else if (u < 0) {
      u = -u;
      v = signed_index(-v, n);
    }
    const double direction = std::atan2(static_cast<double>(u) / static_cast<double>(m),
                                        static_cast<double>(v) / static_cast<double>(n));
    const double angle = std::fmod(direction + 2 * pi + pi / 16, pi);
    features.sectors[static_cast<std::size_t>(angle / (pi / 8)) % 8] += s.power / rest;
    if (square <= 4 * m * m * n * n) features.low_frequency_ratio += s.power / rest;
  }
  const auto count = static_cast<double>(samples.size());
  features.entropy /= std::log(count);
  features.flatness = std::exp(logs / (count - 1)) / (rest / (count - 1));
  const auto [least, most] = std::minmax_element(features.sectors.begin(), features.sectors.end());
  features.imbalance = (*most - *least) / (*most + *least);
  features.total_power = total;
  features.samples = samples.size();
  return features;
}

std::vector<Sample> all_samples(const NaivePlane& plane) {
  std::vector<Sample> samples;
  for (std::int64_t u = 0; u < plane.m; ++u)
    for (std::int64_t v = 0; v < plane.n; ++v)
      samples.push_back({signed_index(u, plane.m), signed_index(v, plane.n), plane.power(u, v)});
  return samples;
}

void expect_near(const Features& got, const Features& expected, double tolerance) {
  EXPECT_NEAR(got.entropy, expected.entropy, tolerance);
  for (std::size_t k = 0; k < kRadialBins; ++k)
    EXPECT_NEAR(got.radial[k], expected.radial[k], tolerance) << k;
  for (std::size_t k = 0; k < kSectors; ++k) EXPECT_NEAR(got.sectors[k], expected.sectors[k], tolerance) << k;
  EXPECT_NEAR(got.low_frequency_ratio, expected.low_frequency_ratio, tolerance);
  EXPECT_NEAR(got.flatness, expected.flatness, 10 * tolerance);
  EXPECT_NEAR(got.imbalance, expected.imbalance, tolerance);
  EXPECT_NEAR(got.total_power, expected.total_power, tolerance * expected.total_power);
  EXPECT_EQ(got.samples, expected.samples);
}

Features streamed(const NaivePlane& plane, double zero_floor = 0) {
  FeatureConsumer consumer(zero_floor);
  deliver(plane, consumer);
  return consumer.features();
}

std::vector<double> ones(std::int64_t m, std::int64_t n) {
  std::vector<double> plane;
  plane.assign(static_cast<std::size_t>(m * n), 1.0);
  return plane;
}

std::vector<double> identity(std::int64_t n) {
  std::vector<double> input(static_cast<std::size_t>(n * n), 0.0);
  for (std::int64_t i = 0; i < n; ++i) input[static_cast<std::size_t>(i * n + i)] = 1;
  return input;
}

TEST(ClassSegments, AgreeWithClassifyForEveryCoefficient) {
  for (const auto& [m, n] :
       {std::pair{1, 1}, {1, 9}, {2, 2}, {8, 8}, {32, 32}, {96, 96}, {160, 64}, {37, 50}, {64, 129}}) {
    std::vector<ClassSegment> segments;
    for (std::int64_t u = -(m / 2); u < (m + 1) / 2; ++u) {
      class_segments(u, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n), segments);
      std::int64_t v = -(n / 2);
      for (const ClassSegment& segment : segments) {
        ASSERT_EQ(segment.first, v);
        for (; v < segment.last; ++v) {
          if (u == 0 && v == 0) continue;
          ASSERT_EQ(segment.frequency_class,
                    classify(u, v, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n)))
              << m << "x" << n << " u " << u << " v " << v;
        }
      }
      ASSERT_EQ(v, (n + 1) / 2);
    }
  }
}

std::vector<std::complex<float>> values_on(const NaivePlane& plane, const FrequencyGrid& grid) {
  std::vector<std::complex<float>> values;
  for (std::uint64_t p = 0; p < grid.rows.count(); ++p)
    for (std::uint64_t q = 0; q < grid.cols.count(); ++q)
      values.emplace_back(plane.at(grid.rows.at(p), grid.cols.at(q)));
  return values;
}

TEST(Classify, PutsACoefficientOnTheEdgeOfARadialBinIntoTheUpperBin) {
  // On the diagonal of a 1024×1024 plane r = √2·u/1024: bin k begins at u = 32k, for every k.
  for (std::int64_t k = 1; k < 16; ++k) {
    for (const std::int64_t sign : {-1, 1}) {
      EXPECT_EQ(classify(32 * k, sign * 32 * k, 1024, 1024).radial, k);
      EXPECT_EQ(classify(32 * k - 1, sign * (32 * k - 1), 1024, 1024).radial, k - 1);
    }
  }
  EXPECT_TRUE(classify(64, 64, 1024, 1024).low);  // r = √½/8
  EXPECT_FALSE(classify(65, 64, 1024, 1024).low);
  // Sides near 2^32, where (mn)² needs 128 bits: u/m = k/32 exactly.
  const std::uint64_t side = 4294967264;
  const auto step = static_cast<std::int64_t>(side / 32);
  for (std::int64_t k = 1; k < 16; ++k) {
    EXPECT_EQ(classify(k * step, k * step, side, side).radial, k);
    EXPECT_EQ(classify(k * step, k * step - 1, side, side).radial, k - 1);
  }
}

TEST(ClassSegments, AgreeWithClassifyOnSidesOfBillions) {
  const std::uint64_t side = 4294967295U;
  std::vector<ClassSegment> segments;
  for (const std::int64_t u : {0LL, 1LL, 123456789LL, -2000000000LL}) {
    class_segments(u, side, side, segments);
    for (const ClassSegment& segment : segments) {
      EXPECT_EQ(segment.frequency_class, classify(u, segment.first, side, side));
      EXPECT_EQ(segment.frequency_class, classify(u, segment.last - 1, side, side));
    }
    EXPECT_EQ(segments.front().first, -2147483647);
    EXPECT_EQ(segments.back().last, 2147483648);
  }
}

TEST(FeatureConsumer, AgreesWithANaiveFullPlane) {
  for (const auto& [m, n] : {std::pair{1, 7},
                             {7, 1},
                             {2, 2},
                             {2, 3},
                             {3, 2},
                             {4, 4},
                             {5, 5},
                             {6, 8},
                             {7, 9},
                             {8, 6},
                             {13, 17},
                             {16, 16},
                             {32, 32},
                             {31, 24},
                             {24, 31},
                             {48, 20}}) {
    SCOPED_TRACE(testing::Message() << m << "x" << n);
    const NaivePlane plane = random_plane(m, n, 7);
    expect_near(streamed(plane), naive_features(all_samples(plane), m, n), 2e-6);
  }
}

TEST(FeatureConsumer, GivesTheSameFromTheSymmetricHalfAsFromTheWholePlane) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 31, 32, 48}) {
    SCOPED_TRACE(n);
    const NaivePlane plane = symmetric_plane(n, static_cast<unsigned>(n));
    FeatureConsumer consumer(0);
    deliver_symmetric_half(plane, consumer);
    expect_near(consumer.features(), streamed(plane), 1e-9);
  }
}

TEST(FeatureConsumer, ClassifiesConjugatesAlikeAtTheNyquistFrequencies) {
  // Power on (1, −4) and (−1, −4) of an 8×8 plane alone: cos(2π i/8)·(−1)^j plus a constant.
  std::vector<double> input;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      input.push_back(1 + std::cos(2 * std::numbers::pi * i / 8) * (j % 2 == 0 ? 1 : -1));
  EXPECT_NEAR(streamed(naive_plane(8, 8, input)).sectors[classify(1, -4, 8, 8).sector], 1.0, 1e-6);
  // The corner, (−1)^(i+j): one coefficient, at (+½, −½).
  input.clear();
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) input.push_back((i + j) % 2 == 0 ? 2 : 0);
  EXPECT_NEAR(streamed(naive_plane(8, 8, input)).sectors[classify(4, -4, 8, 8).sector], 1.0, 1e-6);
}

TEST(FeatureConsumer, FindsTheSpectrumOfASingleEntryFlat) {
  std::vector<double> input(std::size_t{15} * 22, 0.0);
  input[37] = 1;
  const Features features = streamed(naive_plane(15, 22, input));
  EXPECT_NEAR(features.entropy, 1, 1e-6);
  EXPECT_NEAR(features.flatness, 1, 1e-5);
  EXPECT_NEAR(features.total_power, 15 * 22, 1e-3);
}

TEST(FeatureConsumer, FindsNoPowerBesideDcForAllOnes) {
  const Features features = streamed(naive_plane(12, 20, ones(12, 20)));
  EXPECT_NEAR(features.entropy, 0, 1e-9);
  EXPECT_NEAR(features.radial[0], 1, 1e-9);
  EXPECT_EQ(features.flatness, 0);
  EXPECT_EQ(features.low_frequency_ratio, 0);
  EXPECT_EQ(features.imbalance, 0);
  EXPECT_EQ(std::accumulate(features.sectors.begin(), features.sectors.end(), 0.0), 0);
}

TEST(FeatureConsumer, FindsThePowerOfTheIdentityOnTheAntidiagonal) {
  // F[u, v] = n where u + v ≡ 0 (mod n), 0 elsewhere: n equal powers of n².
  const std::int64_t n = 27;
  const Features features = streamed(naive_plane(n, n, identity(n)));
  EXPECT_NEAR(features.entropy, 0.5, 1e-6);
  EXPECT_NEAR(features.sectors[6], 1, 1e-6);  // θ = 3π/4
  EXPECT_NEAR(features.imbalance, 1, 1e-6);
}

/// `plane` with errors of single precision.
NaivePlane with_noise(NaivePlane plane, double deviation, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, deviation);
  for (std::complex<double>& value : plane.values)
    value += std::complex<double>(noise(random), noise(random));
  return plane;
}

TEST(FeatureConsumer, HasFlatnessZeroWhereMostCoefficientsAreZeroAndReportsTheirShare) {
  // Of the identity's non-DC coefficients n−1 have power n², the others are exactly 0; K = n.
  const std::int64_t n = 32;
  const double floor = rounding_floor(n, n, n, 1);
  const NaivePlane exact = naive_plane(n, n, identity(n));
  for (const NaivePlane& plane : {exact, with_noise(exact, 1e-7 * std::sqrt(n), 3)}) {
    const Features features = streamed(plane, floor);
    EXPECT_EQ(features.flatness, 0);
    EXPECT_NEAR(features.zero_share, (n * n - n) / (n * n - 1.0), 1e-12);
    EXPECT_NEAR(features.entropy, 0.5, 1e-6);
  }
}

TEST(FeatureConsumer, GivesFewZerosTheNoiseFloorInFlatness) {
  // A conjugate pair of zeros among 64² − 1 coefficients of power 1: less than a thousandth.
  const std::int64_t n = 64;
  NaivePlane plane{n, n, std::vector<std::complex<double>>(n * n, 1.0)};
  const double expected = std::exp(2 * std::log(std::ldexp(1.0, -41)) / (n * n - 1.0));
  for (const double noise : {0.0, 1e-8}) {
    plane.values[n + 5] = plane.values[n * n - 5] = noise;
    const Features features = streamed(plane, rounding_floor(n, n, 1, 1));
    EXPECT_NEAR(features.flatness, expected, 1e-3 * expected);
    EXPECT_NEAR(features.zero_share, 2 / (n * n - 1.0), 1e-12);
  }
}

TEST(Features, OfRoundingNoiseAloneAreZeroWithEveryDecoder) {
  // Samples of a pattern of 32,768 entries, all of which are zero coefficients: noise of single precision.
  const std::int64_t n = 64;
  const double nonzeros = 32768;
  const double floor = rounding_floor(1024, 1024, nonzeros, 32);
  const NaivePlane noise = with_noise({n, n, std::vector<std::complex<double>>(n * n)}, 1e-5, 4);
  const FrequencyGrid grid{FrequencyAxis::full(n), FrequencyAxis::full(n)};
  const auto values = values_on(noise, grid);
  JobContext context(test::pool());
  ScatteredPoints points;
  for (std::int64_t k = 0; k < n * n; ++k) {
    points.u.push_back(static_cast<std::int32_t>(k / n + 1));
    points.v.push_back(static_cast<std::int32_t>(k % n + 1));
    points.weight.push_back(1);
  }
  const FrequencyGrid off_dc{FrequencyAxis::progression(1024, 1, 16, n),
                             FrequencyAxis::progression(1024, 2, 16, n)};
  for (const Features& features :
       {decode_paper(off_dc, values, floor), decode_scattered(1024, 1024, points, values, floor, context)}) {
    EXPECT_EQ(features.entropy, 0);
    EXPECT_EQ(features.total_power, 0);
    EXPECT_EQ(features.flatness, 0);
    EXPECT_EQ(std::accumulate(features.sectors.begin(), features.sectors.end(), 0.0), 0);
    EXPECT_EQ(features.zero_share, 1);
  }
  // A reduced plane without power beside DC: a matrix of equal densities.
  NaivePlane dense = with_noise({n, n, std::vector<std::complex<double>>(n * n)}, 1e-6, 5);
  dense.values[0] = 1.0 / 32 * n * n;
  EXPECT_EQ(decode_paper(grid, values_on(dense, grid), std::nullopt).entropy, 0);
}

TEST(FeatureConsumer, NeverReturnsNaN) {
  for (const auto& [m, n] : {std::pair{1, 1}, {1, 2}, {2, 1}, {5, 4}}) {
    for (const double value : {0.0, 1.0}) {
      const Features f =
          streamed(naive_plane(m, n, std::vector<double>(static_cast<std::size_t>(m * n), value)));
      for (const double number : test::figures(f))
        EXPECT_TRUE(std::isfinite(number)) << m << "x" << n << " of " << value;
      EXPECT_NEAR(f.radial[0], value, 1e-12);
    }
  }
}

TEST(DecodePaper, AgreesWithANaiveSumOverTheSamples) {
  const std::int64_t m = 40;
  const std::int64_t n = 27;
  const NaivePlane plane = random_plane(m, n, 11);
  const std::vector<FrequencyAxis> axes_m = {FrequencyAxis::progression(40, 1, 4, 10),
                                             FrequencyAxis::full(40), FrequencyAxis::progression(40, 3, 7, 6),
                                             FrequencyAxis::list(40, {39, -20, 4, 0, 17})};
  const std::vector<FrequencyAxis> axes_n = {FrequencyAxis::progression(27, 2, 4, 7), FrequencyAxis::full(27),
                                             FrequencyAxis::progression(27, 0, 1, 27),
                                             FrequencyAxis::list(27, {26, 3, -7, 0, 12, 13})};
  for (const FrequencyAxis& rows : axes_m) {
    for (const FrequencyAxis& cols : axes_n) {
      std::vector<Sample> samples;
      std::vector<std::complex<float>> values;
      for (std::uint64_t p = 0; p < rows.count(); ++p)
        for (std::uint64_t q = 0; q < cols.count(); ++q) {
          samples.push_back({rows.signed_at(p), cols.signed_at(q), plane.power(rows.at(p), cols.at(q))});
          values.emplace_back(plane.at(rows.at(p), cols.at(q)));
        }
      Features expected = naive_features(samples, m, n);
      const bool has_dc =
          std::any_of(samples.begin(), samples.end(), [](const Sample& s) { return s.u == 0 && s.v == 0; });
      if (!has_dc) {  // the naive mean log leaves one coefficient out for DC
        const auto count = static_cast<double>(samples.size());
        double logs = 0;
        for (const Sample& s : samples) logs += std::log(s.power);
        expected.flatness = std::exp(logs / count) / (expected.total_power / count);
      }
      expected.total_power *= static_cast<double>(m * n) / static_cast<double>(samples.size());
      expect_near(decode_paper({rows, cols}, values, 0.0), expected, 3e-6);
    }
  }
}

TEST(DecodePaper, GivesTheSameFromTheHalfPlaneAsFromTheWholePlane) {
  for (const auto& [m, n] : {std::pair{8, 8}, {9, 7}, {6, 9}, {1, 5}}) {
    const NaivePlane plane = random_plane(m, n, 5);
    std::vector<std::complex<float>> half;
    for (std::int64_t u = 0; u <= m / 2; ++u)
      for (std::int64_t v = 0; v < n; ++v) half.emplace_back(plane.at(u, v));
    const auto rows = FrequencyAxis::progression(static_cast<std::uint64_t>(m), 0, 1,
                                                 static_cast<std::uint64_t>(m) / 2 + 1);
    const auto cols =
        FrequencyAxis::progression(static_cast<std::uint64_t>(n), 0, 1, static_cast<std::uint64_t>(n));
    expect_near(decode_paper({rows, cols}, half, 0.0, true), streamed(plane), 1e-9);
  }
}

struct RandomMatrix {
  SparsePattern pattern;
  NaivePlane plane;
};

RandomMatrix random_matrix(std::int64_t m, std::int64_t n, unsigned seed, double density,
                           bool symmetric = false) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> input(static_cast<std::size_t>(m * n));
  std::vector<Index> rows;
  std::vector<Index> cols;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const bool drawn = uniform(random) < density;
      const bool is_stored = symmetric && j < i ? input[static_cast<std::size_t>(j * n + i)] > 0 : drawn;
      if (!is_stored) continue;
      input[static_cast<std::size_t>(i * n + j)] = 1;
      rows.push_back(static_cast<Index>(i));
      cols.push_back(static_cast<Index>(j));
    }
  }
  return {SparsePattern::from_coordinates(static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n), rows,
                                          cols)
              .value(),
          naive_plane(m, n, input)};
}

class DecodeStratified : public testing::Test {
 protected:
  ThreadPool pool_{2};
  JobContext context_{pool_};
};

TEST_F(DecodeStratified, IsExactOnAllCoefficients) {
  for (const auto& [m, n, symmetric] : {std::tuple{64, 64, true},
                                        {64, 64, false},
                                        {51, 44, false},
                                        {44, 51, false},
                                        {9, 30, false},
                                        {30, 8, false},
                                        {16, 16, true},
                                        {2, 3, false},
                                        {1, 12, false}}) {
    SCOPED_TRACE(testing::Message() << m << "x" << n);
    const RandomMatrix matrix = random_matrix(m, n, 3, 0.3, symmetric);
    const FrequencyGrid grid{FrequencyAxis::full(matrix.pattern.rows()),
                             FrequencyAxis::full(matrix.pattern.cols())};
    const Features got = decode_stratified(matrix.pattern, grid, values_on(matrix.plane, grid), 0, context_);
    expect_near(got, naive_features(all_samples(matrix.plane), m, n), 1e-5);
  }
}

TEST_F(DecodeStratified, ReturnsTheExactTotalPowerForAnyLattice) {
  const RandomMatrix matrix = random_matrix(70, 90, 4, 0.1);
  const FrequencyGrid grid{FrequencyAxis::progression(70, 1, 4, 17),
                           FrequencyAxis::progression(90, 2, 8, 11)};
  const Features got = decode_stratified(matrix.pattern, grid, values_on(matrix.plane, grid), 0, context_);
  const double total = 70.0 * 90.0 * static_cast<double>(matrix.pattern.nonzeros());
  EXPECT_NEAR(got.total_power, total, 1e-6 * total);
  EXPECT_NEAR(std::accumulate(got.radial.begin(), got.radial.end(), 0.0), 1, 1e-6);
  EXPECT_NEAR(std::accumulate(got.sectors.begin(), got.sectors.end(), 0.0), 1, 1e-6);
}

TEST_F(DecodeStratified, HasSmallerErrorsThanThePaperDecoder) {
  const FrequencyGrid grid{FrequencyAxis::progression(120, 1, 4, 30),
                           FrequencyAxis::progression(110, 1, 4, 27)};
  double our_error = 0;
  double their_error = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const RandomMatrix matrix = random_matrix(120, 110, seed, 0.05);
    const Features expected = naive_features(all_samples(matrix.plane), 120, 110);
    const auto values = values_on(matrix.plane, grid);
    const Features ours = decode_stratified(matrix.pattern, grid, values, 0, context_);
    EXPECT_NEAR(ours.entropy, expected.entropy, 0.005 * expected.entropy);
    EXPECT_NEAR(ours.flatness, expected.flatness, 0.2 * expected.flatness);
    EXPECT_NEAR(ours.low_frequency_ratio, expected.low_frequency_ratio, 0.01);
    our_error += std::abs(ours.entropy - expected.entropy);
    their_error += std::abs(decode_paper(grid, values, 0.0).entropy - expected.entropy);
  }
  EXPECT_LT(our_error, their_error / 3);
}

TEST_F(DecodeStratified, IsZeroForAnEmptyPattern) {
  const auto empty = SparsePattern::from_coordinates(20, 30, {}, {}).value();
  const FrequencyGrid grid{FrequencyAxis::progression(20, 1, 4, 5), FrequencyAxis::progression(30, 1, 4, 7)};
  const std::vector<std::complex<float>> zeros(grid.count());
  const Features got = decode_stratified(empty, grid, zeros, 0, context_);
  EXPECT_EQ(got.entropy, 0);
  EXPECT_EQ(got.total_power, 0);
}

TEST_F(DecodeStratified, IsFiniteWhereAllSamplesAreZero) {
  // The identity: all power is on u + v ≡ 0, where this lattice has no node.
  const std::int64_t n = 60;
  std::vector<Index> diagonal(60);
  std::iota(diagonal.begin(), diagonal.end(), 0U);
  const auto pattern = SparsePattern::from_coordinates(60, 60, diagonal, diagonal).value();
  const FrequencyGrid grid{FrequencyAxis::progression(60, 1, 4, 15),
                           FrequencyAxis::progression(60, 1, 4, 15)};
  const std::vector<std::complex<float>> zeros(grid.count());
  const Features got = decode_stratified(pattern, grid, zeros, 0, context_);
  EXPECT_NEAR(got.total_power, static_cast<double>(n * n * n), 1);
  EXPECT_TRUE(std::isfinite(got.entropy));
  EXPECT_TRUE(std::isfinite(got.flatness));
}

TEST_F(DecodeStratified, IsExactForALatticeOnTheAxesWhereAllRowsAreSampled) {
  // Every sample is on a chosen line; of 80 rows all are sampled.
  const RandomMatrix matrix = random_matrix(80, 70, 4, 0.1);
  const FrequencyGrid grid{FrequencyAxis::progression(80, 0, 1, 1), FrequencyAxis::progression(70, 0, 10, 7)};
  const Features got = decode_stratified(matrix.pattern, grid, values_on(matrix.plane, grid), 0, context_);
  expect_near(got, naive_features(all_samples(matrix.plane), 80, 70), 1e-5);
}

TEST_F(DecodeStratified, CountsSamplesOnChosenLinesOnce) {
  // Rows 0 … 8 are chosen lines: the lattice holds nothing that they do not.
  const PatternPtr pattern = test::generated("gen:random:rows=2000,cols=3000,nnz=20000");
  const FrequencyGrid grid{FrequencyAxis::progression(2000, 0, 2, 5),
                           FrequencyAxis::progression(3000, 1, 100, 30)};
  const std::vector<std::complex<float>> values(grid.count());
  const Features got = decode_stratified(*pattern, grid, values, 0, context_);
  EXPECT_EQ(got.samples, static_cast<Features>(decode_rows(*pattern, 0, context_)).samples);
  EXPECT_LT(got.samples, std::uint64_t{2000} * 3000) << "rows are left out, so that the lattice is used";
}

TEST(PyramidConsumer, ReturnsMeanAndMaximumOfEveryCell) {
  for (const auto& [m, n, cells] :
       {std::tuple{9, 12, 4}, {12, 9, 5}, {16, 16, 16}, {7, 7, 64}, {1, 5, 3}, {10, 11, 1}}) {
    const NaivePlane plane = random_plane(m, n, 2);
    PyramidConsumer consumer(static_cast<std::uint32_t>(cells));
    deliver(plane, consumer);
    const DisplayPyramid pyramid = consumer.snapshot(test::pool());
    const std::int64_t rows = std::min(cells, m);
    const std::int64_t cols = std::min(cells, n);
    ASSERT_EQ(pyramid.rows, rows);
    ASSERT_EQ(pyramid.cols, cols);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        double sum = 0;
        double most = 0;
        int count = 0;
        for (std::int64_t p = r * m / rows; p < (r + 1) * m / rows; ++p)
          for (std::int64_t q = c * n / cols; q < (c + 1) * n / cols; ++q, ++count) {
            sum += plane.power(p - m / 2, q - n / 2);
            most = std::max(most, plane.power(p - m / 2, q - n / 2));
          }
        const auto cell = static_cast<std::size_t>(r * cols + c);
        EXPECT_NEAR(static_cast<double>(pyramid.mean_power[cell]), sum / count, 2e-6 * sum / count + 1e-9);
        EXPECT_NEAR(static_cast<double>(pyramid.max_power[cell]), most, 2e-6 * most + 1e-9);
      }
    }
  }
}

TEST(PyramidConsumer, GivesTheSameFromTheSymmetricHalfAsFromTheWholePlane) {
  for (const auto& [n, cells] : {std::pair{1, 1}, {2, 2}, {8, 8}, {9, 4}, {16, 5}, {31, 31}, {48, 7}}) {
    const NaivePlane plane = symmetric_plane(n, 3);
    PyramidConsumer whole(static_cast<std::uint32_t>(cells));
    deliver(plane, whole);
    PyramidConsumer symmetric_half(static_cast<std::uint32_t>(cells));
    deliver_symmetric_half(plane, symmetric_half);
    const DisplayPyramid expected = whole.snapshot(test::pool());
    const DisplayPyramid got = symmetric_half.snapshot(test::pool());
    ASSERT_EQ(got.mean_power.size(), expected.mean_power.size());
    for (std::size_t k = 0; k < got.mean_power.size(); ++k) {
      EXPECT_NEAR(got.mean_power[k], expected.mean_power[k], 2e-6F * expected.mean_power[k])
          << n << ", cell " << k;
      EXPECT_NEAR(got.max_power[k], expected.max_power[k], 2e-6F * expected.max_power[k])
          << n << ", cell " << k;
    }
  }
}

}  // namespace
}  // namespace spyctrum
