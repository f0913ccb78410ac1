// SPDX-License-Identifier: Apache-2.0
// The open matrix: sizes, entries, the duplicates and explicit zeros that the reader found, and what the
// reader assumed about the file, which can be changed.
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/wave_text.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/io/import_options.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum::panels {
namespace {

std::uint64_t unsigned_of(std::int64_t value) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
}

void draw_name(const Ui& ui, const OpenMatrix& open) {
  const float buttons = px(50);
  const float top = ImGui::GetCursorPosY();
  ImGui::BeginGroup();
  {
    const auto font = bold_font(14);
    const float room = ImGui::GetContentRegionAvail().x - buttons - px(6);
    ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, px(1));
    for (const std::string& line : lines_of_name(open.matrix.name, room))
      ImGui::TextUnformatted(line.c_str());
    ImGui::PopStyleVar();
  }
  ImGui::EndGroup();
  tooltip(open.source);
  const float below = ImGui::GetCursorPosY();
  ImGui::SetCursorPos({right_edge() - buttons, top});
  if (icon_button(icon::kOpen, "open file", "Open another matrix", keys_text(Command::open)))
    run(ui, Command::open);
  ImGui::SameLine(0, px(2));
  if (icon_button(icon::kClose, "close matrix", "Close this matrix", keys_text(Command::close)))
    run(ui, Command::close);
  ImGui::SetCursorPosY(std::max(below, ImGui::GetCursorPosY()));
}

void draw_tooltip(const OpenMatrix& open) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) return;
  const LoadReport& report = open.matrix.report;
  const PatternStatistics& facts = open.statistics;
  std::string words = report.format + (report.compression.empty() ? "" : ", " + report.compression) + "\n" +
                      counted(unsigned_of(report.entries_in_file), "entry", "entries") + " in the file\n" +
                      grouped(facts.empty_rows) + " empty rows, " + grouped(facts.empty_cols) +
                      " empty columns\n" + "at most " + grouped(unsigned_of(facts.max_row)) + " in a row, " +
                      grouped(unsigned_of(facts.max_col)) + " in a column\nbandwidth " +
                      grouped(facts.bandwidth);
  for (const std::string& note : report.notes) words += "\n" + note;
  tooltip(words);
}

