// SPDX-License-Identifier: Apache-2.0
// The rules of the lanes, with an order of events forced by the test: a replaced job is stopped, never waited
// for, and its result is dropped; every other job ends as exactly one of done, cancelled and failed.
#include "app/controller/jobs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <new>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

namespace spyctrum {
namespace {

constexpr std::chrono::seconds kPatience{60};  // per wait

JobRequest request(Lane lane, std::string key) {
  JobRequest request;
  request.lane = lane;
  request.key = std::move(key);
  return request;
}

class JobsTest : public ::testing::Test {
 protected:
  JobsTest() : runner_(1, [this] { woken_.release(); }) {}
  /// Submits work whose end is recorded as "name: done", "name: cancelled", …
  JobId submit(Lane lane, const std::string& key, const std::string& name,
               std::function<int(JobContext&)> work) {
    return runner_.submit(request(lane, key), std::move(work), [this, name](Result<int> result) {
      ends_.push_back(name + ": " + (result ? "done" : name_of(result.error().code)));
    });
  }
  /// Sleeps until a job ends or reports progress, unless one has since the last call.
  void wait() { (void)woken_.try_acquire_for(kPatience); }
  void settle() {
    while (!runner_.idle()) {
      wait();
      runner_.poll();
    }
    runner_.poll();
  }

