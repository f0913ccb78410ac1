// SPDX-License-Identifier: Apache-2.0
// Vectorised sums Σ p ln p and Σ ln p over coefficients, from which the entropy −Σ p ln p and the spectral
// flatness exp(mean ln p)/mean p follow.
#pragma once

#include <complex>
#include <cstddef>

namespace spyctrum::kernels {

/// Sets, with power p = |value|² (computed in single precision),
///   *sum_power = Σ p,  *sum_power_log_power = Σ p ln p,  *sum_log_power = Σ ln p
/// over values[0 … count). Powers below the smallest normal float (1.2e−38), zeros included, enter none of
/// the sums; their number is returned. Relative error of each logarithm about 1e−7; at most 16 terms are
/// added in single precision, then double.
std::size_t power_log_sums(const std::complex<float>* values, std::size_t count, double* sum_power,
                           double* sum_power_log_power, double* sum_log_power);

}  // namespace spyctrum::kernels
