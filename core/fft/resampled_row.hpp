// SPDX-License-Identifier: Apache-2.0
// The FFT along a row for the columns |v| ≤ h that are wanted, where its length n is bad for FFTs or h is
// small: a non-uniform FFT in one dimension. Value j is spread over w cells of a smooth number L ≥ σ·(2h+1)
// of them about X = j·L/n (core/fft/spread_shape.hpp),
//   cells[c] = Σ_j φ(c − X_j)·S[j],   F[v] ≈ FFT(cells)[v mod L] / φ̂(v).
// Relative L2 error of a row about 4e−7, of the outermost columns of a band 1.3e−6. What a CUDA device does
// for the same rows: core/device/row_transform_plans.hpp.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spyctrum {

/// How rows are transformed up to a half width.
struct RowBandShape {
  std::size_t half_width = 0;  ///< h: |v| ≤ h; ⌊n/2⌋ is the whole row
  std::size_t cells = 0;       ///< L; n where the row is transformed as it is
  std::size_t taps = 0;        ///< values that fall on a cell, at most; 0 where it is transformed as it is
  [[nodiscard]] bool resampled() const { return taps != 0; }
};

/// By ascending half width, the whole row last; it alone unless `narrow`. Of the ways to do each, the one
/// that should be faster, by a rule of the length alone.
[[nodiscard]] std::vector<RowBandShape> row_band_shapes(std::size_t n, bool narrow);

/// Tables of one resampled shape.
class RowBand {
 public:
  RowBand(std::size_t n, const RowBandShape& shape);
  /// `values`: n elements in lane format, `cells`: L of them.
  void resample(const float* values, float* cells) const;
  /// Divides the FFT of the cells by φ̂, at v = 0 … positives−1 and −negatives … −1, where it lies.
  void correct(float* transformed, std::size_t positives, std::size_t negatives) const;
  /// What the tables hold.
  [[nodiscard]] static std::uint64_t bytes(const RowBandShape& shape);

 private:
  std::size_t n_;
  RowBandShape shape_;
  std::vector<std::uint32_t> first_;              // per cell: the first value that falls on it
  std::vector<float> weights_;                    // per cell: of `taps` values from there on, cyclically
  std::vector<std::complex<float>> corrections_;  // v = −h … h
};

}  // namespace spyctrum
