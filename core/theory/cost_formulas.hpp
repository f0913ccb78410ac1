// SPDX-License-Identifier: Apache-2.0
// Work and explicit storage of the paper's methods (§3.4), evaluated. Explicit storage is the arrays that a
// method owns, library workspace excluded; logarithms of the work are to base 2, constants are those written
// there (no factor 5 of an FFT).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/methods/paper_cost.hpp"

namespace spyctrum {

struct CostFormula {
  std::string method;  ///< registry id that the formula is about
  std::string label;
  std::string work_formula;
  double work = 0;
  std::string storage_formula;
  double bytes = 0;
  std::string source;  ///< "§3.4, eq. 18"
};

/// Eq. 18 without W_S, of sizes alone (for matrices that are only known by them).
[[nodiscard]] double bs_fft_storage(double m, std::uint64_t n, double nonzeros, double active_columns,
                                    double index_bytes, double tile);

/// Of every method for which the paper gives a formula, at block size b ≥ 1; exact methods first, then
/// samples, then estimates.
[[nodiscard]] std::vector<CostFormula> cost_formulas(const SparsePattern& pattern, std::uint64_t block,
                                                     std::uint64_t tile = kPaperTile);

}  // namespace spyctrum
