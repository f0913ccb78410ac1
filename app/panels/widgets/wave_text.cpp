// SPDX-License-Identifier: Apache-2.0
// Frequency, period, angle and phase of a wave, and its sum, in words.
#include "app/panels/widgets/wave_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/panels/widgets/format.hpp"

namespace spyctrum::panels {

std::string place_text(const Crosshair& cross) {
  const auto counted_from_0 = [](std::int64_t index) {
    return grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(index, 0)));
  };
  if (cross.plane == Plane::pattern)
    return "row " + counted_from_0(cross.i) + "   column " + counted_from_0(cross.j);
  return "u = " + signed_grouped(cross.u) + "   v = " + signed_grouped(cross.v);
}

std::string period_text(std::int64_t frequency, std::uint64_t size) {
  if (frequency == 0) return "∞";
  return number_text(static_cast<double>(size) / std::abs(static_cast<double>(frequency)), 4);
}

std::string phase_text(std::complex<double> value) {
  constexpr double kRounding = 1e-9;  // of a sum in double precision
  const double phase = std::arg(value);
  if (std::abs(phase) < kRounding) return "0";
  return signed_number_text(std::numbers::pi - std::abs(phase) < kRounding ? std::numbers::pi : phase, 3);
}

std::array<std::string, 2> wave_text(const AppState& state) {
  if (!state.wave || state.matrix() == nullptr) return {};
  const SparsePattern& pattern = *state.matrix()->matrix.pattern;
  const auto [u, v] = *state.wave;
  const double angle = std::atan2(static_cast<double>(u) / static_cast<double>(pattern.rows()),
                                  static_cast<double>(v) / static_cast<double>(pattern.cols())) *
                       180 / std::numbers::pi;
  std::array<std::string, 2> words;
  words[0] = "u = " + signed_grouped(u) + ", v = " + signed_grouped(v) + " · period " +
             period_text(u, pattern.rows()) + " rows × " + period_text(v, pattern.cols()) + " columns · " +
             number_text(angle < 0 ? angle + 180 : angle, 3) + "°";
  if (!state.wave_sum) return words;
  const WaveSum& sum = *state.wave_sum;
  const bool is_zero = std::norm(sum.coefficient) < state.matrix()->rounding_floor;
  if (!is_zero) words[0] += " · phase " + phase_text(sum.coefficient);
  const double unit = magnitude_unit(state);
  words[1] = "|F| " + (is_zero ? "0 to rounding" : number_text(unit * std::abs(sum.coefficient), 4)) + " = " +
             number_text(unit * sum.crest_sum, 6) + " from " +
             counted(static_cast<std::uint64_t>(sum.on_crests), "entry", "entries") + " on crests (blue) − " +
             number_text(unit * sum.trough_sum, 6) + " from " +
             grouped(static_cast<std::uint64_t>(sum.in_troughs)) + " in troughs";
  return words;
}

}  // namespace spyctrum::panels
