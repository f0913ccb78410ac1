// SPDX-License-Identifier: Apache-2.0
// The comparison grid: a card for each method, with pictures of pattern, spectrum, reconstruction and error
// as picture_grid.hpp arranges them. All pictures of a plane show the same part of it.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/comparison/picture_store.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

constexpr double kBusyDelay = 0.25;  // seconds before a busy mark appears
constexpr double kBlinkHalf = 0.5;   // seconds for which each of the two pictures is shown

struct ArrangedPictures {
  PictureGrid grid;
  GridLengths lengths;
};

/// Whether the user wants some pictures to be larger than others.
bool wants_large(GridForm form) {
  return form == GridForm::columns_large || form == GridForm::rows_large || form == GridForm::one_large;
}

/// The arrangement for the free space of the window. If it does not fit, all captions get one line, then
/// pictures become smaller; if it still does not fit, the space is what scroll bars leave.
ArrangedPictures arrange(const AppState& state, ImVec2 room) {
  GridRequest request = grid_request(state, room);
  PictureGrid grid = arrange_pictures(request);
  const auto wide = [&] { return grid.extent.width > room.x; };
  const auto high = [&] { return grid.extent.height > room.y; };
  if (wide() || high()) {
    request.lengths.narrow_picture = 0;
    grid = arrange_pictures(request);
  }
  const float least = request.lengths.least_picture;
  for (const float share : {0.8F, 0.6F}) {
    if ((!wide() && !high()) || wants_large(request.form)) break;
    request.lengths.least_picture = std::round(least * share);
    grid = arrange_pictures(request);
  }
  if (wide() || high()) {
    const float bar = ImGui::GetStyle().ScrollbarSize;
    if (high()) request.room.width -= bar;
    if (wide()) request.room.height -= bar;
    request.lengths.least_picture = least;
    grid = arrange_pictures(request);
  }
  return {std::move(grid), request.lengths};
}

/// Requests pictures of each plane in the pixels of the largest one on the screen.
void ask_pixels(const Ui& ui, const PictureGrid& grid) {
  for (const Plane plane : {Plane::pattern, Plane::spectrum}) {
    const GridExtent& largest = grid.largest[static_cast<std::size_t>(plane)];
    if (largest.width <= 0) continue;  // no picture of this plane is on the screen
    const PixelSize pixels = device_pixels(largest.width, largest.height);
    if (ui.state.view(plane).pixels != pixels) ui.emit(action::SetPictureSize{plane, pixels});
  }
}

bool blink_on(const Ui& ui) {
  if (!ui.state.compare.blink) return false;
  const double now = ImGui::GetTime(), beat = std::floor(now / kBlinkHalf);
  ui.wake_in((beat + 1) * kBlinkHalf - now + 0.002);
  return static_cast<std::int64_t>(beat) % 2 != 0;
}

/// `words` without what stands in parentheses.
std::string without_asides(std::string words) {
  for (std::size_t open = words.find(" ("); open != std::string::npos; open = words.find(" (")) {
    std::size_t close = open + 2;
    for (int depth = 1; close < words.size() && depth > 0; ++close)
      depth += words[close] == '(' ? 1 : words[close] == ')' ? -1 : 0;
    words.erase(open, close - open);
  }
  return words;
}

/// Draws title and words in the middle of the cell, and returns where `below` points under them begin, which
/// stay free. A cell that is too low shows the title without its parentheses; the log has the whole text.
ImVec2 draw_words(const CellFrame& cell, ImDrawList& list, std::string title, std::string words, ImU32 color,
                  float below = 0) {
  const float width = cell.width() - px(24);
  title = unbroken_within(title, width);
  words = unbroken_within(words, width);
  const ImVec2 size = ImGui::CalcTextSize(words.c_str(), nullptr, false, width);
  ImVec2 title_size;
  const auto height_with_title = [&] {
    title_size = ImGui::CalcTextSize(title.c_str(), nullptr, false, width);
    return size.y + below + (title.empty() ? 0 : title_size.y + px(4));
  };
  float height = height_with_title();
  if (height > cell.height() - px(16)) {
    title = unbroken_within(without_asides(title), width);
    height = height_with_title();
  }
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

/// `words`, or as many of its first phrases as fit in `width`; dots where not even one does.
std::string fit_or_dots(const std::string& words, float width) {
  const std::string fitting = fit_phrases(words, width);
  return words.starts_with(fitting) ? fitting : "…";
}

/// Draws the progress of a job along the lower edge and, over a picture that was made for another view, that
/// it is not the one asked for; after kBusyDelay, so that short jobs show none.
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
  const ImU32 color = series_color(cell.column.style.color);
  const float y = cell.max.y - px(3);
  list.AddRectFilled({cell.min.x, y}, cell.max, with_alpha(color, 0.25F));
  if (const double share = job != nullptr ? std::min(share_of(job->progress), 1.0) : 0; share > 0) {
    list.AddRectFilled({cell.min.x, y}, {cell.min.x + static_cast<float>(share) * cell.width(), cell.max.y},
                       color);
  }
  const auto font = small_font();
  if (picture.misses_view) {
    const std::string words = fit_or_dots("computing this view", cell.width() - px(16));
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    label_text(list, {(cell.min.x + cell.max.x - size.x) / 2, (cell.min.y + cell.max.y - size.y) / 2}, words);
  }
  if (!picture.shown && !picture.error) {
    std::string words = job != nullptr ? progress_text(*job) : "computing";
    if (job != nullptr && job->progress.stage.empty()) words = job->title + " · " + words;
    words = fit_or_dots(words, cell.width() - px(8));
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    list.AddText({(cell.min.x + cell.max.x - size.x) / 2, (cell.min.y + cell.max.y - size.y) / 2},
                 palette().dim, words.c_str());
  }
}

