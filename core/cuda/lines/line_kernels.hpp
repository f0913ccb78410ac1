// SPDX-License-Identifier: Apache-2.0
// Kernels for whole lines of the plane (mathematics: core/features/line_family.hpp). Pointers are the
// device's; launches return cudaGetLastError(). Integers are added in any order, floating-point numbers in a
// fixed one, so that results do not depend on timing.
#pragma once

#include <cuda_runtime_api.h>

#include "core/cuda/pattern/device_columns.hpp"
#include "core/device/interface/lines.hpp"

namespace spyctrum::cuda {

/// A pattern's entries, and the rows and columns of its slots.
struct LineEntries {
  EntrySlots slots;
  const std::uint32_t* row_ids = nullptr;
  const std::uint32_t* col_ids = nullptr;
  std::uint64_t n = 1;
};

/// For every entry its position along a line (key) and the index that the line's frequency multiplies
/// (value): coefficient t of line c is Σ e^{−2πi(c·value/lines + t·key/length)}.
cudaError_t launch_line_places(const LineEntries& entries, PlaneLine direction, std::uint32_t* keys,
                               std::uint32_t* values, cudaStream_t stream);

/// sums[line][projection] += the signs of the entries; if Sum has 64 bits, times their weights, by
/// add_weight() (entries.cuh). The sums must be zero before.
template <class Sum>
cudaError_t launch_project(const LineEntries& entries, PlaneLine direction, const std::uint16_t* signs,
                           Sum* sums, cudaStream_t stream);
/// Two projections become one complex row: rows[p][c] = sums[c][2p] + i·sums[c][2p+1].
template <class Sum>
cudaError_t launch_pair_projections(const Sum* sums, std::uint64_t lines, float2* rows, cudaStream_t stream);
/// powers[c] = Σ_p |rows[p][c]|² + |rows[p][−c]|².
cudaError_t launch_projected_powers(const float2* rows, std::uint64_t lines, float* powers,
                                    cudaStream_t stream);

/// The entries' keys, values and weights, sorted by key.
struct SortedEntries {
  const std::uint32_t* keys = nullptr;
  const std::uint32_t* values = nullptr;
  std::uint64_t count = 0;
  const float* weights = nullptr;  ///< null: every entry counts as 1
};
[[nodiscard]] constexpr std::uint64_t line_pieces(std::uint64_t entries) {
  return (entries + kLinePiece - 1) / kLinePiece;
}
/// rows[l][key] = Σ w·e^{−2πi·c_l·value/size} over the entries with that key, for the frequencies c_l of
/// `count` ≤ kLinesAtOnce lines; keys without entries are not written. `heads`, `tails`:
/// [line_pieces][kLinesAtOnce], partial sums of keys whose entries are in several pieces.
struct InnerLines {
  const LineRequest* lines = nullptr;
  std::uint32_t count = 0;
  std::uint64_t size = 1;
  std::uint64_t reciprocal = 0;  ///< reciprocal_of(size)
  std::uint64_t stride = 1;
  float2* rows = nullptr;
  float2* heads = nullptr;
  float2* tails = nullptr;
};
cudaError_t launch_inner_lines(const SortedEntries& entries, const InnerLines& inner, cudaStream_t stream);

}  // namespace spyctrum::cuda
