// SPDX-License-Identifier: Apache-2.0
// Work in operations and explicit storage in bytes of a method by the BS-FFT paper (§3.4): formulas as text,
// and functions that evaluate them. Explicit storage is the arrays that a method owns, without the workspace
// of libraries. Logarithms are to base 2; constants are the paper's (an FFT of N points counts N·log2 N).
#pragma once

#include <cstdint>
#include <string>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

/// The paper that defines BS-FFT, Elastic BS-FFT and Density Map: the beginning of their citations.
inline constexpr const char* kPaperCitation =
    "Zhang, Manthena, Li, Shen: Scaling Fourier-Based Sparse Matrix Analysis on GPUs";

/// T, the rows of a tile. The paper does not print it; 32 gives its 40.068 GB for igb_tiny within 0.03 %.
inline constexpr double kPaperTile = 32;

/// The symbols of the formulas for an m×n matrix at block size b.
struct CostSizes {
  double m = 0, n = 0;
  double nonzeros = 0;          ///< K
  double occupied_columns = 0;  ///< a: columns with an entry
  double m0 = 0, n0 = 0;        ///< ⌈m/b⌉, ⌈n/b⌉
  double h = 0;                 ///< ⌊m/2⌋ + 1
  double q = 0, q0 = 0;         ///< ⌊n/2⌋ + 1, ⌊n0/2⌋ + 1
  double length = 0;         ///< L: n if no prime factor is above 7, else the least such number ≥ 2n − 1
  double index_bytes = 0;    ///< p: 2 if both sides fit in 16 bits, else 4
  double tile = kPaperTile;  ///< T
};
[[nodiscard]] CostSizes cost_sizes(const SparsePattern& pattern, std::uint64_t block);
[[nodiscard]] double paper_transform_length(std::uint64_t n);  ///< L

struct PaperCost {
  std::string label;
  std::string work_formula;
  double (*work)(const CostSizes&) = nullptr;
  std::string storage_formula;
  double (*bytes)(const CostSizes&) = nullptr;
  std::string source;  ///< "§3.4, eq. 18"
};

/// log₂ x; 0 for x ≤ 1.
[[nodiscard]] double paper_log(double x);
/// Bytes of the matrix alone: pK + (p+4)a + 4.
[[nodiscard]] double matrix_storage(const CostSizes& sizes);
/// Eq. 18 without W_S, the work area of the FFT library: pK + (p+4)a + 4 + 8(n + L + 2TL + mσ), σ = 4⌈q/4⌉.
[[nodiscard]] double bs_fft_storage(const CostSizes& sizes);

}  // namespace spyctrum
