// SPDX-License-Identifier: Apache-2.0
// The DFT of a row of n values at the frequencies |v| ≤ h only, by a one-dimensional non-uniform FFT. This is
// faster than an FFT of length n if n has large prime factors or h is small. The value S[j] is spread over w
// of L cells around X_j = j·L/n, where L ≥ σ·(2h+1) has no prime factor above 7 (φ, σ, w:
// core/fft/spread_shape.hpp):
//   cells[c] = Σ_j φ(c − X_j)·S[j],   F[v] ≈ FFT(cells)[v mod L] / φ̂(v).
// Relative L2 error of a row about 4e−7; at the outermost frequencies of a band 1.3e−6. The counterpart for
// CUDA devices is core/device/row_transform_plans.hpp.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spyctrum {

/// How the frequencies |v| ≤ half_width of a row are computed.
struct ResampledRowShape {
  std::size_t half_width = 0;  ///< h; ⌊n/2⌋ stands for the whole row
  std::size_t cells = 0;       ///< L; n if the row is not resampled
  std::size_t taps = 0;        ///< most values spread onto one cell; 0 if not resampled
  [[nodiscard]] bool resampled() const { return taps != 0; }
};

/// Returns the shapes by ascending half width, the whole row last; without `narrow` the whole row alone. Each
/// is the faster of resampling and the plain FFT by a cost model that depends on n and h only.
[[nodiscard]] std::vector<ResampledRowShape> resampled_row_shapes(std::size_t n, bool narrow);

/// The tables of one resampled shape.
class ResampledRow {
 public:
  ResampledRow(std::size_t n, const ResampledRowShape& shape);
  /// Spreads n elements at `values` onto L cells at `cells`; both are in lane format.
  void resample(const float* values, float* cells) const;
  /// Divides the FFT of the cells by φ̂ in place, for v = 0 … positives−1 and v = −negatives … −1.
  void correct(float* transformed, std::size_t positives, std::size_t negatives) const;
  /// Bytes of the tables.
  [[nodiscard]] static std::uint64_t bytes(const ResampledRowShape& shape);

 private:
  std::size_t n_;
  ResampledRowShape shape_;
  std::vector<std::uint32_t> first_;  // per cell: the first value that is spread onto it
  // per cell: `taps` weights, of that value and the cyclically following ones
  std::vector<float> weights_;
  std::vector<std::complex<float>> corrections_;  // 1/φ̂(v), v = −h … h
};

}  // namespace spyctrum
