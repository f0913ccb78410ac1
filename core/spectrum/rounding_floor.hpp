// SPDX-License-Identifier: Apache-2.0
// The rounding floor: the power below which a computed coefficient is zero within the rounding of this
// program. It bounds the largest error, over a whole plane, of every method that computes coefficients, and
// is the same for all methods and both backends, so that a coefficient that is zero for one is zero for all.
// Derivation, with u = 2⁻²⁴ the unit roundoff of single precision, K the number of entries, r_i and c_j the
// numbers in row i and column j, and L = max(Σ r_i², Σ c_j²)/K the mean length, over the entries, of the sum
// to which an entry belongs:
//   transforms  A value of a plane of mn coefficients passes log₂(mn) butterflies. Each errs by a complex
//               product, √5·u of it (Brent, Percival & Zimmermann, Math. Comp. 76, 2007), independently
//               (Higham & Mary, SIAM J. Sci. Comput. 41(5), 2019). By Parseval the mean square of the values
//               in row u is Σ_j |Σ_{i in column j} w^{ui}|² ≤ Σ c_j² ≤ L·K at every stage, and likewise in a
//               column. The mean square of the errors is then at most 5u²·log₂(mn)·L·K.
//   lattice     The lattice engine errs by κ·√K in the mean, κ = LatticeOptions::tolerance, and by four times
//               that in the outermost rows and columns.
//   largest     Errors are complex Gaussian: of mn squared errors the largest is ln(mn) times the mean.
//   partners    A periodic pattern has coefficients as large as K. The other output of the last butterfly of
//               such a coefficient is the difference of two sums of K/2, each computed by ½·log₂(mn)
//               butterflies: its squared error is 2·(K/2)²·5u²·½·log₂(mn).
//   together    floor = 5u²·log₂(mn)·(L·K·ln(mn) + K²/4) + K·ln(mn)·(4κ)², rounded up to a power of two,
//               since sums over rows count small powers by octaves; so every way of counting finds the same
//               zeros.
// With weights a, K·L becomes max(Σ_i (Σ_j |a_ij|)², Σ_j (Σ_i |a_ij|)²), K as a mean power becomes Σa², and K
// as the largest coefficient becomes Σ|a|. (A large coefficient has, in addition, its own rounding error of a
// few u relative to itself.) In a featureless plane, whose powers are exponentially distributed with mean K,
// the share floor/K of the coefficients is below the floor without being zero: 3·10⁻⁸ for K = 10⁵ and m = n =
// 10⁴.
#pragma once

#include <cstdint>
#include <optional>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The default of LatticeOptions::tolerance.
inline constexpr double kUsualTolerance = 1e-6;

/// The rounding floor, a power |F|², of an m×n plane with mean power `mean_power` (K) and sum length
/// `sum_length` (L); lattices are computed to `tolerance` κ. No coefficient exceeds `largest_value`, by
/// default K as for a pattern. 0 if K is 0.
[[nodiscard]] double rounding_floor(std::uint64_t m, std::uint64_t n, double mean_power, double sum_length,
                                    double tolerance = kUsualTolerance,
                                    std::optional<double> largest_value = {});
/// The floor of the plane of the pattern's weights w.
[[nodiscard]] double rounding_floor(const SparsePattern& pattern, double tolerance = kUsualTolerance);

}  // namespace spyctrum
