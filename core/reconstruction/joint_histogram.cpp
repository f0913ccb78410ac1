// SPDX-License-Identifier: Apache-2.0
// The bit pattern of a positive float is a piecewise linear logarithm: shifting it right leaves equal bins in
// every octave, without a logarithm.
#include "core/reconstruction/joint_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace spyctrum {

MagnitudeBins::MagnitudeBins(double centre, int low, int high, double least)
    : inverse_(std::ldexp(1.0F, centre > 0 ? -std::ilogb(centre) : 0)),
      least_(static_cast<float>(least)),
      fine_bits_(std::bit_cast<std::uint32_t>(std::ldexp(1.0F, low))),
      upper_bits_(std::bit_cast<std::uint32_t>(std::ldexp(1.0F, high))) {
  coarse_bits_ = fine_bits_ - (static_cast<std::uint32_t>(kCoarseBelow) << kCoarseShift);
  fine_end_ = kCoarseBelow + ((upper_bits_ - fine_bits_) >> kFineShift);
}

std::size_t MagnitudeBins::bin(float magnitude) const {
  if (magnitude < least_) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(magnitude * inverse_);
  if (bits < fine_bits_) return bits < coarse_bits_ ? 0 : (bits - coarse_bits_) >> kCoarseShift;
  if (bits < upper_bits_) return kCoarseBelow + ((bits - fine_bits_) >> kFineShift);
  return fine_end_ + std::min<std::size_t>((bits - upper_bits_) >> kCoarseShift, kCoarseAbove - 1);
}

cuda::MagnitudeBinning MagnitudeBins::binning() const {
  return {inverse_,
          least_,
          coarse_bits_,
          fine_bits_,
          upper_bits_,
          kFineShift,
          kCoarseShift,
          static_cast<std::uint32_t>(kCoarseBelow),
          static_cast<std::uint32_t>(fine_end_),
          static_cast<std::uint32_t>(count())};
}

void JointHistogram::add(const JointHistogram& other) {
  for (std::size_t k = 0; k < counts_.size(); ++k) counts_[k] += other.counts_[k];
}

namespace {

/// The bin that contains the `rank`-th largest value, and the fraction of the bin that belongs to the
/// largest.
struct Threshold {
  std::size_t bin = 0;
  double fraction = 1;
};
Threshold find_threshold(const std::vector<std::uint64_t>& marginal, std::uint64_t rank) {
  std::uint64_t above = 0;
  for (std::size_t k = marginal.size(); k-- > 0;) {
    if (above + marginal[k] >= rank)
      return {k, static_cast<double>(rank - above) / static_cast<double>(marginal[k])};
    above += marginal[k];
  }
  return {};
}

}  // namespace

std::uint64_t JointHistogram::above_zero() const {
  return std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(estimate_bins_), counts_.end(),
                         std::uint64_t{0});
}

double JointHistogram::recall_of_top(std::uint64_t one_in) const {
  if (estimate_bins_ == 0) return std::numeric_limits<double>::quiet_NaN();
  const std::size_t reference_bins = counts_.size() / estimate_bins_;
  std::vector<std::uint64_t> reference(reference_bins);
  std::vector<std::uint64_t> estimate(estimate_bins_);
  std::uint64_t total = 0;
  for (std::size_t r = 0; r < reference_bins; ++r) {
    for (std::size_t e = 0; e < estimate_bins_; ++e) {
      const std::uint64_t count = counts_[r * estimate_bins_ + e];
      reference[r] += count;
      estimate[e] += count;
      total += count;
    }
  }
  const std::uint64_t largest = std::min((total + one_in - 1) / one_in, total - reference[0]);
  if (largest == 0) return std::numeric_limits<double>::quiet_NaN();
  const Threshold t = find_threshold(reference, largest);
  const Threshold s = find_threshold(estimate, largest);
  double both = 0;
  for (std::size_t r = t.bin; r < reference_bins; ++r) {
    for (std::size_t e = s.bin; e < estimate_bins_; ++e) {
      double weight = (r == t.bin ? t.fraction : 1.0) * (e == s.bin ? s.fraction : 1.0);
      const auto count = static_cast<double>(counts_[r * estimate_bins_ + e]);
      if (r == t.bin && e == s.bin) {
        // The larger the share of coefficients common to both bins, the more alike the two thresholds divide
        // them.
        const double shared = count / static_cast<double>(std::max(reference[r], estimate[e]));
        weight = (1 - shared) * weight + shared * std::min(t.fraction, s.fraction);
      }
      both += weight * count;
    }
  }
  return both / static_cast<double>(largest);
}

}  // namespace spyctrum
