// SPDX-License-Identifier: Apache-2.0
// The small matrix that belongs to a changed spectrum, of which some coefficients have other magnitudes: the
// inverse DFT of the changed plane. F[u,v] and its mirror F[−u,−v] = conj F[u,v] change together, so that the
// matrix stays real.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// A coefficient with a changed magnitude and its former phase (0 where F[u, v] = 0).
struct ChangedCoefficient {
  std::int64_t u = 0, v = 0;     ///< signed
  double before = 0, after = 0;  ///< |F[u, v]|
};

/// The m×n numbers A[i,j] + Σ c/(mn)·(after − before)·cos(2π(ui/m + vj/n) + arg F[u,v]), row by row; c = 1
/// where (u,v) is its own mirror, else 2. Takes O(K + mn) operations for each coefficient.
[[nodiscard]] std::vector<float> matrix_of_changed_spectrum(const SparsePattern& pattern,
                                                            std::span<const ChangedCoefficient> changed);

}  // namespace spyctrum
