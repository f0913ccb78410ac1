// SPDX-License-Identifier: Apache-2.0
// The axis of a plot: from values to places, and its ticks.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace spyctrum {

class PlotAxis {
 public:
  /// Covers the values that add() is given and a margin.
  explicit PlotAxis(bool logarithmic) : logarithmic_(logarithmic) {}
  void add(double value);
  /// After the last add(): the low end is shown at `from`, the high end at `to`.
  void place(double from, double to);
  [[nodiscard]] double at(double value) const;
  /// Values with their texts: powers of ten, or of 10 times 1, 2 and 5 where these are few.
  [[nodiscard]] std::vector<std::pair<double, std::string>> ticks() const;

 private:
  [[nodiscard]] double scaled(double value) const;
  bool logarithmic_;
  double low_ = 0, high_ = 0;  // scaled
  bool empty_ = true;
  double from_ = 0, to_ = 1;
};

}  // namespace spyctrum
