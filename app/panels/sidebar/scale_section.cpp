// SPDX-License-Identifier: Apache-2.0
// How power is mapped to colour: curve, range with the histogram of the pixels shown, colour maps, placement
// of reduced planes. Changing these recomputes no spectrum.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/range_histogram.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum::panels {
namespace {

void emit(const Ui& ui, const ScaleSettings& scale) { ui.emit(action::SetScale{scale}); }

void curve_choices(const Ui& ui) {
  struct Option {
    const char* label;
    Curve curve;
    const char* help;
  };
  static constexpr std::array<Option, 4> kOptions = {
      {{"log", Curve::log, "log10 of the power |F|²"},
       {"linear", Curve::linear, "The magnitude |F|"},
       {"symlog", Curve::symlog, "Linear near the low end of the range, logarithmic above"},
       {"dB", Curve::decibel, "Logarithmic, in steps of equal decibels that appear as contours"}}};
  for (const Option& option : kOptions) {
    if (choice(option.label, ui.state.scale.curve == option.curve, option.help,
               keys_text(Command::log_scale))) {
      ScaleSettings scale = ui.state.scale;
      scale.curve = option.curve;
      emit(ui, scale);
    }
    ImGui::SameLine(0, px(2));
  }
  ImGui::NewLine();
}

/// The spectrum whose pixels the histogram counts: the reference's, or that of the selected column where it
/// has its own range.
const Picture* histogram_picture(const AppState& state) {
  const Column* focused = state.focused();
  if (focused != nullptr && focused->picture(Row::spectrum).range_is_own)
    return &focused->picture(Row::spectrum);
  const Column* shared = state.reference() != nullptr ? state.reference() : focused;
  return shared == nullptr ? nullptr : &shared->picture(Row::spectrum);
}

/// Per cent of the counted pixels whose log10 value is below `at`.
double percent_below(const Histogram& histogram, double at) {
  const double total = std::accumulate(histogram.counts.begin(), histogram.counts.end(), 0.0);
  if (!(total > 0) || !(histogram.high > histogram.low)) return 0;
  const double place =
      (at - histogram.low) / (histogram.high - histogram.low) * static_cast<double>(histogram.counts.size());
  double below = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i)
    below += histogram.counts[i] * std::clamp(place - static_cast<double>(i), 0.0, 1.0);
  return 100 * below / total;
}

/// The part of the histogram that holds nearly all pixels; often this is only a tenth of a decade.
std::pair<double, double> interesting_part(const Histogram& histogram, const DisplayRange& range) {
  const double total = std::accumulate(histogram.counts.begin(), histogram.counts.end(), 0.0);
  const double step = (histogram.high - histogram.low) / static_cast<double>(histogram.counts.size());
  double low = histogram.high, high = histogram.low, sum = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const double before = sum;
    sum += histogram.counts[i];
    if (sum > 0.0005 * total) low = std::min(low, histogram.low + step * static_cast<double>(i));
    if (before < 0.9985 * total) high = histogram.low + step * static_cast<double>(i + 1);
  }
  low = std::min<double>(low, range.low);
  high = std::max<double>(high, range.high);
  const double margin = std::max((high - low) * 0.06, 1e-6);
  return {low - margin, high + margin};
}

void move_handle(const Ui& ui, const Histogram& histogram, const DraggedHandle& moved) {
  ScaleSettings scale = ui.state.scale;
  const double percent = percent_below(histogram, moved.value);
  if (moved.handle == 0)
    scale.low_percent = std::clamp(percent, 0.0, scale.high_percent - 0.1);
  else
    scale.high_percent = std::clamp(percent, scale.low_percent + 0.1, 100.0);
  scale.manual.reset();
  if (scale.low_percent != ui.state.scale.low_percent || scale.high_percent != ui.state.scale.high_percent ||
      ui.state.scale.manual)
    emit(ui, scale);
}

void draw_histogram(const Ui& ui) {
  const Picture* picture = histogram_picture(ui.state);
  RangeHistogram bars;
  if (picture != nullptr && !picture->histogram.counts.empty()) {
    const Histogram& histogram = picture->histogram;
    bars.heights.assign(histogram.counts.begin(), histogram.counts.end());
    bars.low = histogram.low;
    bars.high = histogram.high;
    std::tie(bars.shown_low, bars.shown_high) = interesting_part(histogram, picture->range);
    bars.range_low = picture->range.low;
    bars.range_high = picture->range.high;
    const double shift = power_shift(ui.state);
    bars.left = number_text(bars.shown_low + shift, 3);
    bars.middle = "log10 power";
    bars.right = number_text(bars.shown_high + shift, 3);
  }
  if (const auto moved = range_histogram("histogram", bars, ui.memory.dragged_percentile))
    move_handle(ui, picture->histogram, *moved);
}

