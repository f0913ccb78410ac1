// SPDX-License-Identifier: Apache-2.0
// The strongest coefficients of an exact plane, of the rows done so far, collected on the CPU and on a device
// alike. A click draws a coefficient's wave over the pattern and puts the crosshair on it.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/wave_text.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr std::ptrdiff_t kMostLines = 200;

/// The first column that has a list; the reference is the first column.
const Column* column_with_strongest(const AppState& state) {
  const auto at =
      std::ranges::find_if(state.columns, [](const Column& column) { return column.strongest() != nullptr; });
  return at == state.columns.end() ? nullptr : &*at;
}

void draw_line(const Ui& ui, const StrongCoefficient& one, std::size_t rank, const SparsePattern& pattern) {
  const std::pair<std::int64_t, std::int64_t> frequency{one.u, one.v};
  const double dc = std::abs(pattern.weight_sum());
  const double power = std::norm(std::complex<double>(one.value));
  const double total =
      static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols()) * pattern.weight_squares();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool chosen = ui.state.wave == frequency;
  ImGui::PushID(static_cast<int>(rank));
  const std::string name = signed_grouped(one.u) + ", " + signed_grouped(one.v);
  if (ImGui::Selectable((name + "###strongest " + std::to_string(rank + 1)).c_str(), chosen,
                        ImGuiSelectableFlags_SpanAllColumns)) {
    ui.emit(action::ShowWave{chosen ? std::nullopt : std::optional(frequency)});
    ui.emit(action::SetCrosshair{Plane::spectrum, static_cast<double>(one.u), static_cast<double>(one.v)});
  }
  ImGui::PopID();
  const auto cell = [](const std::string& words) {
    ImGui::TableNextColumn();
    text(words, palette().text);
  };
  cell(number_text(magnitude_unit(ui.state) * std::sqrt(power), 4));
  cell(dc > 0 ? percent_text(std::sqrt(power) / dc, 2) : std::string("DC is 0"));
  cell(period_text(one.u, pattern.rows()) + " × " + period_text(one.v, pattern.cols()));
  cell(percent_text(2 * power / total, 2));
}

}  // namespace

void draw_strongest(const Ui& ui) {
  const PanelWindow window(kStrongest);
  if (!window.is_visible()) return;
  const OpenMatrix* open = ui.state.matrix();
  const Column* column = column_with_strongest(ui.state);
  if (column == nullptr || open == nullptr) {
    section("Strongest coefficients");
    small_text("The list is filled while an exact plane is computed (methods Exact and BS-FFT).",
               palette().faint);
    return;
  }
  const std::string of =
      column->estimate ? "of " + percent_text(column->estimate->share_done(), 2) + " of the rows" : "exact";
  section("Strongest coefficients", of);
  const SparsePattern& pattern = *open->matrix.pattern;
  const std::vector<StrongCoefficient>& all = *column->strongest();
  const auto is_zero = [open](const StrongCoefficient& one) {
    return std::norm(std::complex<double>(one.value)) <= open->rounding_floor;
  };
  const auto count = std::min<std::ptrdiff_t>(std::ranges::find_if(all, is_zero) - all.begin(), kMostLines);
  if (count == 0)
    return small_text(column->estimate ? "Every coefficient so far is 0." : "Every coefficient is 0.",
                      palette().faint);
  const auto font = small_font();
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp |
                                     ImGuiTableFlags_PadOuterX | ImGuiTableFlags_ScrollY;
  if (!ImGui::BeginTable("strongest", 5, kFlags, ImGui::GetContentRegionAvail())) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const char* title : {"u, v", "|F|", "of DC", "period", "power"}) ImGui::TableSetupColumn(title);
  ImGui::TableHeadersRow();
  for (std::ptrdiff_t k = 0; k < count; ++k)
    draw_line(ui, all[static_cast<std::size_t>(k)], static_cast<std::size_t>(k), pattern);
  ImGui::EndTable();
}

}  // namespace spyctrum::panels