/// Whether a refusal or failure of a column's run is written into its picture in `row`: only one row has it.
bool is_about_run(const AppState& state, Row row) {
  const bool has_spectra = state.compare.rows[static_cast<std::size_t>(Row::spectrum)];
  return has_spectra ? row == Row::spectrum : row != Row::pattern;
}

/// Whether "Not started" stands in place of the picture.
bool is_held_back(const AppState& state, const Column& column, Row row) {
  const Picture& picture = column.picture(row);
  return is_about_run(state, row) && !picture.error && !column.error && !column.held_back.empty() &&
         !picture.shown;
}

/// Whether the words in place of the picture have a button under them.
bool has_button(const Ui& ui, const Column& column, Row row) {
  if (is_held_back(ui.state, column, row)) return true;
  return is_about_run(ui.state, row) && !column.picture(row).error &&
         !advised_setting(ui.state, column).empty();
}

/// Draws words as draw_words() and a button under them; returns whether it was clicked.
bool draw_words_with_button(const CellFrame& cell, ImDrawList& list, std::string title, std::string words,
                            ImU32 color, const std::string& label) {
  const float gap = px(8);
  const ImVec2 below =
      draw_words(cell, list, std::move(title), std::move(words), color, gap + ImGui::GetFrameHeight());
  ImGui::SetCursorScreenPos({below.x, below.y + gap});
  return ImGui::Button(label.c_str());
}

/// Draws the refusal of a run, with a button that sets the advised values.
void draw_refusal(const Ui& ui, const CellFrame& cell, ImDrawList& list) {
  std::string label;
  for (const auto& [name, value] : advised_setting(ui.state, cell.column))
    label.append(label.empty() ? "Set " : ", ").append(name).append(" to ").append(value);
  const Error& error = *cell.column.error;
  if (draw_words_with_button(cell, list, error.what, error.advice, palette().bad, label + "###apply advice"))
    ui.emit(action::ApplyAdvice{cell.column.id});
  tooltip(cell.column.own_block ? "Changes this column" : "Changes every column that follows the slider");
}

/// Says in place of a picture why there is none.
void draw_reasons(const Ui& ui, const CellFrame& cell, ImDrawList& list) {
  const auto font = small_font();
  const Column& column = cell.column;
  const Picture& picture = column.picture(cell.row);
  if (is_held_back(ui.state, column, cell.row)) {
    if (draw_words_with_button(cell, list, "Not started", column.held_back, palette().warning,
                               "Start###start run"))
      ui.emit(action::RunColumn{column.id});
    tooltip("Starts this run; it can be cancelled",
            keys_text(Command::run_column) + " with its column selected");
  } else if (has_button(ui, column, cell.row)) {
    draw_refusal(ui, cell, list);
  } else if (picture.error) {
    draw_words(cell, list, picture.error->what, picture.error->advice, palette().bad);
  } else if (is_about_run(ui.state, cell.row) && column.error) {
    draw_words(cell, list, column.error->what, column.error->advice, palette().bad);
  } else if (!picture.shown && cell.row != Row::pattern && column.error) {
    draw_words(cell, list, {}, "Needs the spectrum, which was not computed.", palette().dim);
  } else if (!picture.shown && !picture.empty_reason.empty()) {
    draw_words(cell, list, {}, picture.empty_reason, palette().dim);
  }
}

