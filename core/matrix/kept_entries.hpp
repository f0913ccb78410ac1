// SPDX-License-Identifier: Apache-2.0
// The part of a matrix that a threshold on |a| keeps, and how many entries there are of each size.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The `count` ≥ 1 entries of `pattern` of largest |a|, with their weights, as a matrix of the same sides: of
/// all choices of that many the one with the least Σ of the dropped a². Equal magnitudes, as all of a
/// pattern, are chosen by a hash of their places. Null where there are at most `count` entries. O(K)
/// operations and 8·K bytes. Throws Failure{cancelled} if `context` is given and was stopped.
[[nodiscard]] PatternPtr largest_entries(const SparsePattern& pattern, std::uint64_t count,
                                         const JobContext* context = nullptr);

/// Sizes |a|, in the units of the weights: from `least` to `most`, both included.
struct MagnitudeRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  friend bool operator==(const MagnitudeRange&, const MagnitudeRange&) = default;
};

/// The entries of `pattern` with |a| in `range`, with their weights, as a matrix of the same sides; `pattern`
/// itself where they are all. Throws Failure: wrong_use where there is none, or none other than 0;
/// cancelled.
[[nodiscard]] PatternPtr entries_within(const PatternPtr& pattern, const MagnitudeRange& range,
                                        const JobContext& context);

/// How many entries have which |a|.
struct MagnitudeHistogram {
  double low = 0;   ///< log10 of the smallest |a| above 0
  double high = 0;  ///< log10 of the largest |a|
  /// Of the entries other than 0, in bins of equal width of log10 |a|. Empty without weights, and where all
  /// |a| above 0 are equal.
  std::vector<std::uint64_t> counts;
};
[[nodiscard]] MagnitudeHistogram magnitude_histogram(const SparsePattern& pattern, std::size_t bins);

}  // namespace spyctrum
