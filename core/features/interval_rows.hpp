// SPDX-License-Identifier: Apache-2.0
// The rows that the stratified decoder samples: one random row from each of equal intervals of the rows that
// are not chosen lines. (Equal steps could coincide with a period of the matrix.) Halving the intervals keeps
// the rows already drawn, so that a sample can grow until it suffices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/features/chosen_lines.hpp"

namespace spyctrum {

class IntervalRows {
 public:
  /// Divides the rows u = 1 … ⌈m/2⌉−1 that are not chosen lines into `intervals`; takes all of them if there
  /// are no more.
  IntervalRows(const ChosenLines& lines, std::size_t intervals);
  /// Number of rows to sample from, and the sampled ones, ascending.
  [[nodiscard]] std::uint64_t population() const { return others_.size(); }
  [[nodiscard]] std::vector<std::int64_t> rows() const;
  [[nodiscard]] bool all() const { return places_.size() == others_.size(); }
  /// Takes all rows; returns those that were added, ascending.
  std::vector<std::int64_t> complete();
  /// Doubles the number of intervals; returns the new rows. Sets is_new[k] if rows()[k] is new.
  std::vector<std::int64_t> refine(std::vector<bool>& is_new);

 private:
  std::vector<std::int64_t> others_;
  std::vector<std::size_t> places_;  // of the sampled rows among `others_`, ascending
};

}  // namespace spyctrum
