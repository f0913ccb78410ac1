// SPDX-License-Identifier: Apache-2.0
// Widgets that several panels share: captions, badges, right-aligned text, tooltips that name the shortcut.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <string_view>

#include "app/panels/widgets/theme.hpp"
#include "app/panels/widgets/ui.hpp"

namespace spyctrum {
struct ColorMap;
}

namespace spyctrum::panels {

/// A dock window with a rounded, scrolling body. Draw into it only if is_visible().
class PanelWindow {
 public:
  explicit PanelWindow(const char* name, bool* open = nullptr);
  ~PanelWindow();
  PanelWindow(const PanelWindow&) = delete;
  PanelWindow& operator=(const PanelWindow&) = delete;
  [[nodiscard]] bool is_visible() const { return visible_; }

 private:
  bool visible_ = false;
};

/// Begins a window that covers the screen; ImGui::End() ends it. With a `width` its content is at most that
/// many points wide, and scrolls.
void begin_screen(const char* name, ImVec2 padding, std::optional<float> width = {});

/// The title of a section, such as "BLOCK SIZE". `right` is drawn dim at the right edge.
void section(std::string_view title, std::string_view right = {});
/// A section with a button at the right end of its title; returns whether the button was pressed.
bool section_with_button(std::string_view title, const char* icon, const char* id, std::string_view help,
                         std::string_view keys);

/// with_unbroken_pairs() in lines of this width in the present font.
[[nodiscard]] std::string unbroken_within(std::string_view words, float width);
void text(std::string_view words, ImU32 color);
void dim_text(std::string_view words);
void bold_text(std::string_view words, float points, ImU32 color);
/// Text in lines as wide as the content.
void wrapped_text(std::string_view words, ImU32 color);
/// Opacity of a column's marks in plots: lower if they belong to an earlier setting (Column::outdated).
[[nodiscard]] inline float opacity(const Column& column) {
  return column.outdated && !column.estimate ? 0.4F : 1;
}
/// Small, dim, wrapped text, as below a title. `color` 0: dim.
void small_text(std::string_view words, ImU32 color = 0);
/// The right edge of the window's content, in the units of SetCursorPosX() and SameLine().
[[nodiscard]] float right_edge();
/// Text that ends at the right edge of the content.
void right_text(std::string_view words, ImU32 color);
/// A field for the text by which a list is searched; returns whether Enter was pressed. The field takes the
/// arrow keys up and down, with which the caller moves through the list, so that ImGui does not move the
/// focus by them.
[[nodiscard]] bool search_line(const char* id, const char* hint, std::string& text);

/// Keeps the characters that are typed in the frame before a field gets the keyboard: at low frame rates that
/// may be whole words. The constructor, called before the field is drawn, appends them to the field's text;
/// give_to_field(), called after the field is drawn, puts the field's cursor behind them.
class EarlyTyping {
 public:
  explicit EarlyTyping(std::string& text);
  void give_to_field() const;

 private:
  bool is_early_;
};
/// A dim name at the left, its value at the right edge, as one item.
void name_and_value(std::string_view name, std::string_view value, ImU32 color);
/// A name on up to three lines, the last of which is shortened if it is too long. Lines end after punctuation
/// where possible, so that "degree=8" stays whole.
[[nodiscard]] std::vector<std::string> lines_of_name(std::string_view name, float width);
/// `words`, or as many of its first phrases as fit in `width`; phrases are never cut.
[[nodiscard]] std::string fit_phrases(const std::string& words, float width);
/// The longest beginning of `words` that fits into `width`, followed by an ellipsis if it was cut.
[[nodiscard]] std::string fit_text(std::string_view words, float width);

/// Puts the next item, a button with this label or one `extra` wider, `gap` beside the last one, or below it
/// where the line has no room.
void same_line_if_fits(std::string_view label, float gap, float extra = 0);

/// Tooltip of the last item: what it does, and the keys that do the same.
void tooltip(std::string_view words, std::string_view keys = {});

/// Whether a click outside the current popup was made while no other popup is open above it.
[[nodiscard]] bool clicked_outside();

/// A button whose frame appears when hovered; `id` names it ("close Elastic").
bool icon_button(const char* icon, const char* id, std::string_view help, std::string_view keys = {},
                 bool active = false, bool enabled = true);
/// One word of a choice, bright when chosen, dim otherwise ("log linear symlog dB"); returns whether it was
/// clicked.
bool choice(const char* label, bool chosen, std::string_view help = {}, std::string_view keys = {});
/// Text that looks like a link; returns whether it was clicked.
bool link(const char* label, std::string_view help = {});

/// A rounded outline with small text in `color`, drawn at `corner`; returns its size.
ImVec2 badge(ImDrawList& list, ImVec2 corner, std::string_view words, ImU32 color, bool draw = true);
[[nodiscard]] ImU32 exactness_color(Exactness exactness);

struct MessageLook {
  ImU32 color;
  const char* icon;
};
[[nodiscard]] MessageLook look_of(Level level);

/// The colours of a map in a rectangle with a border, from the left to the right or `upwards`.
void draw_gradient(const ColorMap& map, ImVec2 min, ImVec2 max, bool upwards);

/// Device pixels of a picture of this size on the screen; at least one each way.
[[nodiscard]] PixelSize device_pixels(float width, float height);

/// A thin bar, `share` of it filled; unknown shares (negative) show a dim full bar.
void progress_bar(double share, ImU32 color, float height = 6);

/// Text with a soft edge, readable on any picture.
void shadow_text(ImDrawList& list, ImVec2 at, std::string_view words, ImU32 color);

/// Text on a dark ground, readable on any picture in both themes.
void label_text(ImDrawList& list, ImVec2 at, const std::string& words, bool is_dim = false);

/// PushFont/PopFont for a scope.
class ScopedFont {
 public:
  explicit ScopedFont(ImFont* font, float points);
  ~ScopedFont();
  ScopedFont(const ScopedFont&) = delete;
  ScopedFont& operator=(const ScopedFont&) = delete;
};
[[nodiscard]] ScopedFont small_font();
[[nodiscard]] ScopedFont bold_font(float points = 15);

}  // namespace spyctrum::panels
