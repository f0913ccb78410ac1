// SPDX-License-Identifier: Apache-2.0
// Features and costs of all columns: values for the reference; for the others errors against it (relative
// ones in per cent, Hellinger distances of distributions).
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/features/feature_errors.hpp"

namespace spyctrum::panels {
namespace {

struct Line {
  const char* label;
  const char* help;
  std::string (*value)(const AppState& state, const Column& column);
};

/// The standard error, " ±0.0003", while the value is an estimate from part of the rows.
std::string deviation(const Column& column, double Features::*field) {
  const Features* deviations = column.feature_deviations();
  return deviations == nullptr || deviations->*field == 0 ? std::string()
                                                          : " ±" + number_text(deviations->*field, 1);
}

/// The value for the reference, or where there is no reference; otherwise the signed relative error.
std::string relative(const AppState& state, const Column& column, double Features::*field, int digits) {
  const Features* features = column.features();
  if (features == nullptr) return {};
  const Column* reference = state.reference();
  const Features* exact = reference != nullptr ? reference->features() : nullptr;
  const bool other = column.arrangement.kind != Arrangement::Kind::matrix;
  if (column.reference || other || exact == nullptr)
    return number_text(features->*field, digits) + deviation(column, field);
  if (exact->*field == 0) return signed_number_text(features->*field, 2);
  return signed_percent_text((features->*field - exact->*field) / std::abs(exact->*field));
}

std::string hellinger_value(const Column& column, double FeatureErrors::*field) {
  if (column.reference || !column.feature_errors) return {};
  return number_text((*column.feature_errors).*field, 3);
}

constexpr std::array<Line, 13> kLines = {{
    {"entropy", "−Σ p ln p / ln(mn) of the normalised power",
     [](const AppState& s, const Column& c) { return relative(s, c, &Features::entropy, 5); }},
    {"radial H", "Hellinger distance of the 16 rings",
     [](const AppState&, const Column& c) { return hellinger_value(c, &FeatureErrors::radial_hellinger); }},
    {"directional H", "Hellinger distance of the 8 sectors",
     [](const AppState&, const Column& c) { return hellinger_value(c, &FeatureErrors::sector_hellinger); }},
    {"low-frequency ratio", "Power with r ≤ √½/8 over all but DC",
     [](const AppState& s, const Column& c) { return relative(s, c, &Features::low_frequency_ratio, 4); }},
    {"flatness", "exp(mean ln |F|²) / mean |F|²; 0.561 for noise",
     [](const AppState& s, const Column& c) { return relative(s, c, &Features::flatness, 4); }},
    {"imbalance", "(max − min)/(max + min) of the sectors",
     [](const AppState& s, const Column& c) { return relative(s, c, &Features::imbalance, 4); }},
    {"reconstruction H",
     "Hellinger distance of the reconstructed magnitudes. Where the plane is noise over a smooth variance, "
     "no smoothing comes below 0.337; only exact coefficients do",
     [](const AppState&, const Column& c) {
       return c.reference || !c.reconstruction_errors ? std::string()
                                                      : number_text(c.reconstruction_errors->hellinger, 3);
     }},
    {"top-10 % recall",
     "Share of the strongest tenth that the reconstruction also ranks there; by chance 10 %. Where the "
     "plane is noise over a smooth variance, as most graphs' is, samples of other places tell no more",
     [](const AppState&, const Column& c) {
       return c.reference || !c.reconstruction_errors ? std::string()
                                                      : percent_text(c.reconstruction_errors->recall_top10);
     }},
    {"samples", "Stored coefficients",
     [](const AppState&, const Column& c) {
       return c.spectrum ? count_text(static_cast<double>(c.samples)) : std::string();
     }},
    {"used for features",
     "Coefficients that the features were computed from: samples, exact lines, sampled rows",
     [](const AppState&, const Column& c) {
       return c.features() != nullptr ? count_text(static_cast<double>(c.features()->samples))
                                      : std::string();
     }},
    {"sampling rate", "Stored coefficients over m · n",
     [](const AppState&, const Column& c) {
       return c.spectrum ? percent_text(c.sampling_rate) : std::string();
     }},
    {"time", "Compute, without loading",
     [](const AppState&, const Column& c) {
       return c.spectrum ? seconds_text(c.cost.seconds) : std::string();
     }},
    {"memory", "Peak of the job's arrays",
     [](const AppState&, const Column& c) {
       return c.spectrum ? bytes_text(c.cost.bytes_peak) : std::string();
     }},
}};

void right_aligned(const std::string& words, ImU32 color) {
  const float shift = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(words.c_str()).x;
  if (shift > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + shift);
  text(words, color);
}

void header(const AppState& state) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const auto font = ScopedFont(nullptr, 12);
  for (const Column& column : state.columns) {
    ImGui::TableNextColumn();
    right_aligned(fit_text(column.label, ImGui::GetContentRegionAvail().x), series_color(column.color));
    tooltip(column.label);
  }
}

bool any_value(const AppState& state, const Line& line) {
  return std::ranges::any_of(state.columns,
                             [&](const Column& column) { return !line.value(state, column).empty(); });
}

}  // namespace

void draw_feature_table(const Ui& ui) {
  const auto count = static_cast<int>(ui.state.columns.size());
  if (count == 0) return;
  const auto font = small_font();
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX;
  const bool wide = count > 4;
  if (!ImGui::BeginTable("features", count + 1, kFlags | (wide ? ImGuiTableFlags_ScrollX : 0),
                         {0, wide ? px(13 * 21) : 0}))
    return;
  ImGui::TableSetupColumn("feature", ImGuiTableColumnFlags_WidthFixed, px(112));
  for (int i = 0; i < count; ++i)
    ImGui::TableSetupColumn("", wide ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
                            wide ? px(80) : 1);
  if (wide) ImGui::TableSetupScrollFreeze(1, 0);
  header(ui.state);
  for (const Line& line : kLines) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text(line.label, any_value(ui.state, line) ? palette().dim : palette().faint);
    tooltip(line.help);
    for (const Column& column : ui.state.columns) {
      ImGui::TableNextColumn();
      const auto mono = small_font();
      const std::string words = line.value(ui.state, column);
      const bool stale = column.busy && !column.estimate;
      right_aligned(words, stale ? palette().faint : palette().text);
    }
  }
  ImGui::EndTable();
}

}  // namespace spyctrum::panels
