// SPDX-License-Identifier: Apache-2.0
// The Fiedler vector of a connected graph with adjacency matrix A and degrees D: the eigenvector x of L x = λ
// D x, L = D − A, for the smallest positive λ (M. Fiedler, Czechoslovak Math. J. 23(2), 1973; normalised: F.
// Chung, Spectral Graph Theory, 1997). Neighbours have close values of x. With y = D^½ x, y is the
// eigenvector of N = D^{−½} A D^{−½} for its second largest eigenvalue 1 − λ; the largest is 1, with
// eigenvector D^½·1. The method is restarted Lanczos with full reorthogonalisation, also against D^½·1 (G.
// Golub, C. Van Loan, Matrix Computations, 4th ed., ch. 10).
#pragma once

#include <vector>

#include "core/matrix/graph_levels.hpp"

namespace spyctrum {

/// The iteration ends when the residual is below kFiedlerTolerance·min(1, λ).
inline constexpr double kFiedlerTolerance = 1e-4;

struct FiedlerVector {
  std::vector<double> values;  ///< x of each vertex of the component, in the component's order
  double eigenvalue = 0;       ///< λ
  double residual = 0;         ///< ‖N y − (1 − λ) y‖₂ with ‖y‖₂ = 1
};

/// The Fiedler vector of a connected component. `component`: all of its vertices, at least two, best in the
/// order of cuthill_mckee(): the iteration starts from a vector that rises along this order. The iteration
/// ends at the tolerance or after 30 restarts of 40 steps, so `residual` may be larger. Books 8·41 bytes per
/// vertex. Throws Failure{cancelled}, Failure{out_of_memory}.
[[nodiscard]] FiedlerVector fiedler_vector(const Adjacency& graph, const std::vector<Index>& component,
                                           JobContext& context);

/// The vertices of the component by ascending values; equal values keep their order.
[[nodiscard]] std::vector<Index> sorted_by_values(const FiedlerVector& fiedler,
                                                  const std::vector<Index>& component);

}  // namespace spyctrum
