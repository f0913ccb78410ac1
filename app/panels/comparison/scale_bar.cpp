// SPDX-License-Identifier: Apache-2.0
// The inverse of shaders/scale.frag at round numbers, and the bar itself.
#include "app/panels/comparison/scale_bar.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/view_math.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum::panels {
namespace {

bool is_magnitude(const ScaleSettings& scale, Row row) {
  return row != Row::error && row != Row::pattern &&
         (scale.curve == Curve::linear || scale.curve == Curve::symlog);
}

/// `value` with the decimals that tell ticks `step` apart.
std::string tick_text(double value, double step) {
  const auto digit_of = [](double size) { return static_cast<int>(std::floor(std::log10(size) + 1e-6)); };
  return with_short_exponent(
      number_text(value, value == 0 ? 1 : std::max(1, digit_of(std::abs(value)) - digit_of(step) + 1)));
}

/// Ticks at equal steps of `low` … `high`; `place_of` gives their places.
template <class Place, class Label>
std::vector<BarTick> even_ticks(double low, double high, int target_count, Place place_of, Label label_of) {
  std::vector<BarTick> ticks;
  const std::vector<double> values = round_ticks(low, high, target_count, 0);
  const double step = values.size() > 1 ? values[1] - values[0] : std::max(std::abs(high - low), 1e-12);
  for (double value : values) {
    if (std::abs(value) < step * 1e-6) value = 0;
    ticks.push_back({place_of(value), label_of(value, step)});
  }
  return ticks;
}

/// A share in percent, whose sign stands above the bar: "0.05".
std::string share_text(double share, double step) { return tick_text(100 * share, 100 * step); }

/// Ticks of a logarithmic scale up to 10^most, at powers of ten and, if `with_fives`, at 2 and 5 times these.
/// Each label has one digit of `scale` times the tick's value.
std::vector<BarTick> decade_ticks(const DisplayRange& range, int target_count, bool with_fives, double most,
                                  double scale) {
  const double span = range.high - range.low;
  const int every = std::max(1, static_cast<int>(std::ceil(span / std::max(target_count, 1))));
  std::vector<BarTick> ticks;
  for (int decade = static_cast<int>(std::floor(range.low)); decade <= std::ceil(range.high); decade += every)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double exponent = decade + std::log10(factor);
      if ((factor > 1 && !with_fives) || exponent < range.low - 1e-6 || exponent > most + 1e-6) continue;
      ticks.push_back({(exponent - range.low) / span,
                       with_short_exponent(number_text(scale * std::pow(10.0, exponent), 1))});
    }
  return ticks;
}

/// Ticks of shares (at most 100 %) on a logarithmic scale; at equal steps if there are fewer than two.
std::vector<BarTick> share_ticks(const DisplayRange& range, int target_count) {
  const double span = range.high - range.low;
  std::vector<BarTick> ticks =
      decade_ticks(range, target_count, span * 2 <= target_count, std::min(range.high, 0.0F), 100);
  if (ticks.size() >= 2) return ticks;
  return even_ticks(
      std::pow(10.0, range.low), std::min(1.0, std::pow(10.0, range.high)), target_count,
      [&](double share) { return (std::log10(share) - range.low) / span; }, share_text);
}

/// The colours of the bar; null if the settings name no known map.
const ColorMap* map_of(const ScaleSettings& scale, const Column& column, Row row) {
  if (row == Row::pattern) {
    const bool is_signed = column.picture(row).against != nullptr;
    const ColorMap* map = find_color_map(is_signed ? scale.error_color_map : scale.pattern_color_map);
    return map != nullptr ? &entry_colors(*map) : nullptr;
  }
  if (row == Row::error && info(scale.error).is_signed) return find_color_map(scale.error_color_map);
  return find_color_map(column.look.color_map.empty() ? scale.color_map : column.look.color_map);
}

