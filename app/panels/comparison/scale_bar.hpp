// SPDX-License-Identifier: Apache-2.0
// The colour bar beside a picture: round numbers of the quantity that the colours stand for, and its unit.
#pragma once

#include <string>
#include <vector>

#include "app/controller/state.hpp"

namespace spyctrum::panels {

struct BarTick {
  double place = 0;  ///< 0: bottom of the bar, 1: top
  std::string label;
};

/// "lg |F|²" on the logarithmic scale, "|F|" on linear and symlog, "dB" of power or of an error, "% filled"
/// (share of positions that hold an entry, in percent) for patterns.
[[nodiscard]] std::string bar_unit(const ScaleSettings& scale, Row row);
/// What `bar_unit` abbreviates, in words.
[[nodiscard]] std::string bar_words(const ScaleSettings& scale, Row row);
/// About `target_count` ticks at round numbers within `range` (log10 of power, of a share, or of a ratio of
/// powers).
[[nodiscard]] std::vector<BarTick> bar_ticks(const ScaleSettings& scale, Row row, const DisplayRange& range,
                                             int target_count);
/// The quantity that the colours of a pattern's picture show: entries per position, magnitudes of weights, or
/// weights with their signs (Picture::against).
enum class PatternBar { counts, magnitudes, signs };
[[nodiscard]] PatternBar pattern_bar(const AppState& state, const Column& column);
/// About `target_count` ticks of entries' values: from 0 to 10^high, or from 10^low on a logarithmic scale;
/// with signs, symmetric about 0, which is in the middle.
[[nodiscard]] std::vector<BarTick> value_ticks(bool is_log, PatternBar bar, const DisplayRange& range,
                                               int target_count);

}  // namespace spyctrum::panels
