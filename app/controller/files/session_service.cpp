// SPDX-License-Identifier: Apache-2.0
// A session is applied as a sequence of actions, which are checked like those of the user.
#include "app/controller/files/session_service.hpp"

#include <algorithm>
#include <utility>

#include "app/controller/files/source_names.hpp"
#include "app/controller/pictures/view_service.hpp"
#include "app/study/study_run.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

void SessionService::handle(const action::LoadSession& chosen) {
  jobs().submit(
      request_job(Lane::input_output, "session", "Session " + short_name(chosen.path)),
      [path = chosen.path](JobContext&) { return or_throw(read_session(path)); },
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
  const LoadOptions load = load_options(state().study->plan);
  session.matrices = {{matrix->source, {load.import, load.weights}}};
  session.selected = 0;
  session.views.reset();
  session.region.reset();
  session.wave.reset();
  session.seed = state().study->plan.seed;
  if (session.columns.empty())
    session.columns.push_back({.method = usual_method(MethodRole::window).info().id});
  if (chosen.block) session.block = *chosen.block;
  auto column = std::ranges::find(session.columns, chosen.method, &SessionColumn::method);
  if (column == session.columns.end())
    column = session.columns.insert(session.columns.end(), {.method = chosen.method});
  column->block.reset();
  apply(std::move(session));
}

void SessionService::apply(Session session) {
  state().settings.seed = session.seed;
  state().settings.drop_zeros = session.drop_zeros;
  send(action::SelectRegion{});
  apply_settings(session);
  for (std::size_t k = 0; k < session.matrices.size(); ++k) {
    const auto& [source, reading] = session.matrices[k];
    const auto open = std::ranges::find(state().matrices, source, &OpenMatrix::source);
    if (open == state().matrices.end() || open->reading != reading)
      send(action::OpenFile{source, k == session.selected, reading});
  }
  waiting_ = std::move(session);
  reconcile();
}

void SessionService::apply_settings(const Session& session) {
  Settings settings = state().settings;
  settings.square_units = session.square_units;
  settings.grid_form = session.grid_form;
  settings.grid_lines = session.grid_lines;
  send(action::SetSettings{settings});
  CompareSettings compare = state().compare;
  compare.rows = session.rows;
  send(action::SetCompare{compare});
  apply_columns(session);
  if (session.aids) apply_aids(*session.aids);
  apply_scale(session);
}

void SessionService::apply_columns(const Session& session) {
  const std::vector<ColumnId> present = kept_columns();
  std::size_t used = 0;
  if (session.budget != state().budget) send(action::SetBudget{session.budget});
  send(action::SetBlock{session.block});
  for (const SessionColumn& kept : session.columns) {
    if (find_method(kept.method) == nullptr) {
      notify(Level::warning, "The session names a method that does not exist: " + kept.method + ".");
      continue;
    }
    const bool is_new = used == present.size();
    if (is_new)
      send(action::AddColumn{kept.method});
    else
      send(action::SetColumnMethod{present[used], kept.method});
    const ColumnId id = is_new ? state().columns.back().id : present[used++];
    for (const Parameter& parameter : find_method(kept.method)->parameters()) {
      const auto value = kept.parameters.find(parameter.name);
      if (value != kept.parameters.end())
        send(action::SetColumnParameter{id, parameter.name, value->second});
      else if (parameter.name != "block")
        send(action::SetColumnParameter{id, parameter.name, parameter.default_value});
    }
    send(action::SetColumnBlock{id, kept.block});
    send(action::SetColumnArrangement{id, kept.arrangement});
    send(action::SetColumnOwnRange{id, kept.own_range});
    send(action::SetColumnLook{id, kept.look});
    if (kept.large || state().column(id)->large) send(action::SetColumnLarge{id, kept.large});
  }
  for (; used < present.size(); ++used) send(action::RemoveColumn{present[used]});
}

bool SessionService::has_brought_matrix() const {
  return waiting_ && waiting_->selected < waiting_->matrices.size() && state().matrix() != nullptr &&
         state().matrix()->source == waiting_->matrices[waiting_->selected].source;
}

/// The columns of the session, in its order.
std::vector<ColumnId> SessionService::kept_columns() const {
  std::vector<ColumnId> kept;
  for (const Column& column : state().columns)
    if (!column.is_of_region()) kept.push_back(column.id);
  return kept;
}

void SessionService::apply_aids(const CompareSettings& aids) {
  const std::vector<ColumnId> kept = kept_columns();
  CompareSettings compare = aids;
  compare.rows = state().compare.rows;
  compare.show_reference = false;
  compare.against = aids.against >= 1 && aids.against <= kept.size() ? kept[aids.against - 1] : 0;
  send(action::SetCompare{compare});
}

/// Replaces the names of colour maps that this build does not have by the present ones.
void SessionService::apply_scale(const Session& session) {
  ScaleSettings scale = session.scale;
  if (scale.color_map.empty()) scale.color_map = state().scale.color_map;
  if (scale.pattern_color_map.empty()) scale.pattern_color_map = state().scale.pattern_color_map;
  if (scale.error_color_map.empty()) scale.error_color_map = state().scale.error_color_map;
  send(action::SetScale{scale});
}

void SessionService::reconcile() {
  if (!waiting_ || waiting_->selected >= waiting_->matrices.size()) return;
  const auto& [source, reading] = waiting_->matrices[waiting_->selected];
  const auto found = std::ranges::find(state().matrices, source, &OpenMatrix::source);
  if (found == state().matrices.end() || found->reading != reading) return;
  const Session session = *waiting_;
  send(action::SelectMatrix{static_cast<std::size_t>(found - state().matrices.begin())});
  waiting_.reset();
  if (session.views) {
    views_.set_view(Plane::pattern, (*session.views)[0], false);
    views_.set_view(Plane::spectrum, (*session.views)[1], false);
  } else {
    views_.fit_views();
  }
  const std::vector<ColumnId> kept = kept_columns();
  for (std::size_t k = 0; k < std::min(kept.size(), session.columns.size()); ++k)
    if (session.columns[k].look.views) send(action::SetColumnLook{kept[k], session.columns[k].look});
  if (session.region) send(action::SelectRegion{session.region});
  state().wave = session.wave;
}

}  // namespace spyctrum
