// SPDX-License-Identifier: Apache-2.0
// Work and explicit storage of the BS-FFT paper's methods (§3.4), evaluated for a pattern. Explicit storage:
// the arrays that a method owns, without library workspace. Logarithms are to base 2 and constants are the
// paper's (an FFT counts N log2 N, without the usual factor 5).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

struct CostFormula {
  std::string method;  ///< registry id of the method
  std::string label;
  std::string work_formula;
  double work = 0;
  std::string storage_formula;
  double bytes = 0;
  std::string source;  ///< "§3.4, eq. 18"
};

/// T, the tile height, of the paper is not printed; 32 rows give its 40.068 GB for igb_tiny within 0.03 %.
inline constexpr std::uint64_t kPaperTile = 32;

/// Eq. 18 without W_S: pK + (p+4)a + 4 + 8(n + L + 2TL + mσ), σ = 4⌈q/4⌉, q = ⌊n/2⌋+1, a active columns,
/// p = 2 where both sides fit 16 bits, else 4.
[[nodiscard]] double bs_fft_storage(double m, std::uint64_t n, double nonzeros, double active_columns,
                                    double index_bytes, double tile);

/// Dense, BS-FFT, Elastic BS-FFT and Density Map at block size b ≥ 1.
[[nodiscard]] std::vector<CostFormula> cost_formulas(const SparsePattern& pattern, std::uint64_t block,
                                                     std::uint64_t tile = kPaperTile);

}  // namespace spyctrum
