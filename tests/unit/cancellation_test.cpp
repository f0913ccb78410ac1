// SPDX-License-Identifier: Apache-2.0
// A stop at any moment ends every method in Done or Cancelled, never in anything else, with nothing left
// booked and the pool ready for the next job. Runs under the thread sanitizer.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <stop_token>
#include <thread>

#include "core/methods/method.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

struct Outcome {
  Result<SpectrumPtr> result;
  std::uint64_t left = 0;
};

Outcome run_with_stop(const Method& method, const Request& request, ThreadPool& pool, std::stop_token stop,
                      std::function<void(const Progress&)> on_progress = {}) {
  JobContext::Options options;
  options.memory_bytes = std::uint64_t{1} << 33;
  options.stop = std::move(stop);
  options.on_progress = std::move(on_progress);
  JobContext context(pool, std::move(options));
  auto result = run_method(method, request, context);
  return {std::move(result), context.memory().current()};
}

void expect_clean(const Outcome& outcome) {
  EXPECT_EQ(outcome.left, 0U) << "bytes left booked";
  if (!outcome.result) {
    EXPECT_EQ(outcome.result.error().code, ErrorCode::cancelled) << outcome.result.error().message();
  }
}

std::vector<Request> requests_for(const Method& method, const PatternPtr& pattern) {
  const ParameterValues parameters =
      method.info().uses_block ? ParameterValues{{"block", "2"}} : ParameterValues{};
  std::vector<Request> requests{request_of(pattern, parameters, {true, true, true, 128})};
  Request window = request_of(pattern, parameters);
  window.window = FrequencyGrid{FrequencyAxis::progression(pattern->rows(), -200, 1, 400),
                                FrequencyAxis::progression(pattern->cols(), -200, 1, 400)};
  requests.push_back(window);
  return requests;
}

TEST(Cancellation, BeforeTheStartComputesNothing) {
  std::stop_source source;
  source.request_stop();
  const PatternPtr pattern = random_pattern(900, 800, 9000, 1);
  for (const Method* method : runnable_methods()) {
    for (const Request& request : requests_for(*method, pattern)) {
      SCOPED_TRACE(method->info().id);
      const Outcome outcome = run_with_stop(*method, request, pool(), source.get_token());
      ASSERT_FALSE(outcome.result);
      EXPECT_EQ(outcome.result.error().code, ErrorCode::cancelled);
      EXPECT_EQ(outcome.left, 0U);
    }
  }
}

TEST(Cancellation, FromTheProgressReportTakesEffectAtTheNextCheckpoint) {
  const PatternPtr pattern = random_pattern(2500, 2400, 60000, 2);
  for (const Method* method : runnable_methods()) {
    SCOPED_TRACE(method->info().id);
    std::stop_source source;
    std::atomic<int> reports{0};
    const Outcome outcome = run_with_stop(*method, requests_for(*method, pattern)[0], pool(),
                                          source.get_token(), [&](const Progress&) {
                                            ++reports;
                                            source.request_stop();
                                          });
    expect_clean(outcome);
    EXPECT_TRUE(outcome.result || reports > 0);
  }
}

TEST(Cancellation, AtRandomMomentsLeavesNothingBehind) {
  ThreadPool pool(3);
  std::mt19937 random(3);
  const PatternPtr pattern = random_pattern(1201, 1100, 40000, 3);
  for (const Method* method : runnable_methods()) {
    for (const Request& request : requests_for(*method, pattern)) {
      SCOPED_TRACE(method->info().id);
      const auto began = std::chrono::steady_clock::now();
      expect_clean(run_with_stop(*method, request, pool, {}));
      const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - began;
      for (int round = 0; round < 8; ++round) {
        std::stop_source source;
        const double moment = std::uniform_real_distribution<double>(0.0, 1.1)(random) * whole.count();
        std::thread stopper([&] {
          std::this_thread::sleep_for(std::chrono::duration<double>(moment));
          source.request_stop();
        });
        const Outcome outcome = run_with_stop(*method, request, pool, source.get_token());
        stopper.join();
        expect_clean(outcome);
      }
    }
  }
  // The thread pool still runs work.
  EXPECT_TRUE(run_job(*find_method("bs-fft"), request_of(random_pattern(30, 30, 60, 4)), pool));
}

TEST(Cancellation, OfOneJobDoesNotTouchAnotherOnTheSamePool) {
  const PatternPtr pattern = random_pattern(700, 650, 9000, 5);
  const Method& method = *find_method("bs-fft");
  const Request request = request_of(pattern, {}, {true, true, false, 1024});
  const auto reference = run_job(method, request, pool());
  ASSERT_TRUE(reference);
  std::stop_source source;
  std::jthread disturber([&] {
    std::mt19937 random(6);
    while (!source.stop_requested()) {
      std::stop_source own;
      std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
        own.request_stop();
      });
      expect_clean(run_with_stop(method, request, pool(), own.get_token()));
    }
  });
  for (int round = 0; round < 5; ++round) {
    const auto result = run_job(method, request, pool());
    EXPECT_TRUE(result);
    if (result) {
      EXPECT_EQ((*result)->values, (*reference)->values);
    }
  }
  source.request_stop();
}

}  // namespace
}  // namespace spyctrum::test
