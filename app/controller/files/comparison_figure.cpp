// SPDX-License-Identifier: Apache-2.0
#include "app/controller/files/comparison_figure.hpp"

#include <cmath>

namespace spyctrum {

double place_in_range(double log_value, const DisplayRange& range, double exponent) {
  const double low = range.low;
  const double high = range.high;
  if (!(high > low)) return 0.5;
  if (exponent == 0) return (log_value - low) / (high - low);
  const auto raised = [&](double log) { return std::pow(10.0, exponent * log); };
  return (raised(log_value) - raised(low)) / (raised(high) - raised(low));
}

}  // namespace spyctrum
