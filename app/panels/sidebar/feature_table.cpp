// SPDX-License-Identifier: Apache-2.0
// Features and costs of all columns. The reference shows values; other columns show their errors against it:
// relative errors of numbers, Hellinger distances of distributions.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/features/feature_errors.hpp"
#include "core/reconstruction/smooth_fill.hpp"

namespace spyctrum::panels {
namespace {

/// A line of the table. `value` gives the text of a column, empty where there is none.
struct Line {
  std::string label;
  std::string help;
  std::function<std::string(const AppState& state, const Column& column)> value;
  bool of_reconstruction = false;  ///< measured after the features, by a job of its own
  /// A remark on a column's value, shown as a star with a tooltip; may be empty.
  std::function<std::string(const Column& column)> note = [](const Column&) { return std::string(); };
  /// The number by which columns are ranked, the least first; without it the line has no ranks.
  std::function<std::optional<double>(const AppState& state, const Column& column)> penalty{};
  bool of_threshold = false;  ///< shown only where a column has a value
};

/// Smaller relative errors are rounding errors: the table shows them as 0, and they share a rank.
constexpr double kRounding = 1e-6;

/// The value of the feature; 0 where it is so small that it comes from rounding |F|² to single precision.
double number_of(const FeatureDefinition& feature, const Features& features) {
  constexpr double kZero = 1e-12;
  const double number = feature.number(features);
  return std::abs(number) < kZero ? 0 : number;
}

std::string distance_text(double distance) { return distance < kRounding ? "0" : number_text(distance, 3); }

/// The rank of each column: 1 for the least penalty, the same for equal penalties, 0 without a penalty or
/// where it is not a number ("n/a").
std::vector<std::size_t> ranks_of(const AppState& state, const Line& line) {
  std::vector<std::size_t> ranks(state.columns.size());
  if (!line.penalty) return ranks;
  std::vector<std::optional<double>> penalties;
  for (const Column& column : state.columns) {
    penalties.push_back(column.reference ? std::nullopt : line.penalty(state, column));
    if (penalties.back() && std::isnan(*penalties.back())) penalties.back().reset();
  }
  for (std::size_t k = 0; k < ranks.size(); ++k)
    if (penalties[k])
      ranks[k] = 1 + static_cast<std::size_t>(std::ranges::count_if(
                         penalties, [&](const auto& other) { return other && *other < *penalties[k]; }));
  return ranks;
}

/// " ±0.0003": the standard error of a value that is an estimate from part of the rows; otherwise empty.
std::string deviation(const Column& column, const FeatureDefinition& feature) {
  const Features* deviations = column.feature_deviations();
  if (deviations == nullptr || feature.number(*deviations) == 0) return {};
  return " ±" + number_text(feature.number(*deviations), 1);
}

/// The signed relative error against the reference; the value itself for the reference, for another
/// arrangement of entries, and if there is no reference.
std::string number_or_error(const AppState& state, const Column& column, const FeatureDefinition& feature) {
  const Features* features = column.features();
  if (features == nullptr) return {};
  const double value = number_of(feature, *features);
  const Column* reference = state.reference();
  const Features* exact = reference != nullptr ? reference->features() : nullptr;
  if (column.reference || !column.is_of_matrix() || exact == nullptr)
    return number_text(value, feature.digits) + deviation(column, feature);
  const double expected = number_of(feature, *exact);
  if (std::abs(value - expected) <= kRounding * std::abs(expected)) return "0";
  if (expected == 0) return signed_number_text(value, 2);
  return signed_percent_text((value - expected) / std::abs(expected));
}

/// |value − value of the reference|, 0 for rounding errors; empty where either value is missing.
std::optional<double> distance(const AppState& state, const Column& column,
                               const FeatureDefinition& feature) {
  const Column* reference = state.reference();
  const Features* exact = reference != nullptr ? reference->features() : nullptr;
  const Features* features = column.features();
  if (exact == nullptr || features == nullptr || !column.is_of_matrix()) return std::nullopt;
  const double expected = number_of(feature, *exact);
  const double apart = std::abs(number_of(feature, *features) - expected);
  return apart > kRounding * std::abs(expected) ? apart : 0;
}

Line line_of(std::size_t place) {
  const FeatureDefinition& feature = kFeatureTable[place];
  if (!feature.is_distribution()) {
    Line line{feature.label, feature.definition,
              [&feature](const AppState& s, const Column& c) { return number_or_error(s, c, feature); }};
    line.penalty = [&feature](const AppState& s, const Column& c) { return distance(s, c, feature); };
    if (place == FeatureKey("flatness").place)
      line.note = [](const Column& c) { return c.features() ? zero_note(*c.features()) : std::string(); };
    return line;
  }
  const std::size_t parts = feature.of(Features{}).size();
  Line line{feature.label + std::string(" H"),
            "Hellinger distance of the " + std::to_string(parts) + " " + feature.definition,
            [place](const AppState&, const Column& c) {
              if (c.reference || !c.feature_errors) return std::string();
              return distance_text((*c.feature_errors)[FeatureKey(place)]);
            }};
  line.penalty = [place](const AppState&, const Column& c) -> std::optional<double> {
    if (!c.feature_errors) return std::nullopt;
    return std::max((*c.feature_errors)[FeatureKey(place)], kRounding);
  };
  return line;
}

/// The mean of the ranks in the lines above "mean rank", which are those without costs.
std::string mean_rank(const AppState& state, const Column& column);

/// get(column) if the column has a result, otherwise an empty value or penalty.
auto of_result(auto get) {
  return [get](const AppState&, const Column& c) { return c.spectrum ? get(c) : decltype(get(c)){}; };
}

/// get(errors) if the errors of the column's reconstruction are known, otherwise an empty value or penalty.
auto of_errors(auto get) {
  return [get](const AppState&, const Column& c) {
    return c.reference || !c.reconstruction_errors ? decltype(get(*c.reconstruction_errors)){}
                                                   : get(*c.reconstruction_errors);
  };
}

/// One of the shares that a threshold keeps.
auto of_threshold(double KeptShare::*share) {
  return [share](const AppState& state, const Column& c) {
    const auto kept = kept_share(state, c);
    return kept ? percent_text(*kept.*share) : std::string();
  };
}

/// The features, then what a result costs.
const std::vector<Line>& lines() {
  static const std::vector<Line> all = [] {
    using Errors = ReconstructionErrors;
    using Penalty = std::optional<double>;
    std::vector<Line> list;
    for (std::size_t k = 0; k < kFeatureCount; ++k) list.push_back(line_of(k));
    const std::vector<Line> costs = {
        {.label = "reconstruction H",
         .help =
             "Hellinger distance between reconstructed and exact magnitudes. If the plane is noise with a "
             "smooth variance, no smoothing of samples gets below a distance of " +
             number_text(kSmoothingBound, 3) + "; only exact coefficients can.",
         .value = of_errors([](const Errors& errors) { return distance_text(errors.hellinger); }),
         .of_reconstruction = true,
         .penalty = of_errors([](const Errors& errors) { return Penalty(errors.hellinger); })},
        {.label = "top-10 % recall",
         .help =
             "Share of the strongest 10 % of the coefficients that are also among the strongest 10 % of the "
             "reconstruction; 10 % by chance. If the plane is noise with a smooth variance, as for most "
             "graphs, coefficients cannot be predicted from their neighbours, and the recall stays near "
             "that.",
         .value = of_errors([](const Errors& errors) { return percent_text(errors.recall_top10); }),
         .of_reconstruction = true,
         .note =
             [](const Column& c) {
               return c.reference || !c.reconstruction_errors ? std::string()
                                                              : recall_note(*c.reconstruction_errors);
             },
         .penalty = of_errors([](const Errors& errors) { return Penalty(-errors.recall_top10); })},
        {.label = "mean rank",
         .help = "Mean of the ranks in the lines above; the best value of each line is green",
         .value = mean_rank},
        {.label = "samples",
         .help = "Number of coefficients from which the features were computed: stored ones, exact lines and "
                 "sampled rows",
         .value =
             [](const AppState&, const Column& c) {
               return c.features() != nullptr ? count_text(static_cast<double>(c.features()->samples))
                                              : std::string();
             }},
        {.label = "share of the plane",
         .help = "Number of samples divided by m · n",
         .value = of_result([](const Column& c) { return percent_text(c.plane_share); })},
        {.label = "entries kept",
         .help = "Share of the entries that a threshold on |a| keeps",
         .value = of_threshold(&KeptShare::entries),
         .of_threshold = true},
        {.label = "energy kept",
         .help = "Share of Σa² that the kept entries have",
         .value = of_threshold(&KeptShare::energy),
         .of_threshold = true},
        {.label = "time",
         .help = "Time of the computation, without loading the matrix",
         .value = of_result([](const Column& c) { return seconds_text(c.cost.seconds); }),
         .penalty = of_result([](const Column& c) { return Penalty(c.cost.seconds); })},
        {.label = "memory",
         .help = "Largest number of bytes that the arrays of the job took",
         .value = of_result([](const Column& c) { return bytes_text(c.cost.bytes_peak); }),
         .penalty =
             of_result([](const Column& c) { return Penalty(static_cast<double>(c.cost.bytes_peak)); })},
    };
    list.insert(list.end(), costs.begin(), costs.end());
    return list;
  }();
  return all;
}

std::string mean_rank(const AppState& state, const Column& column) {
  const auto at = static_cast<std::size_t>(&column - state.columns.data());
  double sum = 0, count = 0;
  for (const Line& line : lines()) {
    if (line.label == "mean rank") break;
    const std::vector<std::size_t> ranks = ranks_of(state, line);
    if (ranks[at] == 0 || std::ranges::count(ranks, 0U) + 1 >= std::ssize(ranks)) continue;
    sum += static_cast<double>(ranks[at]);
    ++count;
  }
  return count > 0 ? number_text(sum / count, 2) : std::string();
}

void right_aligned(const std::string& words, ImU32 color) {
  const float shift = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(words.c_str()).x;
  if (shift > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + shift);
  text(words, color);
}

/// The names of the columns, on two lines where one line is too short.
void header(const AppState& state) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const auto font = ScopedFont(nullptr, 12);
  for (const Column& column : state.columns) {
    ImGui::TableNextColumn();
    const float room = ImGui::GetContentRegionAvail().x;
    const std::size_t space = column.label.find(' ');
    std::string first = column.label, second;
    if (space != std::string::npos && ImGui::CalcTextSize(first.c_str()).x > room) {
      second = first.substr(space + 1);
      first.resize(space);
    }
    ImGui::BeginGroup();
    for (const std::string& line : {first, second})
      if (!line.empty()) right_aligned(fit_text(line, room), series_color(column.style.color));
    ImGui::EndGroup();
    tooltip(column.label);
  }
}

/// Draws the value of column `k` in the next cell of the table. `ranks`: ranks_of() the line.
void draw_value(const AppState& state, const Line& line, std::size_t k,
                const std::vector<std::size_t>& ranks) {
  const Column& column = state.columns[k];
  ImGui::TableNextColumn();
  const auto mono = small_font();
  const std::string note = line.note(column);
  std::string words = line.value(state, column) + (note.empty() ? "" : "*");
  // A standard error that does not fit is in the tooltip alone.
  const std::size_t error = words.find(" ±");
  const bool cut =
      error != std::string::npos && ImGui::CalcTextSize(words.c_str()).x > ImGui::GetContentRegionAvail().x;
  std::string tip = !note.empty() ? note : cut ? words : std::string();
  if (cut) words.resize(error);
  const auto ranked = std::ranges::count_if(ranks, [](std::size_t rank) { return rank > 0; });
  const bool outdated =
      (column.outdated && !column.estimate) || (line.of_reconstruction && column.errors_busy);
  const bool best = ranked > 1 && ranks[k] == 1;
  right_aligned(words, outdated ? palette().faint : best ? palette().good : palette().text);
  if (words == "0" && !column.reference && line.penalty) tip = "No difference beyond rounding";
  if (ranked > 1 && ranks[k] > 0)
    tip += (tip.empty() ? "rank " : "\nrank ") + std::to_string(ranks[k]) + " of " + std::to_string(ranked);
  tooltip(tip);
}

bool any_value(const AppState& state, const Line& line) {
  return std::ranges::any_of(state.columns,
                             [&](const Column& column) { return !line.value(state, column).empty(); });
}

}  // namespace

