// SPDX-License-Identifier: Apache-2.0
// The comparison grid: one column per method; rows pattern, spectrum, reconstruction and error. All pictures
// of a plane share one size and one view.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/comparison/picture_store.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr double kBusyDelay = 0.25;   // seconds before a busy mark appears
constexpr double kBlinkHalf = 0.5;    // seconds for which each of the two pictures is shown
constexpr float kLeastColumn = 220;   // points
constexpr float kLeastPicture = 110;  // points

/// Sizes that all columns share, in ImGui units.
struct Layout {
  float column_width = 0, column_height = 0;
  float header = 0, caption = 0, gap = 0, padding = 0;
  ImVec2 picture;
  int rows = 0;
};

Layout measure(const AppState& state, ImVec2 available) {
  Layout layout;
  layout.rows = static_cast<int>(std::count(state.compare.rows.begin(), state.compare.rows.end(), true));
  layout.header = px(50);
  layout.caption = px(17);
  layout.gap = px(7);
  layout.padding = px(9);
  const auto count = static_cast<float>(std::max<std::size_t>(state.columns.size(), 1));
  const float between_columns = ImGui::GetStyle().ItemSpacing.x * (count - 1);
  layout.column_width = std::floor(std::max(px(kLeastColumn), (available.x - between_columns) / count));
  const auto rows = static_cast<float>(std::max(layout.rows, 1));
  const float fixed = layout.header + layout.padding + rows * (layout.caption + layout.gap);
  const bool scrolls = count * px(kLeastColumn) + between_columns > available.x;
  const float height = available.y - (scrolls ? ImGui::GetStyle().ScrollbarSize : 0);
  layout.picture = {std::floor(layout.column_width - 2 * layout.padding),
                    std::floor(std::max(px(kLeastPicture), (height - fixed) / rows))};
  layout.column_height = std::max(height, fixed + rows * layout.picture.y);
  return layout;
}

/// Tells the controller how many device pixels a picture has.
void ask_pixels(const Ui& ui, ImVec2 picture) {
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  const PixelSize pixels{static_cast<std::uint32_t>(std::max(1.0F, std::round(picture.x * scale.x))),
                         static_cast<std::uint32_t>(std::max(1.0F, std::round(picture.y * scale.y)))};
  for (const Plane plane : {Plane::pattern, Plane::spectrum})
    if (ui.state.view(plane).pixels != pixels) ui.emit(action::SetPictureSize{plane, pixels});
}

bool blink_on(const Ui& ui) {
  if (!ui.state.compare.blink) return false;
  const double now = ImGui::GetTime(), beat = std::floor(now / kBlinkHalf);
  ui.wake_in((beat + 1) * kBlinkHalf - now + 0.002);
  return static_cast<std::int64_t>(beat) % 2 != 0;
}

/// Draws text in the middle of the cell, leaving `below` free under it; returns where that free part begins.
ImVec2 draw_words(const CellFrame& cell, ImDrawList& list, const std::string& title, const std::string& words,
                  ImU32 color, float below = 0) {
  const float width = cell.width() - px(24);
  const ImVec2 title_size = ImGui::CalcTextSize(title.c_str(), nullptr, false, width);
  const ImVec2 size = ImGui::CalcTextSize(words.c_str(), nullptr, false, width);
  const float height = size.y + below + (title.empty() ? 0 : title_size.y + px(4));
  const ImVec2 at = {cell.min.x + px(12), cell.min.y + std::max(px(8), (cell.height() - height) / 2)};
  list.PushClipRect(cell.min, cell.max, true);
  list.AddRectFilled({cell.min.x, at.y - px(8)}, {cell.max.x, at.y + height + px(8)},
                     with_alpha(palette().well, 0.86F));
  if (!title.empty()) list.AddText(nullptr, 0, at, color, title.c_str(), nullptr, width);
  list.AddText(nullptr, 0, {at.x, at.y + (title.empty() ? 0 : title_size.y + px(4))}, palette().dim,
               words.c_str(), nullptr, width);
  list.PopClipRect();
  return {at.x, at.y + height - below};
}

