// SPDX-License-Identifier: Apache-2.0
// Which frequencies of an m×n plane fold onto one coefficient of a plane that was reduced by b×b blocks. With
// m0 = ⌈m/b⌉ the coefficient k of the reduced axis has the frequency k/(m0·b) in cycles per row. At the first
// rows of the blocks, b rows apart, a wave of each of the b frequencies f = (k + p·m0)/(m0·b), p = 0 … b−1,
// has the same values: these are the places u = f·m of the plane that fold onto k. A wave exp(2πi·ui/m)
// contributes to the coefficient with the response R, where q counts blocks and t the a rows of block q (a =
// b, less in the last block),
//   R(u) = Σ_q exp(−2πi·kq/m0) · (1/a)·Σ_t exp(2πi·u(bq + t)/m)   for means over blocks,
//   R(u) = Σ_q exp(−2πi·kq/m0) · exp(2πi·u·bq/m)                  for one position of each block.
// Where b divides m the places are coefficients of the plane and no other wave contributes: |R|² is
// (m0·sin(πbf)/(b·sin πf))², or m0² for one position. Else the places lie between coefficients, a wave
// contributes to several k, and a coefficient of means also receives a little power from frequencies that do
// not fold onto it, because the last block has fewer rows.
#pragma once

#include <cstdint>
#include <vector>

namespace spyctrum {

/// One axis of a plane that was reduced by blocks.
struct FoldedAxis {
  std::uint64_t size = 1;   ///< m
  std::uint64_t block = 1;  ///< b
  bool averages = true;     ///< means over blocks; else one position of each

  [[nodiscard]] std::uint64_t reduced() const { return (size + block - 1) / block; }  ///< m0
  [[nodiscard]] bool is_whole() const { return size % block == 0; }  ///< places are coefficients
  /// The coefficient onto which frequency u (signed, in 1/m) folds, signed: −⌊m0/2⌋ … ⌈m0/2⌉−1.
  [[nodiscard]] std::int64_t folded(double u) const;
  /// The b places u onto k, signed, nearest to k = 0 first.
  [[nodiscard]] std::vector<double> places(std::int64_t k) const;
  /// |R(u)|² of coefficient k, divided by its sum over the places of k: the share of a wave's power at u that
  /// the coefficient receives.
  [[nodiscard]] double weight(double u, std::int64_t k) const;
};

/// A frequency of the exact plane and the share of its power that a reduced coefficient holds.
struct FoldedPlace {
  double u = 0, v = 0;
  double weight = 0;  ///< product of both axes; the weights of all places add up to 1
};
/// The `most` heaviest of the places that fold onto (k, l), heaviest first.
[[nodiscard]] std::vector<FoldedPlace> folded_places(const FoldedAxis& rows, const FoldedAxis& cols,
                                                     std::int64_t k, std::int64_t l, std::size_t most);

}  // namespace spyctrum
