// SPDX-License-Identifier: Apache-2.0
// Names that follow from the lines of the table.
#include "core/features/feature_table.hpp"

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

std::string FeatureDefinition::error_column() const {
  return std::string(stem) + (is_distribution() ? "_hellinger" : "_error");
}

}  // namespace spyctrum
