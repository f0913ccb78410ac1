// SPDX-License-Identifier: Apache-2.0
// Two digits or three, in the largest units that need no more.
#include "core/base/seconds_text.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace spyctrum {

namespace {

std::string with_unit(double value, int decimals, const char* unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit);
  return text.data();
}

}  // namespace

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds)) return "n/a";
  if (seconds < 0.00095) return with_unit(seconds * 1000, 2, "ms");
  if (seconds < 0.00995) return with_unit(seconds * 1000, 1, "ms");
  if (seconds < 0.9995) return with_unit(seconds * 1000, 0, "ms");
  if (seconds < 9.95) return with_unit(seconds, 1, "s");
  if (seconds < 119.5) return with_unit(seconds, 0, "s");
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  constexpr std::uint64_t kHour = 3600, kDay = 24 * kHour;
  if (whole >= 2 * kDay)
    return std::to_string(whole / kDay) + " d " + std::to_string(whole % kDay / kHour) + " h";
  if (whole >= 2 * kHour)
    return std::to_string(whole / kHour) + " h " + std::to_string(whole % kHour / 60) + " min";
  return std::to_string(whole / 60) + " min " + (whole % 60 < 10 ? "0" : "") + std::to_string(whole % 60) +
         " s";
}

}  // namespace spyctrum