void draw_picture(const Ui& ui, const CellFrame& cell, bool blink) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(cell.min, cell.max, palette().well);
  const PixelSize pixels = device_pixels(cell.width(), cell.height());
  const bool shows = cell.rect.width() > 0 && cell.rect.height() > 0;
  const PictureStore::Drawn drawn =
      shows ? ui.memory.pictures->draw(ui.state, cell.column, cell.row, cell.rect, pixels, blink)
            : PictureStore::Drawn{};
  if (drawn.texture != 0) {
    const ImGuiPlatformIO& platform = ImGui::GetPlatformIO();
    if (drawn.is_enlarged) list.AddCallback(platform.DrawCallback_SetSamplerNearest, nullptr);
    list.AddImage(static_cast<ImTextureID>(drawn.texture), cell.min, cell.max, {drawn.left, drawn.top},
                  {drawn.right, drawn.bottom});
    if (drawn.is_enlarged) list.AddCallback(platform.DrawCallback_SetSamplerLinear, nullptr);
  }
  if (drawn.texture != 0) draw_overlays(ui, cell, list);
  draw_busy(ui, cell, list);
  draw_reasons(ui, cell, list);
  const bool focused = ui.state.interface.focused_column == cell.index && ui.memory.active_row == cell.row;
  list.AddRect({cell.min.x - 1, cell.min.y - 1}, {cell.max.x + 1, cell.max.y + 1},
               focused ? with_alpha(series_color(cell.column.style.color), 0.75F) : palette().border);
}

/// The text above a picture, `width` wide: one line or, above a narrow picture, two, of which the upper one
/// may be `upper_width` wide.
void draw_caption(const Ui& ui, const Column& column, Row row, ImVec2 at, float width, float upper_width,
                  const GridLengths& lengths, bool is_narrow) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::string tip = caption_tip(ui.state, column, row);
  const float height = is_narrow ? lengths.narrow_caption : lengths.caption;
  {
    const auto font = small_font();
    const std::string words = caption(ui.state, column, row);
    const auto [upper, lower] = is_narrow ? fit_two_lines(ui.state, column, row, width, upper_width)
                                          : CaptionLines{{}, fit_caption(ui.state, column, row, width)};
    const float y = at.y + height - lengths.caption;
    list.AddText(at, palette().dim, upper.c_str());
    list.AddText({at.x, y}, palette().dim, lower.words.c_str());
    constexpr std::string_view kSeparator = " · ";  // the longest separator that the line break may replace
    if (upper.size() + kSeparator.size() + lower.words.size() < words.size())
      tip = words + (tip.empty() ? "" : "\n" + tip);
    const std::size_t begin =
        lower.note.ends_with(kOwnRange) ? lower.note.size() - kOwnRange.size() : std::string::npos;
    const std::string number = lower.note.substr(0, begin);
    const float left = at.x + width - ImGui::CalcTextSize(lower.note.c_str()).x;
    list.AddText({left, y}, palette().faint, number.c_str());
    if (begin != std::string::npos)
      list.AddText({left + ImGui::CalcTextSize(number.c_str()).x, y}, palette().warning, kOwnRange.data());
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({width, height});
  tooltip(tip);
}

