// SPDX-License-Identifier: Apache-2.0
// Exact planes while they are computed: their features with standard errors and the pyramid of the rows that
// were streamed so far are shown as they grow. A stream is paused when its errors are small enough, or by
// hand, and is resumed later, also after another matrix was selected. Owns the progress of unfinished
// streams.
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

  /// Before a run: `request` reports its progress here, and resumes a paused run of the same cache key. Does
  /// nothing for planes too long to be watched. Runs that are expected to end soon are not watched either,
  /// but where an earlier part of them was paused.
  void prepare(Column& column, const std::string& key, RequestScope& request, double expected_seconds);
  /// After a run: true where rows are left to do; the column then shows what is known.
  [[nodiscard]] bool pause(Column& column);
  /// After the last row: nothing of the column is an estimate any more.
  void finish(Column& column);
  /// The column's run is another one from now on.
  void forget(Column& column);
  /// Shows the rows that were streamed so far; by a job, for their pyramid is large.
  void show_streamed_rows(const Column& column);
  /// The next run of the column streams `to_the_end`, however small its errors are.
  void set_to_the_end(ColumnId column, bool to_the_end) { streams_[column].to_the_end = to_the_end; }
  /// Whether a paused stream must be resumed since the settings ask for smaller errors; asked once.
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
    std::uint64_t rows_shown = 0;  ///< in Column::streamed, or asked for
    SteadyTime shown_from{};       ///< a run that ends before this shows its end only
  };

  std::map<ColumnId, Stream> streams_;
  std::list<std::pair<std::string, std::shared_ptr<PlaneProgress>>>
      unfinished_;      ///< by cache key, newest first
  double good_enough_;  ///< as the streams know it
  SteadyTime refresh_due_{};
};

}  // namespace spyctrum
