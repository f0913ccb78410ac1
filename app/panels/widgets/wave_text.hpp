// SPDX-License-Identifier: Apache-2.0
// Text about the place of the crosshair, and about the wave of a frequency that is drawn over the pattern.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string>

#include "app/controller/state.hpp"

namespace spyctrum::panels {

/// Row and column, or frequencies u and v, of the crosshair.
[[nodiscard]] std::string place_text(const Crosshair& cross);
/// The period of a frequency (signed DFT index) along a side: size/|frequency|, "∞" for 0.
[[nodiscard]] std::string period_text(std::int64_t frequency, std::uint64_t size);
/// arg F, −π … π, in radians, with its sign; "0" and "+3.14" of real values, whose sums differ from them by
/// rounding.
[[nodiscard]] std::string phase_text(std::complex<double> value);
/// Frequency, period, angle and phase; then |F| as the sum over the entries inside and outside the bands, or
/// empty while it is computed. Both empty without a wave.
[[nodiscard]] std::array<std::string, 2> wave_text(const AppState& state);

}  // namespace spyctrum::panels
