// SPDX-License-Identifier: Apache-2.0
// Rows of the spectrum on the CPU (TileTransform in Algorithms 1 and 2 of the BS-FFT paper). For the given
// row frequencies u, the inner sums S[u, j] = Σ_{i in column j} e^{−2πi·ui/m} are computed directly from the
// entries; an FFT along j gives F[u, v] = Σ_j S[u, j]·e^{−2πi·jv/n}. Forward, unnormalised.
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
  /// An FFT of length n or, if n has large prime factors, resampling (core/fft/resampled_row.hpp).
  library,
  /// As `library`, with additional tables so that transform_band() is cheaper for smaller bands |v| ≤ h.
  resampled_bands,
  /// The paper's rule: an FFT of length n if n has no prime factor above 7, else Bluestein's transform with
  /// the smallest such L ≥ 2n−1 (core/fft/chirp.hpp).
  paper,
};

/// The memory that a RowTransform will take, for forecasts.
struct RowTransformSizes {
  std::size_t length = 0;                     ///< L
  std::uint64_t table_bytes = 0;              ///< bytes()
  std::vector<std::size_t> scratch_of_group;  ///< [g]: scratch_size() for g+1 groups of `lanes` rows
  std::size_t lanes = 1;
  [[nodiscard]] std::size_t scratch_size(std::size_t rows) const {
    const std::size_t groups = rows == 0 ? 1 : (rows + lanes - 1) / lanes;
    return scratch_of_group[groups < scratch_of_group.size() ? groups - 1 : scratch_of_group.size() - 1];
  }
};
[[nodiscard]] RowTransformSizes row_transform_sizes(const SparsePattern& pattern, LengthRule rule);

/// Transforms rows of one pattern, which must outlive this object; holds its tables (roots of unity in double
/// precision, chirps, FFT plans). Relative L2 error of a row about 4e−7. Fastest for runs of 32 consecutive
/// frequencies. Several threads may call transform() at once, each with its own scratch.
class RowTransform {
 public:
  RowTransform(const SparsePattern& pattern, LengthRule rule);
  ~RowTransform();
  RowTransform(RowTransform&&) noexcept;
  RowTransform& operator=(RowTransform&&) noexcept;

  /// Writes F[u[r], v] for v = 0 … n−1 to output[r·stride + v]; the u[r] in 0 … m−1 may have any order.
  /// Requires stride ≥ length() and a `scratch` of scratch_size(u.size()) values.
  void transform(std::span<const std::int64_t> u, std::complex<float>* output, std::size_t stride,
                 std::span<std::complex<float>> scratch) const;
  /// Writes F[u[r], v] for |v| ≤ half_width only, at v and n+v for v < 0; the other values of a row are
  /// unspecified.
  void transform_band(std::span<const std::int64_t> u, std::size_t half_width, std::complex<float>* output,
                      std::size_t stride, std::span<std::complex<float>> scratch) const;
  [[nodiscard]] std::size_t scratch_size(std::size_t rows) const;
  /// L: n, or the padded length of Bluestein's transform; the least stride of output rows.
  [[nodiscard]] std::size_t length() const;
  [[nodiscard]] std::uint64_t bytes() const;  ///< of the tables

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spyctrum
