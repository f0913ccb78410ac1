// SPDX-License-Identifier: Apache-2.0
// Jobs and the lanes on which they run. A job's work runs on a thread of its lane; its result waits in a
// queue until poll() delivers it on the interface thread. A job ends as exactly one of done, cancelled,
// failed: anything that its work throws becomes an Error, and no exception leaves a thread.
//
// The latest job wins: a job is submitted under a key ("picture/3"). A newer job with the same key stops the
// older one without waiting for its end; the older one's result is dropped.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/controller/state/activity.hpp"
#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/base/thread_pool.hpp"

namespace spyctrum {

/// Jobs of one lane never wait for those of another, so a picture does not queue behind a long stream.
enum class Lane { input_output, picture, probe, compute, stream, background, collection };
inline constexpr std::size_t kLanes = 7;

struct JobRequest {
  Lane lane = Lane::compute;
  std::string key;
  std::string title;
  ColumnId column = 0;
  bool listed = true;              ///< false: too small to be shown to the user
  std::uint64_t memory_bytes = 0;  ///< allowance, as in JobContext::Options
  std::uint64_t seed = 1;
  /// Jobs of these lanes do not begin while this one runs, nor between submit() and its begin if its lane is
  /// idle: for short work whose result the user sees first.
  std::vector<Lane> before{};
  /// The work is done and delivered before submit() returns, on its thread: for a millisecond of work whose
  /// result belongs to the next frame.
  bool at_once = false;
  /// The job is the part from share `first` to share `last` of some work that began earlier; progress and
  /// times are shown for the whole work.
  struct Part {
    double first = 0, last = 1;
    SteadyTime began;
  };
  std::optional<Part> part{};
};

class JobRunner {
 public:
  /// `wake` is called from workers when poll() has something to deliver or there is progress to show.
  JobRunner(unsigned threads, std::function<void()> wake);
  /// Asks every job to stop and waits for the running ones; delivers nothing more.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Queues `work(context)` and replaces the job with the same key. poll() calls `deliver` with the Result of
  /// `work` (code cancelled after cancel()), unless the job was replaced or dropped meanwhile.
  template <class Task, class Deliver>
  JobId submit(const JobRequest& request, Task work, Deliver deliver) {
    using Outcome = Result<std::invoke_result_t<Task&, JobContext&>>;
    Work whole = [work = std::move(work), deliver = std::move(deliver)](JobContext& context) mutable {
      auto outcome = std::make_shared<Outcome>(run_guarded([&] {
        context.check_stop();  // cancelled while it waited
        return work(context);
      }));
      return Delivery([deliver, outcome] { deliver(std::move(*outcome)); });
    };
    return request.at_once ? do_now(request, whole) : enqueue(request, std::move(whole));
  }

  /// Asks a job to stop; its deliver() receives the error `cancelled`, or the value if the job had ended
  /// already.
  void cancel(JobId id);
  /// Stops the job with this key and forgets it: nothing is delivered.
  void drop(const std::string& key);
  /// Drops every job whose key begins with `prefix`.
  void drop_all(const std::string& prefix);
  [[nodiscard]] bool pending(const std::string& key) const;

  /// Delivers the results of jobs that have ended since the last call. Returns whether there were any.
  bool poll();
  /// Whether a job reported progress since the last call.
  [[nodiscard]] bool take_progress();
  /// True if no job waits or runs, and none waits to be delivered.
  [[nodiscard]] bool idle() const;
  /// All jobs, oldest first, without dropped ones that have not stopped yet.
  [[nodiscard]] std::vector<JobView> views() const;
  [[nodiscard]] unsigned threads() const { return pool_.threads(); }

 private:
  using Delivery = std::function<void()>;
  using Work = std::function<Delivery(JobContext&)>;
  struct Job;
  using JobPtr = std::shared_ptr<Job>;
  struct LaneQueue {
    std::deque<JobPtr> waiting;
    std::condition_variable ready;
    std::vector<std::thread> threads;
    std::size_t busy = 0;  // running jobs
    std::size_t held = 0;  // jobs of other lanes for which this lane waits
  };

  JobId enqueue(const JobRequest& request, Work work);
  JobId do_now(const JobRequest& request, const Work& work);
  void serve(Lane which);
  /// Makes the lanes of JobRequest::before wait for `job`, or ends that wait.
  void hold_locked(Job& job);
  void release_locked(Job& job);
  /// Ends all threads.
  void stop();
  Delivery run(Job& job);
  void drop_locked(const JobPtr& dropped);

  ThreadPool pool_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;  // guards everything below, and the changing members of Job
  std::array<LaneQueue, kLanes> lanes_;
  std::map<std::string, JobPtr> current_;  // newest job of each key
  std::map<JobId, JobPtr> listed_;         // those that wait, run or have ended and are not delivered
  std::vector<std::pair<JobPtr, Delivery>> ended_;
  JobId next_id_ = 1;
  bool progressed_ = false;
  bool stopping_ = false;
};

}  // namespace spyctrum
