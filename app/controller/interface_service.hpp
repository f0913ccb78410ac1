// SPDX-License-Identifier: Apache-2.0
// Dialogs, side panels, the picture of the whole screen, and jobs that the user stops: actions that only
// change InterfaceState. Owns no data of its own.
#pragma once

#include "app/controller/service.hpp"

namespace spyctrum {

class InterfaceService : public Service {
 public:
  using Service::Service;
  void handle(const action::SetOverlay& chosen) { state().interface.overlay = chosen.overlay; }
  void handle(const action::ShowSidePanels& chosen) { state().interface.side_panels = chosen.show; }
  void handle(const action::ShowPresentation& chosen);
  void handle(const action::ShowLog& chosen) { state().interface.log_open = chosen.show; }
  void handle(const action::ResetLayout& chosen);
  void handle(const action::FocusColumn& chosen);
  void handle(const action::CaptureScreen& chosen) { state().interface.capture_path = chosen.path; }
  void handle(const action::CaptureDone& chosen);
  void handle(const action::CancelJob& chosen) { jobs().cancel(chosen.job); }
  void handle(const action::CancelNewest& chosen);
  void handle(const action::Quit&) { state().interface.quit = true; }
};

}  // namespace spyctrum