  std::vector<std::string> ends_;
  std::thread::id main_ = std::this_thread::get_id();
  std::counting_semaphore<> woken_{0};
  JobRunner runner_;
};

TEST_F(JobsTest, JobsOfALaneBeginAfterTheJobsBeforeItAndOtherLanesDoNotWait) {
  for (const bool is_before : {true, false}) {
    std::promise<void> release;
    std::promise<void> other_began;
    JobRequest leading = request(Lane::stream, "leading");
    if (is_before) leading.before = {Lane::background, Lane::compute};
    runner_.submit(
        leading,
        [&](JobContext&) {
          release.get_future().wait();
          return 1;
        },
        [](const Result<int>&) {});
    submit(Lane::compute, "other", "other", [&](JobContext&) {
      other_began.set_value();
      return 1;
    });
    std::promise<void> drawn;
    submit(Lane::picture, "picture", "picture", [&](JobContext&) {
      drawn.set_value();
      return 1;
    });
    std::future<void> other = other_began.get_future();
    drawn.get_future().wait();
    if (is_before) {
      EXPECT_EQ(other.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    } else {
      other.wait();  // nothing else lets it wait
    }
    release.set_value();
    other.wait();
    settle();
  }
}

TEST_F(JobsTest, AJobThatWaitsBehindAnotherOfItsLaneHoldsNoOtherLane) {
  std::promise<void> release;
  submit(Lane::stream, "long", "long", [&](JobContext&) {
    release.get_future().wait();
    return 1;
  });
  JobRequest leading = request(Lane::stream, "leading");
  leading.before = {Lane::compute};
  runner_.submit(
      leading, [](JobContext&) { return 1; }, [](const Result<int>&) {});
  std::promise<void> other_began;
  submit(Lane::compute, "other", "other", [&](JobContext&) {
    other_began.set_value();
    return 1;
  });
  const std::future_status began = other_began.get_future().wait_for(kPatience);
  release.set_value();
  settle();
  EXPECT_EQ(began, std::future_status::ready);
}

TEST_F(JobsTest, ANewerJobStopsTheOlderOfItsKeyAndDoesNotWaitForIt) {
  std::promise<void> older_runs;
  std::promise<void> release;
  std::atomic<bool> older_was_stopped{false};
  submit(Lane::compute, "key", "older", [&](JobContext& context) {
    older_runs.set_value();
    release.get_future().wait();
    older_was_stopped = context.stop_requested();
    return 1;  // succeeds; its result is dropped only because the job was replaced
  });
  older_runs.get_future().wait();
  submit(Lane::compute, "key", "newer", [](JobContext&) { return 2; });
  while (ends_.empty()) {
    wait();
    runner_.poll();
  }
  EXPECT_EQ(ends_, std::vector<std::string>{"newer: done"});
  EXPECT_FALSE(runner_.idle());
  EXPECT_TRUE(runner_.views().empty());
  release.set_value();
  settle();
  EXPECT_TRUE(older_was_stopped);
  EXPECT_EQ(ends_, std::vector<std::string>{"newer: done"});
}

TEST_F(JobsTest, AResultThatWaitsToBeDeliveredIsDroppedWhenItIsReplaced) {
  submit(Lane::compute, "key", "older", [](JobContext&) { return 1; });
  wait();
  submit(Lane::compute, "key", "newer", [](JobContext&) { return 2; });
  settle();
  EXPECT_EQ(ends_, std::vector<std::string>{"newer: done"});
}

TEST_F(JobsTest, WorkThatIsDoneAtOnceReplacesItsKeyAndIsDeliveredBeforeSubmitReturns) {
  std::promise<void> release;
  submit(Lane::picture, "picture", "older", [&](JobContext&) {
    release.get_future().wait();
    return 1;
  });
  JobRequest at_once = request(Lane::picture, "picture");
  at_once.at_once = true;
  std::string where;
  runner_.submit(
      at_once,
      [&](JobContext&) {
        where = std::this_thread::get_id() == main_ ? "here" : "elsewhere";
        return 1;
      },
      [this](const Result<int>& result) { ends_.emplace_back(result ? "at once: done" : "failed"); });
  EXPECT_EQ(ends_, std::vector<std::string>{"at once: done"});
  EXPECT_EQ(where, "here");
  release.set_value();
  settle();
  EXPECT_EQ(ends_.size(), 1U) << "the older result is dropped";
}

TEST_F(JobsTest, EveryExceptionOfAJobBecomesAnError) {
  submit(Lane::compute, "a", "failure",
         [](JobContext&) -> int { throw Failure(ErrorCode::bad_input, "No such thing."); });
  settle();
  submit(Lane::compute, "b", "memory", [](JobContext&) -> int { throw std::bad_alloc(); });
  settle();
  submit(Lane::compute, "c", "other", [](JobContext&) -> int { throw std::runtime_error("odd"); });
  settle();
  const std::vector<std::string> expected{std::string("failure: ") + name_of(ErrorCode::bad_input),
                                          std::string("memory: ") + name_of(ErrorCode::out_of_memory),
                                          std::string("other: ") + name_of(ErrorCode::internal)};
  EXPECT_EQ(ends_, expected);
}

TEST_F(JobsTest, ACancelledJobEndsAsCancelledWhetherItRunsOrWaits) {
  std::promise<void> runs;
  const JobId running = submit(Lane::stream, "running", "running", [&](JobContext& context) -> int {
    runs.set_value();
    for (;;) {
      context.check_stop();
      std::this_thread::yield();
    }
  });
  runs.get_future().wait();
  std::atomic<bool> ran{false};
  const JobId waiting = submit(Lane::stream, "waiting", "waiting", [&](JobContext&) {
    ran = true;
    return 0;
  });
  ASSERT_EQ(runner_.views().size(), 2U);
  EXPECT_TRUE(runner_.views()[0].running);
  EXPECT_FALSE(runner_.views()[1].running);
  runner_.cancel(waiting);
  runner_.cancel(running);
  settle();
  const std::string cancelled = name_of(ErrorCode::cancelled);
  EXPECT_EQ(ends_, (std::vector<std::string>{"running: " + cancelled, "waiting: " + cancelled}));
  EXPECT_FALSE(ran);
}

TEST_F(JobsTest, PicturesDoNotWaitBehindALongStream) {
  std::promise<void> release;
  submit(Lane::stream, "stream", "stream", [&](JobContext&) {
    release.get_future().wait();
    return 0;
  });
  submit(Lane::picture, "picture", "picture", [](JobContext&) { return 0; });
  while (ends_.empty()) {
    wait();
    runner_.poll();
  }
  EXPECT_EQ(ends_, std::vector<std::string>{"picture: done"});
  release.set_value();
  settle();
  EXPECT_EQ(ends_.size(), 2U);
}

TEST_F(JobsTest, DroppedJobsDeliverNothingAndOthersOfTheLaneContinue) {
  std::promise<void> release;
  submit(Lane::background, "a/1", "first", [&](JobContext&) {
    release.get_future().wait();
    return 0;
  });
  submit(Lane::background, "a/2", "second", [](JobContext&) { return 0; });
  submit(Lane::background, "b", "third", [](JobContext&) { return 0; });
  runner_.drop_all("a/");
  EXPECT_FALSE(runner_.pending("a/2"));
  EXPECT_TRUE(runner_.pending("b"));
  release.set_value();
  settle();
  EXPECT_EQ(ends_, std::vector<std::string>{"third: done"});
}

TEST_F(JobsTest, ProgressIsListedWithTheRemainingTime) {
  std::promise<void> reported;
  std::promise<void> release;
  submit(Lane::compute, "key", "job", [&](JobContext& context) {
    context.begin_stage("transform");
    context.checkpoint(40, 100);
    reported.set_value();
    release.get_future().wait();
    return 0;
  });
  reported.get_future().wait();
  EXPECT_TRUE(runner_.take_progress());
  EXPECT_FALSE(runner_.take_progress());
  const std::vector<JobView> views = runner_.views();
  ASSERT_EQ(views.size(), 1U);
  EXPECT_EQ(views[0].progress.stage, "transform");
  EXPECT_EQ(views[0].progress.done, 40U);
  EXPECT_TRUE(views[0].seconds_left);
  release.set_value();
  settle();
  EXPECT_TRUE(runner_.views().empty());
}

TEST_F(JobsTest, TheRemainingTimeIsMeasuredFromWhereProgressFell) {
  std::promise<void> reported;
  std::promise<void> release;
  submit(Lane::compute, "key", "job", [&](JobContext& context) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    context.checkpoint(100, 100);
    // Reports are at least 30 ms apart.
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    context.checkpoint(0, 100);
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    context.checkpoint(50, 100);
    reported.set_value();
    release.get_future().wait();
    return 0;
  });
  reported.get_future().wait();
  const std::vector<JobView> views = runner_.views();
  ASSERT_EQ(views.size(), 1U);
  ASSERT_TRUE(views[0].seconds_left);
  // The second half takes as long as the first, which began at least 0.3 s after the job.
  EXPECT_LT(*views[0].seconds_left, views[0].seconds - 0.25);
  release.set_value();
  settle();
}

TEST_F(JobsTest, ProgressOfTheWholeDoesNotFallWhenAStageOfAPartBegins) {
  std::promise<void> reported;
  std::promise<void> release;
  JobRequest part = request(Lane::background, "part");
  part.part = JobRequest::Part{0.5, 0.75, {}};
  runner_.submit(
      part,
      [&](JobContext& context) {
        context.begin_stage("transform");
        context.checkpoint(100, 100);
        context.begin_stage("decode");
        // Reports are at least 30 ms apart.
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
        context.checkpoint(1, 100);
        reported.set_value();
        release.get_future().wait();
        return 0;
      },
      [](const Result<int>&) {});
  reported.get_future().wait();
  const std::vector<JobView> views = runner_.views();
  ASSERT_EQ(views.size(), 1U);
  EXPECT_EQ(views[0].progress.stage, "decode");
  EXPECT_DOUBLE_EQ(static_cast<double>(views[0].progress.done),
                   0.75 * static_cast<double>(views[0].progress.total));
  release.set_value();
  settle();
}

TEST(JobsEnd, TheRunnerMayBeDestroyedWhileJobsRunAndWait) {
  std::atomic<int> delivered{0};
  {
    JobRunner runner(2, {});
    std::promise<void> runs;
    for (int job = 0; job < 4; ++job) {
      runner.submit(
          request(Lane::stream, "job/" + std::to_string(job)),
          [&runs, job](JobContext& context) -> int {
            if (job == 0) runs.set_value();
            for (;;) context.check_stop();
          },
          [&](const Result<int>&) { ++delivered; });
    }
    runs.get_future().wait();
  }
  EXPECT_EQ(delivered, 0);
}

}  // namespace
}  // namespace spyctrum
