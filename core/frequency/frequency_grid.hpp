// SPDX-License-Identifier: Apache-2.0
// The frequencies at which a spectrum is computed: for each axis an arithmetic progression or an explicit
// list of signed DFT indices. The full spectrum, a lattice sample and a zoom window are all FrequencyGrids.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

namespace spyctrum {

/// Signed DFT index of k in a dimension of `size`, as numpy.fft.fftfreq: 0 … ⌈size/2⌉−1 stay, larger ones
/// become negative, so that an even size has −size/2 and no +size/2. Range −⌊size/2⌋ … ⌈size/2⌉−1.
[[nodiscard]] constexpr std::int64_t signed_index(std::integral auto k, std::integral auto size) {
  const auto signed_size = static_cast<std::int64_t>(size);
  const std::int64_t reduced = (static_cast<std::int64_t>(k) % signed_size + signed_size) % signed_size;
  return reduced < (signed_size + 1) / 2 ? reduced : reduced - signed_size;
}
/// The representative of frequency k in 0 … size−1, in the type of `size`.
template <std::integral Size>
[[nodiscard]] constexpr Size dft_index(std::int64_t k, Size size) {
  const auto signed_size = static_cast<std::int64_t>(size);
  return static_cast<Size>((k % signed_size + signed_size) % signed_size);
}
/// Whether k and −k are one frequency: 0, and size/2 of an even size. F[−u, v] = conj F[u, −v] then relates
/// values of one row.
[[nodiscard]] constexpr bool is_self_mirrored(std::integral auto k, std::uint64_t size) {
  return dft_index(2 * static_cast<std::int64_t>(k), size) == 0;
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
  [[nodiscard]] std::int64_t signed_at(std::uint64_t k) const { return signed_index(at(k), size_); }
  /// Reduced to 0 … size−1.
  [[nodiscard]] std::uint64_t index_at(std::uint64_t k) const { return dft_index(at(k), size_); }
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

/// ⌈size/b⌉.
[[nodiscard]] constexpr std::uint64_t block_count(std::uint64_t size, std::uint64_t block) {
  return (size + block - 1) / block;
}

/// The m0 = ⌈size/b⌉ fftshifted positions round(p(size−1)/(m0−1)), p = 0 … m0−1, as signed frequencies in
/// ascending order. For m0 = 1 the first position alone, for b = 1 all positions.
[[nodiscard]] FrequencyAxis paper_axis(std::uint64_t size, std::uint64_t block);

/// The signed frequencies congruent to max(1, ⌊(b+2)/4⌋) modulo b, ascending: ⌊size/b⌋ or ⌈size/b⌉ of them.
/// None is 0 and, for b > 2, none is the negative of another, so that the conjugates F[−u,−v] of samples are
/// no samples. For b = 1 or size = 1 all frequencies.
[[nodiscard]] FrequencyAxis off_axis_progression(std::uint64_t size, std::uint64_t block);

// The frequencies that Elastic BS-FFT samples for block size b, about ⌈m/b⌉ × ⌈n/b⌉: either the nearly
// uniform fftshifted indices of the BS-FFT paper (§3.2), or an arithmetic progression per axis that excludes
// u = 0 and v = 0. The values on the axes, F[u,0] and F[0,v], are known exactly (DFTs of the row and column
// sums) and hold far more power than their neighbours; in a lattice that contains an axis, each of them would
// count b times too much. Samples on progressions are one type-1 non-uniform FFT of the size of the output
// (core/fft/lattice.hpp).

[[nodiscard]] inline FrequencyGrid paper_grid(std::uint64_t m, std::uint64_t n, std::uint64_t block) {
  return {paper_axis(m, block), paper_axis(n, block)};
}
/// Rows as off_axis_progression(); columns, for b ≥ 4, the frequencies congruent to ⌊b/2⌋ modulo b. The grid
/// contains no coefficient with u = 0, v = 0 or u = v, and for a symmetric pattern the transposes F[v,u] =
/// F[u,v] of samples are no samples.
[[nodiscard]] FrequencyGrid off_axis_grid(std::uint64_t m, std::uint64_t n, std::uint64_t block);

}  // namespace spyctrum
