// SPDX-License-Identifier: Apache-2.0
// The half plane that is computed: for real entries F[−u,−v] = conj F[u,v], so that the rows u = 0 … ⌊m/2⌋
// determine all others.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "core/frequency/frequency_grid.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// ⌊m/2⌋+1, the number of rows of the half plane.
[[nodiscard]] constexpr std::uint64_t half_rows(std::uint64_t m) { return m / 2 + 1; }

/// u = 0 … ⌊m/2⌋ by v = 0 … n−1, both in DFT order (not fftshifted): the grid of stored full planes.
[[nodiscard]] FrequencyGrid half_grid(std::uint64_t m, std::uint64_t n);

/// Row u of the half plane for a RowConsumer, with `mirrored` set; `symmetric_half` as in SpectrumRow.
[[nodiscard]] SpectrumRow spectrum_row(std::int64_t u, std::uint64_t m,
                                       std::span<const std::complex<float>> values,
                                       bool symmetric_half = false);

}  // namespace spyctrum
