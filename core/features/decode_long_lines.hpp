// SPDX-License-Identifier: Apache-2.0
// Features from a lattice of a plane whose lines are too long to be computed
// whole (sides above kLongestLine).
#pragma once

#include <complex>
#include <span>

#include "core/base/job_context.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

/// As decode_stratified(), in two strata: the lines near the axes, sampled, and the rest from the lattice.
[[nodiscard]] Features decode_long_lines(const SparsePattern& pattern, const FrequencyGrid& grid,
                                         std::span<const std::complex<float>> values, JobContext& context);

/// Bytes that this books at its peak, or some more.
[[nodiscard]] std::uint64_t decode_long_lines_bytes(const SparsePattern& pattern);

}  // namespace spyctrum
