// SPDX-License-Identifier: Apache-2.0
// Loading sessions: the state becomes that of a session file, or of a cell of a study. Owns the session whose
// matrix is still being read; its views and region are set when that matrix is open.
#pragma once

#include <optional>

#include "app/controller/files/session.hpp"
#include "app/controller/service.hpp"

namespace spyctrum {

class ViewService;

class SessionService : public Service {
 public:
  SessionService(ServiceContext& context, ViewService& views) : Service(context), views_(views) {}
  void handle(const action::LoadSession& chosen);
  void handle(const action::OpenStudyCell& chosen);

  /// Whether the selected matrix is that of a session whose views are not set yet.
  [[nodiscard]] bool has_brought_matrix() const;

  /// Sets the views of the session as soon as its matrix is open.
  void reconcile() override;

  /// Sets columns, block sizes, scale, rows, arrangement of pictures and shape of units as in `session`.
  /// Existing columns are changed, not replaced, so that they keep their pictures until new ones arrive.
  void apply_settings(const Session& session);
  /// Applies a whole session; views and region follow when its selected matrix is open.
  void apply(Session session);

 private:
  [[nodiscard]] std::vector<ColumnId> kept_columns() const;
  void apply_aids(const CompareSettings& aids);
  void apply_columns(const Session& session);
  void apply_scale(const Session& session);

  ViewService& views_;
  std::optional<Session> waiting_;  ///< waits for its selected matrix
};

}  // namespace spyctrum
