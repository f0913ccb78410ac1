// SPDX-License-Identifier: Apache-2.0
// Features from coefficients at frequencies that form no grid (ScatteredPoints), weighted by the number of
// coefficients that each stands for.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "core/base/job_context.hpp"
#include "core/frequency/scattered_points.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

/// Weighted samples through the decoder of the BS-FFT paper, §3.6: p_t = α_t|Z_t|²/S, entropy as it is
/// defined there, −Σ p ln p / ln Q, not corrected for the size of the sample (which lowers it by some
/// 0.42·(1/ln Q − 1/ln mn), and by what the areas vary; decode_stratified() has no such bias), radial bins
/// and sectors by p. The coefficient (0, 0), known to be K, stands for itself alone. The same bits on any
/// number of threads.
[[nodiscard]] Features decode_scattered(std::uint64_t m, std::uint64_t n, const ScatteredPoints& points,
                                        std::span<const std::complex<float>> values, JobContext& context);

}  // namespace spyctrum
