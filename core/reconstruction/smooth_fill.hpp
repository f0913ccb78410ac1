// SPDX-License-Identifier: Apache-2.0
// The conditional mean of the magnitude M = |F| given sampled magnitudes. For p ∝ M², q ∝ M̂² the Hellinger
// distance H has 1 − H² = ⟨M, M̂⟩/(‖M‖‖M̂‖), a cosine. So least squares on magnitudes minimises H, and the
// conditional mean is the best estimate. If F is locally complex Gaussian, M is Rayleigh distributed, and the
// true mean M̂ = E M has 1 − H² = E M/√(E M²) = √π/2: no estimate from other, independent coefficients has H
// below √(1 − √π/2) = 0.3373. The estimate here is a stack of means with non-negative weights (Wolpert,
// Neural Networks 5, 1992; Breiman, Mach. Learn. 24, 1996),
//   M̂ = Σ_k a_k G_k∗Z + B·Σ_k b_k G_k∗(Z/B),   a, b ≥ 0,
// with Gaussian kernels G_k of several widths over the lattice of nodes, Z the magnitudes of the nodes, and
// the degree model B² = |F[u,0]|²·|F[0,v]|²/K² + 0.8 K: the expected power for a random pattern with the same
// row and column counts. The weights are fitted by nnls.hpp to the nodes, each compared with means that leave
// out the node itself. Both sums are then averaged with themselves at (−u, −v), where |F| is the same.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/features/chosen_lines.hpp"
#include "core/frequency/sample_axis.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// √(1 − √π/2): the least Hellinger distance of an estimate on a locally Gaussian plane.
inline const double kSmoothingBound = std::sqrt(1 - std::sqrt(std::numbers::pi) / 2);

struct SmoothFill {
  std::vector<float> plain;         ///< Σ a_k G_k∗Z at the nodes, rows × cols
  std::vector<float> scaled;        ///< Σ b_k G_k∗(Z/B) at the nodes; empty if all b_k are 0
  std::vector<float> row_power;     ///< |F[u,0]|²/K by DFT index u
  std::vector<float> column_power;  ///< |F[0,v]|²/K by DFT index v
  float floor = 0;                  ///< 0.8 K
  [[nodiscard]] float model(std::uint64_t u, std::uint64_t v) const;  ///< B
};

/// Largest side, since the model stores one number per row and column.
inline constexpr std::uint64_t kLongestModel = std::uint64_t{1} << 22U;

/// `magnitudes` at the sorted nodes of both axes, row-major. `known`: lines whose coefficients are known, or
/// null; the fill then estimates the coefficients beside them from the nodes beside them. Runs over the pool;
/// books about 32 bytes per node while it runs.
[[nodiscard]] SmoothFill smooth_fill(const SampleAxis& rows, const SampleAxis& cols,
                                     const std::vector<float>& magnitudes, const SparsePattern& pattern,
                                     const ChosenLines* known, JobContext& context);

}  // namespace spyctrum
