// SPDX-License-Identifier: Apache-2.0
// Work in operations and explicit storage in bytes of the BS-FFT paper's methods (§3.4), evaluated for a
// pattern. Explicit storage is the arrays that a method owns, without the workspace of libraries. Logarithms
// are to base 2; constants are the paper's (an FFT counts N·log2 N operations, without the usual factor 5).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/methods/paper_cost.hpp"

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

/// Eq. 18 without W_S, from sizes alone, for matrices that are not loaded.
[[nodiscard]] double bs_fft_storage(double m, std::uint64_t n, double nonzeros, double active_columns,
                                    double index_bytes, double tile);

/// The costs of every method for which the paper gives a formula, at block size `block` ≥ 1 and tile height
/// `tile`; exact methods first, then methods of samples, then estimates.
[[nodiscard]] std::vector<CostFormula> cost_formulas(const SparsePattern& pattern, std::uint64_t block,
                                                     std::uint64_t tile = kPaperTile);

}  // namespace spyctrum
