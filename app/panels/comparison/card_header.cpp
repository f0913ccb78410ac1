// SPDX-License-Identifier: Apache-2.0
// The header of a card: method, badge, how much of the plane was computed, and in what time; on one to three
// lines, as GridLengths::header_of().
#include <array>
#include <optional>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "core/methods/method.hpp"

namespace spyctrum::panels {
namespace {

/// Samples of this share of the plane or more take about as long as the whole plane: the header then says how
/// long the exact method took.
constexpr double kWorthThePlane = 0.25;

/// Whether the features were computed from rows that the picture of the spectrum does not show.
bool has_rows_for_features(const Column& column) {
  const CellImage* image = column.picture(Row::spectrum).shown.get();
  const bool shows_rows = image != nullptr && image->sampled_rows > 0;
  return column.spectrum && column.spectrum->placement == Placement::true_frequencies && !shows_rows &&
         column.samples > column.spectrum->grid.count();
}

/// The words before and after the share of the plane.
struct ShareWords {
  const char *before, *after;
};
std::string sampling_words(const AppState& state, const Column& column, ShareWords of_plane,
                           bool names_block) {
  // The share belongs to the result on the screen, and so must the block size beside it.
  const std::uint32_t block = column.spectrum && column.outdated ? column.spectrum->block : column.block;
  std::string words = column.uses_block && names_block ? "b = " + std::to_string(block) : std::string();
  if (const auto& raised = state.raised_block;
      raised && !words.empty() && !column.own_block && block == raised->to)
    words += ", raised from " + std::to_string(raised->from);
  const auto add = [&words](const std::string& more) { words += (words.empty() ? "" : " · ") + more; };
  if (column.estimate)
    add(percent_text(column.estimate->share_done(), 2) + " of the rows" +
        (column.stopped ? ", stopped" : ""));
  else if (column.spectrum && column.exactness == Exactness::exact)
    add("every coefficient");
  else if (!column.held_back.empty() && !column.spectrum)
    add("not started");
  else if (column.plane_share > 0)
    add(of_plane.before + percent_text(column.plane_share) + of_plane.after);
  if (const std::optional<KeptShare> kept = kept_share(state, column))
    add("keeps " + percent_text(kept->entries, 2) + ", " + percent_text(kept->energy, 2) + " of Σa²");
  if (column.exactness != Exactness::exact && column.plane_share > kWorthThePlane)
    if (const std::string exact = exact_cost_words(state, column); !exact.empty()) add(exact);
  return words;
}

/// The longest wording that fits in `width`: with the block size, else without it, else the first phrases of
/// the shortest one. Where the share counts rows that only the features use, every wording says "features".
std::string fitting_sampling_words(const AppState& state, const Column& column, float width) {
  const bool of_features = has_rows_for_features(column);
  const std::array wordings =
      of_features
          ? std::array<ShareWords, 3>{{{"features from ", " of the plane"},
                                       {"features from ", ""},
                                       {"features ", ""}}}
          : std::array<ShareWords, 3>{{{"", " of the plane computed"}, {"", " of the plane"}, {"", ""}}};
  for (const bool names_block : {true, false})
    for (const ShareWords of_plane : wordings)
      if (std::string words = sampling_words(state, column, of_plane, names_block);
          ImGui::CalcTextSize(words.c_str()).x <= width)
        return words;
  return fit_phrases(sampling_words(state, column, wordings.back(), false), width);
}

std::string cost_words(const Column& column) {
  if (!column.spectrum) return {};
  const bool device = column.spectrum->provenance.backend.starts_with("cuda");
  return seconds_text(column.cost.seconds) + (device ? " · CUDA" : " · CPU");
}

void draw_buttons(const Ui& ui, const Column& column, ImVec2 at) {
  ImGui::SetCursorScreenPos(at);
  if (icon_button(icon::kMore, "column menu", "Method, block size, parameters, order of rows and columns"))
    ImGui::OpenPopup("column menu popup");
  ImGui::SameLine(0, 0);
  if (icon_button(icon::kClose, "remove column", "Remove this column"))
    ui.emit(action::RemoveColumn{column.id});
  if (ImGui::BeginPopup("column menu popup")) {
    column_menu(ui, column);
    ImGui::EndPopup();
  }
}

}  // namespace

std::string badge_words(const Column& column) {
  const std::optional<Exactness> exactness = shown_exactness(column);
  if (!exactness) return {};
  const bool has_rows = column.spectrum || column.estimate;
  if (exactness != Exactness::exact && !has_rows && find_method(column.method)->info().full_plane)
    return "preview";
  std::string words = to_string(*exactness);
  if (exactness == Exactness::exact && is_coarse(column, Row::spectrum)) words += ", coarser than the pixels";
  return words;
}

std::string exact_cost_words(const AppState& state, const Column& column) {
  const Column* exact = state.reference();
  if (exact == nullptr || !exact->spectrum || exact->outdated || exact->estimate) return {};
  if (exact->cost.seconds <= column.cost.seconds) return "exact took no longer";
  return "exact took " + seconds_text(exact->cost.seconds);
}

void draw_card_header(const Ui& ui, const Column& column, std::size_t index, const PictureGrid& grid,
                      const GridLengths& lengths) {
  const GridRect& card = grid.cards[index];
  const Palette& colors = palette();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 corner = ImGui::GetWindowPos();
  const bool focused = ui.state.interface.focused_column == index;
  // All cards have as many lines as the narrowest.
  const bool wide = card.width >= lengths.wide_card, narrow = !wide && grid.header >= lengths.narrow_header;
  list.AddRectFilled(corner, {corner.x + card.width, corner.y + px(focused ? 4.0F : 3.0F)},
                     series_color(column.style.color), px(6), ImDrawFlags_RoundTop);
  const float left = corner.x + lengths.padding, right = corner.x + card.width - lengths.padding;
  const float y = corner.y + px(wide ? 7.0F : 9.0F), buttons = right - px(39);
  draw_buttons(ui, column, {buttons, y - px(3)});
  const std::string badge_text = badge_words(column);
  const float badge_width = badge_text.empty() ? 0 : badge(list, {}, badge_text, 0, false).x + px(10);
  float end = left;
  // The badge stands beside the name of the method, or begins the second line.
  bool fits = wide;
  {
    const auto font = bold_font(15);
    const float room = buttons - px(5) - left;
    fits |= !narrow && ImGui::CalcTextSize(column.label.c_str()).x + badge_width <= room;
    const std::string label = fit_text(column.label, room - (fits ? badge_width : 0));
    list.AddText({left, y}, colors.text, label.c_str());
    end += ImGui::CalcTextSize(label.c_str()).x + px(10);
  }
  const float line = wide ? y + px(2) : y + px(21);
  if (!badge_text.empty())
    badge(list, fits ? ImVec2{end, y - px(1)} : ImVec2{left, line - px(2)}, badge_text,
          exactness_color(*shown_exactness(column)));
  const auto font = small_font();
  const float from = wide   ? end + badge_width + px(4)
                     : fits ? left
                            : left + badge_width,
              to = wide ? buttons - px(10) : right;
  const std::string time = cost_words(column);
  const float time_width = ImGui::CalcTextSize(time.c_str()).x;
  // Share and time are dimmed while the result belongs to an earlier setting.
  const ImU32 result_color = column.outdated && !column.estimate ? colors.faint : colors.dim;
  list.AddText({to - time_width, line}, result_color, time.c_str());
  const ImVec2 words_at = narrow ? ImVec2{left, line + px(17)} : ImVec2{from, line};
  const float words_end = narrow ? right : to - time_width - px(10);
  list.AddText(words_at, result_color,
               fitting_sampling_words(ui.state, column, words_end - words_at.x).c_str());
}

}  // namespace spyctrum::panels
