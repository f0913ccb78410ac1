// SPDX-License-Identifier: Apache-2.0
// The open matrix: sizes, entries, and how many duplicates and explicit zeros the reader found.
#include <imgui.h>

#include <algorithm>

#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

std::uint64_t unsigned_of(std::int64_t value) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
}

std::string plural(std::int64_t count, const char* one, const char* many) {
  return grouped(unsigned_of(count)) + " " + (count == 1 ? one : many);
}

void draw_name(const Ui& ui, const OpenMatrix& open) {
  const float buttons = px(50);
  {
    const auto font = bold_font(14);
    text(fit_text(open.matrix.name, ImGui::GetContentRegionAvail().x - buttons), palette().text);
  }
  tooltip(open.source);
  ImGui::SameLine(right_edge() - buttons);
  if (icon_button(icon::kOpen, "open file", "Open another matrix", keys_text(Command::open)))
    run(ui, Command::open);
  ImGui::SameLine(0, px(2));
  if (icon_button(icon::kClose, "close matrix", "Close this matrix", keys_text(Command::close)))
    run(ui, Command::close);
}

void draw_tooltip(const OpenMatrix& open) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) return;
  const LoadReport& report = open.matrix.report;
  const PatternStatistics& facts = open.statistics;
  std::string words = report.format + (report.compression.empty() ? "" : ", " + report.compression) + "\n" +
                      plural(report.entries_in_file, "entry", "entries") + " in the file\n" +
                      grouped(facts.empty_rows) + " empty rows, " + grouped(facts.empty_cols) +
                      " empty columns\n" + "at most " + grouped(unsigned_of(facts.max_row)) + " in a row, " +
                      grouped(unsigned_of(facts.max_col)) + " in a column\nbandwidth " +
                      grouped(facts.bandwidth);
  for (const std::string& note : report.notes) words += "\n" + note;
  tooltip(words);
}

}  // namespace

void draw_matrix_section(const Ui& ui) {
  section("Matrix");
  const OpenMatrix* open = ui.state.matrix();
  if (open != nullptr) {
    const SparsePattern& pattern = *open->matrix.pattern;
    const LoadReport& report = open->matrix.report;
    draw_name(ui, *open);
    ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, px(2));
    ImGui::BeginGroup();
    small_text(grouped(pattern.rows()) + " × " + grouped(pattern.cols()) + " · " + report.field + " · " +
               report.symmetry);
    small_text(plural(pattern.nonzeros(), "entry", "stored") + ", " +
               plural(report.duplicates, "duplicate", "duplicates") + ", " +
               plural(report.explicit_zeros, "zero", "zeros") + (report.zeros_dropped ? " dropped" : ""));
    small_text("density " + number_text(pattern.density(), 3) + " · " +
               (pattern.symmetric() ? "symmetric pattern" : "pattern not symmetric"));
    small_text((report.file.starts_with("gen:") ? "generated in " : "read in ") +
               seconds_text(report.seconds));
    ImGui::EndGroup();
    draw_tooltip(*open);
    ImGui::PopStyleVar();
    if (ui.state.region) {
      const PlaneRect& r = *ui.state.region;
      const auto span_text = [](double first, double end) {
        return grouped(static_cast<std::uint64_t>(first)) + " … " +
               grouped(static_cast<std::uint64_t>(end) - 1);
      };
      small_text("region: rows " + span_text(r.top, r.bottom) + ", columns " + span_text(r.left, r.right),
                 palette().warning);
      if (link("remove the region")) ui.emit(action::SelectRegion{});
    }
  }
  for (const LoadingMatrix& loading : ui.state.loading) draw_loading(ui, loading, px(180));
}

}  // namespace spyctrum::panels
