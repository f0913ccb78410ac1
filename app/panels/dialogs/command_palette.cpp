// SPDX-License-Identifier: Apache-2.0
// The command palette: a line to type into, and below it every command that fits, the best first.
#include <imgui.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/dialog.hpp"
#include "app/panels/widgets/fuzzy_match.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/io/quote.hpp"
#include "core/matrix/reordering.hpp"
#include "core/methods/method.hpp"

namespace spyctrum::panels {
namespace {

constexpr std::size_t kMostEntries = 12;

struct Entry {
  std::string label;
  std::string keys;
  std::function<void()> run;
  std::string also = {};  ///< other words by which it is found
  int fit = 0;
};

using Entries = std::vector<Entry>;

Entry emitting(const Ui& ui, std::string label, Action action) {
  return {std::move(label), "", [&ui, action = std::move(action)] { ui.emit(action); }};
}

void add_commands(const Ui& ui, Entries& entries) {
  for (const CommandInfo& one : commands())
    if (one.id != Command::palette && is_possible(ui.state, one.id))
      entries.push_back(
          {std::string(one.group) + ": " + one.label, keys_text(one.id), [&ui, &one] { run(ui, one.id); }});
}

void add_orders(const Ui& ui, Entries& entries) {
  const Column* column = ui.state.focused();
  if (column == nullptr) return;
  const auto add = [&](std::string_view order, const Arrangement& arrangement) {
    entries.push_back(emitting(ui, "Order rows and columns of " + column->label + ": " + std::string(order),
                               action::SetColumnArrangement{column->id, arrangement}));
  };
  add("as stored", {});
  for (const OrderInfo& order : orders())
    add(order.label, {Arrangement::Kind::reordered, std::string(order.id), ui.state.settings.seed});
  if (ui.state.region) add("the selected region", {Arrangement::Kind::region, {}, 1});
}

/// Commands that need a matrix.
void add_for_matrix(const Ui& ui, Entries& entries) {
  const auto add = [&](std::string label, Action action) {
    entries.push_back(emitting(ui, std::move(label), std::move(action)));
  };
  if (!ui.state.sweep_busy) add("Compare: Sweep over block sizes", action::StartSweep{});
  add("Compare: Compute errors now", action::ComputeErrors{});
  if (!ui.state.advisor.busy) add("Methods: Ask the advisor", action::AskAdvisor{});
  if (!ui.state.theory.measuring)
    add("Methods: Measure the spectrum for the theory", action::MeasureTheory{});
  if (ui.state.wave) add("Compare: Remove the wave", action::ShowWave{});
  if (ui.state.region) add("Compare: Remove the region", action::SelectRegion{});
  for (const bool dark : {false, true}) {
    const std::string figure = dark ? "the comparison as a dark figure" : "the comparison as a figure";
    entries.push_back(
        {"File: Save " + figure + "…", "", [&ui, dark] { ask_figure(ui, {}, dark); }, "export"});
    entries.push_back({"File: Copy " + figure, "", [&ui, dark] { copy_figure(ui, {}, dark); }});
  }
  entries.push_back({"File: Save session…", "", [&ui] { ask_session(ui, true); }});
  for (const auto& method : methods())
    add("Add a column: " + method->info().label, action::AddColumn{method->info().id});
}

Entries all_entries(const Ui& ui) {
  Entries entries;
  add_commands(ui, entries);
  add_orders(ui, entries);
  if (ui.state.matrix() != nullptr) add_for_matrix(ui, entries);
  entries.push_back({"File: Load session…", "", [&ui] { ask_session(ui, false); }});
  const auto add = [&](std::string label, Action action) {
    entries.push_back(emitting(ui, std::move(label), std::move(action)));
  };
  add("Look: Square units", action::SetKeepAspect{!ui.state.settings.square_units});
  add("Look: Reset layout", action::ResetLayout{});
  add("Help: Related work", action::SetOverlay{Overlay::related});
  for (std::size_t k = 0; k < ui.state.matrices.size(); ++k)
    add("Show: " + ui.state.matrices[k].matrix.name, action::SelectMatrix{k});
  for (const GalleryItem& item : ui.state.gallery)
    add("Generate: " + item.title, action::OpenFile{item.source});
  for (const std::string& source : ui.state.recent) add("Open: " + escaped(source), action::OpenFile{source});
  return entries;
}

Entries fitting_entries(const Ui& ui) {
  Entries entries = all_entries(ui);
  for (Entry& entry : entries) {
    entry.fit = fuzzy_match(ui.memory.palette_text, entry.label);
    if (entry.fit < 0 && !entry.also.empty())
      entry.fit = fuzzy_match(ui.memory.palette_text, entry.label + " " + entry.also);
  }
  std::erase_if(entries, [](const Entry& entry) { return entry.fit < 0; });
  std::ranges::stable_sort(entries, std::greater{}, &Entry::fit);
  if (entries.size() > kMostEntries) entries.resize(kMostEntries);
  return entries;
}

}  // namespace

void draw_command_palette(const Ui& ui) {
  const Dialog dialog(ui, "Commands", 520);
  if (!dialog.is_visible()) return;
  std::size_t& chosen = ui.memory.palette_chosen;
  if (ImGui::IsWindowAppearing()) {
    ui.memory.palette_text.clear();
    chosen = 0;
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(px(480));
  const std::string before = ui.memory.palette_text;
  const EarlyTyping early(ui.memory.palette_text);
  const bool entered = search_line("###palette text", "type part of a command", ui.memory.palette_text);
  early.give_to_field();
  if (ui.memory.palette_text != before) chosen = 0;
  const Entries entries = fitting_entries(ui);
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow) && chosen > 0) --chosen;
  chosen = entries.empty() ? 0 : std::min(chosen, entries.size() - 1);
  const Entry* picked = entered && !entries.empty() ? &entries[chosen] : nullptr;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (ImGui::Selectable((entries[k].label + "###palette " + std::to_string(k + 1)).c_str(), k == chosen))
      picked = &entries[k];
    if (entries[k].keys.empty()) continue;
    ImGui::SameLine();
    right_text(entries[k].keys, palette().dim);
  }
  if (entries.empty()) small_text("No command fits.", palette().faint);
  if (picked == nullptr) return;
  // The palette closes first: a command may open another dialog.
  dialog.close();
  picked->run();
}

}  // namespace spyctrum::panels
