// SPDX-License-Identifier: Apache-2.0
// Features as bit patterns, to compare results that must be identical bit by bit.
#pragma once

#include <cstring>
#include <vector>

#include "core/spectrum/features.hpp"

namespace spyctrum::test {

inline std::vector<double> figures(const Features& features) {
  std::vector<double> all{features.entropy,     features.low_frequency_ratio,
                          features.flatness,    features.imbalance,
                          features.total_power, static_cast<double>(features.samples)};
  all.insert(all.end(), features.radial.begin(), features.radial.end());
  all.insert(all.end(), features.sectors.begin(), features.sectors.end());
  return all;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace spyctrum::test
