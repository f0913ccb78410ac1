// SPDX-License-Identifier: Apache-2.0
// The classes of a grid's coefficients (core/features/feature_bins.hpp) as a table: for every row of the grid
// its runs of constant class, in storage order. With this table a device sums features without classifying
// coefficients, by the same class_segments() as the CPU. For a symmetric pattern, F[v,u] = F[u,v], the table
// covers the symmetric half |v| ≤ u, and each coefficient also counts for its transpose:
//   |v| < u         once with its own sector, once with that of (v, u), transposed_sector();
//   |v| = u         (u, u) = its transpose, (u, −u) = the conjugate of its transpose: half weight;
//   u = n/2, v > 0  the transpose lies in column −n/2, where the conjugate defines the angle
//                   (FrequencyClass): transposed_sector() reflected, θ → −θ.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/device/interface/reductions.hpp"
#include "core/features/feature_totals.hpp"
#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

/// Which rows of a grid are skipped, and which coefficients count more than once.
struct RowClassRule {
  bool hermitian_half = false;                       ///< rows u ≢ −u (mod m) count twice
  std::function<bool(std::int64_t)> skips_row = {};  ///< by signed frequency; empty: none
  /// Only |v| ≤ u of each row u = 0 … ⌊n/2⌋ of a symmetric pattern's plane, in DFT order; each coefficient
  /// also counts for its transpose.
  bool symmetric_half = false;
};

class RowClasses {
 public:
  /// Returns the table; empty if the columns are not ascending up to a rotation (modulo n), if there are 2^32
  /// or more, or if a row has more than cuda::kMostRuns runs.
  static std::optional<RowClasses> make(const FrequencyGrid& grid, const RowClassRule& rule,
                                        ThreadPool& pool);
  /// Bytes of a table of `rows` rows, for forecasts.
  [[nodiscard]] static std::uint64_t bytes(std::uint64_t rows);

  [[nodiscard]] cuda::RowClassesView view() const;
  /// Number of coefficients, weighted, without DC.
  [[nodiscard]] double count() const { return count_; }
  /// Converts the sums that a device took by this table to the totals of the CPU.
  [[nodiscard]] FeatureTotals totals(const cuda::FeatureSums& sums) const;

 private:
  std::uint64_t width_ = 0;
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint16_t> classes_;
  std::vector<std::uint8_t> weights_;
  double count_ = 0;
  bool symmetric_half_ = false;
};

}  // namespace spyctrum