/// The unit above the bar of a picture of values, and its tooltip.
std::pair<const char*, const char*> value_words(ValueQuantity quantity) {
  switch (quantity) {
    case ValueQuantity::sum:
      return {
          "Σa",
          "Sum of the values in a pixel; positive above the middle, negative below; black: no entry, or 0"};
    case ValueQuantity::mean_magnitude:
      return {"mean |a|", "Mean of |a| over the entries in a pixel; black: no entry"};
    case ValueQuantity::maximum:
      return {"max |a|", "Largest |a| in a pixel; black: no entry"};
    case ValueQuantity::count:
      break;
  }
  return {"", ""};
}

}  // namespace

std::string bar_unit(const ScaleSettings& scale, Row row) {
  if (row == Row::pattern) return "% filled";
  if (row == Row::error) return scale.error == PictureError::relative ? "% of |F|" : info(scale.error).unit;
  if (is_magnitude(scale, row)) return "|F|";
  return scale.curve == Curve::decibel ? "dB" : "lg |F|²";
}

std::string bar_words(const ScaleSettings& scale, Row row) {
  if (row == Row::pattern) return "Share of the positions of a pixel that hold an entry; black: none does";
  if (row == Row::error) return info(scale.error).meaning;
  if (is_magnitude(scale, row)) return "Magnitude |F|, from the mean or the maximum of the power |F|²";
  return scale.curve == Curve::decibel ? "Power, 10 · log10 |F|²" : "Logarithm of the power, log10 |F|²";
}

std::vector<BarTick> bar_ticks(const ScaleSettings& scale, Row row, const DisplayRange& range,
                               int target_count) {
  if (!(range.high > range.low)) return {};
  const double low = range.low, high = range.high;
  const auto linear = [](double from, double to) {
    return [=](double value) { return (value - from) / (to - from); };
  };
  if (row == Row::error) {
    const double unit = scale.error == PictureError::ratio ? 10 : 1;
    return even_ticks(unit * low, unit * high, target_count, linear(unit * low, unit * high),
                      [&](double value, double step) {
                        const bool plus = value > 0 && info(scale.error).is_signed;
                        return (plus ? "+" : "") + (scale.error == PictureError::relative
                                                        ? share_text(value, step)
                                                        : tick_text(value, step));
                      });
  }
  if (row == Row::pattern) {
    if (scale.curve != Curve::linear) return share_ticks(range, target_count);
    const double from = std::pow(10.0, low), to = std::pow(10.0, high);
    return even_ticks(from, to, target_count, linear(from, to), share_text);
  }
  if (is_magnitude(scale, row)) {
    const double from = std::pow(10.0, low / 2), to = std::pow(10.0, high / 2);
    if (scale.curve == Curve::linear) return even_ticks(from, to, target_count, linear(from, to), tick_text);
    // The threshold of symlog is the low end of the range.
    const auto symlog = [from](double value) { return std::log10(1 + value / from); };
    return even_ticks(
        from, to, target_count,
        [&](double value) { return (symlog(value) - symlog(from)) / (symlog(to) - symlog(from)); },
        tick_text);
  }
  const double unit = scale.curve == Curve::decibel ? 10 : 1;
  return even_ticks(low * unit, high * unit, target_count, linear(low * unit, high * unit), tick_text);
}

PatternBar pattern_bar(const AppState& state, const Column& column) {
  if (!shows_values(state, column)) return PatternBar::counts;
  return column.picture(Row::pattern).against ? PatternBar::signs : PatternBar::magnitudes;
}

std::vector<BarTick> value_ticks(bool is_log, PatternBar bar, const DisplayRange& range, int target_count) {
  constexpr double kApart = 0.12;  // ticks of opposite signs nearer to 0 would cover its label
  const double high = std::pow(10.0, range.high);
  std::vector<BarTick> half;
  if (!is_log) {
    half = even_ticks(
        0, high, target_count, [&](double value) { return value / high; }, tick_text);
  } else {
    half = decade_ticks(range, target_count, (range.high - range.low) * 3 <= target_count, range.high, 1);
  }
  // One tick, at the largest number of one digit, where there is none besides 0.
  if (std::ranges::none_of(half, [](const BarTick& tick) { return tick.place > kApart; })) {
    const double unit = std::pow(10.0, std::floor(range.high));
    const double value = unit * std::max(1.0, std::floor(high / unit + 1e-6));
    half.push_back({is_log ? (std::log10(value) - range.low) / (range.high - range.low) : value / high,
                    with_short_exponent(number_text(value, 1))});
  }
  if (bar == PatternBar::magnitudes) return half;
  std::vector<BarTick> ticks{{0.5, "0"}};
  for (const BarTick& tick : half) {
    if (tick.place <= kApart) continue;
    ticks.insert(ticks.begin(), {0.5 - tick.place / 2, "−" + tick.label});
    ticks.push_back({0.5 + tick.place / 2, "+" + tick.label});
  }
  return ticks;
}

