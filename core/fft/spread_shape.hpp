// SPDX-License-Identifier: Apache-2.0
// The spreading function of the lattice engine, "exponential of semicircle" of
// Barnett, Magland & af Klinteberg (SIAM J. Sci. Comput. 41(5), 2019, C479):
//   φ(z) = exp(β(√(1 − (2z/w)²) − 1)), |z| ≤ w/2, in cells of the fine grid,
// with β chosen here for the smallest root-mean-square aliasing error at each width w and oversampling σ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spyctrum {

struct SpreadShape {
  double oversampling = 2;  ///< σ: the least number of fine cells per output frequency
  std::size_t width = 0;    ///< w
  double beta = 0;
  /// Root-mean-square aliasing error of one axis relative to √K for uniformly random positions, without
  /// rounding: √(Σ_{l≠0} φ̂(k+l·n₁)² / φ̂(k)²), averaged over the output frequencies k.
  double aliasing = 0;
  /// Factor by which the division by φ̂ amplifies white rounding noise in two dimensions: the mean of φ̂²
  /// over the fine frequencies times the mean of 1/φ̂² over the output frequencies.
  double noise = 1;
};

/// β of a φ that is `width` cells wide and none of spread_shapes().
[[nodiscard]] double resampling_beta(double width, double oversampling);

/// φ(z).
[[nodiscard]] double spread_value(const SpreadShape& shape, double z);

/// The available shapes: ascending widths for each of σ = 1.25, 1.35, 1.49, 1.5, 1.65 and 2.
[[nodiscard]] const std::vector<SpreadShape>& spread_shapes();

/// Expected error of a two-dimensional transform relative to √K: the aliasing of both axes and, in single
/// precision, the amplified rounding, which grows with the square root of the number of additions per cell of
/// the fine grid. `scatter` multiplies the aliasing (aliasing_scatter()).
[[nodiscard]] double expected_error(const SpreadShape& shape, bool double_precision,
                                    double additions_per_cell = 10, double scatter = 1);

/// Evaluates φ at the `width` cells around a position X: tap a is φ(start + a − X), start = ⌈X − w/2⌉. With
/// offset = start − (X − w/2) in [0, 1), each tap is one polynomial of the offset.
class TapPolynomials {
 public:
  explicit TapPolynomials(const SpreadShape& shape);
  [[nodiscard]] std::size_t width() const { return width_; }
  /// Writes width() taps.
  template <class T>
  void evaluate(double offset, T* taps) const;
  [[nodiscard]] const std::vector<double>& coefficients() const { return coefficients_; }

 private:
  std::size_t width_;
  std::size_t degree_;
  std::vector<double> coefficients_;  // [power][tap], in x = 2·offset − 1
};

/// Quadrature nodes of φ̂, from which a CUDA device computes the corrections 1/φ̂.
struct SpreadNodes {
  std::vector<double> places;  ///< z_q
  std::vector<double> values;  ///< y_q: φ̂(k) = Σ_q y_q·cos(2πk·z_q/fine)
};
[[nodiscard]] SpreadNodes spread_nodes(const SpreadShape& shape);

/// The nodes of φ̂ and the polynomials of the taps.
struct SpreadNumbers {
  std::size_t powers = 0;
  std::vector<double> polynomials;  ///< [powers × width]: tap a is Σ_k (2·offset − 1)^k·polynomials[k, a]
  SpreadNodes nodes;
};
/// Returns the numbers of `shape`, which must be an element of spread_shapes(); each is computed once.
/// Thread-safe.
[[nodiscard]] const SpreadNumbers& spread_numbers(const SpreadShape& shape);

/// φ̂ at the frequency x = k/fine, |x| ≤ ½.
[[nodiscard]] double spread_at(const SpreadShape& shape, double x);

/// Transforms of the polynomial taps, ∫ φ_taps(z) cos(2πxz) dz, at frequencies x = k/fine, |x| ≤
/// kHighestTapFrequency. For large x they differ from φ̂ by the error of the polynomials.
inline constexpr int kHighestTapFrequency = 65;
[[nodiscard]] std::vector<double> tap_transforms(const SpreadShape& shape,
                                                 const std::vector<double>& frequencies);

/// φ̂(k) = ∫ φ(z) cos(2πkz/fine) dz for k = 0 … count−1, by Gauss–Legendre quadrature.
[[nodiscard]] std::vector<double> spread_transform(const SpreadShape& shape, std::uint64_t fine,
                                                   std::size_t count);

}  // namespace spyctrum