void percent_fields(const Ui& ui) {
  ScaleSettings scale = ui.state.scale;
  const auto field = [&](const char* id, double& value, double least, double most) {
    auto number = static_cast<float>(value);
    ImGui::SetNextItemWidth(px(62));
    const bool changed = ImGui::DragFloat(id, &number, 0.05F, static_cast<float>(least),
                                          static_cast<float>(most), "%.1f %%", ImGuiSliderFlags_AlwaysClamp);
    if (changed) value = number;
    tooltip("Percentile of the pixels shown; drag it, or double click to type",
            keys_text(Command::automatic_range) + ": resets the range to 1 … 99.3 %");
    return changed;
  };
  ImGui::AlignTextToFramePadding();
  dim_text(scale.manual ? "manual" : "range");
  ImGui::SameLine();
  bool changed = field("##low percent", scale.low_percent, 0, scale.high_percent - 0.1);
  ImGui::SameLine(0, px(4));
  dim_text("…");
  ImGui::SameLine(0, px(4));
  changed |= field("##high percent", scale.high_percent, scale.low_percent + 0.1, 100);
  if (changed) {
    scale.manual.reset();
    emit(ui, scale);
  }
  ImGui::SameLine();
  if (link("auto", "Sets the range from the pixels shown")) ui.emit(action::AutoRange{});
}

void check(const Ui& ui, const char* label, bool ScaleSettings::*field, const char* help) {
  bool on = ui.state.scale.*field;
  if (ImGui::Checkbox(label, &on)) {
    ScaleSettings scale = ui.state.scale;
    scale.*field = on;
    emit(ui, scale);
  }
  tooltip(help);
}

void draw_gradient(const ColorMap& map, ImVec2 at, ImVec2 size) {
  constexpr int kSteps = 32;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto color = [&](int i) {
    const auto& c = map.rgb[static_cast<std::size_t>(std::min(255, i * 256 / kSteps))];
    return IM_COL32(c[0], c[1], c[2], 255);
  };
  for (int i = 0; i < kSteps; ++i) {
    const float x0 = at.x + size.x * static_cast<float>(i) / kSteps,
                x1 = at.x + size.x * static_cast<float>(i + 1) / kSteps;
    list.AddRectFilledMultiColor({x0, at.y}, {x1, at.y + size.y}, color(i), color(i + 1), color(i + 1),
                                 color(i));
  }
  list.AddRect(at, {at.x + size.x, at.y + size.y}, palette().border);
}

void map_choice(const Ui& ui, const char* label, std::string ScaleSettings::*field, ColorMap::Kind kind) {
  const std::string& name = ui.state.scale.*field;
  const ColorMap* now = find_color_map(name);
  ImGui::PushID(label);
  dim_text(label);
  ImGui::SameLine(px(78));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = {ImGui::GetContentRegionAvail().x, px(14)};
  if (ImGui::InvisibleButton("colour map", size, ImGuiButtonFlags_EnableNav)) ImGui::OpenPopup("maps");
  tooltip("Colour map: " + (now != nullptr ? std::string(now->name) : name));
  if (now != nullptr) draw_gradient(*now, at, size);
  if (ImGui::BeginPopup("maps")) {
    for (const ColorMap& map : color_maps()) {
      if (map.kind != kind) continue;
      const ImVec2 place = ImGui::GetCursorScreenPos();
      if (ImGui::Selectable((std::string("##") + std::string(map.name)).c_str(), map.name == name, 0,
                            {px(260), px(20)})) {
        ScaleSettings scale = ui.state.scale;
        scale.*field = std::string(map.name);
        emit(ui, scale);
      }
      draw_gradient(map, {place.x + px(110), place.y + px(3)}, {px(146), px(14)});
      ImGui::GetWindowDrawList()->AddText({place.x + px(4), place.y + px(2)}, palette().text, map.name.data(),
                                          map.name.data() + map.name.size());
    }
    ImGui::EndPopup();
  }
  ImGui::PopID();
}

template <class Value>
void pair_choice(const Ui& ui, const char* caption, Value ScaleSettings::*field, const char* first_label,
                 Value first, const char* second_label, Value second, const char* help) {
  ImGui::AlignTextToFramePadding();
  dim_text(caption);
  ImGui::SameLine(px(78));
  const auto one = [&](const char* label, Value value) {
    if (!choice(label, ui.state.scale.*field == value, help)) return;
    ScaleSettings scale = ui.state.scale;
    scale.*field = value;
    emit(ui, scale);
  };
  one(first_label, first);
  ImGui::SameLine(0, px(2));
  one(second_label, second);
}

/// Which error the error row shows.
void error_choice(const Ui& ui) {
  ImGui::AlignTextToFramePadding();
  dim_text("measure");
  for (std::size_t k = 0; k < kPictureErrors.size(); ++k) {
    const auto measure = static_cast<PictureError>(k);
    if (k % 3 == 0)
      ImGui::SameLine(px(78));
    else
      ImGui::SameLine(0, px(2));
    if (k == 3) {
      ImGui::NewLine();
      ImGui::SetCursorPosX(px(78));
    }
    if (!choice(info(measure).label, ui.state.scale.error == measure, info(measure).meaning)) continue;
    ScaleSettings scale = ui.state.scale;
    scale.error = measure;
    emit(ui, scale);
  }
}

