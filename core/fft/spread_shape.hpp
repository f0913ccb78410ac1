// SPDX-License-Identifier: Apache-2.0
// The spreading function of the lattice engine, "exponential of semicircle" of
// Barnett, Magland & af Klinteberg (SIAM J. Sci. Comput. 41(5), 2019, C479):
//   φ(z) = exp(β(√(1 − (2z/w)²) − 1)), |z| ≤ w/2, in cells of the fine grid,
// with β chosen here for the smallest root-mean-square aliasing error at each
// width w and oversampling σ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spyctrum {

struct SpreadShape {
  double oversampling = 2;  ///< σ: fine cells per output frequency, at least
  std::size_t width = 0;    ///< w
  double beta = 0;
  /// Root-mean-square error relative to √K of one axis for uniformly random
  /// positions, without rounding: √(Σ_{l≠0} φ̂(k+l·n₁)² / φ̂(k)²), averaged over
  /// the frequencies kept.
  double aliasing = 0;
  /// How much division by φ̂ raises white rounding noise in two dimensions: mean φ̂² over
  /// the fine frequencies times mean 1/φ̂² over those kept.
  double noise = 1;
};

/// Shapes by increasing width for σ of 1.25, 1.35, 1.49, 1.5, 1.65 and 2.
[[nodiscard]] const std::vector<SpreadShape>& spread_shapes();

/// Expected error of a two-dimensional transform relative to √K: both axes'
/// aliasing and, in single precision, the raised rounding, which grows with the
/// root of the number of additions that a cell of the fine grid takes. `scatter`: how far the aliasing may
/// lie above its mean (aliasing_scatter()).
[[nodiscard]] double expected_error(const SpreadShape& shape, bool double_precision,
                                    double additions_per_cell = 10, double scatter = 1);

/// φ at the `width` cells from start on for a position X: cell a holds
/// φ(start + a − X), where start = ⌈X − w/2⌉ and offset = start − (X − w/2) in
/// [0, 1). Each tap is one polynomial in the offset.
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

/// What makes the corrections of a shape, for those who make them elsewhere (a CUDA device).
struct SpreadNodes {
  std::vector<double> places;  ///< z and
  std::vector<double> values;  ///< y: φ̂(k) = Σ y·cos(2πkz/fine)
};
[[nodiscard]] SpreadNodes spread_nodes(const SpreadShape& shape);

/// The same, and what makes the taps.
struct SpreadNumbers {
  std::size_t powers = 0;
  std::vector<double> polynomials;  ///< [powers × width]: tap a at an offset is Σ_k (2·offset − 1)^k·[k, a]
  SpreadNodes nodes;
};
/// Made once for each shape of spread_shapes(), which must be one of them; thread-safe.
[[nodiscard]] const SpreadNumbers& spread_numbers(const SpreadShape& shape);

/// φ̂(k) = ∫ φ(z) cos(2πkz/fine) dz for k = 0 … count−1, by Gauss–Legendre
/// quadrature.
[[nodiscard]] std::vector<double> spread_transform(const SpreadShape& shape, std::uint64_t fine,
                                                   std::size_t count);

}  // namespace spyctrum
