// SPDX-License-Identifier: Apache-2.0
// Labels and formulas of the measures of error.
#include "app/controller/state/picture_error.hpp"

#include <cmath>

namespace spyctrum {

const PictureErrorInfo& info(PictureError measure) {
  static constexpr std::array<PictureErrorInfo, kPictureErrors.size()> kInfos{
      {{"ratio", "dB", "Power of the reconstruction over that of the exact spectrum, in dB",
        "dB against the exact spectrum", true},
       {"Δ|F|", "Δ|F|", "Magnitude of the reconstruction minus that of the exact spectrum",
        "Δ|F| against the exact spectrum", true},
       {"relative", "Δ|F|/|F|",
        "Difference of the magnitudes of reconstruction and exact spectrum, over the exact one",
        "Δ|F| over |F| against the exact spectrum", true},
       {"phase", "rad",
        "Mean difference of the phases of stored and exact coefficients; π/2 where they are unrelated",
        "phases of stored coefficients, at their frequencies", false},
       {"squared", "lg Δ²/K", "Squared difference of the magnitudes over K, the mean power; its logarithm",
        "(Δ|F|)² over K", false}}};
  return kInfos.at(static_cast<std::size_t>(measure));
}

std::optional<double> error_of(PictureError measure, double estimated_power, double power, double entries) {
  const double apart = std::sqrt(estimated_power) - std::sqrt(power);
  const auto error = [&] {
    switch (measure) {
      case PictureError::ratio:
        return estimated_power == power ? 0 : std::log10(estimated_power / power);
      case PictureError::magnitude:
        return apart;
      case PictureError::relative:
        return apart == 0 ? 0 : apart / std::sqrt(power);
      case PictureError::squared:
        return std::log10(apart * apart / entries);
      case PictureError::phase:
        break;
    }
    return std::nan("");
  }();
  return std::isfinite(error) ? std::optional(error) : std::nullopt;
}

}  // namespace spyctrum
