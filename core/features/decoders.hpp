// SPDX-License-Identifier: Apache-2.0
// Features of the whole plane estimated from samples of it.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "core/base/job_context.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

struct FeatureTotals;

/// The paper's decoder (§3.6): uniform area weights, entropy −Σ p ln p / ln Q over the samples as
/// given; frequencies normalised by grid.rows.size() and grid.cols.size() (so a reduced plane uses its
/// own sides). `hermitian_half`: grid.rows lists u = 0 … ⌊m/2⌋ of a real input's plane and each row
/// also counts for −u.
[[nodiscard]] Features decode_paper(const FrequencyGrid& grid, std::span<const std::complex<float>> values,
                                    bool hermitian_half = false);

/// The same from totals of `samples` coefficients (mirrors included), summed elsewhere.
[[nodiscard]] Features decode_paper(const FrequencyGrid& grid, const FeatureTotals& totals,
                                    std::uint64_t samples);

/// Ours: lines near the axes and those that hold more than their share of power exactly, what is left of
/// narrow ridges from a sample of whole rows, the rest from the lattice and those rows, together as much as
/// Σ|F|² = mnK says (decode_stratified.cpp). Rows and lines count among the samples of the result.
[[nodiscard]] Features decode_stratified(const SparsePattern& pattern, const FrequencyGrid& grid,
                                         std::span<const std::complex<float>> values, JobContext& context);
/// Bytes that it books beside the values.
[[nodiscard]] std::uint64_t stratified_bytes(const SparsePattern& pattern, unsigned threads);

}  // namespace spyctrum
