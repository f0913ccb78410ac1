// SPDX-License-Identifier: Apache-2.0
// The table of features: complete, without repetitions, and read from the fields that it names.
#include "core/features/feature_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/features/feature_errors.hpp"

namespace spyctrum {
namespace {

TEST(FeatureTable, NamesAreUniqueAndNothingIsLeftBlank) {
  std::set<std::string> ids, stems, labels, columns;
  for (const FeatureDefinition& feature : kFeatureTable) {
    EXPECT_TRUE(ids.insert(feature.id).second) << feature.id;
    EXPECT_TRUE(stems.insert(feature.stem).second) << feature.id;
    EXPECT_TRUE(labels.insert(feature.label).second) << feature.id;
    EXPECT_TRUE(columns.insert(feature.error_column()).second) << feature.id;
    EXPECT_STRNE(feature.id, "");
    EXPECT_STRNE(feature.definition, "") << feature.id;
  }
}

TEST(FeatureTable, CoversEveryFieldOfFeaturesOnce) {
  Features features;
  auto* const begin = reinterpret_cast<double*>(&features);
  std::set<const double*> covered;
  for (const FeatureDefinition& feature : kFeatureTable) {
    for (double& value : feature.of(features)) {
      EXPECT_GE(&value, begin);
      EXPECT_TRUE(covered.insert(&value).second) << feature.id;
    }
  }
  // What Features holds beside its features: total_power, samples and zero_share.
  static_assert(sizeof(features.samples) == sizeof(double));
  EXPECT_FALSE(covered.contains(&features.total_power));
  EXPECT_FALSE(covered.contains(&features.zero_share));
  EXPECT_EQ(covered.size() + 3, sizeof(Features) / sizeof(double));
}

TEST(FeatureTable, ANumberIsOneValueAndADistributionSeveral) {
  const Features features;
  for (const FeatureDefinition& feature : kFeatureTable)
    EXPECT_EQ(feature.is_distribution(), feature.of(features).size() > 1) << feature.id;
}

TEST(FeatureTable, KeysFindTheLineOfTheirId) {
  EXPECT_EQ(FeatureKey("entropy").place, 0U);
  EXPECT_STREQ(kFeatureTable[FeatureKey("low_frequency_ratio").place].id, "low_frequency_ratio");
  EXPECT_STREQ(kFeatureTable[FeatureKey("imbalance").place].id, "imbalance");
}

TEST(FeatureTable, AChangeOfOneFeatureIsAnErrorOfThatFeatureAlone) {
  Features reference;
  for (const FeatureDefinition& feature : kFeatureTable)
    std::ranges::fill(feature.of(reference), 1.0 / static_cast<double>(feature.of(reference).size()));
  for (std::size_t changed = 0; changed < kFeatureCount; ++changed) {
    Features estimate = reference;
    kFeatureTable[changed].of(estimate)[0] *= 1.5;
    const FeatureErrors errors = feature_errors(estimate, reference);
    for (std::size_t k = 0; k < kFeatureCount; ++k)
      EXPECT_EQ(errors[FeatureKey(k)] > 1e-6, k == changed) << kFeatureTable[k].id;
  }
}

TEST(FeatureTable, TheMeanErrorIsThatOfTheFeaturesMarkedForIt) {
  FeatureErrors errors;
  for (std::size_t k = 0; k < kFeatureCount; ++k)
    errors[FeatureKey(k)] = kFeatureTable[k].in_mean_error ? 0.25 : 7;
  EXPECT_DOUBLE_EQ(mean_error(errors), 0.25);
  errors["radial"] = NAN;  // a spectrum without power has no distribution of it
  EXPECT_DOUBLE_EQ(mean_error(errors), 0.25);
}

}  // namespace
}  // namespace spyctrum
