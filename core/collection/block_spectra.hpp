// SPDX-License-Identifier: Apache-2.0
// Local spectra: the power of the two-dimensional DFT of 32 × 32 cells of a matrix, by rings and sectors. A
// cell contains the number of entries in c × c positions, so that the same transform covers 32 c rows and
// columns.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

inline constexpr std::size_t kBlockSide = 32;
inline constexpr std::size_t kBlockRings = 4;
inline constexpr std::size_t kBlockShares = kBlockRings * kSectors;

/// Square roots of the shares of non-DC power: value r·kSectors + k is ring r of four, 4r/16 ≤ √(u²+v²)/16
/// (the last ring ends at the corner), sector k as of core/features. All zero where there is no such power.
using BlockShares = std::array<float, kBlockShares>;

/// For `blocks` blocks of 32·cell rows and columns, placed around entries drawn with `seed`: shares of the
/// power summed over the blocks, each divided by its number of entries.
[[nodiscard]] BlockShares local_shares(const SparsePattern& pattern, std::uint64_t cell, std::size_t blocks,
                                       std::uint64_t seed, JobContext& context);
/// For the whole matrix in 32 × 32 cells of equal shape. If `rows` and `cols` are not empty, entry (i, j) is
/// first moved to (rows[i], cols[j]).
[[nodiscard]] BlockShares whole_shares(const SparsePattern& pattern, const std::vector<Index>& rows,
                                       const std::vector<Index>& cols, JobContext& context);

}  // namespace spyctrum
