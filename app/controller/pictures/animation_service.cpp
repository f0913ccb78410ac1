// SPDX-License-Identifier: Apache-2.0
// While a file is written there is always a job, of a picture or of the file, so that a program without a
// window that waits for its jobs waits for the whole file.
#include "app/controller/pictures/animation_service.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/controller/columns/pattern_service.hpp"
#include "app/controller/files/export_service.hpp"
#include "app/controller/files/source_names.hpp"
#include "app/controller/pictures/picture_service.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/io/quote.hpp"
#include "core/matrix/reordering.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

namespace {

constexpr const char* kWriteKey = "animation/write";
constexpr const char* kWholePlane = "all rows";
constexpr std::uint32_t kLargestShown = 64;  // block size of the last frame, at most
constexpr double kSlowest = 0.1, kFastest = 30;

/// Integers from `first` to `last`, each about 2^(1/4) times the one before.
std::vector<std::uint32_t> sizes_between(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> steps;
  for (std::uint32_t b = first; b < last;
       b = std::max(b + 1, static_cast<std::uint32_t>(std::lround(b * std::pow(2, 0.25)))))
    steps.push_back(b);
  steps.push_back(last);
  return steps;
}

std::uint32_t as_block(double size) {
  return static_cast<std::uint32_t>(std::clamp(std::ceil(size), 1.0, static_cast<double>(kLargestBlock)));
}

bool thresholds(const Method& method) {
  return method.input(method.defaults()) == MethodInput::largest_entries;
}

}  // namespace

void AnimationService::handle(const action::Animate& chosen) {
  if (state().matrix() == nullptr) return notify(Level::warning, "Open a matrix first.");
  close();
  const auto begin = [&] {
    switch (chosen.swept) {
      case Swept::block:
        return begin_blocks();
      case Swept::threshold:
        return begin_thresholds();
      case Swept::order:
        return begin_orders();
      case Swept::rows:
        return begin_rows();
    }
    return false;
  };
  if (!begin()) return close();
  AnimationView& view = state().animation;
  view.swept = chosen.swept;
  for (const Frame& frame : frames_) view.captions.push_back(frame.caption);
  if (view.swept == Swept::order) view.ranges.resize(frames_.size());
  show_frame(0);
}

bool AnimationService::begin_blocks() {
  if (std::ranges::none_of(state().columns, &Column::uses_block)) {
    notify(Level::warning, "No column has a block size. Add Elastic BS-FFT or Density Map.");
    return false;
  }
  const SparsePattern& pattern = *state().pattern();
  const double longest = static_cast<double>(std::max(pattern.rows(), pattern.cols()));
  restore_ = {action::SetBlock{state().block}, action::SetBudget{state().budget}};
  send(action::SetBudget{});
  for (const std::uint32_t block : sizes_between(2, std::clamp(as_block(longest / 4), 2U, kLargestShown)))
    frames_.push_back({"b = " + std::to_string(block), {action::SetBlock{block}}});
  return true;
}

/// A sweep over the number of kept entries, from about 1/64 of them to all.
bool AnimationService::begin_thresholds() {
  const auto keeps_largest = [](const Column& column) { return thresholds(*find_method(column.method)); };
  auto column = std::ranges::find_if(state().columns, keeps_largest);
  if (column != state().columns.end()) {
    restore_.emplace_back(
        action::SetColumnBlock{column->id, column->own_block ? std::optional(column->block) : std::nullopt});
  } else {
    const auto method = std::ranges::find_if(methods(), [](const auto& one) { return thresholds(*one); });
    if (method == methods().end()) return false;
    send(action::AddColumn{(*method)->info().id});
    column = state().columns.end() - 1;
    restore_.emplace_back(action::RemoveColumn{column->id});
  }
  restore_.emplace_back(action::FocusColumn{state().interface.focused_column});
  // The column of Threshold, which changes, is brought into view.
  send(action::FocusColumn{static_cast<std::size_t>(column - state().columns.begin())});
  const SparsePattern& pattern = *state().pattern();
  const std::uint64_t entries = static_cast<std::uint64_t>(std::max<std::int64_t>(pattern.nonzeros(), 1));
  const double all = std::sqrt(static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols()) /
                               static_cast<double>(entries));
  std::vector<std::uint32_t> blocks = sizes_between(as_block(std::floor(all)), as_block(8 * all));
  std::ranges::reverse(blocks);
  for (const std::uint32_t block : blocks) {
    const std::uint64_t kept =
        std::min(block_count(pattern.rows(), block) * block_count(pattern.cols(), block), entries);
    const std::string caption = grouped(kept) + " of " + counted(entries, "entry", "entries") + " kept";
    if (frames_.empty() || frames_.back().caption != caption)
      frames_.push_back({caption, {action::SetColumnBlock{column->id, block}}});
  }
  return true;
}

