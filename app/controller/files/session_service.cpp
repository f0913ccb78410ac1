// SPDX-License-Identifier: Apache-2.0
// A session is applied as a row of actions, so that it passes the checks that a user's actions pass.
#include "app/controller/files/session_service.hpp"

#include <algorithm>
#include <utility>

#include "app/controller/files/source_names.hpp"
#include "app/controller/pictures/view_service.hpp"
#include "app/study/study.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

void SessionService::handle(const action::LoadSession& chosen) {
  jobs().submit<Session>(
      request_job(Lane::input_output, "session", "Session " + short_name(chosen.path)),
      [path = chosen.path](JobContext&) {
        Result<Session> session = read_session(path);
        if (!session) throw Failure(session.error());
        return std::move(*session);
      },
      [this, path = chosen.path](Result<Session> session) {
        if (session)
          apply(std::move(*session));
        else
          report_unreadable(path, session.error());
      });
}

void SessionService::handle(const action::OpenStudyCell& chosen) {
  if (!state().study) return;
  const StudyMatrix* matrix = state().study->matrix(chosen.matrix);
  const Method* method = find_method(chosen.method);
  if (matrix == nullptr || method == nullptr) return;
  Session session = session_of(state());
  session.sources = {matrix->source};
  session.selected = 0;
  session.views.reset();
  session.region.reset();
  session.wave.reset();
  session.seed = state().study->plan.seed;
  if (session.columns.empty())
    session.columns.push_back({usual_method(MethodRole::plane).info().id, {}, std::nullopt, false});
  if (chosen.block) session.block = *chosen.block;
  auto column = std::ranges::find(session.columns, chosen.method, &SessionColumn::method);
  if (column == session.columns.end())
    column = session.columns.insert(session.columns.end(), {chosen.method, {}, std::nullopt, false});
  column->block.reset();
  apply(std::move(session));
}

void SessionService::apply(Session session) {
  state().settings.seed = session.seed;
  state().settings.drop_zeros = session.drop_zeros;
  state().settings.square_units = session.square_units;
  state().compare.rows = session.rows;
  apply_columns(session);
  apply_scale(session);
  for (std::size_t k = 0; k < session.sources.size(); ++k) {
    if (std::ranges::find(state().matrices, session.sources[k], &OpenMatrix::source) ==
        state().matrices.end())
      send(action::OpenFile{session.sources[k], k == session.selected});
  }
  waiting_ = std::move(session);
  reconcile();
}

void SessionService::apply_columns(const Session& session) {
  for (std::size_t k = state().columns.size(); k-- > 0;) send(action::RemoveColumn{state().columns[k].id});
  send(action::SetBlock{session.block});
  for (const SessionColumn& kept : session.columns) {
    if (find_method(kept.method) == nullptr) {
      notify(Level::warning, "The session names a method that is not here: " + kept.method + ".");
      continue;
    }
    send(action::AddColumn{kept.method});
    const ColumnId id = state().columns.back().id;
    for (const auto& [name, value] : kept.parameters) send(action::SetColumnParameter{id, name, value});
    if (kept.block) send(action::SetColumnBlock{id, kept.block});
    send(action::SetColumnArrangement{id, kept.arrangement});
    send(action::SetColumnOwnRange{id, kept.own_range});
  }
}

/// Colour maps that this build does not have keep the present ones.
void SessionService::apply_scale(const Session& session) {
  ScaleSettings scale = session.scale;
  if (scale.color_map.empty()) scale.color_map = state().scale.color_map;
  if (scale.pattern_color_map.empty()) scale.pattern_color_map = state().scale.pattern_color_map;
  if (scale.error_color_map.empty()) scale.error_color_map = state().scale.error_color_map;
  send(action::SetScale{scale});
}

void SessionService::reconcile() {
  if (!waiting_ || waiting_->selected >= waiting_->sources.size()) return;
  const std::string& source = waiting_->sources[waiting_->selected];
  const auto found = std::ranges::find(state().matrices, source, &OpenMatrix::source);
  if (found == state().matrices.end()) return;
  const Session session = *std::exchange(waiting_, std::nullopt);
  send(action::SelectMatrix{static_cast<std::size_t>(found - state().matrices.begin())});
  if (session.views) {
    views_.set_view(Plane::pattern, (*session.views)[0], false);
    views_.set_view(Plane::spectrum, (*session.views)[1], false);
  } else {
    views_.fit_views();
  }
  if (session.region) send(action::SelectRegion{session.region});
  state().wave = session.wave;
}

}  // namespace spyctrum
