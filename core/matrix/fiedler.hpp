// SPDX-License-Identifier: Apache-2.0
// The Fiedler vector of a connected graph: the eigenvector x of L x = λ D x, L = D − A, with the smallest
// positive λ, along which neighbours are close to each other. With y = D^½ x it is the eigenvector of D^{−½}
// A D^{−½} with the largest eigenvalue 1 − λ beside 1 itself, whose eigenvector is D^½·1: restarted Lanczos
// with full reorthogonalisation against that one (Golub & Van Loan, Matrix Computations, 4th ed., ch. 10).
#pragma once

#include <vector>

#include "core/matrix/adjacency.hpp"

namespace spyctrum {

inline constexpr double kFiedlerTolerance = 1e-4;

struct FiedlerVector {
  std::vector<double> values;  ///< x of each vertex of the component, in the component's order
  double eigenvalue = 0;       ///< λ
  double residual = 0;         ///< ‖D^{−½}AD^{−½} y − (1 − λ) y‖ with ‖y‖ = 1
};

/// `component`: all vertices of one connected component, at least two, in an order that is a fair guess
/// already (cuthill_mckee()): the iteration begins with it, and stops at the tolerance or after a bounded
/// number of steps. Books 8·(steps + 4) bytes a vertex. Throws Failure{cancelled}, Failure{out_of_memory}.
[[nodiscard]] FiedlerVector fiedler_vector(const Adjacency& graph, const std::vector<Index>& component,
                                           JobContext& context);

/// The component by ascending values, ties as they were.
[[nodiscard]] std::vector<Index> along(const FiedlerVector& fiedler, const std::vector<Index>& component);

}  // namespace spyctrum