/// A choice as a word that opens a menu: "base: 1 ▾", bright where the user made it. Goes to a new line where
/// it would be cut.
bool begin_choice(const std::string& name, const std::string& value, bool is_chosen, bool is_first,
                  const std::string& help) {
  const std::string words = name + ": " + value + " " + icon::kDown;
  const auto font = small_font();
  const float width = ImGui::CalcTextSize(words.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
  if (!is_first) {
    ImGui::SameLine(0, px(4));
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  }
  ImGui::PushStyleColor(ImGuiCol_Text, is_chosen ? palette().accent : palette().text);
  const bool is_clicked = ImGui::SmallButton((words + "###read as " + name).c_str());
  ImGui::PopStyleColor();
  tooltip(help);
  if (is_clicked) ImGui::OpenPopup(("choice of " + name).c_str());
  ImGui::SetNextWindowSizeConstraints({px(220), 0}, ImGui::GetMainViewport()->Size);
  return ImGui::BeginPopup(("choice of " + name).c_str());
}

/// The reading with another choice for an option; "auto" leaves it to the reader. A range of |a| is one of
/// the values that were read before.
Reading with_choice(Reading reading, const std::string& name, const std::string& value) {
  reading.kept = {};
  // Another format has other options.
  std::erase_if(reading.import, [&](const auto& choice) { return choice.first == name || name == "format"; });
  if (value != "auto") reading.import.emplace_back(name, value);
  return reading;
}

void draw_import_choice(const Ui& ui, const OpenMatrix& open, const KnownImportOption& known,
                        const std::string& value, bool is_first) {
  const std::string name(known.option.name);
  const auto own = std::ranges::find(open.reading.import, name, [](const auto& one) { return one.first; });
  const bool is_chosen = own != open.reading.import.end();
  if (!begin_choice(name, value, is_chosen, is_first, std::string(known.option.help))) return;
  if (ImGui::IsWindowAppearing()) ui.memory.import_text = is_chosen ? own->second : std::string();
  small_text(known.option.help);
  const auto item = [&](const std::string& word, bool is_now) {
    if (ImGui::MenuItem(word.c_str(), nullptr, is_now))
      ui.emit(action::SetReading{with_choice(open.reading, name, word)});
  };
  item("auto", !is_chosen);
  for (const std::string_view word : known.option.values)
    item(std::string(word), is_chosen && own->second == word);
  if (known.option.values.empty()) {
    ImGui::SetNextItemWidth(px(140));
    if (ImGui::InputText("##value", &ui.memory.import_text, ImGuiInputTextFlags_EnterReturnsTrue)) {
      ui.emit(action::SetReading{with_choice(
          open.reading, name, ui.memory.import_text.empty() ? std::string("auto") : ui.memory.import_text)});
      ImGui::CloseCurrentPopup();
    }
  }
  ImGui::EndPopup();
}

/// Weights that values of the file's field can have.
bool is_possible(Weights weights, bool is_complex) {
  if (weights == Weights::pattern || weights == Weights::magnitude) return true;
  const bool is_of_real = weights == Weights::value || weights == Weights::log || weights == Weights::sign;
  return is_of_real != is_complex;
}

/// What the reader assumed about the file, each assumption as a choice; a change reads the file again.
void draw_reading(const Ui& ui, const OpenMatrix& open) {
  const LoadReport& report = open.matrix.report;
  ImGui::Dummy({0, px(2)});
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, px(4));
  bool is_first = true;
  if (report.matrices.size() > 1) {
    const auto font = small_font();
    const std::string words = fit_text(report.matrix.empty() ? "matrix" : report.matrix, px(150)) +
                              ", one of " + std::to_string(report.matrices.size()) + " " + icon::kDown +
                              "###matrices of the file";
    if (ImGui::SmallButton(words.c_str())) ui.emit(action::SetOverlay{Overlay::matrices});
    tooltip("The matrices that this file holds");
    is_first = false;
  }
  // Whether a generated matrix has values is known only after it was generated with weights.
  const bool is_generated = is_generator_text(report.file);
  if (report.field != "pattern" || is_generated) {
    constexpr const char* kHelp =
        "Weight of an entry: 1 for every stored entry (pattern), or computed from its value";
    if (begin_choice("weights", to_string(open.reading.weights), open.reading.weights != Weights::pattern,
                     is_first, kHelp)) {
      small_text(kHelp);
      const bool is_complex = report.field == "complex" || report.symmetry == "hermitian";
      for (const std::string& name : weight_names()) {
        const Weights weights = *parse_weights(name);
        if (!is_possible(weights, is_complex)) continue;
        if (ImGui::MenuItem(name.c_str(), nullptr, weights == open.reading.weights)) {
          Reading reading = open.reading;
          reading.weights = weights;
          reading.kept = {};
          ui.emit(action::SetReading{reading});
        }
      }
      ImGui::EndPopup();
    }
    is_first = false;
  }
  const auto draw = [&](std::string_view name, const std::string& value) {
    for (const KnownImportOption& known : import_options())
      if (known.option.name == name)
        draw_import_choice(ui, open, known, value, std::exchange(is_first, false));
  };
  const auto orientation = std::ranges::find(report.assumed, "orientation", &Assumption::name);
  for (const Assumption& one : report.assumed)
    if (one.name != "orientation" && one.name != "layer") draw(one.name, one.value);
  if (!is_generated) draw("orientation", orientation != report.assumed.end() ? orientation->value : "stored");
  ImGui::PopStyleVar();
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
    small_text(counted(unsigned_of(pattern.nonzeros()), "entry", "entries") + ", " +
               counted(unsigned_of(report.duplicates), "duplicate", "duplicates") + ", " +
               counted(unsigned_of(report.explicit_zeros), "zero", "zeros") +
               (report.zeros_dropped ? " dropped" : ""));
    small_text("density " + number_text(pattern.density(), 3) + " · " +
               (pattern.symmetric() ? "symmetric pattern" : "pattern not symmetric"));
    if (report.seconds > 0)
      small_text((is_generator_text(report.file) ? "generated in " : "read in ") +
                 seconds_text(report.seconds));
    ImGui::EndGroup();
    draw_tooltip(*open);
    ImGui::PopStyleVar();
    draw_reading(ui, *open);
    draw_magnitude_section(ui, *open);
    if (ui.state.region) {
      const PlaneRect& r = *ui.state.region;
      const auto span_text = [](double first, double end) {
        return grouped(static_cast<std::uint64_t>(first)) + " … " +
               grouped(static_cast<std::uint64_t>(end) - 1);
      };
      small_text("region: rows " + span_text(r.top, r.bottom) + ", columns " + span_text(r.left, r.right),
                 palette().warning);
      if (link("remove the region")) ui.emit(action::SelectRegion{});
      if (link("draw in a copy of it")) ui.emit(action::DrawRegion{});
    }
    if (ui.state.wave) {
      const auto [wave, sum] = wave_text(ui.state);
      small_text("wave: " + wave, palette().accent);
      if (!sum.empty()) small_text(sum);
      if (link("remove the wave")) ui.emit(action::ShowWave{});
    }
  }
  for (const LoadingMatrix& loading : ui.state.loading) draw_loading(ui, loading, px(180));
}

}  // namespace spyctrum::panels