std::size_t feature_table_lines() {
  return static_cast<std::size_t>(std::ranges::count(lines(), false, &Line::of_threshold));
}

void draw_feature_table(const Ui& ui) {
  const auto count = static_cast<int>(ui.state.columns.size());
  if (count == 0) return;
  const auto font = small_font();
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX;
  constexpr float kNames = 112, kNumbers = 56;  // points; the table scrolls where columns would be narrower
  const float room = ImGui::GetContentRegionAvail().x - px(kNames);
  const bool wide = room < px(kNumbers) * static_cast<float>(count);
  if (!ImGui::BeginTable("features", count + 1, kFlags | (wide ? ImGuiTableFlags_ScrollX : 0),
                         {0, wide ? px(21 * static_cast<float>(lines().size())) : 0}))
    return;
  ImGui::TableSetupColumn("feature", ImGuiTableColumnFlags_WidthFixed, px(kNames));
  for (int i = 0; i < count; ++i)
    ImGui::TableSetupColumn("", wide ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
                            wide ? px(kNumbers) : 1);
  if (wide) ImGui::TableSetupScrollFreeze(1, 0);
  header(ui.state);
  for (const Line& line : lines()) {
    if (line.of_threshold && !any_value(ui.state, line)) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text(line.label, any_value(ui.state, line) ? palette().dim : palette().faint);
    tooltip(line.help);
    const std::vector<std::size_t> ranks = ranks_of(ui.state, line);
    for (std::size_t k = 0; k < ui.state.columns.size(); ++k) draw_value(ui.state, line, k, ranks);
  }
  ImGui::EndTable();
}

}  // namespace spyctrum::panels
