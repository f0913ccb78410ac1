// SPDX-License-Identifier: Apache-2.0
// A coefficient as a sum over the entries on the crests of its wave and in its troughs.
#include "core/pictures/wave_sum.hpp"

#include <gtest/gtest.h>

#include "core/pictures/view.hpp"
#include "tests/support/generated_pattern.hpp"

namespace spyctrum {
namespace {

using test::generated;

class Wave : public testing::Test {
 protected:
  ThreadPool pool_{2};
  JobContext context_{pool_};
};

TEST_F(Wave, EqualsTheCoefficientAsCrestsMinusTroughs) {
  for (const char* text : {"gen:power-law:n=301,nnz=2000", "gen:random:rows=90,cols=41,nnz=300"}) {
    const PatternPtr pattern = generated(text);
    for (const auto& [u, v] : {std::pair{0L, 0L}, {3L, -7L}, {-45L, 20L}, {17L, 0L}}) {
      const WaveSum sum = wave_sum(*pattern, u, v, context_);
      const std::complex<double> exact = coefficient_at(*pattern, u, v);
      EXPECT_NEAR(std::abs(sum.coefficient - exact), 0, 1e-9) << text << ' ' << u << ' ' << v;
      EXPECT_EQ(sum.on_crests + sum.in_troughs, pattern->nonzeros());
      EXPECT_NEAR(sum.crest_sum - sum.trough_sum, std::abs(exact), 1e-9);
      EXPECT_GE(sum.trough_sum, 0);
    }
  }
}

TEST_F(Wave, AtDcEveryEntryIsOnTheCrest) {
  const PatternPtr pattern = generated("gen:band:n=50,bandwidth=2");
  const WaveSum sum = wave_sum(*pattern, 0, 0, context_);
  EXPECT_EQ(sum.on_crests, pattern->nonzeros());
  EXPECT_EQ(sum.trough_sum, 0);
}

TEST_F(Wave, HasAllEntriesOfEquallySpacedRowsOnItsCrests) {
  // All entries lie in every fifth row: at u = m/5 all terms are equal.
  const PatternPtr pattern = generated("gen:random:rows=20,cols=60,nnz=200");
  std::vector<Index> row;
  std::vector<Index> col;
  for (std::size_t k = 0; k < pattern->column_ids().size(); ++k)
    for (auto t = pattern->column_starts()[k]; t < pattern->column_starts()[k + 1]; ++t) {
      row.push_back(5 * pattern->row_indices()[static_cast<std::size_t>(t)] + 2);
      col.push_back(pattern->column_ids()[k]);
    }
  const SparsePattern comb = SparsePattern::from_coordinates(100, 60, row, col).value();
  const WaveSum sum = wave_sum(comb, 20, 0, context_);
  EXPECT_EQ(sum.on_crests, 200);
  EXPECT_NEAR(std::abs(sum.coefficient), 200, 1e-9);
}

}  // namespace
}  // namespace spyctrum
