// SPDX-License-Identifier: Apache-2.0
// Each step of the history is a session without matrices and views; undo applies it.
#include "app/controller/history_service.hpp"

#include <chrono>
#include <utility>

#include "app/controller/files/session_service.hpp"

namespace spyctrum {

namespace {

constexpr auto kOneGesture = std::chrono::milliseconds(500);

/// The part of a session that undo restores.
Session chosen_settings(const AppState& state) {
  Session session = session_of(state);
  session.matrices.clear();
  session.selected = 0;
  session.views.reset();
  session.aids.reset();
  session.wave.reset();
  session.seed = 0;
  session.drop_zeros = false;
  return session;
}

/// One bit for each kind of setting in which the two differ.
unsigned difference(const Session& a, const Session& b) {
  return (a.block != b.block ? 1U : 0U) | (a.columns != b.columns ? 2U : 0U) |
         (a.scale != b.scale ? 4U : 0U) | (a.rows != b.rows ? 8U : 0U) |
         (a.square_units != b.square_units ? 16U : 0U) | (a.region != b.region ? 32U : 0U) |
         (a.grid_form != b.grid_form || a.grid_lines != b.grid_lines ? 64U : 0U) |
         (a.budget != b.budget ? 128U : 0U);
}

}  // namespace

void HistoryService::handle(const action::BeginChange& begun) {
  reconcile();
  last_changed_ = 0;
  held_ = begun.held;
}

void HistoryService::handle(const action::EndChange& /*ended*/) {
  held_ = false;
  last_change_ = std::chrono::steady_clock::now();  // the frame of the release may still change something
}

void HistoryService::reconcile() {
  // The frames of a moving picture are not changes of the user; its end restores the settings.
  if (state().animation.swept) return;
  Session now = chosen_settings(state());
  if (!present_) present_ = now;
  const unsigned changed = difference(now, *present_);
  if (changed != 0) {
    const SteadyTime time = std::chrono::steady_clock::now();
    if (changed != last_changed_ || (!held_ && time - last_change_ > kOneGesture))
      back_.push_back(*std::move(present_));
    constexpr std::size_t kMostSteps = 200;
    if (back_.size() > kMostSteps) back_.erase(back_.begin());
    forward_.clear();
    last_changed_ = changed;
    last_change_ = time;
    present_ = std::move(now);
  }
  state().interface.can_undo = !back_.empty();
  state().interface.can_redo = !forward_.empty();
}

void HistoryService::restore(std::vector<Session>& from, std::vector<Session>& to) {
  if (from.empty() || !present_) return;
  to.push_back(*std::move(present_));
  const Session session = std::move(from.back());
  from.pop_back();
  sessions_.apply_settings(session);
  if (session.region != state().region) send(action::SelectRegion{session.region});
  present_ = chosen_settings(state());
  last_changed_ = 0;
}

}  // namespace spyctrum
