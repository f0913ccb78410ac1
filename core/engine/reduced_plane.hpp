// SPDX-License-Identifier: Apache-2.0
// Shared by the methods that transform a smaller m0×n0 matrix, m0 = ⌈m/b⌉, n0 = ⌈n/b⌉ (Density Map, Fixed
// Point): forecast, fftshifted order, window and features (by the paper's decoder) of the reduced plane. A
// window names signed frequencies of the reduced plane, p = −⌊m0/2⌋ … ⌈m0/2⌉−1.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/request/byte_terms.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// The forecast of a method whose own arrays are `terms` at their peak (the plane of 8·m0·n0 bytes included)
/// and which takes `operations` before the transform; the window and, on CUDA, page-locked rows are added.
[[nodiscard]] Forecast forecast_reduced(const ResolvedRequest& request, ByteTerms terms, double operations);

/// Device bytes of Density Map's task at the request's block size.
[[nodiscard]] ByteTerms device_reduced_terms(const ResolvedRequest& request);

/// C[p,q] ← gain·Re C[p,q]·e^{2πi(⌊m0/2⌋p/m0 + ⌊n0/2⌋q/n0)}, whose forward DFT is that of gain·Re C in
/// fftshifted order. Zeros are skipped. `grid` is m0×n0, row-major.
void scale_and_shift(std::complex<float>* grid, std::uint64_t m0, std::uint64_t n0, double gain,
                     JobContext& context);

/// The result of a request from its reduced plane (fftshifted, row-major): the window if one is requested,
/// else the requested values and features. `features` are used if given, else decoded from the plane. The
/// result is exact at b = 1, else an estimate.
[[nodiscard]] Spectrum reduced_spectrum(const ResolvedRequest& request,
                                        std::vector<std::complex<float>> plane, JobContext& context,
                                        std::optional<Features> features = std::nullopt);

}  // namespace spyctrum
