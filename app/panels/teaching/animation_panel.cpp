// SPDX-License-Identifier: Apache-2.0
// The player of a moving picture, below the pictures: the setting that is swept, the frame, its speed, and
// the file that all frames are written to.
#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/icons.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/strip.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum::panels {
namespace {

struct Choice {
  Swept swept;
  const char* label;
  const char* help;
};
constexpr std::array<Choice, kSweptNames.size()> kChoices = {{
    {Swept::block, "block size", "The block size b of all columns that follow the slider"},
    {Swept::threshold, "threshold",
     "More and more of the entries of largest magnitude, in a column of Threshold"},
    {Swept::order, "order", "Orders of rows and columns, in the selected column"},
    {Swept::rows, "rows of the stream",
     "More and more of the rows of the exact planes, as they are streamed"},
}};

void ask_animation(const Ui& ui, bool dark) {
  ask_save(ui, "Save as a moving picture", "moving.webp", {".webp", ".png"},
           "Animated WebP, or a PNG for each frame", [dark](const std::string& path) {
             return action::ExportAnimation{path, dark};
           });
}

void draw_choices(const Ui& ui) {
  dim_text("Sweep over");
  for (const Choice& one : kChoices) {
    same_line_if_fits(one.label, px(14));
    if (choice(one.label, ui.state.animation.swept == one.swept, one.help))
      ui.emit(action::Animate{one.swept});
  }
}

void draw_player(const Ui& ui) {
  const AnimationView& view = ui.state.animation;
  const std::size_t count = view.captions.size();
  ImGui::BeginDisabled(!view.writing.empty());
  if (icon_button(icon::kBack, "frame back", "The frame before", {}, false, view.writing.empty()))
    ui.emit(action::ShowFrame{(view.frame + count - 1) % count});
  ImGui::SameLine(0, px(4));
  if (ImGui::Button(view.playing ? "Pause###play" : "Play###play", {px(64), 0}))
    ui.emit(action::PlayFrames{!view.playing, view.per_second});
  tooltip("Shows the frames one after the other, from the first one again after the last");
  ImGui::SameLine(0, px(4));
  if (icon_button(icon::kForward, "frame forward", "The next frame", {}, false, view.writing.empty()))
    ui.emit(action::ShowFrame{(view.frame + 1) % count});
  ImGui::SameLine();
  int frame = static_cast<int>(view.frame) + 1;
  ImGui::SetNextItemWidth(std::min(px(300), ImGui::GetContentRegionAvail().x * 0.4F));
  // The numbers stand at the right of the sliders, since the handles would cover them.
  const std::string place = std::to_string(frame) + " of " + std::to_string(count) + "###frame";
  if (ImGui::SliderInt(place.c_str(), &frame, 1, static_cast<int>(count), "", ImGuiSliderFlags_AlwaysClamp))
    ui.emit(action::ShowFrame{static_cast<std::size_t>(frame - 1)});
  auto speed = static_cast<float>(view.per_second);
  const std::string rate = number_text(view.per_second, 2) + " frames a second###speed";
  same_line_if_fits(rate, ImGui::GetStyle().ItemSpacing.x, px(120));
  ImGui::SetNextItemWidth(px(120));
  if (ImGui::SliderFloat(rate.c_str(), &speed, 0.2F, 20, "",
                         ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp))
    ui.emit(action::PlayFrames{view.playing, speed});
  ImGui::EndDisabled();
}

void draw_file(const Ui& ui) {
  const AnimationView& view = ui.state.animation;
  if (!view.writing.empty()) {
    const double passes = view.swept == Swept::order ? 2 : 1, pass = view.measuring ? 0 : passes - 1;
    progress_bar(
        (pass + static_cast<double>(view.frame) / static_cast<double>(view.captions.size())) / passes,
        palette().accent);
    if (ImGui::Button("Stop writing")) ui.emit(action::StopAnimation{});
    ImGui::SameLine();
    const std::string stage = view.measuring ? "determines the range of the colours: " : "";
    return dim_text(fit_text(stage + view.writing, ImGui::GetContentRegionAvail().x));
  }
  if (ImGui::Button("Save, light…")) ask_animation(ui, false);
  tooltip("Writes all frames as animated WebP, or as numbered PNGs");
  ImGui::SameLine();
  if (ImGui::Button("Save, dark…")) ask_animation(ui, true);
  tooltip("Writes all frames as animated WebP, or as numbered PNGs");
  ImGui::SameLine();
  if (ImGui::Button("Close###close animation")) ui.emit(action::StopAnimation{});
  tooltip("Returns to the settings before the first frame");
}

}  // namespace

void draw_animation(const Ui& ui) {
  const AnimationView& view = ui.state.animation;
  if (!view.swept) return;
  const StripWindow window(kAnimation);
  if (!window.is_visible()) return;
  section("Moving picture", view.captions[view.frame]);
  draw_choices(ui);
  draw_player(ui);
  draw_file(ui);
}

}  // namespace spyctrum::panels
