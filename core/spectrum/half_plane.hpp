// SPDX-License-Identifier: Apache-2.0
// The rows of a plane that are computed: F[−u,−v] = conj F[u,v] for real entries, so that u = 0 … ⌊m/2⌋
// determine all others.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "core/frequency/frequency_grid.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// h = ⌊m/2⌋+1, the rows that are computed.
[[nodiscard]] constexpr std::uint64_t half_rows(std::uint64_t m) { return m / 2 + 1; }

/// u = 0 … ⌊m/2⌋ by v = 0 … n−1, both in DFT order: the grid of stored full planes.
[[nodiscard]] FrequencyGrid half_grid(std::uint64_t m, std::uint64_t n);

/// Row u as the consumers want it; `symmetric_half`: with |v| ≤ u alone (SpectrumRow::symmetric_half).
[[nodiscard]] SpectrumRow spectrum_row(std::int64_t u, std::uint64_t m,
                                       std::span<const std::complex<float>> values,
                                       bool symmetric_half = false);

}  // namespace spyctrum