const JobView* job_of(const AppState& state, ColumnId column) {
  const auto at = std::find_if(state.jobs.begin(), state.jobs.end(), [&](const JobView& job) {
    return job.column == column && job.running && !job.background;
  });
  return at == state.jobs.end() ? nullptr : &*at;
}

/// Shown late and small: short computations show no mark, and the old picture is not covered.
void draw_busy(const Ui& ui, const CellFrame& cell, ImDrawList& list) {
  const Picture& picture = cell.column.picture(cell.row);
  const std::uint64_t key = std::uint64_t{cell.column.id} * kRows + static_cast<std::uint64_t>(cell.row);
  if (!picture.busy) {
    ui.memory.busy_since.erase(key);
    return;
  }
  const double now = ImGui::GetTime();
  const double since = ui.memory.busy_since.try_emplace(key, now).first->second;
  if (now - since < kBusyDelay) return ui.wake_in(kBusyDelay - (now - since) + 0.002);
  const JobView* job = job_of(ui.state, cell.column.id);
  const ImU32 color = series_color(cell.column.color);
  const float y = cell.max.y - px(3);
  list.AddRectFilled({cell.min.x, y}, cell.max, with_alpha(color, 0.25F));
  if (job != nullptr && job->progress.total > 0) {
    const double share = std::clamp(
        static_cast<double>(job->progress.done) / static_cast<double>(job->progress.total), 0.0, 1.0);
    list.AddRectFilled({cell.min.x, y}, {cell.min.x + static_cast<float>(share) * cell.width(), cell.max.y},
                       color);
  }
  if (!picture.shown && !picture.error) {
    const auto font = small_font();
    std::string words = "computing";
    if (job != nullptr) words = job->progress.stage.empty() ? job->title : job->progress.stage;
    if (job != nullptr && job->seconds_left) words += " · " + seconds_text(*job->seconds_left) + " left";
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    list.AddText({(cell.min.x + cell.max.x - size.x) / 2, (cell.min.y + cell.max.y - size.y) / 2},
                 palette().dim, words.c_str());
  }
}

bool is_about_run(Row row) { return row != Row::pattern; }

/// A refusal, with a button that sets values with which the run is possible.
bool offers_setting(const Ui& ui, const Column& column, Row row) {
  return is_about_run(row) && !column.picture(row).error && !advised_setting(ui.state, column).empty();
}

void draw_refusal(const Ui& ui, const CellFrame& cell, ImDrawList& list) {
  std::string label;
  for (const auto& [name, value] : advised_setting(ui.state, cell.column))
    label.append(label.empty() ? "Set " : ", ").append(name).append(" to ").append(value);
  const float gap = px(8);
  const ImVec2 below = draw_words(cell, list, cell.column.error->what, cell.column.error->advice,
                                  palette().bad, gap + ImGui::GetFrameHeight());
  ImGui::SetCursorScreenPos({below.x, below.y + gap});
  if (ImGui::Button((label + "###apply advice").c_str())) ui.emit(action::ApplyAdvice{cell.column.id});
  tooltip(cell.column.own_block ? "Changes this column" : "Changes every column that follows the slider");
}

/// Errors and reasons, shown in place of the picture that they concern.
void draw_reasons(const Ui& ui, const CellFrame& cell, ImDrawList& list) {
  const auto font = small_font();
  const Column& column = cell.column;
  const Picture& picture = column.picture(cell.row);
  const bool about_run = is_about_run(cell.row);
  if (offers_setting(ui, column, cell.row)) return draw_refusal(ui, cell, list);
  if (picture.error)
    draw_words(cell, list, picture.error->what, picture.error->advice, palette().bad);
  else if (about_run && column.error)
    draw_words(cell, list, column.error->what, column.error->advice, palette().bad);
  else if (about_run && !column.held_back.empty() && !picture.shown)
    draw_words(cell, list, "Not started", column.held_back + " Ctrl+Enter starts it.", palette().warning);
  else if (!picture.shown && !picture.empty_reason.empty())
    draw_words(cell, list, {}, picture.empty_reason, palette().dim);
}