/// A sweep over the orders of the selected column.
bool AnimationService::begin_orders() {
  if (state().columns.empty()) return false;
  const Column& column =
      state().columns[std::min(state().interface.focused_column, state().columns.size() - 1)];
  restore_ = {action::SetColumnArrangement{column.id, column.arrangement}};
  frames_.push_back({"order: as stored", {action::SetColumnArrangement{column.id, {}}}});
  for (const OrderInfo& order : orders())
    frames_.push_back({"order: " + std::string(order.label),
                       {action::SetColumnArrangement{
                           column.id, {Arrangement::Kind::reordered, std::string(order.id), 1}}}});
  return true;
}

/// A sweep over the share of rows, for all columns whose runs can be resumed: each frame continues with the
/// rows of the previous one.
bool AnimationService::begin_rows() {
  const auto is_resumable = [](const Column& column) { return find_method(column.method)->info().resumable; };
  if (std::ranges::none_of(state().columns, is_resumable)) {
    notify(Level::warning, "No column streams the rows of a plane. Add the column Exact.");
    return false;
  }
  restore_ = {action::SetStreamEnd{state().stream_until}};
  // The first check point of a stream lies behind a tenth or a fifth of its rows, the last one before the end
  // at 60 %.
  constexpr int kFirst = 12, kLast = 3;
  for (int k = kFirst; k >= kLast; --k) {
    const double share = std::pow(2, -0.25 * k);
    frames_.push_back({std::to_string(static_cast<int>(std::lround(100 * share))) + " % of the rows",
                       {action::SetStreamEnd{share}},
                       share});
  }
  frames_.push_back({kWholePlane, {action::SetStreamEnd{1}}, 1});
  return true;
}

/// The caption of the frame on the screen, with the number of streamed rows: a stream pauses at the first
/// check point at or after the frame's share of the rows.
std::string AnimationService::caption() const {
  if (state().animation.swept == Swept::rows) {
    for (const Column& column : state().columns)
      if (column.estimate)
        return grouped(column.estimate->rows_done) + " of " + counted(column.estimate->rows, "row", "rows") +
               " of the half plane";
    return kWholePlane;  // no check point came before the end
  }
  return frames_[state().animation.frame].caption;
}

