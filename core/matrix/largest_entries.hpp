// SPDX-License-Identifier: Apache-2.0
// The part of a matrix that a threshold on |a| keeps.
#pragma once

#include <cstdint>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The `count` ≥ 1 entries of `pattern` of largest |a|, with their weights, as a matrix of the same sides: of
/// all choices of that many the one with the least Σ of the dropped a². Equal magnitudes, as all of a
/// pattern, are chosen by a hash of their places. Null where there are at most `count` entries. O(K)
/// operations and 8·K bytes. Throws Failure{cancelled} if `context` is given and was stopped.
[[nodiscard]] PatternPtr largest_entries(const SparsePattern& pattern, std::uint64_t count,
                                         const JobContext* context = nullptr);

}  // namespace spyctrum
