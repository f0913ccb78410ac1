// SPDX-License-Identifier: Apache-2.0
// Names that follow from the lines of the table.
#include "core/features/feature_table.hpp"

#include <cmath>
#include <cstdio>

namespace spyctrum {

const char* to_string(ErrorMeasure measure) {
  switch (measure) {
    case ErrorMeasure::relative:
      return "relative";
    case ErrorMeasure::absolute:
      return "absolute";
    case ErrorMeasure::hellinger:
      break;
  }
  return "hellinger";
}

std::string zero_note(const Features& features) {
  if (features.zero_share <= kMostZeros) return {};
  std::array<char, 32> percent{};
  // Rounded down: "100 %" means all.
  std::snprintf(percent.data(), percent.size(), "%.4g", std::floor(1e6 * features.zero_share) / 1e4);
  return std::string(percent.data()) +
         " % of the coefficients are zero to rounding: flatness, by their geometric mean, is 0";
}

std::string FeatureDefinition::error_column() const {
  return std::string(stem) + (is_distribution() ? "_hellinger" : "_error");
}

}  // namespace spyctrum
