// SPDX-License-Identifier: Apache-2.0
// Pairs of a magnitude M and its estimate M̂, counted by magnitude in bins so fine that
// the thresholds of the largest 10 % of both are found after one pass: 64 bins per
// octave where the thresholds are expected, 4 elsewhere. Coefficients in the bin of a
// threshold count by the fraction of the bin that is above it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device/interface/reductions.hpp"

namespace spyctrum {

/// Bins of a magnitude: fine from 2^low to 2^high times the power of two at or below `centre`. The edges of
/// any two MagnitudeBins coincide where both are fine.
class MagnitudeBins {
 public:
  MagnitudeBins() = default;
  /// Magnitudes below `least` are in bin 0, with the zeros.
  MagnitudeBins(double centre, int low, int high, double least = 0);
  [[nodiscard]] std::size_t count() const { return fine_end_ + kCoarseAbove; }
  [[nodiscard]] std::size_t bin(float magnitude) const;
  /// The constants by which a device computes bin().
  [[nodiscard]] cuda::MagnitudeBinning binning() const;

 private:
  static constexpr unsigned kFineShift = 17;    // 2^23 / 2^17 = 64 bins an octave
  static constexpr unsigned kCoarseShift = 21;  // 4 bins an octave
  static constexpr std::size_t kCoarseBelow = 64;
  static constexpr std::size_t kCoarseAbove = 48;
  float inverse_ = 1;
  float least_ = 0;
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

  /// The number of coefficients whose reference is not in bin 0.
  [[nodiscard]] std::uint64_t above_zero() const;
  /// Recall |T ∩ R|/|T|, T and R the ⌈N/one_in⌉ largest of reference and estimate, or above_zero() where that
  /// is fewer. Among equal values a random choice is assumed, so that a flat estimate has recall 1/one_in;
  /// coefficients that are equal in both are chosen alike. NaN when all references are zero.
  [[nodiscard]] double recall_of_top(std::uint64_t one_in) const;

 private:
  std::size_t estimate_bins_ = 0;
  std::vector<std::uint64_t> counts_;
};

}  // namespace spyctrum
