// SPDX-License-Identifier: Apache-2.0
// Matrices that are being read: name, progress, a button that stops reading, and the pattern as far as it is
// known.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/panels/comparison/picture_store.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

/// The share that was read: of the file's bytes where its size is known, else of its entries; negative:
/// unknown.
double share_read(const LoadingMatrix& loading) {
  const Progress& progress = loading.progress;
  if (progress.total > 0) return static_cast<double>(progress.done) / static_cast<double>(progress.total);
  if (loading.declared_entries > 0)
    return static_cast<double>(loading.entries) / static_cast<double>(loading.declared_entries);
  return -1;
}

std::string facts(const LoadingMatrix& loading, double share) {
  const std::string stage = loading.progress.stage == "read" ? std::string() : loading.progress.stage;
  if (!loading.preview) {
    const std::string percent = share >= 0 ? percent_text(std::min(share, 1.0)) : std::string();
    return stage + (stage.empty() || percent.empty() ? "" : " · ") + percent;
  }
  const PlaneRect& whole = loading.preview->rect;
  const bool is_announced = loading.declared_entries > 0;  // and with it the sides
  return (is_announced ? "" : "sides up to ") + grouped(static_cast<std::uint64_t>(whole.bottom)) + " × " +
         grouped(static_cast<std::uint64_t>(whole.right)) + " · " + grouped(loading.entries) +
         (is_announced ? " of " + grouped(loading.declared_entries) : std::string()) + " entries" +
         (stage.empty() ? "" : " · " + stage);
}

/// Size of the whole matrix's picture: in its proportions unless these are extreme, at most `room`.
ImVec2 picture_size(const PlaneRect& whole, ImVec2 room) {
  const auto aspect = static_cast<float>(std::clamp(whole.width() / whole.height(), 0.25, 4.0));
  const float width = std::min(room.x, room.y * aspect);
  return {std::floor(width), std::floor(width / aspect)};
}

}  // namespace

void draw_loading(const Ui& ui, const LoadingMatrix& loading, float picture_height) {
  ImGui::PushID(static_cast<int>(loading.job));
  const double share = share_read(loading);
  text("Reading " + fit_text(short_name(loading.source), ImGui::GetContentRegionAvail().x - px(90)),
       palette().text);
  ImGui::SameLine(right_edge() - px(22));
  if (icon_button(icon::kClose, "cancel loading", "Stop reading", keys_text(Command::escape)))
    ui.emit(action::CancelJob{loading.job});
  progress_bar(share, palette().accent, 5);
  small_text(facts(loading, share));
  if (loading.preview && picture_height > 0) {
    const ImVec2 size =
        picture_size(loading.preview->rect, {ImGui::GetContentRegionAvail().x, picture_height});
    const unsigned texture =
        ui.memory.pictures->draw_preview(ui.state, loading, device_pixels(size.x, size.y));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("pattern so far", size);
    tooltip("The part of the pattern that has been read so far");
    if (texture != 0)
      ImGui::GetWindowDrawList()->AddImage(static_cast<ImTextureID>(texture), corner,
                                           {corner.x + size.x, corner.y + size.y});
  }
  ImGui::PopID();
}

void draw_loading_screen(const Ui& ui) {
  begin_screen("Reading", {px(24), px(22)}, 900);
  const auto count = static_cast<float>(ui.state.loading.size());
  const float each = ImGui::GetContentRegionAvail().y / count - px(70);
  for (const LoadingMatrix& loading : ui.state.loading) draw_loading(ui, loading, std::max(each, px(120)));
  ImGui::End();
}

}  // namespace spyctrum::panels
