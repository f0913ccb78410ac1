// SPDX-License-Identifier: Apache-2.0
// The DFT of a row of n values at the frequencies |v| ≤ h alone, by a non-uniform FFT in one dimension:
// faster than an FFT of length n where n has large prime factors or h is small. Value S[j] is spread over w
// of L cells about X_j = j·L/n, L ≥ σ·(2h+1) without a prime factor above 7 (φ, σ, w:
// core/fft/spread_shape.hpp),
//   cells[c] = Σ_j φ(c − X_j)·S[j],   F[v] ≈ FFT(cells)[v mod L] / φ̂(v).
// Relative L2 error of a row about 4e−7, at the outermost frequencies of a band 1.3e−6. The counterpart for
// CUDA devices is core/device/row_transform_plans.hpp.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spyctrum {

/// How a row is transformed to its band of frequencies |v| ≤ half_width.
struct ResampledRowShape {
  std::size_t half_width = 0;  ///< h: |v| ≤ h; ⌊n/2⌋ is the whole row
  std::size_t cells = 0;       ///< L; n where the row is not resampled
  std::size_t taps = 0;        ///< most values that are spread onto one cell; 0 where not resampled
  [[nodiscard]] bool resampled() const { return taps != 0; }
};

/// Shapes by ascending half width, the whole row last; only the whole row unless `narrow`. For each band the
/// faster of resampling and the plain FFT by a cost model that depends on n and h alone.
[[nodiscard]] std::vector<ResampledRowShape> resampled_row_shapes(std::size_t n, bool narrow);

/// The tables of one resampled shape.
class ResampledRow {
 public:
  ResampledRow(std::size_t n, const ResampledRowShape& shape);
  /// Spreads n elements at `values` onto L elements at `cells`, both in lane format.
  void resample(const float* values, float* cells) const;
  /// Divides the FFT of the cells by φ̂ in place, at v = 0 … positives−1 and v = −negatives … −1.
  void correct(float* transformed, std::size_t positives, std::size_t negatives) const;
  /// Bytes of the tables.
  [[nodiscard]] static std::uint64_t bytes(const ResampledRowShape& shape);

 private:
  std::size_t n_;
  ResampledRowShape shape_;
  std::vector<std::uint32_t> first_;              // per cell: the first value that is spread onto it
  std::vector<float> weights_;                    // per cell: of the `taps` values from there on, cyclically
  std::vector<std::complex<float>> corrections_;  // v = −h … h
};

}  // namespace spyctrum
