// SPDX-License-Identifier: Apache-2.0
// Features as bit patterns, to compare results that must be identical bit by bit.
#pragma once

#include <cstring>
#include <vector>

#include "core/features/feature_table.hpp"

namespace spyctrum::test {

inline std::vector<double> figures(const Features& features) {
  std::vector<double> all{features.total_power, static_cast<double>(features.samples)};
  for (const FeatureDefinition& feature : kFeatureTable) {
    const std::span<const double> values = feature.of(features);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace spyctrum::test
