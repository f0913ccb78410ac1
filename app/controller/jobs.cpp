// SPDX-License-Identifier: Apache-2.0
// Each lane has a queue and a few threads. The parallel loops of all jobs share one ThreadPool, and each
// job's own thread takes part in its loops, so that a short picture job proceeds while a long stream has the
// pool.
#include "app/controller/jobs.hpp"

#include <algorithm>

namespace spyctrum {

namespace {

// Three pictures and two runs at a time: the columns of a comparison need not wait for each other.
constexpr std::array<unsigned, kLanes> kThreadsOfLane{1, 3, 1, 2, 1, 1, 1};

double share_of(const Progress& progress) {
  return progress.total == 0 ? 0 : static_cast<double>(progress.done) / static_cast<double>(progress.total);
}

Progress progress_of_whole(Progress progress, const JobRequest::Part& part) {
  constexpr double kSteps = 1e6;
  const double share = share_of(progress);
  progress.done = static_cast<std::uint64_t>(kSteps * (part.first + (part.last - part.first) * share));
  progress.total = static_cast<std::uint64_t>(kSteps);
  return progress;
}

}  // namespace

struct JobRunner::Job {
  JobId id = 0;
  JobRequest request;
  Work work;
  std::stop_source stop;
  bool running = false;
  bool dropped = false;
  bool holds = false;  // other lanes wait for this job
  Progress progress;
  SteadyTime began;
  SteadyTime measured;  // progress has not fallen since then; it falls when a file is read a second time
  double share = 0;     // share of the work that was done at `measured`
};

JobRunner::JobRunner(unsigned threads, std::function<void()> wake) : pool_(threads), wake_(std::move(wake)) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::vector<std::thread>& of_lane = lanes_[lane].threads;
    try {
      while (of_lane.size() < kThreadsOfLane[lane])
        of_lane.emplace_back([this, lane] { serve(static_cast<Lane>(lane)); });
    } catch (const std::exception&) {  // the system gives no more threads; a lane needs one
      if (!of_lane.empty()) continue;
      stop();
      throw;
    }
  }
}

JobRunner::~JobRunner() { stop(); }

void JobRunner::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (LaneQueue& lane : lanes_) {
      lane.waiting.clear();
      lane.ready.notify_all();
    }
    for (const auto& [id, job] : listed_) job->stop.request_stop();
  }
  for (LaneQueue& lane : lanes_)
    for (std::thread& thread : lane.threads) thread.join();
}

JobId JobRunner::enqueue(const JobRequest& request, Work work) {
  auto job = std::make_shared<Job>();
  job->request = request;
  job->work = std::move(work);
  const std::lock_guard lock(mutex_);
  job->id = next_id_++;
  if (const auto older = current_.find(job->request.key); older != current_.end()) drop_locked(older->second);
  current_[job->request.key] = job;
  listed_[job->id] = job;
  LaneQueue& lane = lanes_[static_cast<std::size_t>(job->request.lane)];
  if (lane.waiting.empty() && lane.busy < lane.threads.size()) hold_locked(*job);
  lane.waiting.push_back(job);
  lane.ready.notify_one();
  return job->id;
}

JobId JobRunner::do_now(const JobRequest& request, const Work& work) {
  drop(request.key);
  JobContext::Options options;
  options.memory_bytes = request.memory_bytes;
  options.seed = request.seed;
  JobContext context(pool_, std::move(options));
  work(context)();
  const std::lock_guard lock(mutex_);
  return next_id_++;
}

void JobRunner::hold_locked(Job& job) {
  if (std::exchange(job.holds, true)) return;
  for (const Lane other : job.request.before) ++lanes_[static_cast<std::size_t>(other)].held;
}

void JobRunner::release_locked(Job& job) {
  if (!std::exchange(job.holds, false)) return;
  for (const Lane other : job.request.before) {
    LaneQueue& lane = lanes_[static_cast<std::size_t>(other)];
    if (--lane.held == 0) lane.ready.notify_all();
  }
}

void JobRunner::serve(Lane which) {
  LaneQueue& lane = lanes_[static_cast<std::size_t>(which)];
  for (;;) {
    JobPtr job;
    {
      std::unique_lock lock(mutex_);
      lane.ready.wait(lock, [&] { return stopping_ || (!lane.waiting.empty() && lane.held == 0); });
      if (stopping_) return;
      job = std::move(lane.waiting.front());
      lane.waiting.pop_front();
      job->running = true;
      ++lane.busy;
      hold_locked(*job);
      job->began = job->measured = std::chrono::steady_clock::now();
    }
    Delivery delivery = run(*job);
    // Captured patterns and spectra are released here, not on the interface thread.
    job->work = nullptr;
    {
      const std::lock_guard lock(mutex_);
      job->running = false;
      --lane.busy;
      release_locked(*job);
      if (job->dropped)
        listed_.erase(job->id);
      else
        ended_.emplace_back(job, std::move(delivery));
    }
    if (wake_) wake_();
  }
}

