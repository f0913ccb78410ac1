// SPDX-License-Identifier: Apache-2.0
// The sandbox: the selected matrix where it is a drawing (core/matrix/drawing.hpp), changed stroke by stroke.
// Owns the drawing as it was before each stroke.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/controller/files/session.hpp"
#include "app/controller/service.hpp"
#include "core/matrix/drawing.hpp"

namespace spyctrum {

class SessionService;

class DrawingService : public Service {
 public:
  DrawingService(ServiceContext& context, SessionService& sessions) : Service(context), sessions_(sessions) {}
  void handle(const action::NewDrawing& chosen);
  void handle(const action::SwitchDrawing& chosen);
  void handle(const action::DrawRegion& chosen);
  void handle(const action::Draw& chosen);
  void handle(const action::ClearDrawing& chosen);
  void handle(const action::UndoStroke& chosen);
  void handle(const action::RedoStroke& /*chosen*/) { restore(forward_, back_); }
  void handle(const action::ChangeCoefficient& chosen);
  void handle(const action::RestoreSpectrum& chosen);
  void handle(const action::ExportSteps& chosen);

  /// SandboxView follows the selected matrix.
  void reconcile() override;

 private:
  void open_drawing(const Drawing& drawing);
  void change_to(const std::string& text, bool live);
  void show_changes();
  void restore(std::vector<std::string>& from, std::vector<std::string>& to);

  SessionService& sessions_;
  std::optional<Session> from_;  ///< the screen when the drawing was opened; empty: no matrix was open
  std::string left_;             ///< source of the drawing from which the user went back
  MatrixId matrix_ = 0;          ///< the drawing whose strokes can be undone
  std::string opened_;           ///< the drawing that this service opens, until it is selected
  bool is_own_ = false;          ///< the selected drawing was opened by this service, not by a lesson
  std::vector<std::string> back_, forward_;
  std::vector<ChangedCoefficient> changed_;  ///< changes of the spectrum of `changed_of_`
  std::string changed_of_;                   ///< source of a drawing
  std::string before_;  ///< the drawing before the present stroke; empty: no stroke has begun
};

}  // namespace spyctrum
