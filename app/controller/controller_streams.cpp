// SPDX-License-Identifier: Apache-2.0
// The exact plane while it is computed: its features with error bars and the pyramid of the rows that have
// passed are shown as they grow; a stream is left when it is good enough, or by hand, and goes on later, also
// after another matrix was looked at.
#include <algorithm>

#include "app/controller/controller.hpp"

namespace spyctrum {

namespace {

constexpr auto kStreamInterval = std::chrono::milliseconds(100);
constexpr std::size_t kKeptStreams = 3;  // each holds sums of a pyramid, 50 MB at most
/// Longer planes hold too many tiles to be summed up several times a second.
constexpr std::uint64_t kLongestWatched = std::uint64_t{1} << 22U;
/// The picture of the rows that have passed is drawn again after each of so many equal shares of them.
constexpr std::uint64_t kPictures = 8;

std::string passed_name(ColumnId id) { return "passed/" + std::to_string(id); }

}  // namespace

void Controller::prepare_stream(Column& column, const std::string& key, RequestScope& request) {
  if (pattern_->rows() > kLongestWatched) return;
  const auto kept =
      std::find_if(streams_.begin(), streams_.end(), [&](const auto& one) { return one.first == key; });
  if (kept != streams_.end()) {
    streams_.splice(streams_.begin(), streams_, kept);
  } else {
    streams_.emplace_front(key, std::make_shared<PlaneProgress>());
    if (streams_.size() > kKeptStreams) streams_.pop_back();
  }
  ColumnWork& work = work_[column.id];
  work.progress = request.progress = streams_.front().second;
  column.passed.reset();
  work.passed_rows = 0;
  work.progress->pause(false);
  work.progress->stop_below(work.to_the_end ? 0 : state_.settings.good_enough);
  work.to_the_end = false;
  if (const auto known = work.progress->estimate())
    column.estimate = std::make_shared<const FeatureEstimate>(*known);
}

/// Whether there are rows left to do; then the column says what is known.
bool Controller::pause_stream(Column& column) {
  const ColumnWork& work = work_[column.id];
  if (!work.progress) return false;
  const auto estimate = work.progress->estimate();
  if (!estimate || estimate->complete()) return false;
  column.estimate = std::make_shared<const FeatureEstimate>(*estimate);
  column.stopped = true;
  runner_.drop(passed_name(column.id));
  column.passed.reset();
  return true;
}

/// The last row has passed: nothing is an estimate any more.
void Controller::pass_stream(Column& column) {
  ColumnWork& work = work_[column.id];
  std::erase_if(streams_, [&](const auto& one) { return one.second == work.progress; });
  runner_.drop(passed_name(column.id));
  work.progress.reset();
  column.passed.reset();
  column.estimate.reset();
  column.stopped = false;
}

void Controller::handle(const action::StopStream& chosen) {
  const Column* column = state_.column(chosen.column);
  if (column == nullptr || !column->busy || !work_[column->id].progress) return;
  work_[column->id].progress->pause(true);
}

bool Controller::refresh_streams() {
  const SteadyTime now = std::chrono::steady_clock::now();
  if (now < streams_due_) return false;
  streams_due_ = now + kStreamInterval;
  bool changed = false;
  for (Column& column : state_.columns) {
    const auto work = work_.find(column.id);
    if (!column.busy || work == work_.end() || !work->second.progress) continue;
    const auto estimate = work->second.progress->estimate();
    if (!estimate || (column.estimate && column.estimate->rows_done == estimate->rows_done)) continue;
    column.estimate = std::make_shared<const FeatureEstimate>(*estimate);
    changed = true;
    const std::uint64_t due =
        work->second.passed_rows + std::max<std::uint64_t>(1, estimate->rows / kPictures);
    if (estimate->rows_done >= due && !runner_.pending(passed_name(column.id))) take_passed_rows(column);
  }
  return changed;
}

/// Copies the pyramid as it is, on a worker: it is large.
void Controller::take_passed_rows(const Column& column) {
  ColumnWork& work = work_[column.id];
  work.passed_rows = column.estimate->rows_done;
  JobRequest job = request_job(Lane::picture, passed_name(column.id), "Rows that have passed");
  job.listed = false;
  runner_.submit<SpectrumPtr>(
      job,
      [progress = work.progress](JobContext&) -> SpectrumPtr {
        auto passed = std::make_shared<Spectrum>();
        passed->pyramid = progress->pyramid();
        passed->strongest = progress->strongest();
        return passed;
      },
      [this, id = column.id, progress = work.progress](Result<SpectrumPtr> passed) {
        Column* target = state_.column(id);
        if (passed && target != nullptr && work_[id].progress == progress)
          target->passed = std::move(*passed);
      });
}

/// A stream that runs takes the new end at once; one that was left goes on where the new one is closer.
void Controller::change_good_enough() {
  const double wanted = state_.settings.good_enough;
  for (Column& column : state_.columns) {
    ColumnWork& work = work_[column.id];
    if (work.progress) work.progress->stop_below(wanted);
    work.to_the_end = false;
    if (column.stopped && (wanted == 0 || column.estimate->largest > wanted)) work.run_key.clear();
  }
}

}  // namespace spyctrum
