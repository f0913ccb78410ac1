// SPDX-License-Identifier: Apache-2.0
// Exact planes while they are computed: shows their features with standard errors and the pyramid of the rows
// streamed so far. A stream pauses when its errors are small enough, or on request, and can be resumed later,
// also after another matrix was selected. Owns the progress of unfinished streams.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "app/controller/service.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/request/request.hpp"

namespace spyctrum {

class StreamService : public Service {
 public:
  explicit StreamService(ServiceContext& context)
      : Service(context), good_enough_(state().settings.good_enough) {}
  void handle(const action::StopStream& chosen);
  void handle(const action::SetStreamEnd& chosen);

  /// To be called before a run: `request` will report its progress here and resume a paused run with the same
  /// cache key. Does nothing for planes that are too large to be watched, nor for runs that are expected to
  /// end soon unless they were paused before.
  void prepare(Column& column, const std::string& key, RequestScope& request, double expected_seconds);
  /// To be called after a run. Returns true if rows remain; the column then shows the estimate.
  [[nodiscard]] bool pause(Column& column);
  /// To be called after the last row: nothing in the column is an estimate any more.
  void finish(Column& column);
  /// To be called when another run replaces that of the column: removes what the column shows of its rows.
  void forget(Column& column);
  /// Shows the rows streamed so far; in a job, since their pyramid is large.
  void show_streamed_rows(const Column& column);
  /// If set, the next run of the column ignores how small its errors are and streams to the end.
  void set_to_the_end(ColumnId column, bool to_the_end) { streams_[column].to_the_end = to_the_end; }
  /// Whether a paused stream must be resumed because the settings require smaller errors; returns true once.
  [[nodiscard]] bool take_resume(ColumnId column);

  void reconcile() override;
  bool refresh(SteadyTime now) override;
  void column_removed(ColumnId column) override;
  void forget_matrix() override;

 private:
  struct Stream {
    std::shared_ptr<PlaneProgress> progress;  ///< of a run that can be paused; null for others
    bool to_the_end = false;
    bool resume = false;
    std::uint64_t rows_shown = 0;  ///< in Column::streamed, or requested for it
    SteadyTime shown_from{};       ///< no estimates are shown before this time
  };

  std::map<ColumnId, Stream> streams_;
  std::list<std::pair<std::string, std::shared_ptr<PlaneProgress>>>
      unfinished_;      ///< by cache key, newest first
  double good_enough_;  ///< the value that the streams currently use
  SteadyTime refresh_due_{};
};

}  // namespace spyctrum
