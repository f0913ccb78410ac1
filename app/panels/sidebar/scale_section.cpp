// SPDX-License-Identifier: Apache-2.0
// How power is mapped to colour: curve, range with the histogram of the pixels shown, colour maps, placement
// of reduced planes. Changing these recomputes no spectrum.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "app/controller/lessons/lesson.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/range_histogram.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum::panels {
namespace {

constexpr float kCaptionWidth = 78;  // points

void emit(const Ui& ui, const ScaleSettings& scale) { ui.emit(action::SetScale{scale}); }

template <class Value>
void set(const Ui& ui, Value ScaleSettings::*field, Value value) {
  ScaleSettings scale = ui.state.scale;
  scale.*field = value;
  emit(ui, scale);
}

struct Option {
  const char* label;
  const char* help;
};

/// Words of which one is chosen, the options of an enumeration in its order, behind a caption; `across` of
/// them stand in a line.
template <class Value, std::size_t count>
void choices(const Ui& ui, const char* caption, Value ScaleSettings::*field,
             const std::array<Option, count>& options, std::size_t across = count,
             const std::string& keys = {}) {
  for (std::size_t k = 0; k < count; ++k) {
    if (k % across == 0 && *caption != 0) {
      ImGui::PushStyleVarY(ImGuiStyleVar_FramePadding, px(2));  // as choice()
      ImGui::AlignTextToFramePadding();
      ImGui::PopStyleVar();
      dim_text(k == 0 ? caption : " ");
      ImGui::SameLine(px(kCaptionWidth));
    } else if (k > 0) {
      ImGui::SameLine(0, px(2));
    }
    const auto value = static_cast<Value>(k);
    if (choice(options[k].label, ui.state.scale.*field == value, options[k].help, keys))
      set(ui, field, value);
  }
}

/// The spectrum whose pixels the histogram counts: the reference's, or that of the selected column where it
/// has its own range. None while a lesson asks, since the numbers may be the answer.
const Picture* histogram_picture(const AppState& state) {
  if (awaits_guess(state.lessons)) return nullptr;
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
  if (awaits_guess(ui.state.lessons)) bars.middle = "hidden until you answer";
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
    bars.middle = "lg |F|²";  // as above colour bars, whatever the scale
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
  if (ImGui::Checkbox(label, &on)) set(ui, field, on);
  tooltip(help);
}

void map_choice(const Ui& ui, const char* label, std::string ScaleSettings::*field, ColorMap::Kind kind) {
  const std::string& name = ui.state.scale.*field;
  const ColorMap* now = find_color_map(name);
  ImGui::PushID(label);
  dim_text(label);
  ImGui::SameLine(px(kCaptionWidth));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = {ImGui::GetContentRegionAvail().x, px(14)};
  if (ImGui::InvisibleButton("colour map", size, ImGuiButtonFlags_EnableNav)) ImGui::OpenPopup("maps");
  tooltip("Colour map: " + (now != nullptr ? std::string(now->name) : name));
  if (now != nullptr) draw_gradient(*now, at, {at.x + size.x, at.y + size.y}, false);
  if (ImGui::BeginPopup("maps")) {
    for (const ColorMap& map : color_maps()) {
      if (map.kind != kind) continue;
      const ImVec2 place = ImGui::GetCursorScreenPos();
      if (ImGui::Selectable((std::string("##") + std::string(map.name)).c_str(), map.name == name, 0,
                            {px(260), px(20)}))
        set(ui, field, std::string(map.name));
      draw_gradient(map, {place.x + px(110), place.y + px(3)}, {place.x + px(256), place.y + px(17)}, false);
      ImGui::GetWindowDrawList()->AddText({place.x + px(4), place.y + px(2)}, palette().text, map.name.data(),
                                          map.name.data() + map.name.size());
    }
    ImGui::EndPopup();
  }
  ImGui::PopID();
}

constexpr std::array<Option, 4> kCurves = {
    {{"log", "log10 of the power |F|²"},
     {"linear", "The magnitude |F|"},
     {"symlog", "Linear near the low end of the range, logarithmic above"},
     {"dB", "Logarithmic, in steps of equal decibels that appear as contours"}}};
constexpr std::array<Option, 4> kValues = {
    {{"sum", "The sum of the values in a pixel, on the diverging map around zero"},
     {"mean |a|", "The mean of |a| over the entries in a pixel"},
     {"max |a|", "The largest |a| in a pixel"},
     {"count", "The number of entries in a pixel, without their values"}}};
constexpr std::array<Option, 3> kValueScales = {
    {{"auto##values",
      "Logarithmic where colours in proportion to the values would be near zero almost everywhere"},
     {"linear##values", "Colours in proportion to the values"},
     {"log##values", "Colours in proportion to the logarithm of |a|, for both signs"}}};
constexpr std::array<Option, 2> kChannels = {
    {{"mean", "A pixel shows the mean of the coefficients that it covers"},
     {"maximum", "A pixel shows the maximum of the coefficients that it covers"}}};
constexpr std::array<Option, 2> kSamples = {
    {{"means", "Pictures of samples show means of at least 64 samples (±12 %)"},
     {"single", "Pictures of samples show single samples"}}};
constexpr std::array<Option, 2> kReduced = {
    {{"stretched",
      "Planes with fewer coefficients (Density Map, Fixed Point) are drawn stretched over the whole plane"},
     {"centre",
      "Planes with fewer coefficients (Density Map, Fixed Point) are drawn at the frequencies that they "
      "represent, in the centre"}}};
constexpr std::array<Option, 5> kFills = {
    {{"bilinear",
      "The first and the last node of a reduced plane are at the ends of the plane, with interpolation "
      "between nodes"},
     {"centres", "The nodes of a reduced plane are at cell centres, with interpolation between nodes"},
     {"nearest", "Each coefficient has the value of the nearest node, without interpolation"},
     {"smooth",
      "The mean magnitude expected from the samples and from the numbers of entries in rows and columns; "
      "closer to the exact plane than an interpolation, except in planes whose lines hold all power"},
     {"best",
      "Smooth or bilinear, whichever is closer to 16 rows that are computed exactly for this, with exact "
      "values where they are known: samples and their conjugates, lines near the axes and lines with more "
      "power than their number of coefficients would suggest"}}};

/// Which error the error row shows.
std::array<Option, kPictureErrors.size()> error_measures() {
  std::array<Option, kPictureErrors.size()> options;
  for (std::size_t k = 0; k < options.size(); ++k) {
    const PictureErrorInfo& measure = info(static_cast<PictureError>(k));
    options[k] = {measure.label, measure.meaning};
  }
  return options;
}

}  // namespace

void draw_scale_section(const Ui& ui) {
  section("Scale");
  choices(ui, "", &ScaleSettings::curve, kCurves, kCurves.size(), keys_text(Command::log_scale));
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
  if (ui.state.pattern() && ui.state.pattern()->has_weights()) {
    choices(ui, "values", &ScaleSettings::values, kValues, 3);
    choices(ui, " ", &ScaleSettings::value_scale, kValueScales);
  }
  choices(ui, "measure", &ScaleSettings::error, error_measures(), 3);
  choices(ui, "pixel", &ScaleSettings::channel, kChannels);
  choices(ui, "samples", &ScaleSettings::single_samples, kSamples);
  choices(ui, "reduced", &ScaleSettings::reduced, kReduced);
  choices(ui, "fill", &ScaleSettings::fill, kFills, 3);
}

}  // namespace spyctrum::panels
