// SPDX-License-Identifier: Apache-2.0
// How the error row compares a reconstruction with the exact spectrum: from the powers P̂ = |F̂|² and P = |F|²,
// each averaged over the pixel.
#pragma once

#include <array>
#include <optional>

namespace spyctrum {

enum class PictureError {
  ratio,      ///< P̂/P, in dB
  magnitude,  ///< √P̂ − √P
  relative,   ///< (√P̂ − √P)/√P
  phase,      ///< mean of |arg F̂ − arg F| over the coefficients that the method stores (phase_errors.hpp)
  squared,    ///< (√P̂ − √P)²/K; K is the mean of |F|² over the plane
};
/// The names in files, in the order of the enumerators.
inline constexpr std::array<const char*, 5> kPictureErrors{"ratio", "magnitude", "relative", "phase",
                                                           "squared"};

struct PictureErrorInfo {
  const char* label;    ///< in choices and captions
  const char* unit;     ///< of the colour bar
  const char* meaning;  ///< a sentence without its full stop
  const char* caption;  ///< of a picture, behind "error · "
  /// true: from −L to L on the diverging map; false: on the map of the spectra
  bool is_signed;
};
[[nodiscard]] const PictureErrorInfo& info(PictureError measure);

/// The error in the form used by ranges and colour bars: its log10 if the measure is logarithmic. Empty for
/// the phase, and if the error is not finite (for two zeros it is 0).
[[nodiscard]] std::optional<double> error_of(PictureError measure, double estimated_power, double power,
                                             double entries);

}  // namespace spyctrum
