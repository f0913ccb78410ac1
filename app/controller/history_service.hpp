// SPDX-License-Identifier: Apache-2.0
// Undo and redo of what the user chose: columns with their settings, block sizes, scale, rows and
// arrangement of pictures, region, shape of the units. Views have a history of their own (ViewBack,
// ViewForward).
#pragma once

#include <optional>
#include <vector>

#include "app/controller/files/session.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class SessionService;

class HistoryService : public Service {
 public:
  HistoryService(ServiceContext& context, SessionService& sessions) : Service(context), sessions_(sessions) {}
  void handle(const action::Undo& /*chosen*/) { restore(back_, forward_); }
  void handle(const action::Redo& /*chosen*/) { restore(forward_, back_); }
  void handle(const action::BeginChange& begun);
  void handle(const action::EndChange& ended);

  /// Records a change of the settings. It belongs to the step before if it changes the same settings,
  /// BeginChange did not come between them, and both are of one drag (until EndChange) or of one half second
  /// (a key held down).
  void reconcile() override;

 private:
  void restore(std::vector<Session>& from, std::vector<Session>& to);

  SessionService& sessions_;
  std::optional<Session> present_;
  std::vector<Session> back_, forward_;  ///< newest last
  unsigned last_changed_ = 0;            ///< which settings, as bits
  bool held_ = false;                    ///< a drag goes on, however long it takes
  SteadyTime last_change_{};
};

}  // namespace spyctrum