void draw_picture(const Ui& ui, const CellFrame& cell, bool blink) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(cell.min, cell.max, palette().well);
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  const PixelSize pixels{static_cast<std::uint32_t>(std::max(1.0F, std::round(cell.width() * scale.x))),
                         static_cast<std::uint32_t>(std::max(1.0F, std::round(cell.height() * scale.y)))};
  const bool shows = cell.rect.width() > 0 && cell.rect.height() > 0;
  const unsigned texture =
      shows ? ui.memory.pictures->draw(ui.state, cell.column, cell.row, cell.rect, pixels, blink) : 0;
  if (texture != 0) list.AddImage(static_cast<ImTextureID>(texture), cell.min, cell.max);
  if (texture != 0) draw_overlays(ui, cell, list);
  draw_busy(ui, cell, list);
  draw_reasons(ui, cell, list);
  const bool focused = ui.state.interface.focused_column == cell.index && ui.memory.active_row == cell.row;
  list.AddRect({cell.min.x - 1, cell.min.y - 1}, {cell.max.x + 1, cell.max.y + 1},
               focused ? with_alpha(series_color(cell.column.color), 0.75F) : palette().border);
}

void draw_row(const Ui& ui, const Column& column, std::size_t index, Row row, const Layout& layout,
              bool blink) {
  const ImVec2 top = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  {
    const auto font = small_font();
    const std::string note = caption_note(ui.state, column, row);
    const float note_width = ImGui::CalcTextSize(note.c_str()).x;
    const std::string words =
        fit_text(caption(ui.state, column, row), layout.picture.x - (note.empty() ? 0 : note_width + px(10)));
    list.AddText(top, palette().dim, words.c_str());
    if (!note.empty())
      list.AddText({top.x + layout.picture.x - note_width, top.y},
                   note == "own range" ? palette().warning : palette().faint, note.c_str());
  }
  if (const std::string tip = caption_tip(ui.state, column, row); !tip.empty()) {
    ImGui::Dummy({layout.picture.x, layout.caption});
    tooltip(tip);
  }
  const ImVec2 min = {top.x, top.y + layout.caption};
  const CellFrame cell{column,
                       row,
                       index,
                       min,
                       {min.x + layout.picture.x, min.y + layout.picture.y},
                       picture_rect(ui.state, plane_of(row)),
                       shows_reference(ui.state, column, row, blink)};
  ImGui::SetCursorScreenPos(min);
  ImGui::PushID(static_cast<int>(row));
  const std::string name = "picture " + std::string(name_of(row)) + " " + std::to_string(index + 1);
  if (offers_setting(ui, column, row)) ImGui::SetNextItemAllowOverlap();
  ImGui::InvisibleButton(name.c_str(), layout.picture,
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  handle_mouse(ui, cell);
  draw_cell_menu(ui, cell);
  if (ImGui::IsRectVisible(cell.min, cell.max)) draw_picture(ui, cell, blink);
  ImGui::PopID();
  ImGui::SetCursorScreenPos({top.x, top.y + layout.caption + layout.picture.y + layout.gap});
}

/// From this share on, computing samples costs about as much as the whole plane.
constexpr double kWorthThePlane = 0.25;

std::string sampling_words(const Column& column) {
  std::string words = column.uses_block ? "b = " + std::to_string(column.block) : std::string();
  const auto add = [&words](const std::string& more) { words += (words.empty() ? "" : " · ") + more; };
  if (column.estimate)
    add(percent_text(
            static_cast<double>(column.estimate->rows_done) / static_cast<double>(column.estimate->rows), 2) +
        " of the rows" + (column.stopped ? ", stopped" : ""));
  else if (column.exactness == Exactness::exact)
    add("every coefficient");
  else if (column.plane_share > 0)
    add(percent_text(column.plane_share) + " of the plane computed");
  if (column.exactness != Exactness::exact && column.plane_share > kWorthThePlane)
    add("the exact plane costs no more");
  return words;
}

/// The time of the computation, and whether the CPU or CUDA did it.
std::string cost_words(const Column& column) {
  if (!column.spectrum) return {};
  const bool device = column.spectrum->provenance.backend.starts_with("cuda");
  return seconds_text(column.cost.seconds) + (device ? " · CUDA" : " · CPU");
}

void draw_header(const Ui& ui, const Column& column, std::size_t index, const Layout& layout) {
  const Palette& colors = palette();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 corner = ImGui::GetWindowPos();
  const ImU32 color = series_color(column.color);
  const bool focused = ui.state.interface.focused_column == index;
  list.AddRectFilled(corner, {corner.x + layout.column_width, corner.y + px(focused ? 4.0F : 3.0F)}, color,
                     px(6), ImDrawFlags_RoundTop);
  const float left = corner.x + layout.padding, right = corner.x + layout.column_width - layout.padding;
  const float y = corner.y + px(9);
  ImGui::SetCursorScreenPos({right - px(39), y - px(3)});
  if (icon_button(icon::kMore, "column menu", "Method, block size, parameters, order of rows and columns"))
    ImGui::OpenPopup("column menu popup");
  ImGui::SameLine(0, 0);
  if (icon_button(icon::kClose, "remove column", "Remove this column"))
    ui.emit(action::RemoveColumn{column.id});
  if (ImGui::BeginPopup("column menu popup")) {
    column_menu(ui, column);
    ImGui::EndPopup();
  }
  const std::optional<Exactness> exactness = shown_exactness(column);
  std::string badge_text;
  if (exactness) badge_text = to_string(*exactness);
  if (exactness == Exactness::exact && is_coarse(column, Row::spectrum))
    badge_text += ", coarser than the pixels";
  const float badge_width = exactness ? badge(list, {}, badge_text, 0, false).x + px(10) : 0;
  const float room = right - px(44) - left - badge_width;
  float label_width = 0;
  {
    const auto font = bold_font(15);
    const std::string label = fit_text(column.label, room);
    label_width = ImGui::CalcTextSize(label.c_str()).x;
    list.AddText({left, y}, colors.text, label.c_str());
  }
  if (exactness)
    badge(list, {left + label_width + px(10), y - px(1)}, badge_text, exactness_color(*exactness));
  const auto font = small_font();
  const float second = y + px(21);
  const std::string time = cost_words(column);
  const float time_width = ImGui::CalcTextSize(time.c_str()).x;
  // The share and the time belong to the result; where that is of an earlier setting, they are dimmed.
  const ImU32 result_color = column.outdated && !column.estimate ? colors.faint : colors.dim;
  list.AddText({left, second}, result_color,
               fit_text(sampling_words(column), right - left - time_width - px(10)).c_str());
  list.AddText({right - time_width, second}, result_color, time.c_str());
}

void draw_column(const Ui& ui, const Column& column, std::size_t index, const Layout& layout, bool blink) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const std::string name = "column " + std::to_string(index + 1);
  ImGui::BeginChild(name.c_str(), {layout.column_width, layout.column_height},
                    ImGuiChildFlags_Borders | ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  draw_header(ui, column, index, layout);
  const ImVec2 corner = ImGui::GetWindowPos();
  ImGui::SetCursorScreenPos({corner.x + layout.padding, corner.y + layout.header});
  for (std::size_t i = 0; i < kRows; ++i)
    if (ui.state.compare.rows[i]) draw_row(ui, column, index, static_cast<Row>(i), layout, blink);
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
}

void toggle_row(const Ui& ui, Row row) {
  CompareSettings compare = ui.state.compare;
  bool& open = compare.rows[static_cast<std::size_t>(row)];
  const auto count = std::count(compare.rows.begin(), compare.rows.end(), true);
  if (open && count == 1) return;  // an empty grid shows nothing
  open = !open;
  ui.emit(action::SetCompare{compare});
}

void command_button(const Ui& ui, const char* icon, const char* id, Command command) {
  if (icon_button(icon, id, info(command).help, keys_text(command), is_on(ui.state, command),
                  is_possible(ui.state, command)))
    run(ui, command);
  ImGui::SameLine(0, px(2));
}

void draw_tools(const Ui& ui) {
  ImGui::SetCursorPos({px(2), px(5)});
  static constexpr std::array<const char*, kRows> kLabels = {"pattern", "spectrum", "reconstruction",
                                                             "error"};
  for (std::size_t i = 0; i < kRows; ++i) {
    const Row row = static_cast<Row>(i);
    if (choice(kLabels[i], ui.state.compare.rows[i], "Show or hide this row",
               row == Row::error ? keys_text(Command::error_row) : std::string()))
      toggle_row(ui, row);
    ImGui::SameLine(0, px(2));
  }
  // Where not all buttons fit, those whose keys are best known are left out.
  const bool all = right_edge() - px(8 * 28) > ImGui::GetCursorPosX();
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right_edge() - px((all ? 8 : 5) * 28)));
  if (all) {
    command_button(ui, icon::kBack, "back", Command::back);
    command_button(ui, icon::kForward, "forward", Command::forward);
    command_button(ui, icon::kTarget, "go to", Command::go_to);
  }
  command_button(ui, icon::kFit, "fit", Command::fit);
  command_button(ui, icon::kReset, "reset views", Command::reset_views);
  command_button(ui, icon::kBlink, "blink", Command::blink);
  command_button(ui, icon::kWipe, "wipe", Command::wipe);
  if (icon_button(icon::kAdd, "add method", "Add a method as a column")) ImGui::OpenPopup("add a method");
  if (ImGui::BeginPopup("add a method")) {
    method_menu(ui);
    ImGui::EndPopup();
  }
}

