// SPDX-License-Identifier: Apache-2.0
// Checkpoints, stage clock and progress throttling of a running job.
#include "core/base/job_context.hpp"

#include "core/base/error.hpp"

namespace spyctrum {

namespace {
constexpr auto kReportInterval = std::chrono::milliseconds(30);
constexpr double kParts = 1000;

void accumulate(StageSeconds& stages, std::string_view name, double seconds) {
  const auto found =
      std::find_if(stages.begin(), stages.end(), [&](const auto& stage) { return stage.first == name; });
  if (found == stages.end()) {
    stages.emplace_back(std::string(name), seconds);
  } else {
    found->second += seconds;
  }
}
}  // namespace

JobContext::JobContext(ThreadPool& pool, Options options)
    : pool_(pool), options_(std::move(options)), memory_(memory_allowance_bytes(options_.memory_bytes)) {}

void JobContext::check_stop() const {
  if (options_.stop.stop_requested()) throw Failure(ErrorCode::cancelled, "The job was cancelled.");
}

void JobContext::checkpoint(std::uint64_t done, std::uint64_t total) {
  check_stop();
  if (!options_.on_progress) return;
  const auto now = [] { return Clock::now().time_since_epoch().count(); };
  const auto is_due = [&] { return done == total || now() >= next_report_.load(std::memory_order_relaxed); };
  if (!is_due()) return;
  // Made under the lock, so that no report is delivered after one that was made later.
  const std::lock_guard reporting(report_mutex_);
  if (!is_due()) return;  // another thread has reported meanwhile
  next_report_.store(now() + Clock::duration(kReportInterval).count(), std::memory_order_relaxed);
  Progress progress{{}, done, total};
  {
    const std::lock_guard lock(mutex_);
    progress.stage = stage_;
    if (part_) {
      const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
      part_->reached = std::max(part_->reached, part_->from + (part_->until - part_->from) * share);
      progress.done = static_cast<std::uint64_t>(kParts * part_->reached);
      progress.total = static_cast<std::uint64_t>(kParts);
    }
  }
  options_.on_progress(progress);
}

void JobContext::begin_stage(std::string_view name) {
  check_stop();
  const std::lock_guard lock(mutex_);
  if (!stage_.empty()) accumulate(seconds_, stage_, stage_watch_.seconds());
  stage_ = name;
  stage_watch_ = {};
}

void JobContext::add_stage_seconds(std::string_view name, double seconds) {
  const std::lock_guard lock(mutex_);
  accumulate(seconds_, name, seconds);
}

StageSeconds JobContext::finish_stages() {
  const std::lock_guard lock(mutex_);
  if (!stage_.empty()) accumulate(seconds_, stage_, stage_watch_.seconds());
  stage_.clear();
  return seconds_;
}

void ProgressParts::set(std::optional<JobContext::Part> part) {
  const std::lock_guard lock(context_.mutex_);
  context_.part_ = part;
}

void ProgressParts::next(double until) {
  context_.checkpoint(1, 1);
  const std::lock_guard lock(context_.mutex_);
  JobContext::Part& part = *context_.part_;
  part.from = part.until;
  part.until = until;
}

}  // namespace spyctrum
