// SPDX-License-Identifier: Apache-2.0
// The frequencies at which a spectrum is computed: for each axis an arithmetic progression or an explicit
// list of signed DFT indices. The full spectrum, a lattice sample and a zoom window are all FrequencyGrids.
#pragma once

#include <cstdint>
#include <vector>

namespace spyctrum {

/// Signed DFT index of k in a dimension of `size`, as numpy.fft.fftfreq: 0 … ⌈size/2⌉−1 stay, larger ones
/// become negative, so that an even size has −size/2 and no +size/2. Range −⌊size/2⌋ … ⌈size/2⌉−1.
[[nodiscard]] constexpr std::int64_t signed_index(std::int64_t k, std::int64_t size) {
  const std::int64_t reduced = ((k % size) + size) % size;
  return reduced < (size + 1) / 2 ? reduced : reduced - size;
}
/// The representative of frequency k in 0 … size−1.
[[nodiscard]] constexpr std::int64_t dft_index(std::int64_t k, std::int64_t size) {
  return ((k % size) + size) % size;
}

/// Frequencies of one axis in units of the DFT index of a dimension `size` (k/size cycles per sample). A
/// value outside the signed range denotes the same frequency as its residue modulo `size`.
class FrequencyAxis {
 public:
  FrequencyAxis() = default;
  /// origin + k·step, k = 0 … count−1; step may be negative. Throws for size 0 or step 0.
  static FrequencyAxis progression(std::uint64_t size, std::int64_t origin, std::int64_t step,
                                   std::uint64_t count);
  static FrequencyAxis list(std::uint64_t size, std::vector<std::int64_t> frequencies);
  /// All frequencies in fftshifted (ascending signed) order: −⌊size/2⌋ … ⌈size/2⌉−1.
  static FrequencyAxis full(std::uint64_t size);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] bool is_progression() const { return frequencies_.empty(); }
  [[nodiscard]] std::int64_t origin() const { return origin_; }
  [[nodiscard]] std::int64_t step() const { return step_; }
  /// The k-th frequency as it was given (signed, not reduced).
  [[nodiscard]] std::int64_t at(std::uint64_t k) const {
    return is_progression() ? origin_ + step_ * static_cast<std::int64_t>(k) : frequencies_[k];
  }
  /// Reduced to the signed range of `size`.
  [[nodiscard]] std::int64_t signed_at(std::uint64_t k) const {
    return signed_index(at(k), static_cast<std::int64_t>(size_));
  }
  /// Reduced to 0 … size−1.
  [[nodiscard]] std::uint64_t index_at(std::uint64_t k) const {
    return static_cast<std::uint64_t>(dft_index(at(k), static_cast<std::int64_t>(size_)));
  }
  [[nodiscard]] bool is_full() const;
  /// The axis of the frequencies number begin … begin+count−1 of this one, for a dimension of `size`.
  [[nodiscard]] FrequencyAxis part(std::uint64_t begin, std::uint64_t count, std::uint64_t size) const;

 private:
  std::uint64_t size_ = 0;
  std::uint64_t count_ = 0;
  std::int64_t origin_ = 0;
  std::int64_t step_ = 1;
  std::vector<std::int64_t> frequencies_;
};

/// The Cartesian product rows × cols. Values on it are row-major: value[p*cols.count()+q] = F[u_p, v_q].
struct FrequencyGrid {
  FrequencyAxis rows;
  FrequencyAxis cols;
  [[nodiscard]] std::uint64_t count() const { return rows.count() * cols.count(); }
};

}  // namespace spyctrum
