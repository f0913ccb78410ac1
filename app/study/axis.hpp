// SPDX-License-Identifier: Apache-2.0
// The axis of a plot: converts values to positions, and chooses ticks.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace spyctrum {

class PlotAxis {
 public:
  /// Covers the values that add() is given and a margin.
  explicit PlotAxis(bool logarithmic) : logarithmic_(logarithmic) {}
  void add(double value);
  enum class Margin { some, none };
  /// To be called after the last add(): the low end is at position `from`, the high end at `to`.
  void place(double from, double to, Margin kind = Margin::some);
  [[nodiscard]] double at(double value) const;
  /// Values and their texts: for several decades powers of ten, possibly times 1, 2 and 5; otherwise about
  /// `most` equidistant round numbers.
  [[nodiscard]] std::vector<std::pair<double, std::string>> ticks(std::size_t most = 8) const;

 private:
  [[nodiscard]] double scaled(double value) const;
  bool logarithmic_;
  double low_ = 0, high_ = 0;  // scaled
  bool empty_ = true;
  double from_ = 0, to_ = 1;
};

}  // namespace spyctrum
