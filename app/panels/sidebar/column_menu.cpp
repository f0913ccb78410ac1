// SPDX-License-Identifier: Apache-2.0
// The menu with all settings of one column. The widgets of a method's parameters follow from their
// descriptions (MethodInfo), so that a new method needs nothing here.
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <optional>

#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/matrix/reordering.hpp"
#include "core/methods/method.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum::panels {
namespace {

void set(const Ui& ui, const Column& column, const Parameter& parameter, ParameterInput value) {
  ui.emit(action::SetColumnParameter{column.id, parameter.name, std::move(value)});
}

void number_widget(const Ui& ui, const Column& column, const Parameter& parameter) {
  ImGui::SetNextItemWidth(px(120));
  if (parameter.type == Parameter::Type::integer) {
    auto value = static_cast<int>(column.parameters.integer(parameter.name));
    if (ImGui::InputInt(parameter.name.c_str(), &value, 1, 10, ImGuiInputTextFlags_EnterReturnsTrue))
      set(ui, column, parameter, std::int64_t{value});
  } else {
    double value = column.parameters.real(parameter.name);
    if (ImGui::InputDouble(parameter.name.c_str(), &value, 0, 0, "%.6g",
                           ImGuiInputTextFlags_EnterReturnsTrue))
      set(ui, column, parameter, value);
  }
}

void parameter_widget(const Ui& ui, const Column& column, const Parameter& parameter) {
  switch (parameter.type) {
    case Parameter::Type::integer:
    case Parameter::Type::real:
      number_widget(ui, column, parameter);
      break;
    case Parameter::Type::flag: {
      bool on = column.parameters.flag(parameter.name);
      if (ImGui::Checkbox(parameter.name.c_str(), &on)) set(ui, column, parameter, on);
      break;
    }
    case Parameter::Type::choice: {
      const std::string& now = parameter.choices[column.parameters.choice_index(parameter.name)];
      ImGui::SetNextItemWidth(px(120));
      if (ImGui::BeginCombo(parameter.name.c_str(), now.c_str())) {
        for (const std::string& one : parameter.choices)
          if (ImGui::Selectable(one.c_str(), one == now)) set(ui, column, parameter, one);
        ImGui::EndCombo();
      }
      break;
    }
  }
  tooltip(parameter.help);
}

void block_widgets(const Ui& ui, const Column& column) {
  bool own = column.own_block;
  if (ImGui::Checkbox("own block size", &own))
    ui.emit(action::SetColumnBlock{column.id, own ? std::optional(column.block) : std::nullopt});
  tooltip("If off, the column has the block size of the slider");
  if (!column.own_block) return;
  int block = static_cast<int>(column.block);
  ImGui::SetNextItemWidth(px(150));
  if (ImGui::SliderInt("block", &block, 1, static_cast<int>(largest_block(ui.state)), "%d",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp))
    ui.emit(action::SetColumnBlock{column.id, static_cast<std::uint32_t>(block)});
}

void order_menu(const Ui& ui, const Column& column) {
  if (!ImGui::BeginMenu("Rows and columns")) return;
  const Arrangement& now = column.arrangement;
  if (ImGui::MenuItem("as stored", nullptr, now.kind == Arrangement::Kind::matrix))
    ui.emit(action::SetColumnArrangement{column.id, {}});
  for (const OrderInfo& order : orders()) {
    const bool chosen = now.kind == Arrangement::Kind::reordered && now.order == order.id;
    if (ImGui::MenuItem(std::string(order.label).c_str(), nullptr, chosen))
      ui.emit(action::SetColumnArrangement{
          column.id, {Arrangement::Kind::reordered, std::string(order.id), ui.state.settings.seed}});
    tooltip(order.help);
  }
  if (ImGui::MenuItem("the selected region", nullptr, now.kind == Arrangement::Kind::region,
                      ui.state.region.has_value()))
    ui.emit(action::SetColumnArrangement{column.id, {Arrangement::Kind::region, {}, 1}});
  if (now.order == "random" && now.kind == Arrangement::Kind::reordered) {
    auto seed = static_cast<int>(now.seed);
    ImGui::SetNextItemWidth(px(120));
    if (ImGui::InputInt("seed", &seed))
      ui.emit(action::SetColumnArrangement{
          column.id, {now.kind, now.order, static_cast<std::uint64_t>(std::max(seed, 0))}});
  }
  ImGui::EndMenu();
}

/// Zoom, range and colour map that the column has for itself.
void look_widgets(const Ui& ui, const Column& column) {
  ColumnLook look = column.look;
  bool own_zoom = look.views.has_value();
  if (ImGui::Checkbox("own zoom", &own_zoom)) {
    look.views = own_zoom ? std::optional(std::array{ui.state.view(Plane::pattern).rect,
                                                     ui.state.view(Plane::spectrum).rect})
                          : std::nullopt;
    ui.emit(action::SetColumnLook{column.id, look});
  }
  tooltip("If on, pan and zoom in this column move no other one");
  bool fixed = look.range.has_value();
  if (ImGui::Checkbox("locked range", &fixed)) {
    look.range = fixed ? std::optional(column.picture(Row::spectrum).range) : std::nullopt;
    ui.emit(action::SetColumnLook{column.id, look});
  }
  tooltip("If on, the range of colours stays fixed when the picture changes");
  ImGui::SetNextItemWidth(px(120));
  if (!ImGui::BeginCombo("colours", look.color_map.empty() ? "shared" : look.color_map.c_str())) return;
  for (const ColorMap& map : color_maps()) {
    if (map.kind != ColorMap::Kind::sequential) continue;
    const bool shared = map.name == ui.state.scale.color_map;
    const std::string name = shared ? "shared" : std::string(map.name);
    if (!ImGui::Selectable(name.c_str(), shared ? look.color_map.empty() : map.name == look.color_map))
      continue;
    look.color_map = shared ? std::string() : std::string(map.name);
    ui.emit(action::SetColumnLook{column.id, look});
  }
  ImGui::EndCombo();
}

/// Copies zoom, range or colours that another column shows; from then on they are this column's own.
void take_menu(const Ui& ui, const Column& column) {
  if (!ImGui::BeginMenu("Take from", ui.state.columns.size() > 1)) return;
  for (const Column& other : ui.state.columns) {
    if (other.id == column.id) continue;
    ImGui::PushID(static_cast<int>(other.id));
    if (ImGui::BeginMenu(other.label.c_str())) {
      ColumnLook look = column.look;
      const bool all = ImGui::MenuItem("Everything");
      const bool zoom = ImGui::MenuItem("Zoom"), range = ImGui::MenuItem("Range"),
                 map = ImGui::MenuItem("Colours");
      if (all || zoom)
        look.views =
            std::array{view_of(ui.state, other, Plane::pattern), view_of(ui.state, other, Plane::spectrum)};
      if (all || range) look.range = other.picture(Row::spectrum).range;
      if (all || map)
        look.color_map = other.look.color_map.empty() ? ui.state.scale.color_map : other.look.color_map;
      if (all || zoom || range || map) ui.emit(action::SetColumnLook{column.id, look});
      ImGui::EndMenu();
    }
    ImGui::PopID();
  }
  ImGui::EndMenu();
}

void change_method_menu(const Ui& ui, const Column& column) {
  if (!ImGui::BeginMenu("Change method")) return;
  for (const auto& other : methods()) {
    if (ImGui::MenuItem(other->info().label.c_str(), to_string(other->info().exactness),
                        other->info().id == column.method))
      ui.emit(action::SetColumnMethod{column.id, other->info().id});
    tooltip(other->info().summary);
  }
  ImGui::EndMenu();
}

void comparison_widgets(const Ui& ui, const Column& column) {
  bool own_range = column.own_range;
  if (ImGui::Checkbox("own range", &own_range)) ui.emit(action::SetColumnOwnRange{column.id, own_range});
  tooltip("If on, the colours span the values of this column instead of the range that all columns share");
  look_widgets(ui, column);
  take_menu(ui, column);
  const bool against = ui.state.compare.against == column.id;
  if (ImGui::MenuItem("Compare others with this", nullptr, against))
    change_compare(ui, [&](CompareSettings& compare) { compare.against = against ? 0 : column.id; });
  tooltip("Space, blink, wipe and split show this column in place of the reference");
}

void place_items(const Ui& ui, const Column& column) {
  const auto here = std::ranges::find(ui.state.columns, column.id, &Column::id);
  const auto index = static_cast<std::size_t>(here - ui.state.columns.begin());
  if (ImGui::MenuItem("Make large", nullptr,
                      ui.state.settings.grid_form == GridForm::one_large && column.large)) {
    Settings settings = ui.state.settings;
    settings.grid_form = GridForm::one_large;
    ui.emit(action::SetSettings{settings});
    ui.emit(action::SetColumnLarge{column.id});
  }
  tooltip("The other methods become strips beside it or below it");
  if (ImGui::MenuItem("Move left", nullptr, false, index > 0))
    ui.emit(action::MoveColumn{column.id, index - 1});
  if (ImGui::MenuItem("Move right", nullptr, false, index + 1 < ui.state.columns.size()))
    ui.emit(action::MoveColumn{column.id, index + 1});
}

}  // namespace

void column_menu(const Ui& ui, const Column& column) {
  const Method* method = find_method(column.method);
  text(column.label, palette().text);
  if (method != nullptr) {
    ImGui::PushTextWrapPos(px(300));
    small_text(method->info().summary);
    ImGui::PopTextWrapPos();
  }
  ImGui::Separator();
  change_method_menu(ui, column);
  order_menu(ui, column);
  if (column.uses_block) block_widgets(ui, column);
  if (method != nullptr)
    for (const Parameter& parameter : method->parameters())
      if (parameter.name != "block") parameter_widget(ui, column, parameter);
  comparison_widgets(ui, column);
  ImGui::Separator();
  const char* const no_run = why_no_run(column);
  if (ImGui::MenuItem("Run now", keys_text(Command::run_column).c_str(), false, no_run == nullptr))
    ui.emit(action::RunColumn{column.id});
  tooltip(help_text(info(Command::run_column).help, no_run));
  if (ImGui::MenuItem("Export samples…", nullptr, false, column.spectrum != nullptr))
    ask_export_values(ui, column.id);
  place_items(ui, column);
  if (ImGui::MenuItem("Remove")) ui.emit(action::RemoveColumn{column.id});
}

}  // namespace spyctrum::panels
