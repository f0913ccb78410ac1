// SPDX-License-Identifier: Apache-2.0
// What the structures of a spectrum mean for the pattern, in sentences with their evidence. A structure is
// reported only where a test rejects noise (K entries at random positions): over all tests of one matrix the
// chance of any finding in pure noise is at most `false_alarm` (Bonferroni's correction of Chernoff bounds).
// The tests: README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

enum class FindingKind {
  uneven_rows,     ///< a line v = 0: rows hold unequal numbers of entries
  uneven_columns,  ///< a line u = 0
  diagonals,       ///< a line u/m = −v/n: entries gather on diagonals j − i = d
  antidiagonals,   ///< a line u/m = v/n: on antidiagonals i + j = d
  period,          ///< a peak, or a comb of them, on one of these lines
  parallel_lines,  ///< lines beside u = −v or u = v: a pattern that repeats along a diagonal
  centre,          ///< a bright middle that rows and columns do not explain: blocks, clusters
  peak,            ///< an isolated peak elsewhere
  nothing,         ///< none of these: not distinguishable from noise
};
/// "uneven rows", …
[[nodiscard]] const char* name_of(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::nothing;
  std::string sentence;  ///< what it means for the pattern
  std::string evidence;  ///< what was measured, against what noise has
  /// Upper bound of the natural logarithm of the chance that noise passes any test of this kind; 0 for
  /// `nothing`.
  double log_chance = 0;
  double excess = 0;                 ///< entries, or power over the noise floor, for the order of the list
  std::int64_t first = 0, last = 0;  ///< diagonals: the offsets j − i (antidiagonals: i + j) from … to
  double period_rows = 0, period_cols = 0;  ///< of period, parallel_lines, peak; 0: none in that direction
  // Where the structure appears in both domains.
  std::optional<std::pair<std::int64_t, std::int64_t>> wave;  ///< (u, v) of a wave of which the structure
                                                              ///< consists
  std::optional<PlaneRect> spectrum;                          ///< the part of the plane
  std::optional<PlaneRect> pattern;                           ///< the part of the pattern
};

struct Explanation {
  std::vector<Finding> findings;  ///< at least one; strongest first
  double noise_power = 0;         ///< mean |F|² of K entries at random positions, K(1 − K/mn)
  std::uint64_t tests = 0;        ///< hypotheses that were tested
};

struct ExplainOptions {
  double false_alarm = 0.01;
};

/// Explains the spectrum of the positions of the entries; weights are ignored. O(K + (m + n) log(m + n))
/// operations and one exact window of at most 257 × 257 coefficients. Errors: wrong_use for a pattern without
/// entries or with m + n above 2^26; cancelled; out_of_memory.
[[nodiscard]] Result<Explanation> explain(const PatternPtr& pattern, const ExplainOptions& options,
                                          JobContext& context);

}  // namespace spyctrum
