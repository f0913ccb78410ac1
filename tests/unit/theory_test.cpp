// SPDX-License-Identifier: Apache-2.0
// The paper's bounds: in closed form if one is known, against direct sums, and as inequalities on many
// matrices.
#include "core/theory/theory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <string_view>

#include "core/io/reader.hpp"
#include "core/theory/bounds.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/method_runs.hpp"
#include "tests/unit/naive_plane.hpp"

namespace spyctrum {
namespace {

using test::generated;

using test::full_pattern;
using test::make_pattern;
using test::random_pattern;

Theory measured_theory(const PatternPtr& pattern, std::uint64_t block) {
  JobContext context(test::pool());
  auto measured = measure_plane(pattern, context);
  if (!measured) throw Failure(measured.error());
  auto share = measure_uniform_share(pattern, block, context);
  if (!share) throw Failure(share.error());
  measured->uniform_share = *share;
  return theory_of(*pattern, block, *measured, context);
}

const Statement& statement(const Theory& theory, std::string_view id) {
  for (const Statement& one : theory.statements)
    if (one.id == id) return one;
  throw std::runtime_error("no statement " + std::string(id));
}

Aggregation aggregation(const SparsePattern& pattern, std::uint64_t block) {
  JobContext context(test::pool());
  return aggregation_of(pattern, block, context);
}

/// E_b² by its definition, ‖A − Π_b A‖², cell by cell.
double direct_loss(const SparsePattern& pattern, std::uint64_t block) {
  double sum = 0;
  for (std::uint64_t top = 0; top < pattern.rows(); top += block) {
    for (std::uint64_t left = 0; left < pattern.cols(); left += block) {
      const std::uint64_t bottom = std::min(top + block, pattern.rows());
      const std::uint64_t right = std::min(left + block, pattern.cols());
      double count = 0;
      for (auto i = top; i < bottom; ++i)
        for (auto j = left; j < right; ++j) count += pattern.contains(i, j) ? 1 : 0;
      const double mean = count / static_cast<double>((bottom - top) * (right - left));
      for (auto i = top; i < bottom; ++i)
        for (auto j = left; j < right; ++j) sum += std::pow((pattern.contains(i, j) ? 1 : 0) - mean, 2);
    }
  }
  return sum;
}

TEST(Theory, ADiagonalAttainsTheEntropyFloor) {
  // n coefficients of power n²: entropy ln n / ln n² = ½, and the floor is 1 − ln n / ln n² = ½ too.
  const Theory theory = measured_theory(generated("gen:diagonal:n=60"), 4);
  const Statement& floor = statement(theory, "entropy_floor");
  EXPECT_NEAR(floor.bound, 0.5, 1e-12);
  EXPECT_NEAR(*floor.measured, 0.5, 1e-6);
  EXPECT_EQ(floor.holds(), true);
  // 59 lines of equal power are left beside DC.
  EXPECT_NEAR(*theory.effective_coefficients, 59, 1e-2);
  EXPECT_NEAR(*theory.holding_90_percent, 0.9 * 59, 1e-2);
}

TEST(Theory, BlockMeansOfBlocksLoseNothing) {
  EXPECT_NEAR(aggregation(*full_pattern(13, 11), 4).loss, 0, 1e-12);
  EXPECT_NEAR(aggregation(*make_pattern(8, 8, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}), 2).loss, 0, 1e-12);
  EXPECT_NEAR(aggregation(*random_pattern(30, 20, 100, 1), 1).loss, 0, 1e-12);
}

TEST(Theory, DiagonalLosesOneMinusOneOverB) {
  // Every diagonal block holds b of b² cells: ΣC²/a = n/b.
  for (const std::uint64_t block : {2U, 3U, 5U, 10U})
    EXPECT_NEAR(aggregation(*generated("gen:diagonal:n=60"), block).relative,
                1 - 1.0 / static_cast<double>(block), 1e-12);
}

TEST(Theory, AggregationLossIsTheDistanceToBlockMeans) {
  for (const auto& [name, pattern] : test::awkward_patterns())
    for (const std::uint64_t block : {1U, 2U, 3U, 7U, 100U})
      EXPECT_NEAR(aggregation(*pattern, block).loss, direct_loss(*pattern, block), 1e-9)
          << name << " b=" << block;
}

TEST(Theory, SpectrumErrorOfBlockMeansIsTheAggregationLoss) {
  // Parseval's side of eq. 16: ‖F(A) − F(Π_b A)‖² without DC over K(P − K), by direct sums.
  const PatternPtr pattern = random_pattern(12, 9, 30, 5);
  const std::uint64_t block = 4;
  std::vector<double> difference(std::size_t{12} * 9);
  for (std::uint64_t i = 0; i < 12; ++i) {
    for (std::uint64_t j = 0; j < 9; ++j) {
      const std::uint64_t bottom = std::min<std::uint64_t>(12, (i / block + 1) * block);
      const std::uint64_t right = std::min<std::uint64_t>(9, (j / block + 1) * block);
      double count = 0;
      double cells = 0;
      for (auto p = i / block * block; p < bottom; ++p)
        for (auto q = j / block * block; q < right; ++q, ++cells) count += pattern->contains(p, q) ? 1 : 0;
      difference[i * 9 + j] = (pattern->contains(i, j) ? 1 : 0) - count / cells;
    }
  }
  const test::NaivePlane plane = test::naive_plane(12, 9, difference);
  double power = 0;
  for (const auto& value : plane.values) power += std::norm(value);
  const auto nonzeros = static_cast<double>(pattern->nonzeros());
  JobContext context(test::pool());
  const Theory theory = theory_of(*pattern, block, {}, context);
  EXPECT_NEAR(*statement(theory, "optimal_spectrum_error").measured, power / (nonzeros * (108 - nonzeros)),
              1e-9);
}

TEST(Theory, RandomPositionsLoseTheEnergyOfTheFormula) {
  // Exactly K positions drawn without replacement, as eq. 15 supposes; mean of 200 draws.
  constexpr std::uint64_t kSide = 24;
  constexpr std::size_t kEntries = 80;
  std::mt19937_64 random(3);
  double sum = 0;
  double squares = 0;
  for (int draw = 0; draw < 200; ++draw) {
    std::vector<Index> cells(kSide * kSide);
    std::iota(cells.begin(), cells.end(), Index{0});
    std::shuffle(cells.begin(), cells.end(), random);
    std::vector<std::pair<Index, Index>> places;
    for (std::size_t k = 0; k < kEntries; ++k) places.emplace_back(cells[k] / kSide, cells[k] % kSide);
    const double loss = aggregation(*make_pattern(kSide, kSide, places), 5).relative;
    sum += loss;
    squares += loss * loss;
  }
  const double mean = sum / 200;
  const double error = std::sqrt((squares / 200 - mean * mean) / 200);
  // Blocks of 5 on a side of 24 are clipped; the hypergeometric variance holds for a block of any area.
  EXPECT_NEAR(mean, random_aggregation_loss(kSide * kSide, kEntries, 25), 4 * error);
  EXPECT_GT(std::abs(mean - random_aggregation_loss(kSide * kSide, kEntries, 16)), 4 * error);
}

/// Random places with normal weights; with `zero_sum` their sum is made 0.
PatternPtr weighted_matrix(std::uint64_t m, std::uint64_t n, bool zero_sum) {
  std::mt19937_64 random(m + n);
  std::vector<Index> rows;
  std::vector<Index> cols;
  for (int t = 0; t < 300; ++t) {
    rows.push_back(static_cast<Index>(random() % m));
    cols.push_back(static_cast<Index>(random() % n));
  }
  const auto plain = SparsePattern::from_coordinates(m, n, std::move(rows), std::move(cols)).value();
  std::vector<float> weights(static_cast<std::size_t>(plain.nonzeros()));
  for (std::size_t t = 0; t < weights.size(); ++t)
    weights[t] = zero_sum ? (t % 2 == 0 ? 3.0F : -3.0F)
                          : static_cast<float>(std::normal_distribution<double>(1, 2)(random));
  if (zero_sum && weights.size() % 2 == 1) weights.back() = 0;
  return std::make_shared<const SparsePattern>(plain.with_weights(std::move(weights)));
}

TEST(Theory, OfWeightsEvaluatesWhatNeedsPowersAlone) {
  for (const bool zero_sum : {false, true}) {
    const PatternPtr matrix = weighted_matrix(60, 44, zero_sum);
    const Theory theory = measured_theory(matrix, 4);
    for (const char* id : {"entropy_floor", "retained_energy_gap", "uniform_energy", "coverage_radius"})
      EXPECT_TRUE(statement(theory, id).holds().value_or(false)) << id;
    for (const char* id : {"aggregation_loss", "optimal_spectrum_error"}) {
      EXPECT_TRUE(std::isnan(statement(theory, id).bound)) << id;
      EXPECT_NE(statement(theory, id).meaning.find("none for weights"), std::string::npos);
      EXPECT_TRUE(std::isfinite(*statement(theory, id).measured));
    }
    ASSERT_TRUE(theory.deficit);
    EXPECT_GE(*theory.deficit, 0);
    const double cells = 60 * 44;
    EXPECT_NEAR(theory.dc_share,
                matrix->weight_sum() * matrix->weight_sum() / matrix->weight_squares() / cells, 1e-12);
    if (zero_sum) {
      EXPECT_EQ(theory.dc_share, 0);
    }
    // ‖A − Π_b A‖², cell by cell.
    std::map<std::pair<Index, Index>, double> sums;
    for (std::size_t k = 0; k < matrix->column_ids().size(); ++k)
      for (std::size_t t = 0; t < matrix->column(k).size(); ++t)
        sums[{matrix->column(k)[t] / 4, matrix->column_ids()[k] / 4}] +=
            static_cast<double>(matrix->column_weights(k)[t]);
    double kept = 0;
    for (const auto& [block, sum] : sums) kept += sum * sum / 16;
    EXPECT_NEAR(theory.aggregation.loss, matrix->weight_squares() - kept, 1e-9 * matrix->weight_squares());
  }
}

TEST(Theory, CoverageIsHalfTheDiagonalOfTheLargestGap) {
  const FrequencyGrid full{FrequencyAxis::full(12), FrequencyAxis::full(9)};
  EXPECT_NEAR(coverage_radius(full), std::hypot(1.0 / 12, 1.0 / 9) / 2, 1e-12);
  const FrequencyGrid gaps{FrequencyAxis::list(10, {0, 1, 5}), FrequencyAxis::list(8, {0, 4})};
  EXPECT_NEAR(coverage_radius(gaps), std::hypot(0.5, 0.5) / 2, 1e-12);  // from 5 around to 10 ≡ 0: 5/10
}

TEST(Theory, EntropyWithoutDcFollowsFromEntropyWithIt) {
  const test::NaivePlane plane = test::random_plane(9, 14, 2, 0.3);
  double total = 0;
  double dc = plane.power(0, 0);
  for (const auto& value : plane.values) total += std::norm(value);
  double with = 0;
  double without = 0;
  for (std::size_t k = 0; k < plane.values.size(); ++k) {
    const double power = std::norm(plane.values[k]);
    with -= power / total * std::log(power / total);
    if (k != 0) without -= power / (total - dc) * std::log(power / (total - dc));
  }
  const double nonzeros = std::sqrt(dc);
  EXPECT_NEAR(*non_dc_entropy(with / std::log(126.0), 126, nonzeros), without, 1e-9);
}

TEST(Theory, TopShareAgreesWithSorting) {
  const PatternPtr pattern = random_pattern(31, 18, 120, 9);
  JobContext context(test::pool());
  auto measured = measure_plane(pattern, context);
  ASSERT_TRUE(measured);
  std::vector<double> powers;
  for (std::int64_t u = 0; u < 31; ++u)
    for (std::int64_t v = 0; v < 18; ++v)
      if (u != 0 || v != 0) powers.push_back(std::norm(test::direct_coefficient(*pattern, u, v)));
  std::ranges::sort(powers, std::greater<>());
  const double total = std::accumulate(powers.begin(), powers.end(), 0.0);
  EXPECT_NEAR(measured->energy->power(), total, 1e-5 * total);
  EXPECT_LT(measured->energy->top_share(31 * 18 - 2), 1);
  EXPECT_NEAR(measured->energy->top_share(31 * 18 - 1), 1, 1e-12);
  for (const std::size_t count : {1U, 10U, 100U, 557U}) {
    const double share =
        std::accumulate(powers.begin(), powers.begin() + static_cast<std::ptrdiff_t>(count), 0.0) / total;
    EXPECT_NEAR(measured->energy->top_share(static_cast<double>(count)), share, 0.006) << count;
    EXPECT_NEAR(measured->energy->count_holding(share), static_cast<double>(count), 2.5) << count;
  }
}

TEST(Theory, StorageFormulaGivesThePrintedPeak) {
  // §3.4: eq. 18 predicts the 40.068 GB measured for igb_tiny, n = 100,000, K = 447,076 (workspace aside).
  const double bytes = bs_fft_storage({.m = 100000,
                                       .n = 100000,
                                       .nonzeros = 447076,
                                       .occupied_columns = 100000,
                                       .q = 50001,
                                       .length = paper_transform_length(100000),
                                       .index_bytes = 4});
  EXPECT_NEAR(bytes / 1e9, 40.068, 0.012);
}

TEST(Theory, AStatementThatFailsIsReportedAsFailed) {
  Statement wrong{"x", "x", "x", Relation::at_least, 0.5, 0.4, ""};
  EXPECT_EQ(wrong.holds(), false);
  wrong.relation = Relation::at_most;
  EXPECT_EQ(wrong.holds(), true);
  wrong.relation = Relation::expected;
  EXPECT_FALSE(wrong.holds());
}

void expect_inequalities(const PatternPtr& pattern, const std::string& name) {
  for (const std::uint64_t block : {1U, 3U, 8U, 16U}) {
    const Theory theory = measured_theory(pattern, block);
    for (const Statement& one : theory.statements)
      EXPECT_NE(one.holds(), false) << name << " b=" << block << " " << one.id << ": "
                                    << one.measured.value_or(-1) << " against " << one.bound;
    EXPECT_EQ(statement(theory, "entropy_floor").holds(), true) << name;
    // Left side of eq. 10: the oracle set is never worse than the lattice.
    EXPECT_GE(statement(theory, "retained_energy_gap").measured.value_or(0), -0.006) << name;
  }
}

TEST(Theory, InequalitiesHoldOnEveryGenerator) {
  for (const GeneratorInfo& info : generators()) {
    const PatternPtr pattern = generated(info.example);
    ASSERT_TRUE(pattern) << info.example;
    if (pattern->rows() * pattern->cols() > std::uint64_t{1} << 24U) continue;
    expect_inequalities(pattern, info.example);
  }
  for (const auto& [name, pattern] : test::awkward_patterns())
    if (pattern->nonzeros() > 0) expect_inequalities(pattern, name);
}

TEST(Theory, InequalitiesHoldOnTheSharedMatrices) {
  const auto folder = std::filesystem::path(SPYCTRUM_SOURCE_DIR) / ".." / "shared" / "data";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no ../shared/data";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".mtx.gz")) continue;
    JobContext context(test::pool());
    auto matrix = load_matrix(entry.path().string(), {}, context);
    ASSERT_TRUE(matrix) << name;
    if (matrix->pattern->rows() > 5000) continue;  // larger ones take too long for a test
    expect_inequalities(matrix->pattern, name);
  }
}

}  // namespace
}  // namespace spyctrum
