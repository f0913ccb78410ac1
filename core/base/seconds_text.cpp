// SPDX-License-Identifier: Apache-2.0
// Two digits or three, in the largest units that need no more.
#include "core/base/seconds_text.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

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
  if (seconds == 0) return "0 s";
  constexpr std::array<std::pair<double, const char*>, 3> kUnits = {
      {{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}}};
  for (const auto& [unit, name] : kUnits)
    if (seconds < 999.5 * unit) return with_unit(seconds / unit, seconds < 9.95 * unit ? 1 : 0, name);
  if (seconds < 119.5) return with_unit(seconds, seconds < 9.95 ? 1 : 0, "s");
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
