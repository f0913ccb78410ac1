// SPDX-License-Identifier: Apache-2.0
// The order in which the screen is drawn, once a frame.
#include "app/panels/panels.hpp"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>

#include "app/controller/lessons/lesson.hpp"
#include "app/panels/collection/thumbnail_textures.hpp"
#include "app/panels/comparison/picture_store.hpp"
#include "app/panels/dialogs/help_pictures.hpp"
#include "app/panels/dialogs/sketch_textures.hpp"
#include "app/panels/widgets/commands.hpp"
#include "app/panels/widgets/file_dialog.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/ui.hpp"
#include "app/panels/widgets/widgets.hpp"

namespace spyctrum {
namespace {

/// A panel that shows computed results.
struct ResultPanel {
  const char* name;
  void (*draw)(const panels::Ui& ui);
};
constexpr std::array<ResultPanel, 6> kResults{{{panels::kFeatures, panels::draw_features},
                                               {panels::kExplain, panels::draw_explain},
                                               {panels::kTheory, panels::draw_theory},
                                               {panels::kAdvisor, panels::draw_advisor},
                                               {panels::kCost, panels::draw_cost},
                                               {panels::kStrongest, panels::draw_strongest}}};

/// Hides the results while a lesson asks a question, since they could show the answer.
void draw_results(const panels::Ui& ui) {
  const bool is_hidden = awaits_guess(ui.state.lessons);
  for (const ResultPanel& panel : kResults) {
    if (!is_hidden) {
      panel.draw(ui);
      continue;
    }
    const panels::PanelWindow window(panel.name);
    if (!window.is_visible()) continue;
    panels::section(panel.name);
    panels::small_text("Hidden until you answer the question of the lesson.");
  }
}

/// Seconds until a tooltip appears under a resting mouse; 0 while ImGui still determines its size; negative:
/// no tooltip is due.
double tooltip_due_in() {
  const ImGuiContext& imgui = *ImGui::GetCurrentContext();
  if (ImGuiWindow* tip = imgui.TooltipPreviousWindow; tip != nullptr && tip->Active) {
    const ImVec2 fitting = ImGui::CalcWindowNextAutoFitSize(tip);
    return tip->Hidden || fitting.x != tip->SizeFull.x || fitting.y != tip->SizeFull.y ? 0 : -1;
  }
  if (imgui.HoverItemDelayId == 0) return -1;
  const float due = std::max(imgui.Style.HoverStationaryDelay - imgui.MouseStationaryTimer,
                             imgui.Style.HoverDelayShort - imgui.HoverItemDelayTimer);
  if (due > 0) return due;
  return imgui.HoverItemUnlockedStationaryId == imgui.HoverItemDelayId ? -1 : 0;
}

}  // namespace

struct Panels::Impl {
  Impl() { memory.dialog = std::make_unique<panels::FileDialog>(); }

  panels::Memory memory;
  Overlay last_overlay = Overlay::none;
  bool dialog_was_open = false;
  bool overlay_closed = false;  // and the pictures have not got the focus yet

  /// Gives the pictures the keyboard focus after a dialog, so that Tab and arrows work: the widget that had
  /// it before may no longer exist.
  void return_focus(const AppState& state) {
    overlay_closed |= last_overlay != Overlay::none && state.interface.overlay == Overlay::none;
    overlay_closed |= dialog_was_open && !memory.dialog->is_open();
    last_overlay = state.interface.overlay;
    dialog_was_open = memory.dialog->is_open();
    // A change of focus would close the file dialog, which a command of the palette may have opened. A matrix
    // that was chosen in a list may still be read.
    if (state.matrix() == nullptr || state.collection.whole || memory.dialog->is_open()) return;
    if (!overlay_closed && ImGui::GetCurrentContext()->NavWindow != nullptr) return;
    overlay_closed = false;
    ImGui::SetWindowFocus(panels::kComparison);
    ImGui::SetNavCursorVisible(false);  // otherwise the first button shows its tooltip over the pictures
  }
};

Panels::Panels() : impl_(std::make_unique<Impl>()) { make_pictures(); }

Panels::~Panels() = default;

void Panels::drop_pictures() {
  impl_->memory.pictures.reset();
  impl_->memory.thumbnails.reset();
  impl_->memory.help_pictures.reset();
  impl_->memory.sketches.reset();
}
void Panels::make_pictures() {
  impl_->memory.pictures = std::make_unique<panels::PictureStore>();
  impl_->memory.thumbnails = std::make_unique<panels::ThumbnailTextures>();
  impl_->memory.help_pictures = std::make_unique<panels::HelpPictures>();
  impl_->memory.sketches = std::make_unique<panels::SketchTextures>();
}

void Panels::draw(const AppState& state, ActionQueue& actions) {
  panels::Memory& memory = impl_->memory;
  memory.next_frame = -1;
  const panels::Ui ui{state, actions, memory};
  memory.pictures->sync(ui);
  panels::handle_keys(ui);
  memory.comparison_focused = false;
  if (!state.interface.presentation) {
    panels::draw_menu_bar(ui);
    panels::draw_status_bar(ui);
  }
  const bool is_seen = state.matrix() != nullptr && !state.collection.whole;
  if (state.collection.whole && state.interface.overlay != Overlay::gallery) {
    panels::draw_collection_alone(ui);
  } else if (state.matrix() == nullptr) {
    const bool half_read = std::ranges::any_of(
        state.loading, [](const LoadingMatrix& loading) { return loading.preview != nullptr; });
    if (half_read)
      panels::draw_loading_screen(ui);
    else if (state.study && state.interface.overlay != Overlay::gallery) {
      panels::draw_study_alone(ui);
    } else {
      panels::draw_start_screen(ui);
    }
  } else {
    panels::draw_layout(ui);
    panels::draw_comparison(ui);
    const panels::ShownSides sides = panels::shown_sides(ui);
    if (sides.left) {
      panels::draw_setup(ui);
      panels::draw_activity(ui);
    }
    if (sides.right) draw_results(ui);
  }
  if (is_seen) {
    panels::draw_study(ui);
    panels::draw_collection(ui);
    panels::draw_sandbox(ui);
    panels::draw_animation(ui);
    panels::draw_lesson(ui);
  }
  if (state.interface.log_open) panels::draw_log(ui);
  panels::draw_overlays(ui);
  memory.dialog->draw(ui);
  impl_->return_focus(state);
  panels::draw_toasts(ui);
  panels::draw_presenter(ui);
  panels::follow_copy(ui);
  if (const double due = tooltip_due_in(); due >= 0) ui.wake_in(due);
}

void Panels::use(cuda::Pictures* pictures, int device) { impl_->memory.pictures->use(pictures, device); }

Panels::UploadFacts Panels::upload_facts() const {
  const panels::PictureStore::Arrivals seen = impl_->memory.pictures->arrivals();
  const std::size_t all = seen.by_interop + seen.by_pixel_buffer;
  UploadFacts facts;
  if (all == 0) return facts;
  facts.path = seen.by_interop == 0 ? "pixel buffer" : "interop";
  if (seen.by_interop > 0 && seen.by_pixel_buffer > 0)
    facts.path += ", " + std::to_string(seen.by_interop) + " of " + std::to_string(all);
  facts.reason = impl_->memory.pictures->refusal();
  return facts;
}

double Panels::next_frame_in() const { return impl_->memory.next_frame; }
bool Panels::uploading() const { return impl_->memory.pictures->uploading(); }
std::uint64_t Panels::picture_draws() const { return impl_->memory.pictures->draws(); }

}  // namespace spyctrum
