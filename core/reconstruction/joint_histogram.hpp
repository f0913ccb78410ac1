// SPDX-License-Identifier: Apache-2.0
// Counts pairs of a magnitude M and its estimate M̂ by bins of magnitude. The bins are so fine (64 per octave
// where the thresholds are expected, 4 elsewhere) that one pass finds the thresholds of the largest 10 % of
// both. Coefficients in the bin of a threshold count by the fraction of the bin above it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device/interface/reductions.hpp"

namespace spyctrum {

/// Bins of a magnitude: fine from 2^low to 2^high times the largest power of two ≤ `centre`, coarse
/// elsewhere. The edges of two MagnitudeBins coincide where both are fine.
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
  /// Recall |T ∩ R|/|T|, with T and R the ⌈N/one_in⌉ largest of reference and estimate, or the above_zero()
  /// largest if these are fewer. Ties are broken at random, so that a flat estimate has recall 1/one_in;
  /// coefficients that tie in both are treated alike. NaN if all references are zero.
  [[nodiscard]] double recall_of_top(std::uint64_t one_in) const;

 private:
  std::size_t estimate_bins_ = 0;
  std::vector<std::uint64_t> counts_;
};

}  // namespace spyctrum
