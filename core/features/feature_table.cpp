// SPDX-License-Identifier: Apache-2.0
// Names that follow from the lines of the table.
#include "core/features/feature_table.hpp"

#include <cmath>

#include "core/base/text.hpp"

namespace spyctrum {

const char* feature_conventions() {
  return R"(Conventions, for an m×n matrix of K entries, P = |F[u, v]|², p = P/ΣP, s signed DFT indices:
  entropy          −Σ p ln p / ln(mn), F[0, 0] included
  ring k of 16     the largest k with 512·(s(u)²n² + s(v)²m²) ≥ k²m²n², in integers: a coefficient
                   on the edge r = k·√½/16 belongs to the upper ring; F[0, 0] included
  low frequencies  128·(s(u)²n² + s(v)²m²) ≤ m²n², which is r ≤ √½/8; without F[0, 0]
  sector k of 8    ⌊((θ + π/16) mod π)/(π/8)⌋, θ = atan2(s(u)/m, s(v)/n); without F[0, 0]. Of even
                   sides u = −m/2 counts as m/2, and at v = −n/2 u counts as |u|, so that F[u, v]
                   and its conjugate F[−u, −v] have one direction
  elastic-paper    node p of m0 is ⌊p(m−1)/(m0−1) + ½⌋ − ⌊m/2⌋: half-way nodes go up
  density-map,     value (s, t) of the m0×n0 plane stands at s/m0 and t/n0 cycles per sample, not
  fixed-point      at the aligned end points p(m−1)/(m0−1) − ⌊m/2⌋ of their reconstructions
  fps-sft          each sample counts with the area of its Voronoi cell in the plane; F[0, 0] = K
                   has the area 1, the other areas add up to mn − 1
  zero             P below 5u²·log₂(mn)·(L·K·ln(mn) + K²/4) + K·ln(mn)·(4κ)² rounded up to a
                   power of two; u = 2⁻²⁴, L = max(Σ rowcount², Σ colcount²)/K, κ = 1e-6 or the
                   tolerance of the values
  flatness         exp(mean ln P)/mean P without F[0, 0]; 0 where more than 1/200 of the P are zero,
                   else with P ≥ 2⁻⁴¹·K
  weights          with entries a in place of 1, F[0, 0] = Σa, Σa² stands for K as the mean of P, and
                   Σ|a| for K as the largest |F|; L = max(Σ(Σ|a| of a row)², Σ(Σ|a| of a column)²)/Σa²
  error bars       exact, elastic: one standard error of what was sampled. Other methods: how far the
                   feature may be from the exact one with 68 %, from rows of the plane that are
                   computed for the bars alone; bias of the method included, which its own samples
                   do not show)";
}

const char* to_string(ErrorMeasure measure) {
  static constexpr std::array kNames{"relative", "absolute", "hellinger"};
  return kNames.at(static_cast<std::size_t>(measure));
}

std::string zero_note(const Features& features) {
  if (features.zero_share <= kMostZeros) return {};
  // Rounded down: "100 %" means all.
  return number_text(std::floor(1e6 * features.zero_share) / 1e4, 4) +
         " % of the coefficients are zero to rounding: flatness, by their geometric mean, is 0";
}

std::string FeatureDefinition::error_column() const {
  return std::string(stem) + (is_distribution() ? "_hellinger" : "_error");
}

}  // namespace spyctrum