JobRunner::Delivery JobRunner::run(Job& job) {
  JobContext::Options options;
  options.memory_bytes = job.request.memory_bytes;
  options.seed = job.request.seed;
  options.stop = job.stop.get_token();
  options.on_progress = [this, &job](const Progress& progress) {
    {
      const std::lock_guard lock(mutex_);
      const bool falls = share_of(progress) < share_of(job.progress);
      // Each stage begins at 0. Of a part of some work only the stage is shown then: the whole goes on.
      if (falls && job.request.part) {
        job.progress.stage = progress.stage;
      } else {
        if (falls) {
          job.share = share_of(progress);
          job.measured = std::chrono::steady_clock::now();
        }
        job.progress = progress;
      }
      progressed_ = true;
    }
    if (wake_) wake_();
  };
  JobContext context(pool_, std::move(options));
  return job.work(context);
}

void JobRunner::drop_locked(const JobPtr& dropped) {
  const JobPtr job = dropped;  // a copy: `dropped` may be the element of the map that is erased below
  job->dropped = true;
  job->stop.request_stop();
  const auto current = current_.find(job->request.key);
  if (current != current_.end() && current->second == job) current_.erase(current);
  auto& waiting = lanes_[static_cast<std::size_t>(job->request.lane)].waiting;
  if (const auto queued = std::ranges::find(waiting, job); queued != waiting.end()) {
    waiting.erase(queued);
    listed_.erase(job->id);
    release_locked(*job);
  }
  if (std::erase_if(ended_, [&](const auto& end) { return end.first == job; }) > 0) listed_.erase(job->id);
}

void JobRunner::cancel(JobId id) {
  const std::lock_guard lock(mutex_);
  const auto found = listed_.find(id);
  if (found == listed_.end() || found->second->dropped) return;
  const JobPtr& job = found->second;
  job->stop.request_stop();
  // A waiting job delivers `cancelled` when it begins, so it is moved to the front of its lane.
  auto& waiting = lanes_[static_cast<std::size_t>(job->request.lane)].waiting;
  const auto queued = std::ranges::find(waiting, job);
  if (queued != waiting.end()) std::rotate(waiting.begin(), queued, std::next(queued));
}

void JobRunner::drop(const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (const auto found = current_.find(key); found != current_.end()) drop_locked(found->second);
}

void JobRunner::drop_all(const std::string& prefix) {
  const std::lock_guard lock(mutex_);
  std::vector<JobPtr> matching;
  for (auto at = current_.lower_bound(prefix); at != current_.end() && at->first.starts_with(prefix); ++at)
    matching.push_back(at->second);
  for (const JobPtr& job : matching) drop_locked(job);
}

bool JobRunner::pending(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return current_.contains(key);
}

bool JobRunner::poll() {
  bool delivered = false;
  for (;;) {
    std::pair<JobPtr, Delivery> end;
    {
      // One at a time, since a delivery may submit and drop jobs.
      const std::lock_guard lock(mutex_);
      if (ended_.empty()) return delivered;
      end = std::move(ended_.front());
      ended_.erase(ended_.begin());
      listed_.erase(end.first->id);
      const auto current = current_.find(end.first->request.key);
      if (current != current_.end() && current->second == end.first) current_.erase(current);
    }
    end.second();
    delivered = true;
  }
}

bool JobRunner::take_progress() {
  const std::lock_guard lock(mutex_);
  return std::exchange(progressed_, false);
}

bool JobRunner::idle() const {
  const std::lock_guard lock(mutex_);
  return listed_.empty();
}

std::vector<JobView> JobRunner::views() const {
  const SteadyTime now = std::chrono::steady_clock::now();
  std::vector<JobView> views;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, job] : listed_) {
    if (job->dropped || !job->request.listed) continue;
    JobView view{.id = id,
                 .title = job->request.title,
                 .column = job->request.column,
                 .progress = job->progress,
                 .running = job->running,
                 .stopping = job->stop.stop_requested(),
                 .background = job->request.lane == Lane::background};
    const auto& part = job->request.part;
    if (job->running)
      view.seconds = std::chrono::duration<double>(now - (part ? part->began : job->began)).count();
    if (part) view.progress = progress_of_whole(job->progress, *part);
    // The first percent says nothing about the rest.
    const double share = share_of(view.progress);
    const double done = share - (part ? 0 : job->share);
    const double seconds = part ? view.seconds : std::chrono::duration<double>(now - job->measured).count();
    if (job->running && done > 0.01) view.seconds_left = seconds * (1 - share) / done;
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace spyctrum