void draw_cell(const Ui& ui, const Column& column, const GridPicture& picture, ImVec2 corner,
               const GridLengths& lengths, bool blink, std::vector<CellFrame>& spectra) {
  const Row row = picture.row;
  const ImVec2 min = {corner.x + picture.place.x, corner.y + picture.place.y};
  const ImVec2 size = {picture.place.width, picture.place.height};
  const CellFrame cell{column,
                       row,
                       picture.method,
                       min,
                       {min.x + size.x, min.y + size.y},
                       picture_rect(ui.state, plane_of(row), &column),
                       shows_reference(ui.state, column, row, blink)};
  // The unit of the colour bar stands at the right of the caption.
  const float caption_width = size.x - (picture.bar ? px(10) : 0.0F);
  const auto [shown, shown_row] = pictured(ui.state, cell);
  draw_caption(ui, *shown, shown_row, {min.x, min.y - lengths.caption_of(size.x)}, caption_width,
               picture.caption_width, lengths, size.x < lengths.narrow_picture);
  ImGui::SetCursorScreenPos(min);
  ImGui::PushID(static_cast<int>(row));
  const std::string name = "picture " + std::string(name_of(row)) + " " + std::to_string(picture.method + 1);
  if (has_button(ui, column, row)) ImGui::SetNextItemAllowOverlap();
  ImGui::InvisibleButton(name.c_str(), size,
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  handle_mouse(ui, cell);
  draw_cell_menu(ui, cell);
  if (ImGui::IsRectVisible(cell.min, cell.max)) draw_picture(ui, cell, blink);
  // The matrix of a changed spectrum has its least and largest value in a label, and no bar.
  const bool is_changed = row == Row::pattern && ui.state.sandbox.matrix != nullptr;
  if (picture.bar && !is_changed) draw_scale_bar(ui, cell);
  if (row == Row::spectrum) spectra.push_back(cell);
  ImGui::PopID();
}

void draw_card(const Ui& ui, const PictureGrid& grid, std::size_t index, const GridLengths& lengths,
               bool blink, std::vector<CellFrame>& spectra) {
  const Column& column = ui.state.columns[index];
  const GridRect& card = grid.cards[index];
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const std::string name = "column " + std::to_string(index + 1);
  ImGui::BeginChild(name.c_str(), {card.width, card.height},
                    ImGuiChildFlags_Borders | ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  draw_card_header(ui, column, index, grid, lengths);
  const ImVec2 corner = ImGui::GetWindowPos();
  for (const GridPicture& picture : grid.pictures)
    if (picture.method == index) draw_cell(ui, column, picture, corner, lengths, blink, spectra);
  if (std::ranges::find(grid.pictures, index, &GridPicture::method) == grid.pictures.end()) {
    ImGui::SetCursorPos({lengths.padding, grid.header});
    const auto font = small_font();
    wrapped_text("This method has no picture in the rows that are shown.", palette().dim);
  }
  ImGui::EndChild();
}

void toggle_row(const Ui& ui, Row row) {
  const auto at = static_cast<std::size_t>(row);
  const std::array<bool, kRows>& rows = ui.state.compare.rows;
  if (rows[at] && std::ranges::count(rows, true) == 1) return;  // an empty grid shows nothing
  change_compare(ui, [at](CompareSettings& compare) { compare.rows[at] = !compare.rows[at]; });
}

void command_button(const Ui& ui, const char* icon, const char* id, Command command) {
  if (icon_button(icon, id, info(command).help, keys_text(command), is_on(ui.state, command),
                  is_possible(ui.state, command)))
    run(ui, command);
  ImGui::SameLine(0, px(2));
}

void draw_tools(const Ui& ui) {
  const auto begin_line = [] {
    ImGui::NewLine();
    ImGui::SetCursorPosX(px(2));
  };
  ImGui::SetCursorPos({px(2), px(5)});
  for (std::size_t i = 0; i < kRows; ++i) {
    const Row row = static_cast<Row>(i);
    const float width = ImGui::CalcTextSize(name_of(row).data()).x + 2 * ImGui::GetStyle().FramePadding.x;
    if (ImGui::GetCursorPosX() + width > right_edge()) begin_line();
    if (choice(name_of(row).data(), ui.state.compare.rows[i], "Show or hide this row",
               row == Row::error ? keys_text(Command::error_row) : std::string()))
      toggle_row(ui, row);
    ImGui::SameLine(0, px(2));
  }
  // A narrow window leaves out back, forward and "go to", which have keys; a narrower one shows the other six
  // in a line of their own.
  if (right_edge() - ImGui::GetCursorPosX() < px(6 * 28)) begin_line();
  const bool all = right_edge() - ImGui::GetCursorPosX() > px(9 * 28);
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right_edge() - px((all ? 9 : 6) * 28)));
  if (all) {
    command_button(ui, icon::kBack, "back", Command::back);
    command_button(ui, icon::kForward, "forward", Command::forward);
    command_button(ui, icon::kTarget, "go to", Command::go_to);
  }
  command_button(ui, icon::kFit, "fit", Command::fit);
  command_button(ui, icon::kReset, "reset views", Command::reset_views);
  command_button(ui, icon::kBlink, "blink", Command::blink);
  command_button(ui, icon::kWipe, "wipe", Command::wipe);
  if (icon_button(icon::kGrid, "picture grid", "Arrangement of the pictures", {},
                  ui.state.settings.grid_form != GridForm::automatic))
    ImGui::OpenPopup("picture grid popup");
  if (ImGui::BeginPopup("picture grid popup")) {
    grid_menu(ui);
    ImGui::EndPopup();
  }
  ImGui::SameLine(0, px(2));
  if (icon_button(icon::kAdd, "add method", "Add a method as a column")) ImGui::OpenPopup("add a method");
  if (ImGui::BeginPopup("add a method")) {
    method_menu(ui);
    ImGui::EndPopup();
  }
}

/// Removes the crosshair when the mouse has left the pictures, but not during a drag, nor while a menu of a
/// picture is open, whose entries refer to the crosshair.
void clear_crosshair_outside(const Ui& ui) {
  if (!ui.memory.crosshair_from_mouse || !ui.state.crosshair.active || ui.memory.picture_hovered) return;
  if (ImGui::IsAnyItemActive() || ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  ui.memory.crosshair_from_mouse = false;
  ui.emit(action::ClearCrosshair{});
}

}  // namespace

