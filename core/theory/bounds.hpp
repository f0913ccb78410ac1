// SPDX-License-Identifier: Apache-2.0
// The inequalities of the BS-FFT paper's §3.2 and §3.3 as functions of numbers: P = mn cells, K entries,
// density d = K/P, M = P − 1 frequencies without DC. Logarithms are natural. Equation numbers count the
// paper's numbered equations.
#pragma once

#include <optional>

#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

/// Eq. 9: 1 − ln K / ln P, a lower bound of the normalised entropy of the power of any binary pattern. 0
/// where P < 2 or K = 0.
[[nodiscard]] double entropy_floor(double cells, double nonzeros);

/// Expected normalised entropy of a spectrum without structure, whose |F|² are independent exponential
/// variables of one mean: E[x ln x] = 1 − γ for x exponential of mean 1, hence 1 − (1 − γ)/ln P, γ Euler's
/// constant. Not a bound.
[[nodiscard]] double flat_entropy(double cells);

/// H(p) in nats of the power without DC, from the normalised entropy with DC (Features::entropy). DC holds
/// exactly the share d = K/P, so H = −d ln d − (1−d) ln(1−d) + (1−d)·H(p). Empty where no power is left
/// without DC (K = 0, K = P).
[[nodiscard]] std::optional<double> non_dc_entropy(double entropy, double cells, double nonzeros);

/// δ = ln M − H(p) ≥ 0, the entropy deficit (before eq. 10).
[[nodiscard]] double entropy_deficit(double non_dc_entropy, double cells);

/// Eq. 10: √(2δ), an upper bound of the difference between the share of power of the Q largest coefficients
/// and that of Q uniformly chosen ones. Values above 1 mean nothing, since shares are at most 1.
[[nodiscard]] double retained_energy_gap(double deficit);

/// Share of the power in the Q largest of M exponentially distributed powers: (Q/M)(1 + ln(M/Q)); Q =
/// `count`, M = `frequencies`.
[[nodiscard]] double flat_top_energy(double count, double frequencies);

/// Eq. 11 on the frequency torus (frequencies are periodic): the largest distance, in cycles per sample, from
/// a point of [−½, ½)² to the nearest sample of a Cartesian grid; half the diagonal of the largest gap.
[[nodiscard]] double coverage_radius(const FrequencyGrid& grid);
/// Lower bound of the coverage radius of any Q points, 1/√(πQ): Q discs of radius h cover an area of 1 only
/// where πh²Q ≥ 1.
[[nodiscard]] double least_coverage_radius(double samples);

/// Eq. 15: expected E_b²/K of K random positions, (1−d)(P−Q)/(P−1).
[[nodiscard]] double random_aggregation_loss(double cells, double nonzeros, double blocks);
/// Eq. 16: the least normalised mean-squared error of the complex spectrum given the block counts of K
/// random positions, (P−Q)/(P−1).
[[nodiscard]] double optimal_spectrum_error(double cells, double blocks);

}  // namespace spyctrum
