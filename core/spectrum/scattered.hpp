// SPDX-License-Identifier: Apache-2.0
// Values at frequencies of their own choosing, beside the FrequencyGrid: where each lies and how many
// coefficients it stands for.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/spectrum/features.hpp"
#include "core/spectrum/site_raster.hpp"

namespace spyctrum {

struct ScatteredPoints {
  std::vector<std::int32_t> u;  ///< signed, ascending by (u, v), distinct
  std::vector<std::int32_t> v;
  std::vector<float> weight;  ///< coefficients that each stands for: clipped Voronoi areas, sum mn
  std::shared_ptr<const SiteRaster> raster;

  [[nodiscard]] std::size_t count() const { return u.size(); }
  /// Points [first, second) of row u.
  [[nodiscard]] std::pair<std::size_t, std::size_t> row(std::int64_t signed_u) const;
};

/// Weighted samples through the decoder of the BS-FFT paper, §3.6: p_t = α_t|Z_t|²/S, entropy as it is
/// defined there, −Σ p ln p / ln Q, not corrected for the size of the sample (which lowers it by some
/// 0.42·(1/ln Q − 1/ln mn), and by what the areas vary; decode_stratified() has no such bias), radial bins
/// and sectors by p. The coefficient (0, 0), known to be K, stands for itself alone. The same bits on any
/// number of threads.
[[nodiscard]] Features decode_scattered(std::uint64_t m, std::uint64_t n, const ScatteredPoints& points,
                                        std::span<const std::complex<float>> values, JobContext& context);

}  // namespace spyctrum
