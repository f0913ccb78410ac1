// SPDX-License-Identifier: Apache-2.0
// The display pyramid of a plane of which some rows were streamed: in each block of cells the estimate of its
// mean power, with rows weighted by their inverse inclusion probability.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Sums over the streamed rows of a plane. Cells and rows are in shifted order; a row of cells holds the sums
/// of its own rows only, without the transposes of a symmetric half.
struct StreamedSums {
  DisplayPyramid sampled;  ///< sums (mean_power) and maxima over the rows that were drawn at random
  /// The same sums over the rows that are streamed in any case; [rows][cols], empty for a row of cells
  /// without such rows. Their maxima are in `sampled`.
  std::vector<std::vector<float>> certain;
  std::vector<std::uint8_t> streamed;  ///< by position: whether the row was streamed
  /// By u = 0 … ⌊m/2⌋: the stratum from which the row was drawn, or RowSample::kCertain.
  std::vector<std::uint32_t> stratum_of_row;
  bool symmetric_half = false;  ///< SpectrumRow::symmetric_half
};

/// The pyramid of these rows. With π(u) the share of the rows of u's stratum that were streamed (1 for
/// certain rows), a block of cells has the mean
///
///     Σ |F[u,v]|²/π(u) / Σ 1/π(u)   over its streamed coefficients
///
/// (Horvitz and Thompson 1952; Hájek 1971), its cells the same maximum and, as streamed_share, the share of
/// the block's coefficients that was streamed; here u is the row with which (u,v) is streamed: of a symmetric
/// half the larger of |u| and |v|. Blocks are about as wide as high, and high enough to hold streamed rows
/// from two places and at least eight of them, so that a ridge of any direction passes through them evenly.
/// Cells whose coefficients are all certain are exact.
[[nodiscard]] DisplayPyramid estimated_pyramid(StreamedSums sums, ThreadPool& pool);

/// The blocks of such a pyramid that are estimates, each counted by its number of coefficients: their mean
/// size, and the relative standard error of their means, √((1 − q)/N) for N streamed coefficients, a share q,
/// of exponentially distributed power. {1, 0} if every cell is exact.
struct BlockNoise {
  double coefficients = 1;
  double relative_error = 0;
};
[[nodiscard]] BlockNoise block_noise(const DisplayPyramid& pyramid);
/// Whether these blocks show as much as `samples` evenly spread samples of the `coefficients` in view.
/// Samples would be drawn as cells of 64 samples with an error of 12 %. Blocks have a far smaller error, so
/// that they may be up to four times as wide as such cells.
[[nodiscard]] bool is_as_fine_as_samples(const BlockNoise& blocks, double coefficients,
                                         std::uint64_t samples);

}  // namespace spyctrum
