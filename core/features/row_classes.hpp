// SPDX-License-Identifier: Apache-2.0
// The classes of a grid's coefficients (core/features/feature_bins.hpp) as a table: for every row of the
// grid the runs of constant class along the row as it is stored. It is what a device needs to sum features
// without classifying anything, and it is made by the same class_segments() as the sums of the CPU.
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

/// What of a grid is left out, and what counts twice.
struct RowClassRule {
  bool hermitian_half = false;                       ///< rows that are not their own mirrors count twice
  std::function<bool(std::int64_t)> skips_row = {};  ///< by signed frequency; empty: none
  /// Of each row u = 0 … ⌊n/2⌋ of a symmetric pattern's plane, in DFT order, |v| ≤ u alone, which stands for
  /// its transpose.
  bool symmetric_half = false;
};

class RowClasses {
 public:
  /// Empty where the columns do not ascend, modulo n, from one of them on, or are too many (≥ 2^32).
  static std::optional<RowClasses> make(const FrequencyGrid& grid, const RowClassRule& rule,
                                        ThreadPool& pool);
  /// What make() will hold, for forecasts.
  [[nodiscard]] static std::uint64_t bytes(std::uint64_t rows);

  [[nodiscard]] cuda::RowClassesView view() const;
  /// Coefficients that count, by the weights of their rows; DC, where it counts, is one of dc_count().
  [[nodiscard]] double count() const { return count_; }
  [[nodiscard]] double dc_count() const { return dc_count_; }
  /// What a device summed by this table, as the totals that the features of the CPU are made of.
  [[nodiscard]] FeatureTotals totals(const cuda::FeatureSums& sums) const;

 private:
  std::uint64_t width_ = 0;
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint16_t> classes_;
  std::vector<std::uint8_t> weights_;
  double count_ = 0;
  double dc_count_ = 0;
  bool symmetric_half_ = false;
};

}  // namespace spyctrum
