// SPDX-License-Identifier: Apache-2.0
// Which frequencies of an m×n plane fold onto one coefficient of a plane that was reduced by b×b blocks. With
// m0 = ⌈m/b⌉ the coefficient k of the reduced axis has the frequency k/(m0·b) in cycles per row, and so have,
// from one block to the next, the b frequencies f = (k + p·m0)/(m0·b), p = 0 … b−1: at u = f·m of the plane,
// a whole number where b divides m. A mean over b positions multiplies a wave by the Dirichlet kernel
// sin(πbf)/(b·sin πf), whose squares add up to 1 over the b frequencies; taking one of b positions passes all
// of them with 1/b of the power each.
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
  /// The coefficient onto which frequency u (signed, in 1/m) folds, signed: −⌊m0/2⌋ … ⌈m0/2⌉−1.
  [[nodiscard]] std::int64_t folded(double u) const;
  /// The b places u onto k, signed, nearest to k = 0 first.
  [[nodiscard]] std::vector<double> places(std::int64_t k) const;
  /// The share of a wave's power at u that the coefficient receives, 0 … 1.
  [[nodiscard]] double weight(double u) const;
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
