// SPDX-License-Identifier: Apache-2.0
// The vectorised sums Σ p ln p and Σ ln p over coefficients, from which entropy
// −Σ p ln p and spectral flatness exp(mean ln p)/mean p follow.
#pragma once

#include <complex>
#include <cstddef>

namespace spyctrum::kernels {

/// With power p = |value|² (formed in single precision) sets
///   *sum_power = Σ p,  *sum_power_log_power = Σ p ln p,
///   *sum_log_power = Σ ln p
/// over values[0 … count) and returns how many powers are below the smallest normal float (1.2e−38), zeros
/// included: these enter none of the sums. Relative error of each logarithm about 1e−7; partial sums of at
/// most 16 terms in single precision, the rest in double.
std::size_t power_log_sums(const std::complex<float>* values, std::size_t count, double* sum_power,
                           double* sum_power_log_power, double* sum_log_power);

}  // namespace spyctrum::kernels
