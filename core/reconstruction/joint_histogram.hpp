// SPDX-License-Identifier: Apache-2.0
// Pairs (M, M̂) counted by magnitude, fine enough that both 10 % thresholds can
// be found after the pass that counted: 64 bins an octave where thresholds are
// expected, 4 beyond. Within the bin that a threshold cuts, coefficients count
// by the fraction that is above it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device/interface/reductions.hpp"

namespace spyctrum {

/// Bins of a magnitude: fine from 2^low to 2^high times the power of two at or below `centre`, so that
/// the edges of any two sets of bins coincide where both are fine.
class MagnitudeBins {
 public:
  MagnitudeBins() = default;
  MagnitudeBins(double centre, int low, int high);
  [[nodiscard]] std::size_t count() const { return fine_end_ + kCoarseAbove; }
  [[nodiscard]] std::size_t bin(float magnitude) const;
  /// The same bins for a device.
  [[nodiscard]] cuda::MagnitudeBinning binning() const;

 private:
  static constexpr unsigned kFineShift = 17;    // 2^23 / 2^17 = 64 bins an octave
  static constexpr unsigned kCoarseShift = 21;  // 4 bins an octave
  static constexpr std::size_t kCoarseBelow = 64;
  static constexpr std::size_t kCoarseAbove = 48;
  float inverse_ = 1;
  std::uint32_t coarse_bits_ = 0;  // bit patterns of the first coarse, first fine, first upper value
  std::uint32_t fine_bits_ = 0;
  std::uint32_t upper_bits_ = 0;
  std::size_t fine_end_ = 0;
};

class JointHistogram {
 public:
  JointHistogram() = default;
  JointHistogram(std::size_t reference_bins, std::size_t estimate_bins)
      : estimate_bins_(estimate_bins), counts_(reference_bins * estimate_bins) {}
  void add(std::size_t reference_bin, std::size_t estimate_bin) {
    ++counts_[reference_bin * estimate_bins_ + estimate_bin];
  }
  void add(const JointHistogram& other);
  /// [reference bin][estimate bin].
  [[nodiscard]] std::span<std::uint64_t> counts() { return counts_; }

  /// |T ∩ R|/|T| with T and R the ⌈fraction·N⌉ largest of reference and estimate. Equal values are
  /// taken in proportion, as if drawn at random: a flat estimate recalls `fraction`; where the same
  /// coefficients are equal in both, the same ones are drawn. NaN when nothing was counted.
  [[nodiscard]] double recall_of_top(std::uint64_t one_in) const;

 private:
  std::size_t estimate_bins_ = 0;
  std::vector<std::uint64_t> counts_;
};

}  // namespace spyctrum
