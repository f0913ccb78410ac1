// SPDX-License-Identifier: Apache-2.0
// The entries of a matrix within a range of |a|, and the histogram of |a|.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// Returns the `count` ≥ 1 entries of `pattern` of largest |a|, with their weights, as a matrix with the same
/// sides: this choice minimises Σa² of the dropped entries. Among equal magnitudes (all entries of a pattern)
/// a hash of the positions decides. Null if there are at most `count` entries. Takes O(K) operations and 8·K
/// bytes. Throws Failure{cancelled} if `context` is given and was stopped.
[[nodiscard]] PatternPtr largest_entries(const SparsePattern& pattern, std::uint64_t count,
                                         const JobContext* context = nullptr);

/// A range of magnitudes |a| in the units of the weights, both ends included.
struct MagnitudeRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  friend bool operator==(const MagnitudeRange&, const MagnitudeRange&) = default;
};

/// Returns the entries of `pattern` with |a| in `range`, with their weights, as a matrix with the same sides;
/// `pattern` itself if these are all. Throws Failure: wrong_use if no entry, or none but zeros, lies in the
/// range; cancelled.
[[nodiscard]] PatternPtr entries_within(const PatternPtr& pattern, const MagnitudeRange& range,
                                        const JobContext& context);

/// The distribution of |a| over the entries.
struct MagnitudeHistogram {
  double low = 0;   ///< log10 of the smallest |a| above 0
  double high = 0;  ///< log10 of the largest |a|
  /// Numbers of entries other than 0, in bins of equal width of log10 |a|. Empty without weights, and if all
  /// nonzero |a| are equal.
  std::vector<std::uint64_t> counts;
};
[[nodiscard]] MagnitudeHistogram magnitude_histogram(const SparsePattern& pattern, std::size_t bins);

}  // namespace spyctrum
