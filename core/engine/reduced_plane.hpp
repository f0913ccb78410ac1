// SPDX-License-Identifier: Apache-2.0
// Shared by the methods that transform a smaller matrix (Density Map, Fixed Point): an m0×n0 plane in
// fftshifted order, m0 = ⌈m/b⌉, n0 = ⌈n/b⌉, its forecast, the window cut out of it, its features by the
// paper's decoder. A window addresses the reduced plane by that plane's own signed frequencies,
// p in −⌊m0/2⌋ … ⌈m0/2⌉−1.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/request/byte_terms.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Completes a forecast: `terms` are the method's own bytes at its peak, the plane of 8·m0·n0 bytes included;
/// adds the window and, on CUDA, page-locked rows. `operations`: those before the transform.
[[nodiscard]] Forecast forecast_reduced(const ResolvedRequest& request, ByteTerms terms, double operations);

/// C[p,q] ← gain·Re C[p,q]·e^{2πi(⌊m0/2⌋p/m0 + ⌊n0/2⌋q/n0)}, whose forward DFT is that of gain·Re C in
/// fftshifted order. Zeros are skipped. `grid` is m0×n0, row-major.
void scale_and_shift(std::complex<float>* grid, std::uint64_t m0, std::uint64_t n0, double gain,
                     JobContext& context);

/// The result from the whole reduced plane (fftshifted, row-major): the window where one is requested, else
/// the requested features and values. Exact at b = 1. `features`: computed here where empty.
[[nodiscard]] Spectrum reduced_spectrum(const ResolvedRequest& request,
                                        std::vector<std::complex<float>> plane, JobContext& context,
                                        std::optional<Features> features = std::nullopt);

}  // namespace spyctrum
