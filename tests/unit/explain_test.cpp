// SPDX-License-Identifier: Apache-2.0
// Explanations: the tail bounds against exact tails, and matrices whose structures are known.
#include "core/explain/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/explain/explain_internal.hpp"
#include "core/matrix/generators.hpp"
#include "tests/support/test_pool.hpp"

namespace spyctrum {
namespace {

Explanation explained(const std::string& text) {
  JobContext context(test::pool());
  const auto matrix = generate(text, context);
  EXPECT_TRUE(matrix) << text;
  auto found = explain(matrix->pattern, {}, context);
  EXPECT_TRUE(found) << text << ": " << found.error().message();
  return *found;
}

const Finding* finding_of(const Explanation& explanation, FindingKind kind) {
  const auto at = std::ranges::find(explanation.findings, kind, &Finding::kind);
  return at == explanation.findings.end() ? nullptr : &*at;
}

TEST(TailBounds, AreAtLeastTheExactTails) {
  for (const double mean : {0.2, 3.0, 40.0}) {
    double tail = 0;
    std::vector<double> tails(200);
    for (int k = 199; k >= 0; --k) {
      tail += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
      tails[static_cast<std::size_t>(k)] = tail;
    }
    for (int k = 0; k < 150; ++k)
      EXPECT_GE(explaining::log_poisson_tail(k, mean), std::log(tails[static_cast<std::size_t>(k)]) - 1e-9)
          << k;
  }
  // A sum of N exponentials exceeds x as often as a Poisson count of mean x is below N.
  for (const int count : {1, 5, 60}) {
    for (double sum = count; sum < 4 * count + 30; sum += 1) {
      double tail = 0;
      for (int k = 0; k < count; ++k) tail += std::exp(k * std::log(sum) - sum - std::lgamma(k + 1.0));
      EXPECT_GE(explaining::log_power_tail(sum, count), std::log(tail) - 1e-9) << count << " " << sum;
    }
  }
  for (const double p : {0.02, 0.3, 0.8}) {
    constexpr int kPlaces = 50;
    double tail = 0;
    for (int k = kPlaces; k >= 0; --k) {
      tail += std::exp(std::lgamma(kPlaces + 1.0) - std::lgamma(k + 1.0) - std::lgamma(kPlaces - k + 1.0) +
                       k * std::log(p) + (kPlaces - k) * std::log1p(-p));
      EXPECT_GE(explaining::log_binomial_tail(k, p * kPlaces, kPlaces), std::log(tail) - 1e-9)
          << p << " " << k;
    }
  }
}

TEST(Explain, RandomMatricesSayNothing) {
  for (const char* text : {"gen:random:n=300,nnz=1000,seed=1", "gen:random:rows=900,cols=400,nnz=9000,seed=2",
                           "gen:random:n=5000,nnz=20000,seed=3", "gen:random:n=200,nnz=12000,seed=4",
                           "gen:random:n=100000,nnz=1000,seed=5"}) {
    const Explanation explanation = explained(text);
    ASSERT_EQ(explanation.findings.size(), 1U) << text << ": " << explanation.findings.front().sentence;
    EXPECT_EQ(explanation.findings.front().kind, FindingKind::nothing) << text;
    EXPECT_GT(explanation.tests, 500U);
  }
}

TEST(Explain, ADiagonalIsNamedByItsOffset) {
  const Explanation explanation = explained("gen:diagonal:n=400,offset=-37");
  const Finding* diagonal = finding_of(explanation, FindingKind::diagonals);
  ASSERT_NE(diagonal, nullptr);
  EXPECT_EQ(diagonal->first, -37);
  EXPECT_EQ(diagonal->last, -37);
  EXPECT_TRUE(diagonal->wave && diagonal->wave->first == -diagonal->wave->second);
  EXPECT_EQ(finding_of(explanation, FindingKind::antidiagonals), nullptr);
  EXPECT_EQ(finding_of(explanation, FindingKind::nothing), nullptr);
}

TEST(Explain, ABandIsNamedByItsEdges) {
  const Finding* band = nullptr;
  const Explanation explanation = explained("gen:band:n=600,lower=4,upper=9");
  band = finding_of(explanation, FindingKind::diagonals);
  ASSERT_NE(band, nullptr);
  EXPECT_EQ(band->first, -4);
  EXPECT_EQ(band->last, 9);
}

TEST(Explain, BlocksRepeatAlongTheDiagonal) {
  const Explanation explanation = explained("gen:block-diagonal:n=600,block=30");
  const bool is_named = std::ranges::any_of(explanation.findings, [](const Finding& finding) {
    return (finding.kind == FindingKind::parallel_lines || finding.kind == FindingKind::period) &&
           std::abs(finding.period_rows - 30) < 1;
  });
  EXPECT_TRUE(is_named);
}

TEST(Explain, FullRowsAreNoDiagonals) {
  const Explanation explanation = explained("gen:arrow:n=500,head=2");
  EXPECT_NE(finding_of(explanation, FindingKind::uneven_rows), nullptr);
  EXPECT_NE(finding_of(explanation, FindingKind::uneven_columns), nullptr);
  const Finding* diagonal = finding_of(explanation, FindingKind::diagonals);
  ASSERT_NE(diagonal, nullptr);
  EXPECT_LE(diagonal->last - diagonal->first, 4) << diagonal->sentence;
}

TEST(Explain, CommunitiesMakeTheMiddleBright) {
  const Explanation explanation =
      explained("gen:stochastic-blocks:n=900,blocks=3,p_in=0.04,p_out=0.005,seed=2");
  EXPECT_NE(finding_of(explanation, FindingKind::centre), nullptr);
}

TEST(Explain, WhatCannotBeExplainedIsRefusedAndTheSmallestAreNot) {
  JobContext context(test::pool());
  const auto empty = generate("gen:drawing:8x8:", context);
  ASSERT_TRUE(empty);
  EXPECT_FALSE(explain(empty->pattern, {}, context));
  for (const char* text : {"gen:diagonal:n=1", "gen:random:rows=1,cols=40,nnz=7", "gen:band:n=3,bandwidth=2",
                           "gen:random:rows=40,cols=1,nnz=39", "gen:orthogonal-circulant:n=40"})
    EXPECT_FALSE(explained(text).findings.empty()) << text;
  std::stop_source stop;
  stop.request_stop();
  JobContext::Options options;
  options.stop = stop.get_token();
  JobContext stopped(test::pool(), options);
  const auto matrix = generate("gen:random:n=300,nnz=1000,seed=1", context);
  const auto cancelled = explain(matrix->pattern, {}, stopped);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace spyctrum