/// Removes the later frames for which no more rows would be streamed than for this one.
void AnimationService::remove_repeats() {
  AnimationView& view = state().animation;
  double share = 1;
  for (const Column& column : state().columns)
    if (column.estimate) share = std::min(share, column.estimate->share_done());
  for (std::size_t k = frames_.size() - 1; k > view.frame; --k) {
    if (frames_[k].rows_share > share) continue;
    frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(k));
    view.captions.erase(view.captions.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

void AnimationService::handle(const action::ShowFrame& chosen) {
  if (!state().animation.swept || file_) return;
  state().animation.playing = false;
  show_frame(std::min(chosen.frame, frames_.size() - 1));
}

void AnimationService::show_frame(std::size_t frame) {
  state().animation.frame = frame;
  state().animation.settled = false;
  for (const Action& action : frames_[frame].actions) send(action);
}

void AnimationService::handle(const action::PlayFrames& chosen) {
  AnimationView& view = state().animation;
  view.per_second = std::clamp(chosen.per_second, kSlowest, kFastest);
  view.playing = chosen.play && view.swept && !file_;
  next_frame_ = {};
}

bool AnimationService::is_on_screen() const {
  const auto is_drawn = [&](const Column& column) {
    return !column.busy && !patterns_.is_arranging(column.id) &&
           std::ranges::none_of(column.pictures, &Picture::busy);
  };
  return state().view(Plane::spectrum).pixels.width + state().view(Plane::pattern).pixels.width > 0 &&
         std::ranges::all_of(state().columns, is_drawn);
}

bool AnimationService::refresh(SteadyTime now) {
  AnimationView& view = state().animation;
  if (!view.swept) return false;
  bool changed = false;
  if (!view.settled && is_on_screen()) {
    view.settled = changed = true;
    view.captions[view.frame] = caption();
    if (view.swept == Swept::rows) remove_repeats();
    if (view.swept == Swept::order) view.ranges[view.frame] = shared_range(state());
    next_frame_ = now + std::chrono::duration_cast<SteadyTime::duration>(
                            std::chrono::duration<double>(1 / view.per_second));
    if (view.measuring) {
      const bool is_last = view.frame + 1 == frames_.size();
      view.measuring = !is_last;
      show_frame(is_last ? 0 : view.frame + 1);
      announce(&Service::reconcile);
    } else if (file_) {
      write_frame();
    }
  } else if (view.settled && view.playing && now >= next_frame_) {
    changed = true;
    show_frame((view.frame + 1) % frames_.size());
    announce(&Service::reconcile);
  }
  return changed;
}

std::optional<SteadyTime> AnimationService::next_change() const {
  if (!state().animation.playing || !state().animation.settled) return {};
  return next_frame_;
}

void AnimationService::handle(const action::ExportAnimation& chosen) {
  AnimationView& view = state().animation;
  if (!view.swept) return notify(Level::warning, "There is no moving picture to write.");
  if (file_) return notify(Level::warning, view.writing + " is still being written.");
  if (!open_animation_) return notify(Level::warning, "This program draws no figures.");
  Result<std::shared_ptr<AnimationFile>> file =
      open_animation_(chosen.path, chosen.pixels, 1 / view.per_second);
  if (!file) return report(file.error());
  file_ = *std::move(file);
  figure_dark_ = chosen.dark;
  view.writing = chosen.path;
  view.playing = false;
  view.measuring = view.swept == Swept::order;
  view.ranges.assign(view.ranges.size(), {});
  show_frame(0);
}

void AnimationService::write_frame() {
  const AnimationView& view = state().animation;
  const std::string& caption = view.captions[view.frame];
  for (const Column& column : state().columns) {
    if (!column.error && !column.outdated) continue;
    notify(Level::error, view.writing + " was not written: " + column.label + " has no picture for " +
                             caption + (column.error ? ": " + column.error->message() : "."));
    return stop_writing();
  }
  std::optional<ComparisonFigure> figure = exports_.comparison({}, figure_dark_);
  if (!figure) {
    notify(Level::error, view.writing + " was not written: there is no picture for " + caption + ".");
    return stop_writing();
  }
  figure->caption = caption;
  if (view.swept != Swept::rows)  // of rows the number of frames is known only after the last one
    figure->caption += "  (" + std::to_string(view.frame + 1) + " of " + std::to_string(frames_.size()) + ")";
  const bool is_last = view.frame + 1 == frames_.size();
  jobs().submit(
      request_job(Lane::input_output, kWriteKey, "Writing " + short_name(view.writing)),
      [file = file_, figure = *std::move(figure), is_last](JobContext& context) {
        file->add(figure);
        context.check_stop();
        return is_last ? file->finish(context.stop_token()) : std::string();
      },
      [this](const Result<std::string>& written) { next_written(written); });
}

void AnimationService::next_written(const Result<std::string>& written) {
  AnimationView& view = state().animation;
  if (!written) {
    const bool is_cancelled = written.error().code == ErrorCode::cancelled;
    notify(is_cancelled ? Level::info : Level::error,
           is_cancelled ? view.writing + " was not written: it was cancelled." : written.error().message());
    return stop_writing();
  }
  if (view.frame + 1 < frames_.size()) return show_frame(view.frame + 1);
  notify(Level::info, "Wrote " + *written + ", " + counted(frames_.size(), "frame", "frames") + ".");
  stop_writing();
}

/// What was written so far is removed with the last reference to the file.
void AnimationService::stop_writing() {
  jobs().drop(kWriteKey);
  file_.reset();
  state().animation.writing.clear();
  state().animation.measuring = false;
}

void AnimationService::handle(const action::StopAnimation& /*chosen*/) {
  if (!file_) return close();
  notify(Level::info, state().animation.writing + " was not written: it was cancelled.");
  stop_writing();
}

void AnimationService::close() {
  stop_writing();
  const double per_second = state().animation.per_second;
  state().animation = {.per_second = per_second};
  frames_.clear();
  for (const Action& action : std::exchange(restore_, {})) send(action);
}

void AnimationService::forget_matrix() {
  if (file_)
    notify(Level::warning,
           state().animation.writing + " was not written: another matrix was selected meanwhile.");
  if (state().animation.swept) close();
}

}  // namespace spyctrum
