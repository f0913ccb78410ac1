// SPDX-License-Identifier: Apache-2.0
// Writes InterfaceState.
#include "app/controller/interface_service.hpp"

#include <algorithm>

namespace spyctrum {

void InterfaceService::handle(const action::ShowPresentation& chosen) {
  state().interface.presentation = chosen.show;
  if (chosen.show) notify(Level::info, "F11 ends the presentation.");
}

void InterfaceService::handle(const action::ResetLayout&) {
  ++state().interface.layout_resets;
  state().interface.side_panels = true;
}

void InterfaceService::handle(const action::FocusColumn& chosen) {
  if (chosen.index < state().columns.size()) state().interface.focused_column = chosen.index;
}

void InterfaceService::handle(const action::CaptureDone& chosen) {
  state().interface.capture_path.clear();
  if (chosen.error.empty())
    notify(Level::info, "Wrote " + chosen.path + ".");
  else
    notify(Level::error, chosen.error);
}

void InterfaceService::handle(const action::CancelNewest&) {
  if (!state().animation.writing.empty()) return send(action::StopAnimation{});
  std::vector<JobView> running = jobs().views();
  std::erase_if(running, &JobView::stopping);
  const auto awaited = std::ranges::find(running.rbegin(), running.rend(), false, &JobView::background);
  const bool is_over_pictures = state().interface.overlay != Overlay::none;
  if (running.empty() || (awaited == running.rend() && is_over_pictures)) {
    if (!is_over_pictures && state().collection.whole && state().matrix() != nullptr)
      return send(action::ShowCollection{false});
    state().interface.overlay = Overlay::none;
    return;
  }
  jobs().cancel(awaited != running.rend() ? awaited->id : running.back().id);
}

}  // namespace spyctrum
