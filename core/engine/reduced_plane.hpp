// SPDX-License-Identifier: Apache-2.0
// What the methods that transform a smaller matrix share (Density Map, Fixed Point): an m0×n0 plane in
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

/// `terms` holds what the method itself holds at its peak, the plane of 8·m0·n0 bytes included; the window
/// and, on CUDA, the page-locked rows are added. `operations` are those before the transform.
[[nodiscard]] Forecast forecast_reduced(const ResolvedRequest& request, ByteTerms terms, double operations);

/// C ← C·gain, multiplied so that the transform that follows comes out in fftshifted order; real parts count,
/// zeros are skipped. `grid` is m0×n0, row-major.
void scale_and_shift(std::complex<float>* grid, std::uint64_t m0, std::uint64_t n0, double gain,
                     JobContext& context);

/// The result made of the whole plane (fftshifted, row-major): the window where one is asked for, else
/// features and values as the request's outputs say. Exact at b = 1. `features`: where they are known
/// already.
[[nodiscard]] Spectrum reduced_spectrum(const ResolvedRequest& request,
                                        std::vector<std::complex<float>> plane, JobContext& context,
                                        std::optional<Features> features = std::nullopt);

}  // namespace spyctrum
