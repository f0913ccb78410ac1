// SPDX-License-Identifier: Apache-2.0
// Dialogs, side panels, the picture of the whole screen, and jobs that the user stops: actions that only
// change InterfaceState. Owns no data of its own.
#pragma once

#include "app/controller/service.hpp"

namespace spyctrum {

class InterfaceService : public Service {
 public:
  using Service::Service;
  void handle(const action::SetOverlay& chosen);
  void handle(const action::ShowSidePanels& chosen);
  void handle(const action::ShowPresentation& chosen);
  void handle(const action::ShowLog& chosen);
  void handle(const action::ResetLayout& chosen);
  void handle(const action::FocusColumn& chosen);
  void handle(const action::CaptureScreen& chosen);
  void handle(const action::CaptureDone& chosen);
  void handle(const action::CancelJob& chosen);
  void handle(const action::CancelNewest& chosen);
  void handle(const action::Quit& chosen);
};

}  // namespace spyctrum
