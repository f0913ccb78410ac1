// SPDX-License-Identifier: Apache-2.0
// Capabilities that methods state, which the rest of the program uses in place of comparisons of ids.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/features/feature_table.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {
namespace {

TEST(MethodCapabilities, EachRoleIsStatedByOneMethodThatCanFillIt) {
  for (const MethodRole role :
       {MethodRole::plane, MethodRole::window, MethodRole::samples, MethodRole::estimate}) {
    EXPECT_EQ(std::ranges::count_if(methods(), [&](const auto& one) { return one->info().role == role; }), 1);
    EXPECT_EQ(usual_method(role).info().role, role);
  }
  EXPECT_TRUE(usual_method(MethodRole::plane).info().full_plane);
  EXPECT_EQ(usual_method(MethodRole::window).info().exactness, Exactness::exact);
  EXPECT_EQ(usual_method(MethodRole::samples).info().exactness, Exactness::exact_samples);
  EXPECT_EQ(usual_method(MethodRole::estimate).info().exactness, Exactness::estimate);
  EXPECT_TRUE(usual_method(MethodRole::samples).info().uses_block);
}

TEST(MethodCapabilities, OnlyEstimatesTransformAnotherPatternThanTheMatrix) {
  for (const auto& method : methods()) {
    const auto defaults = resolve(*method, {});
    ASSERT_TRUE(defaults);
    if (method->input(*defaults) == MethodInput::all_entries) continue;
    EXPECT_EQ(method->info().exactness, Exactness::estimate) << method->info().id;
  }
}

TEST(MethodCapabilities, EveryPrintedResultIsOfAReportedQuantity) {
  std::set<std::string> known{"hellinger", "recall", "seconds", "bytes"};
  for (const FeatureDefinition& feature : kFeatureTable)
    if (feature.in_mean_error) known.insert(feature.id);
  for (const auto& method : methods())
    for (const PrintedResult& result : method->info().printed)
      EXPECT_TRUE(known.contains(result.quantity)) << method->info().id << ", " << result.quantity;
}

TEST(MethodCapabilities, CostsOfThePaperAreCompleteAndPositive) {
  CostSizes sizes;
  sizes.m = sizes.n = sizes.length = 64;
  sizes.nonzeros = sizes.occupied_columns = sizes.m0 = sizes.n0 = sizes.h = sizes.q = sizes.q0 = 16;
  sizes.index_bytes = sizes.tile = 2;
  for (const auto& method : methods()) {
    const auto& cost = method->info().paper_cost;
    if (!cost) continue;
    EXPECT_GT(cost->work(sizes), 0) << method->info().id;
    EXPECT_GT(cost->bytes(sizes), 0) << method->info().id;
    EXPECT_FALSE(cost->source.empty()) << method->info().id;
  }
}

}  // namespace
}  // namespace spyctrum