void grid_menu(const Ui& ui) {
  struct Option {
    const char* label;
    const char* help;
  };
  static constexpr std::array<Option, kGridForms.size()> kOptions = {
      {{"Automatic", "The arrangement that gives the pictures the largest area"},
       {"Methods as columns", "All pictures have one size"},
       {"Methods as columns, spectra large", "Pattern, reconstruction and error are small"},
       {"Methods as rows", "All pictures have one size"},
       {"Methods as rows, spectra large", "Pattern, reconstruction and error are small"},
       {"One method large", "The other methods are strips beside it or below it"}}};
  const auto change = [&](GridForm form, unsigned lines) {
    Settings settings = ui.state.settings;
    settings.grid_form = form;
    settings.grid_lines = lines;
    ui.emit(action::SetSettings{settings});
  };
  const Settings& now = ui.state.settings;
  for (std::size_t i = 0; i < kOptions.size(); ++i) {
    const auto form = static_cast<GridForm>(i);
    if (ImGui::MenuItem(kOptions[i].label, nullptr, now.grid_form == form)) change(form, now.grid_lines);
    tooltip(kOptions[i].help);
  }
  ImGui::Separator();
  if (now.grid_form != GridForm::one_large) {
    for (unsigned lines = 0; lines <= kMostGridLines; ++lines) {
      const std::string label = lines == 0   ? "Lines of methods: automatic"
                                : lines == 1 ? "One line of methods"
                                             : std::to_string(lines) + " lines of methods";
      if (ImGui::MenuItem(label.c_str(), nullptr, now.grid_lines == lines)) change(now.grid_form, lines);
    }
    return;
  }
  const GridRequest request = grid_request(ui.state, {});
  for (std::size_t i = 0; i < ui.state.columns.size(); ++i) {
    const Column& column = ui.state.columns[i];
    const std::string label = column.label + " large###large " + std::to_string(i + 1);
    if (ImGui::MenuItem(label.c_str(), nullptr, request.large == i))
      ui.emit(action::SetColumnLarge{column.id});
  }
}

/// Scrolls to the focused column unless the mouse has chosen it.
void scroll_to_focused(const Ui& ui, const PictureGrid& grid) {
  const std::size_t focused = ui.state.interface.focused_column;
  if (focused == ui.memory.column_in_view || focused >= grid.cards.size()) return;
  ui.memory.column_in_view = focused;
  if (ImGui::IsAnyMouseDown()) return;
  const GridRect& card = grid.cards[focused];
  ImGuiWindow* const window = ImGui::GetCurrentWindow();
  const ImVec2 from{window->DC.CursorStartPos.x + card.x, window->DC.CursorStartPos.y + card.y};
  ImGui::ScrollToRect(window, {from, {from.x + card.width, from.y + card.height}},
                      ImGuiScrollFlags_KeepVisibleEdgeX | ImGuiScrollFlags_KeepVisibleEdgeY);
}

void draw_comparison(const Ui& ui) {
  // The pictures begin with the keyboard focus, so that keys such as Tab work at once.
  if (ImGui::FindWindowByName(kComparison) == nullptr) ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const bool visible =
      ImGui::Begin(kComparison, nullptr, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  if (visible) {
    ui.memory.comparison_focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
    ui.memory.picture_hovered = false;
    draw_tools(ui);
    const auto [grid, lengths] = arrange(ui.state, ImGui::GetContentRegionAvail());
    ask_pixels(ui, grid);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
    ImGui::BeginChild("grid", {0, 0}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::PopStyleColor();
    const bool blink = blink_on(ui);
    const ImVec2 origin = ImGui::GetCursorPos();
    std::vector<CellFrame> spectra;
    for (std::size_t i = 0; i < ui.state.columns.size(); ++i) {
      ImGui::SetCursorPos({origin.x + grid.cards[i].x, origin.y + grid.cards[i].y});
      ImGui::PushID(static_cast<int>(ui.state.columns[i].id));
      draw_card(ui, grid, i, lengths, blink, spectra);
      ImGui::PopID();
    }
    scroll_to_focused(ui, grid);
    if (ui.state.columns.empty())
      dim_text("There is no column. Add a method with the button + above or in the menu Methods.");
    ImGui::EndChild();
    draw_folding(ui, spectra);
    clear_crosshair_outside(ui);
  }
  ImGui::End();
}

}  // namespace spyctrum::panels
