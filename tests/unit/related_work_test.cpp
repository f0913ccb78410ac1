// SPDX-License-Identifier: Apache-2.0
// Conditions of the related systems, which are discussed but not run: met by a sparse spectrum, not met by a
// dense one, not evaluated for a spectrum that was not measured.
#include "core/theory/related_work.hpp"

#include <gtest/gtest.h>

#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

PatternPtr identity(Index n) {
  std::vector<std::pair<Index, Index>> places;
  for (Index k = 0; k < n; ++k) places.emplace_back(k, k);
  return make_pattern(n, n, places);
}

SpectralSparsity sparsity_of(const PatternPtr& pattern) {
  JobContext context(pool());
  auto measured = measure_plane(pattern, context);
  if (!measured) throw std::runtime_error(measured.error().message());
  return spectral_sparsity(*pattern, *measured).value();
}

const RelatedSystem& named(const std::vector<RelatedSystem>& systems, const std::string& id) {
  for (const RelatedSystem& system : systems)
    if (system.id == id) return system;
  throw std::runtime_error("no system " + id);
}

TEST(SpectralSparsity, CountsTheEqualCoefficientsOfClosedForms) {
  // Identity: n coefficients of magnitude n on u + v = 0, DC among them.
  const auto line = sparsity_of(identity(100));
  EXPECT_NEAR(line.effective, 99, 0.1);
  EXPECT_NEAR(line.holding_90, 0.9 * 99, 1.5);
  // Full: DC alone.
  EXPECT_EQ(sparsity_of(full_pattern(20, 30)).effective, 0);
  // One entry: all coefficients are equal.
  const auto flat = sparsity_of(make_pattern(40, 50, {{3, 7}}));
  EXPECT_NEAR(flat.effective, 1999, 1);
  EXPECT_NEAR(flat.holding_90, 0.9 * 1999, 2);
}

TEST(RelatedSystems, SparseTransformsApplyToASparseSpectrumAndNotToADenseOne) {
  constexpr std::uint64_t kMemory = std::uint64_t{1} << 30U;
  const PatternPtr sparse = identity(400);
  const PatternPtr dense = random_pattern(400, 400, 3000, 1);
  const auto of_sparse = related_systems(*sparse, sparsity_of(sparse), kMemory);
  const auto of_dense = related_systems(*dense, sparsity_of(dense), kMemory);
  for (const char* id : {"sfft", "sfft-dt"}) {
    EXPECT_TRUE(named(of_sparse, id).met.value()) << id << ": " << named(of_sparse, id).verdict;
    EXPECT_FALSE(named(of_dense, id).met.value()) << id << ": " << named(of_dense, id).verdict;
    EXPECT_FALSE(named(related_systems(*dense, std::nullopt, kMemory), id).met.has_value());
  }
}

TEST(RelatedSystems, DenseGridsApplyIfTheirBytesFitTheMemory) {
  const PatternPtr pattern = random_pattern(1000, 1000, 3000, 1);
  const auto tight = related_systems(*pattern, std::nullopt, 8'000'000);
  const auto wide = related_systems(*pattern, std::nullopt, 16'000'000);
  EXPECT_TRUE(named(tight, "spfft").met.value());
  for (const char* id : {"heffte", "cufftmp"}) {
    EXPECT_FALSE(named(tight, id).met.value());
    EXPECT_TRUE(named(wide, id).met.value());
    EXPECT_EQ(named(tight, id).value, 16e6);
  }
  for (const RelatedSystem& system : wide)
    for (const std::string& text :
         {system.label, system.citation, system.assumes, system.condition, system.verdict})
      EXPECT_FALSE(text.empty()) << system.id;
}

TEST(SpectralSparsity, IsThatOfTheTheoryOfTheSameMatrix) {
  const PatternPtr pattern = random_pattern(60, 50, 400, 2);
  JobContext context(pool());
  const auto measured = measure_plane(pattern, context);
  ASSERT_TRUE(measured);
  EXPECT_DOUBLE_EQ(spectral_sparsity(*pattern, *measured).value().effective,
                   theory_of(*pattern, 4, *measured, context).effective_coefficients.value());
}

}  // namespace
}  // namespace spyctrum::test