/// What a pixel of the pattern shows of the values that it covers.
void values_choice(const Ui& ui) {
  struct Option {
    const char* label;
    const char* help;
  };
  static constexpr std::array<Option, 4> kOptions = {
      {{"sum", "The sum of the values in a pixel, on the diverging map around zero"},
       {"mean |a|", "The mean of |a| over the entries in a pixel"},
       {"max |a|", "The largest |a| in a pixel"},
       {"count", "The number of entries in a pixel, without their values"}}};
  ImGui::AlignTextToFramePadding();
  dim_text("values");
  for (std::size_t k = 0; k < kOptions.size(); ++k) {
    if (k % 3 == 0)
      ImGui::SameLine(px(78));
    else
      ImGui::SameLine(0, px(2));
    if (k == 3) {
      ImGui::NewLine();
      ImGui::SetCursorPosX(px(78));
    }
    const auto quantity = static_cast<ValueQuantity>(k);
    if (!choice(kOptions[k].label, ui.state.scale.values == quantity, kOptions[k].help)) continue;
    ScaleSettings scale = ui.state.scale;
    scale.values = quantity;
    emit(ui, scale);
  }
  ImGui::AlignTextToFramePadding();
  dim_text(" ");
  ImGui::SameLine(px(78));
  static constexpr std::array<Option, 3> kScales = {
      {{"auto##values",
        "Logarithmic where colours in proportion to the values would be near zero almost everywhere"},
       {"linear##values", "Colours in proportion to the values"},
       {"log##values", "Colours in proportion to the logarithm of |a|, for both signs"}}};
  for (std::size_t k = 0; k < kScales.size(); ++k) {
    if (k > 0) ImGui::SameLine(0, px(2));
    const auto value_scale = static_cast<ValueScale>(k);
    if (!choice(kScales[k].label, ui.state.scale.value_scale == value_scale, kScales[k].help)) continue;
    ScaleSettings scale = ui.state.scale;
    scale.value_scale = value_scale;
    emit(ui, scale);
  }
}

void fill_choice(const Ui& ui, const char* label, Fill fill, const char* tip) {
  if (!choice(label, ui.state.scale.fill == fill, tip)) return;
  ScaleSettings scale = ui.state.scale;
  scale.fill = fill;
  emit(ui, scale);
}

}  // namespace

void draw_scale_section(const Ui& ui) {
  section("Scale");
  curve_choices(ui);
  draw_histogram(ui);
  percent_fields(ui);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(4), px(2)});
  check(ui, "shared", &ScaleSettings::shared,
        "All columns without a range of their own use the range of the reference");
  ImGui::SameLine(px(88));
  check(ui, "skip DC", &ScaleSettings::skip_dc, "u = v = 0 is left out of the automatic range");
  ImGui::SameLine(px(166));
  check(ui, "skip axes", &ScaleSettings::skip_axes, "u = 0 and v = 0 are left out of the automatic range");
  ImGui::PopStyleVar();
  map_choice(ui, "spectrum", &ScaleSettings::color_map, ColorMap::Kind::sequential);
  map_choice(ui, "pattern", &ScaleSettings::pattern_color_map, ColorMap::Kind::sequential);
  map_choice(ui, "error", &ScaleSettings::error_color_map, ColorMap::Kind::diverging);
  if (ui.state.pattern() && ui.state.pattern()->has_weights()) values_choice(ui);
  error_choice(ui);
  pair_choice(ui, "pixel", &ScaleSettings::channel, "mean", Channel::mean, "maximum", Channel::maximum,
              "Whether a pixel shows the mean or the maximum of the coefficients that it covers");
  pair_choice(ui, "samples", &ScaleSettings::single_samples, "means", false, "single", true,
              "Pictures of samples: means of at least 64 samples (±12 %), or single samples");
  pair_choice(ui, "reduced", &ScaleSettings::reduced, "stretched", ReducedPlacement::stretched, "centre",
              ReducedPlacement::centre,
              "How planes with fewer coefficients are drawn (Density Map, Fixed Point): stretched over the "
              "whole plane, or "
              "at the frequencies that they represent, in the centre");
  pair_choice(ui, "fill", &ScaleSettings::fill, "bilinear", Fill::bilinear, "centres", Fill::bilinear_centers,
              "Where the nodes of a reduced plane are placed: with the first and the last node at the ends "
              "of the plane, or at "
              "cell centres");
  ImGui::SameLine(0, px(2));
  fill_choice(ui, "nearest", Fill::nearest,
              "Each coefficient has the value of the nearest node, without interpolation");
  dim_text(" ");
  ImGui::SameLine(px(78));
  fill_choice(
      ui, "smooth", Fill::smooth,
      "The mean magnitude expected from the samples and from the numbers of entries in rows and columns; "
      "closer to the exact plane than an interpolation");
  ImGui::SameLine(0, px(2));
  fill_choice(
      ui, "best", Fill::best,
      "Smooth, with exact values where they are known: samples and their conjugates, lines near the axes and "
      "lines with more power than their number of coefficients would suggest");
}

}  // namespace spyctrum::panels
