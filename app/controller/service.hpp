// SPDX-License-Identifier: Apache-2.0
// A service: one subject of the controller (runs, pictures, files, …) with the data that only this subject
// needs. Services write AppState and submit jobs, all on the interface thread. A service that needs another
// one sends an Action, or reads a service that its constructor received. Events that concern all services (a
// column was removed, another matrix was selected) are announced to all.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/controller/action.hpp"
#include "app/controller/jobs.hpp"
#include "app/controller/state.hpp"

namespace spyctrum {

class Service;

/// Shared by all services of a controller.
struct ServiceContext {
  AppState state;
  JobRunner jobs;
  std::function<void(const Action&)>
      send;                          ///< the service that handles an action does so before this returns
  std::vector<Service*> services{};  ///< in the order in which reconcile() is called
};

class Service {
 public:
  explicit Service(ServiceContext& context) : context_(context) {}
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Called after actions and results of jobs: compares what AppState requests with what exists, is being
  /// computed or is known to fail, and submits or drops jobs for the difference. An immediate second call
  /// does nothing.
  virtual void reconcile() {}
  /// Called once a frame: applies changes with time. Returns whether AppState changed so that the screen
  /// should be drawn again.
  virtual bool refresh(SteadyTime /*now*/) { return false; }
  /// When refresh() will next change something; empty: never.
  [[nodiscard]] virtual std::optional<SteadyTime> next_change() const { return {}; }

  /// Event: this column was removed from AppState::columns; its jobs are dropped.
  virtual void column_removed(ColumnId /*column*/) {}
  /// Event: the selected matrix is about to be replaced or closed, or another is about to be selected: its
  /// results and jobs are dropped.
  virtual void forget_matrix() {}
  /// Event: AppState::selected names another matrix.
  virtual void matrix_selected() {}
  /// Event: another range of |a| of the selected matrix is shown. reconcile() of a service whose results
  /// belong to AppState::pattern() finds that without this event.
  virtual void entries_changed() {}
  /// Event: a matrix was removed from AppState::matrices; `was_selected`: it was the selected one.
  virtual void matrix_closed(bool /*was_selected*/) {}

 protected:
  [[nodiscard]] AppState& state() { return context_.state; }
  [[nodiscard]] const AppState& state() const { return context_.state; }
  [[nodiscard]] JobRunner& jobs() { return context_.jobs; }
  [[nodiscard]] const JobRunner& jobs() const { return context_.jobs; }
  /// Calls the service that handles `action`; returns when it is handled.
  void send(const Action& action) const { context_.send(action); }
  /// Calls `event` of every service: announce(&Service::column_removed, id).
  template <class... Arguments>
  void announce(void (Service::*event)(Arguments...), Arguments... arguments) const {
    for (Service* service : context_.services) (service->*event)(arguments...);
  }
  /// Adds a log line, and a toast if `toast` is set.
  void notify(Level level, std::string text, bool toast = true) const;
  /// Reports a file that could not be read: a toast, and an entry in AppState::load_failures. `reading`: how
  /// it was read; if the error's advice is an import option, the toast offers to read the file again with it.
  void report_unreadable(const std::string& source, const Error& error, const Reading& reading = {});
  /// Tells the user what failed, unless the user cancelled it.
  void report(const Error& error, const std::string& prefix = {}, Level level = Level::error,
              bool toast = true) const;
  /// A request with the settings' memory allowance and seed. `title`: empty for a job too small to be shown.
  [[nodiscard]] JobRequest request_job(Lane lane, std::string key, std::string title,
                                       ColumnId column = 0) const;
  [[nodiscard]] std::string matrix_name() const;  ///< of the selected matrix; may be empty

 private:
  ServiceContext& context_;
};

}  // namespace spyctrum
