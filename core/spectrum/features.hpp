// SPDX-License-Identifier: Apache-2.0
// The spectral features (signature) of a pattern: numbers that summarise the power P = |F|², with p = P/ΣP
// over the plane, after Zhang & Shen as described in the BS-FFT paper, §2.1 and §3.6. The comments below are
// the definitions; README.md of core/features names the sources of each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/device/interface/power_sums.hpp"

namespace spyctrum {

/// If more than this share of the coefficients is zero, flatness is 0. Otherwise zeros enter Σ ln|F|² as
/// computed, but each with at least 2^−41·K; a share s of zeros divides flatness by at most 2^(41s). The
/// limit is this large because small coefficients of an ordered pattern may lie below the floor: 0.24 % of
/// those of a Trefethen matrix of side 2,000.
inline constexpr double kMostZeros = 5e-3;

/// Features of the full m×n spectrum, or an estimate of them from samples.
/// r = hypot(s(u)/m, s(v)/n) in [0, √½]; angle = atan2(s(u)/m, s(v)/n) mod π;
/// s: signed_index(). F[u,v] and F[−u,−v] are conjugates; both count at the angle of the one with u = 0 …
/// ⌊m/2⌋ and −n/2 ≤ v < n/2. This defines the angle at the Nyquist frequencies of even sides, where +½ and −½
/// are the same frequency.
///
/// Values that are rounding do not count: if all coefficients but DC are below rounding_floor(), only DC has
/// power; if more than kMostZeros of them are, flatness is 0, the geometric mean with zeros.
struct Features {
  double entropy = 0;                        ///< −Σ p ln p / ln(mn), DC included, 0 … 1
  std::array<double, kRadialBins> radial{};  ///< shares of power over r, DC included, sum 1
  std::array<double, kSectors> sectors{};    ///< shares over the angle, DC excluded, bins centred on
                                             ///< multiples of π/8
  double low_frequency_ratio = 0;            ///< power with r ≤ √½/8 over all non-DC power
  double flatness = 0;                       ///< exp(mean ln |F|²)/mean |F|², non-DC; 0 with zeros
  double imbalance = 0;                      ///< (max − min)/(max + min) of the sectors
  double total_power = 0;     ///< Σ|F|² over the plane (estimate for samples); mnK by Parseval
  std::uint64_t samples = 0;  ///< number of coefficients from which the features were computed
  double zero_share = 0;      ///< share of the non-DC coefficients that are zero to rounding_floor()
};

/// Features estimated from samples, with the standard errors of entropy, radial, sectors, low_frequency_ratio
/// and flatness if the decoder estimates them. Errors are in the units of the features.
struct EstimatedFeatures : Features {
  std::optional<Features> errors;
  /// The rows u, 1 ≤ u < m/2, ascending, of which the decoder used all coefficients, as it did of the rows
  /// −u, in addition to its chosen lines.
  std::vector<std::int64_t> rows{};
};

}  // namespace spyctrum
