// SPDX-License-Identifier: Apache-2.0
// Features estimated from a lattice, for planes with a side above kLongestWholeLine, where whole lines are
// too expensive (chosen_lines.hpp).
#pragma once

#include <complex>
#include <span>

#include "core/base/job_context.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

/// As decode_stratified(), with two strata: the lines near the axes (sampled if longer than kLongestLine),
/// and all other coefficients, from the lattice. Throws Failure{wrong_use} if the lattice lies on the axes.
[[nodiscard]] Features decode_long_lines(const SparsePattern& pattern, const FrequencyGrid& grid,
                                         std::span<const std::complex<float>> values, double zero_floor,
                                         JobContext& context);

/// An upper bound of the bytes that decode_long_lines() books.
[[nodiscard]] std::uint64_t decode_long_lines_bytes(const SparsePattern& pattern);

}  // namespace spyctrum
