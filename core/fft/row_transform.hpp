// SPDX-License-Identifier: Apache-2.0
// The TileTransform of the paper's Algorithms 1 and 2 on the CPU: for some row
// frequencies u, the inner sums S[u, j] = Σ_{i in column j} e^{−2πi·ui/m}
// straight from the nonzeros, then an FFT along j.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// How the length-n transform along the rows is done.
enum class LengthRule {
  library,  ///< directly, or resampled onto a smooth length where n is bad (core/fft/resampled_row.hpp)
            ///< (ours)
  bands,    ///< the same, prepared for parts |v| ≤ h of rows that cost the less the smaller h is
  paper,    ///< direct where n has no prime factor above 7, else Bluestein with
            ///< the smallest such L ≥ 2n−1
};

/// What a RowTransform will hold, known before it is made: for forecasts.
struct RowTransformSizes {
  std::size_t length = 0;                     ///< L
  std::uint64_t table_bytes = 0;              ///< bytes()
  std::vector<std::size_t> scratch_of_group;  ///< [g]: scratch_size() of rows that fill g+1 groups of `lanes`
  std::size_t lanes = 1;
  [[nodiscard]] std::size_t scratch_size(std::size_t rows) const {
    const std::size_t groups = rows == 0 ? 1 : (rows + lanes - 1) / lanes;
    return scratch_of_group[groups < scratch_of_group.size() ? groups - 1 : scratch_of_group.size() - 1];
  }
};
[[nodiscard]] RowTransformSizes row_transform_sizes(const SparsePattern& pattern, LengthRule rule);

/// Prepared once per pattern, which must outlive it (twiddle tables in double, chirps,
/// plans); relative L2 error of a row about 4e−7. Fastest for runs of 32 consecutive
/// frequencies. transform() is const and may be called from several threads, each with its
/// own scratch.
class RowTransform {
 public:
  RowTransform(const SparsePattern& pattern, LengthRule rule);
  ~RowTransform();
  RowTransform(RowTransform&&) noexcept;
  RowTransform& operator=(RowTransform&&) noexcept;

  /// F[u, v] for the consecutive or arbitrary row frequencies in `u` (0 … m−1),
  /// v = 0 … n−1, into output[r·stride + v], stride ≥ length(). `scratch` of
  /// scratch_size(u.size()) values.
  void transform(std::span<const std::int64_t> u, std::complex<float>* output, std::size_t stride,
                 std::span<std::complex<float>> scratch) const;
  /// The same for |v| ≤ half_width, v and n−v in their places; what else a row holds is unspecified.
  void transform_band(std::span<const std::int64_t> u, std::size_t half_width, std::complex<float>* output,
                      std::size_t stride, std::span<std::complex<float>> scratch) const;
  [[nodiscard]] std::size_t scratch_size(std::size_t rows) const;
  /// L: n where direct, the padded length for Bluestein. Output rows need this
  /// stride.
  [[nodiscard]] std::size_t length() const;
  [[nodiscard]] std::uint64_t bytes() const;  ///< of the tables it keeps

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