namespace {

/// The colour of places without entries, with its name, at the lower end `max` of a bar. Returns its height
/// with the gap above it.
float draw_empty_color(ImDrawList& list, ImVec2 max) {
  const float side = px(7), line = ImGui::GetFontSize();
  const ImVec2 min = {max.x - side, max.y - side};
  list.AddRectFilled(min, max, IM_COL32(5, 5, 8, 255));
  list.AddRect(min, max, palette().border);
  list.AddText({max.x + px(5), max.y - line + px(2)}, palette().dim, "none");
  return side + px(6);
}

}  // namespace

void draw_scale_bar(const Ui& ui, const CellFrame& cell) {
  const auto [shown, row] = pictured(ui.state, cell);
  const Picture& picture = shown->picture(row);
  const ColorMap* map = map_of(ui.state.scale, cell.column, cell.row);
  if (map == nullptr || !picture.shown || !(picture.range.high > picture.range.low)) return;
  const auto font = small_font();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 min = {cell.max.x + px(6), cell.min.y};
  ImVec2 max = {min.x + px(7), cell.max.y};
  const std::string name = "bar " + std::string(name_of(cell.row)) + " " + std::to_string(cell.index + 1);
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton(name.c_str(), {px(32), max.y - min.y});
  const PatternBar bar = cell.row == Row::pattern ? pattern_bar(ui.state, *shown) : PatternBar::counts;
  const auto [unit, words] = value_words(ui.state.scale.values);
  tooltip(bar == PatternBar::counts ? bar_words(ui.state.scale, cell.row) : words);
  if (cell.row == Row::pattern) max.y -= draw_empty_color(list, max);
  // Where every coefficient is 0 there is no bar: its lowest colour stands for a power above 0.
  if (picture.histogram.counts.empty() && cell.row != Row::error) return;
  draw_gradient(*map, min, max, true);
  const float line = ImGui::GetFontSize(), height = max.y - min.y;
  // The unit has the colour of the words "own range", for which a narrow caption has no room.
  const bool is_own = has_own_range(ui.state, *shown, row);
  list.AddText({min.x - px(2), min.y - std::round(px(GridLengths{}.caption))},
               is_own ? palette().warning : palette().faint,
               (bar == PatternBar::counts ? bar_unit(ui.state.scale, cell.row) : unit).c_str());
  const int target_count = std::max(3, static_cast<int>(height / px(30)));
  // The range of spectra is in units of w = a/2^e, the ticks in units of a.
  const float shift =
      cell.row == Row::spectrum || cell.row == Row::reconstruction ? power_shift(ui.state) : 0.0F;
  const DisplayRange range{picture.range.low + shift, picture.range.high + shift};
  float above = max.y + line;  // top of the label below
  const std::vector<BarTick> ticks = bar == PatternBar::counts
                                         ? bar_ticks(ui.state.scale, cell.row, range, target_count)
                                         : value_ticks(has_log_values(ui.state), bar, range,
                                                       target_count / (bar == PatternBar::signs ? 2 : 1));
  for (const BarTick& tick : ticks) {
    const float y = max.y - static_cast<float>(tick.place) * height;
    if (y < min.y - 1 || y > max.y + 1) continue;
    const float top = placed_within(y - line / 2, min.y - px(1), max.y - line + px(2));
    if (top + line > above) continue;
    above = top;
    // A tick mark that begins on the bar is not taken for a minus sign.
    list.AddLine({max.x - px(2), y}, {max.x + px(2), y}, palette().dim, px(1));
    list.AddText({max.x + px(5), top}, palette().dim, tick.label.c_str());
  }
}

}  // namespace spyctrum::panels
