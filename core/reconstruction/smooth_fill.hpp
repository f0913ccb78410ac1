// SPDX-License-Identifier: Apache-2.0
// The conditional mean of |F| from sampled magnitudes (design/algorithms.md §8).
// With p ∝ |F|² the Hellinger distance is 1 − H² = ⟨M, M̂⟩/(‖M‖‖M̂‖): least squares
// on magnitudes is the best there is. Where the plane is noise over a smooth
// variance (F locally complex Gaussian) no estimate from other coefficients comes
// below √(1 − √π/2) = 0.3373.
//   M̂ = Σ_k a_k G_k∗Z + B·Σ_k b_k G_k∗(Z/B),   a, b ≥ 0
// over Gaussian means G_k of several widths, Z the magnitudes of the nodes, and
// the degree model B² = |F[u,0]|²·|F[0,v]|²/K² + 0.8 K. The weights are fitted at
// nodes left out of their own means.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/frequency/sample_axis.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// √(1 − √π/2): what smoothing cannot pass on a featureless plane.
inline constexpr double kSmoothingBound = 0.33735;

struct SmoothFill {
  std::vector<float> plain;         ///< Σ a_k G_k∗Z at the nodes, rows × cols
  std::vector<float> scaled;        ///< Σ b_k G_k∗(Z/B), the same; empty where no weight fell on it
  std::vector<float> row_power;     ///< |F[u,0]|²/K by DFT index u
  std::vector<float> column_power;  ///< |F[0,v]|²/K by DFT index v
  float floor = 0;                  ///< 0.8 K
  [[nodiscard]] float model(std::uint64_t u, std::uint64_t v) const;  ///< B
};

/// Sides up to this: the model holds one number for each row and column.
inline constexpr std::uint64_t kLongestModel = std::uint64_t{1} << 22U;

/// `magnitudes` at the sorted nodes of both axes, row-major. Over the pool; holds about 24 bytes a node
/// while it runs, booked.
[[nodiscard]] SmoothFill smooth_fill(const SampleAxis& rows, const SampleAxis& cols,
                                     const std::vector<float>& magnitudes, const SparsePattern& pattern,
                                     JobContext& context);

}  // namespace spyctrum