void clear_crosshair_outside(const Ui& ui) {
  if (!ui.memory.crosshair_from_mouse || !ui.state.crosshair.active) return;
  const bool outside = !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows |
                                               ImGuiHoveredFlags_AllowWhenBlockedByActiveItem |
                                               ImGuiHoveredFlags_AllowWhenBlockedByPopup);
  if (!outside) return;
  ui.memory.crosshair_from_mouse = false;
  ui.emit(action::ClearCrosshair{});
}

}  // namespace

const Column* focused_column(const AppState& state) {
  if (state.columns.empty()) return nullptr;
  return &state.columns[std::min(state.interface.focused_column, state.columns.size() - 1)];
}

void draw_comparison(const Ui& ui) {
  // The pictures have the keyboard focus at the start, so that keys such as Tab work at once.
  if (ImGui::FindWindowByName(kComparison) == nullptr) ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const bool visible =
      ImGui::Begin(kComparison, nullptr, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  if (visible) {
    ui.memory.comparison_focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
    draw_tools(ui);
    // The free space depends on the scroll bar, and the scroll bar on the layout; the layout resolves both.
    const ImVec2 available = ImGui::GetContentRegionAvail();
    const Layout layout = measure(ui.state, available);
    ask_pixels(ui, layout.picture);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
    ImGui::BeginChild("grid", {0, 0}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::PopStyleColor();
    const bool blink = blink_on(ui);
    for (std::size_t i = 0; i < ui.state.columns.size(); ++i) {
      if (i > 0) ImGui::SameLine();
      ImGui::PushID(static_cast<int>(ui.state.columns[i].id));
      draw_column(ui, ui.state.columns[i], i, layout, blink);
      ImGui::PopID();
    }
    if (ui.state.columns.empty())
      dim_text("There is no column. Add a method with the button + above or in the menu Methods.");
    ImGui::EndChild();
    clear_crosshair_outside(ui);
  }
  ImGui::End();
}

}  // namespace spyctrum::panels
