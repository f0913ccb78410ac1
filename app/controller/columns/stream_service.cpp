// SPDX-License-Identifier: Apache-2.0
// A stream writes into its PlaneProgress from worker threads; the interface thread reads estimates from it.
#include "app/controller/columns/stream_service.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/controller/pictures/picture_task.hpp"
#include "core/pictures/partial_pyramid.hpp"

namespace spyctrum {

namespace {

constexpr auto kRefreshInterval = std::chrono::milliseconds(100);
constexpr double kWatchedSeconds = 0.25;  // longer runs show their standard errors while these shrink
constexpr std::size_t kUnfinished = 3;    // unfinished streams that are kept; each holds 34 MB at most
/// Planes with more rows have too many tiles to be summed several times a second.
constexpr std::uint64_t kLongestWatched = std::uint64_t{1} << 22U;
/// The picture of the streamed rows is drawn with the first estimate, and again whenever the number of rows
/// has grown by this factor.
constexpr double kRowsGrowth = 1.4;

std::string stream_key(ColumnId id) { return "streamed/" + std::to_string(id); }

void forget_rows(Column& column) {
  column.estimate.reset();
  column.streamed.reset();
  column.stopped = false;
}

}  // namespace

void StreamService::handle(const action::StopStream& chosen) {
  const Column* column = state().column(chosen.column);
  if (column == nullptr || !column->busy || !streams_[column->id].progress) return;
  streams_[column->id].progress->pause(true);
}

void StreamService::handle(const action::SetStreamEnd& chosen) {
  state().stream_until = std::clamp(chosen.share, 0.0, 1.0);
}

void StreamService::prepare(Column& column, const std::string& key, RequestScope& request,
                            double expected_seconds) {
  if (request.pattern->rows() > kLongestWatched) return;
  const auto kept =
      std::find_if(unfinished_.begin(), unfinished_.end(), [&](const auto& one) { return one.first == key; });
  const std::uint64_t half = request.pattern->rows() / 2 + 1;
  const auto rows = static_cast<std::uint64_t>(std::ceil(state().stream_until * static_cast<double>(half)));
  const bool is_shorter = kept != unfinished_.end() && kept->second->features().rows_summed() > rows;
  if (is_shorter) unfinished_.erase(kept);
  if (kept != unfinished_.end() && !is_shorter) {
    unfinished_.splice(unfinished_.begin(), unfinished_, kept);
  } else {
    unfinished_.emplace_front(key, std::make_shared<PlaneProgress>());
    if (unfinished_.size() > kUnfinished) unfinished_.pop_back();
  }
  Stream& stream = streams_[column.id];
  stream.progress = request.progress = unfinished_.front().second;
  column.streamed.reset();
  stream.rows_shown = 0;
  stream.shown_from = std::chrono::steady_clock::now() + kRefreshInterval;
  stream.progress->pause(false);
  const double largest_error = stream.to_the_end ? 0 : state().settings.good_enough;
  stream.progress->stop_below(largest_error);
  const bool has_end = state().stream_until < 1;
  stream.progress->stop_after(has_end ? rows : 0);
  stream.progress->take_rows_in_order(!has_end && largest_error == 0 && expected_seconds < kWatchedSeconds);
  stream.to_the_end = false;
  if (const auto known = stream.progress->estimate())
    column.estimate = std::make_shared<const FeatureEstimate>(*known);
}

bool StreamService::pause(Column& column) {
  const Stream& stream = streams_[column.id];
  if (!stream.progress) return false;
  const auto estimate = stream.progress->estimate();
  if (!estimate || estimate->complete()) return false;
  column.estimate = std::make_shared<const FeatureEstimate>(*estimate);
  column.stopped = true;
  jobs().drop(stream_key(column.id));
  column.streamed.reset();
  return true;
}

void StreamService::finish(Column& column) {
  Stream& stream = streams_[column.id];
  std::erase_if(unfinished_, [&](const auto& one) { return one.second == stream.progress; });
  jobs().drop(stream_key(column.id));
  stream.progress.reset();
  forget_rows(column);
}

void StreamService::show_streamed_rows(const Column& column) {
  Stream& stream = streams_[column.id];
  stream.rows_shown = stream.progress->features().rows_summed();
  jobs().submit(
      request_job(Lane::picture, stream_key(column.id), {}),
      [progress = stream.progress, pauses = state().stream_until < 1](JobContext& context) {
        auto streamed = std::make_shared<Spectrum>();
        streamed->pyramid = progress->pyramid(context.pool());
        // Few rows show less than the picture of samples, which therefore stays.
        if (std::optional<DisplayPyramid>& rows = streamed->pyramid;
            rows && !pauses &&
            !is_as_fine_as_samples(block_noise(*rows),
                                   static_cast<double>(rows->m) * static_cast<double>(rows->n),
                                   kExactBudget.first))
          rows.reset();
        streamed->strongest = progress->strongest();
        return streamed;
      },
      [this, id = column.id, progress = stream.progress](auto streamed) {
        Column* target = state().column(id);
        if (streamed && target != nullptr && streams_[id].progress == progress)
          target->streamed = std::move(*streamed);
      });
}

void StreamService::forget(Column& column) {
  Stream& stream = streams_[column.id];
  stream.progress.reset();
  stream.resume = false;
  forget_rows(column);
}

bool StreamService::take_resume(ColumnId column) {
  const auto stream = streams_.find(column);
  return stream != streams_.end() && std::exchange(stream->second.resume, false);
}

/// Applies a changed Settings::good_enough: running streams use it at once, paused streams are resumed if it
/// requires smaller errors.
void StreamService::reconcile() {
  const double good_enough = state().settings.good_enough;
  if (good_enough == good_enough_) return;
  good_enough_ = good_enough;
  for (const Column& column : state().columns) {
    Stream& stream = streams_[column.id];
    if (stream.progress) stream.progress->stop_below(good_enough);
    stream.to_the_end = false;
    stream.resume = column.stopped && (good_enough == 0 || column.estimate->largest > good_enough);
  }
}

bool StreamService::refresh(SteadyTime now) {
  if (now < refresh_due_) return false;
  refresh_due_ = now + kRefreshInterval;
  bool changed = false;
  for (Column& column : state().columns) {
    const auto stream = streams_.find(column.id);
    if (!column.busy || stream == streams_.end() || !stream->second.progress ||
        now < stream->second.shown_from)
      continue;
    const auto estimate = stream->second.progress->estimate();
    if (!estimate) continue;
    if (!column.estimate || column.estimate->rows_done != estimate->rows_done) {
      column.estimate = std::make_shared<const FeatureEstimate>(*estimate);
      changed = true;
    }
    const auto rows = static_cast<double>(stream->second.progress->features().rows_summed());
    if (rows >= kRowsGrowth * static_cast<double>(stream->second.rows_shown) &&
        !jobs().pending(stream_key(column.id)))
      show_streamed_rows(column);
  }
  return changed;
}

void StreamService::column_removed(ColumnId column) {
  jobs().drop(stream_key(column));
  streams_.erase(column);
}

void StreamService::forget_matrix() {
  jobs().drop_all("streamed/");
  streams_.clear();
  for (Column& column : state().columns) forget_rows(column);
}

}  // namespace spyctrum
