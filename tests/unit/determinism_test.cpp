// SPDX-License-Identifier: Apache-2.0
// The seed determines every bit of a result, whatever the number of threads and the assignment of work to
// threads: the order of sums is fixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "core/engine/plane_progress.hpp"
#include "core/features/feature_consumer.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"
#include "tests/support/feature_bits.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/method_runs.hpp"
#include "tests/support/reconstruction_errors.hpp"
#include "tests/unit/naive_plane.hpp"

namespace spyctrum {
namespace {

using test::figures;
using test::same_bits;

/// Starts and ends threads all the time, so that the threads of a pool are interrupted at different moments.
class Unrest {
 public:
  Unrest() {
    for (unsigned k = 0; k < 3; ++k) {
      threads_.emplace_back([k](const std::stop_token& stop) {
        std::mt19937 random(k + 1);
        while (!stop.stop_requested()) {
          const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 700);
          while (std::chrono::steady_clock::now() < until) continue;
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
        }
      });
    }
  }

 private:
  std::vector<std::jthread> threads_;
};

class DeterminismTest : public testing::Test {
 protected:
  /// Calls look(pool, label) with 1, 2 and 7 threads, the latter more than once.
  template <class Look>
  static void on_many_pools(Look&& look) {
    const Unrest unrest;
    for (const unsigned threads : {1U, 2U, 7U, 7U, 7U}) {
      ThreadPool pool(threads);
      SCOPED_TRACE(testing::Message() << threads << " threads");
      look(pool);
    }
  }
  static constexpr std::array kMatrices{"gen:power-law:n=1531,nnz=9000,seed=3", "gen:band:n=1201",
                                        "gen:circulant:n=900"};
};

TEST_F(DeterminismTest, RunsOfRowsAddUpToTheSameBitsInAnyOrder) {
  constexpr std::int64_t kRows = 96;
  constexpr std::size_t kRun = 8;
  const test::NaivePlane plane = test::random_plane(2 * kRows - 2, 50, 5);
  const auto features_in = [&](const std::vector<std::size_t>& runs, unsigned workers) {
    FeatureConsumer consumer(0);
    consumer.begin(2 * kRows - 2, 50, workers);
    for (std::size_t k = 0; k < runs.size(); ++k) {
      for (std::size_t r = 0; r < kRun; ++r) {
        const auto u = static_cast<std::int64_t>(runs[k] * kRun + r);
        std::vector<std::complex<float>> row;
        for (std::int64_t v = 0; v < plane.n; ++v) row.emplace_back(plane.at(u, v));
        consumer.consume({u, u != 0 && 2 * u != plane.m, row, false, r + 1 == kRun},
                         static_cast<unsigned>(k % workers));
      }
    }
    consumer.finish();
    return figures(consumer.features());
  };
  std::vector<std::size_t> order(kRows / kRun);
  std::iota(order.begin(), order.end(), 0);
  const std::vector<double> expected = features_in(order, 1);
  std::mt19937 random(1);
  for (unsigned workers = 1; workers < 6; ++workers) {
    std::shuffle(order.begin(), order.end(), random);
    EXPECT_TRUE(same_bits(features_in(order, workers), expected)) << workers;
  }
}

TEST_F(DeterminismTest, EveryMethodGivesTheSameBitsOnAnyNumberOfThreads) {
  for (const char* text : kMatrices) {
    const PatternPtr pattern = test::generated(text);
    for (const auto& method : methods()) {
      // The library adds up its threads' grids in the order in which they end.
      if (method->info().id == "nufft") continue;
      SCOPED_TRACE(std::string(text) + ", " + method->info().id);
      std::vector<double> expected;
      std::vector<std::complex<float>> values;
      on_many_pools([&](ThreadPool& pool) {
        JobContext context(pool);
        Request request = test::request_of(
            pattern, {}, {.values = !method->info().full_plane, .features = true, .pyramid = false});
        if (method->info().uses_block) request.parameters["block"] = "12";
        auto spectrum = run_method(*method, request, context);
        ASSERT_TRUE(spectrum) << spectrum.error().message();
        const std::vector<double> got = figures((*spectrum)->features.value());
        if (expected.empty()) {
          expected = got;
          values = (*spectrum)->values;
        }
        EXPECT_TRUE(same_bits(got, expected)) << "entropy " << got[0] << " and " << expected[0];
        EXPECT_TRUE(same_bits((*spectrum)->values, values));
      });
    }
  }
}

TEST_F(DeterminismTest, AStreamThatCanStopGivesTheSameBits) {
  for (const char* text : kMatrices) {
    SCOPED_TRACE(text);
    const PatternPtr pattern = test::generated(text);
    std::vector<double> expected;
    on_many_pools([&](ThreadPool& pool) {
      JobContext context(pool);
      Request request = test::request_of(pattern, {}, {.values = false, .features = true, .pyramid = false});
      request.progress = std::make_shared<PlaneProgress>();
      auto spectrum = run_method(*find_method("bs-fft"), request, context);
      ASSERT_TRUE(spectrum) << spectrum.error().message();
      const std::vector<double> got = figures((*spectrum)->features.value());
      if (expected.empty()) expected = got;
      EXPECT_TRUE(same_bits(got, expected));
    });
  }
}

TEST_F(DeterminismTest, ErrorsOfAReconstructionHaveTheSameBits) {
  for (const char* text : kMatrices) {
    SCOPED_TRACE(text);
    const PatternPtr pattern = test::generated(text);
    std::vector<double> expected;
    on_many_pools([&](ThreadPool& pool) {
      JobContext context(pool);
      const ReconstructionErrors errors = test::elastic_errors(pattern, "8", context);
      const std::vector<double> got{errors.hellinger, errors.recall_top10};
      if (expected.empty()) expected = got;
      EXPECT_TRUE(same_bits(got, expected)) << got[0] << " " << expected[0];
    });
  }
}

}  // namespace
}  // namespace spyctrum
