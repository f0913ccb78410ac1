// SPDX-License-Identifier: Apache-2.0
// Projection slices of FPS-SFT (Wang, Patel, Petropulu, arXiv:1711.11407; the settings of the authors'
// MATLAB): samples of A along a line that wraps around the matrix, and their one-dimensional DFT,
//   s(l) = A[(α0·l + τ0) mod m, (α1·l + τ1) mod n],  l < L = lcm(m, n),  S = FFT_L(s)/L.
// By the slice theorem bin k holds Σ a(u, v)·e^{2πi(u·τ0/m + v·τ1/n)}, a = F/(mn), over all (u, v) with
// α0·(L/m)·u + α1·(L/n)·v ≡ k (mod L); these are mn/L frequencies if gcd(α0, α1) = 1.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/job_context.hpp"
#include "core/device/device_job.hpp"
#include "core/device/interface/slices.hpp"
#include "core/fft/phase_table.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/methods/fps_sft/fps_known.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

/// lcm(m, n), saturated at 2^64 − 1.
[[nodiscard]] std::uint64_t fps_length(std::uint64_t m, std::uint64_t n);

/// Slopes and offsets of one iteration.
struct FpsLine {
  std::uint64_t slope_rows = 1, slope_cols = 1;    ///< α0, α1
  std::uint64_t offset_rows = 0, offset_cols = 0;  ///< τ0, τ1
};

class FpsSlices {
 public:
  FpsSlices(const SparsePattern& pattern, JobContext& context);

  [[nodiscard]] std::uint64_t length() const { return length_; }  ///< L
  /// The line of an iteration: pseudo-random offsets, and slopes with gcd(α0, α1) = gcd(α0, L/m) = gcd(α1,
  /// L/n) = 1.
  [[nodiscard]] FpsLine line(std::uint64_t seed, std::uint64_t iteration) const;
  /// Bins of the slices at offsets (τ0, τ1), (τ0 + 1, τ1), (τ0, τ1 + 1), one after the other: 3·L values.
  void bins(const FpsLine& line, std::complex<float>* out, JobContext& context) const;
  /// The bin of the frequency (u, v), 0 ≤ u < m, 0 ≤ v < n.
  [[nodiscard]] std::uint64_t bin_of(const FpsLine& line, std::uint64_t u, std::uint64_t v) const;
  /// e^{2πi·u·i/m} and e^{2πi·v·j/n}.
  [[nodiscard]] std::complex<double> row_phase(std::uint64_t u, std::uint64_t i) const {
    return std::conj(row_roots_.at(row_roots_.product(u, i)));
  }
  [[nodiscard]] std::complex<double> col_phase(std::uint64_t v, std::uint64_t j) const {
    return std::conj(column_roots_.at(column_roots_.product(v, j)));
  }
  /// [n + 1]: where the entries of each column begin, empty columns included.
  [[nodiscard]] const std::int64_t* column_starts() const { return starts_.data.data(); }
  /// Bytes of the column table.
  [[nodiscard]] static std::uint64_t bytes(const SparsePattern& pattern) { return 8 * (pattern.cols() + 1); }

 private:
  [[nodiscard]] float entry(std::uint64_t row, std::uint64_t col) const;

  const SparsePattern& pattern_;
  std::uint64_t length_;
  std::uint64_t row_factor_;  // L/m
  std::uint64_t col_factor_;  // L/n
  PhaseTable row_roots_;
  PhaseTable column_roots_;
  BookedVector<std::int64_t> starts_;  // of every column, empty ones included
};

// FPS-SFT's slices on CUDA: the device samples and transforms them and subtracts the known coefficients; the
// tests and the list of coefficients are on the host. Mirrors fps_slices.hpp.

class FpsCuda {
 public:
  /// For at most `lines` lines per call and `most_known` known coefficients. Throws Failure{out_of_memory} if
  /// L ≥ 2^32.
  FpsCuda(const SparsePattern& pattern, const FpsSlices& slices, Backend backend, std::uint64_t lines,
          std::uint64_t most_known, JobContext& context);
  /// FpsSlices::bins() of each line, one after the other, minus the first `known_count` known coefficients.
  void bins(std::span<const FpsLine> lines, const FpsKnown& known, std::uint64_t known_count,
            std::complex<float>* out);
  [[nodiscard]] DeviceUse use() const { return {seconds_, job_.device_memory().peak()}; }

  [[nodiscard]] static ByteTerms device_terms(const SparsePattern& pattern, Backend backend,
                                              std::uint64_t lines, std::uint64_t most_known);

 private:
  DeviceJob job_;
  double seconds_ = 0;
  std::unique_ptr<cuda::Slices> slices_;
};

}  // namespace spyctrum
