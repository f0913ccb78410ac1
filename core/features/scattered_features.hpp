// SPDX-License-Identifier: Apache-2.0
// Features from coefficients at scattered frequencies (ScatteredPoints), each weighted by the number of
// coefficients that it represents.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "core/base/job_context.hpp"
#include "core/frequency/scattered_points.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

/// The decoder of the BS-FFT paper, §3.6, for weighted samples Z_t of area α_t: p_t = α_t|Z_t|²/S, entropy
/// −Σ p ln p / ln Q over the Q samples, radial bins and sectors by p. This entropy is biased: lower by about
/// 0.42·(1/ln Q − 1/ln mn) for a flat Gaussian plane, and further where areas vary; decode_stratified() has
/// no such bias. The coefficient (0, 0), known to be K, has area 1. The same bits on any number of threads.
/// `zero_floor`: rounding_floor() of the pattern.
[[nodiscard]] Features decode_scattered(std::uint64_t m, std::uint64_t n, const ScatteredPoints& points,
                                        std::span<const std::complex<float>> values, double zero_floor,
                                        JobContext& context);

}  // namespace spyctrum
