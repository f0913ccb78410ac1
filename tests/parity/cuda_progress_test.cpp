// SPDX-License-Identifier: Apache-2.0
// A stream of the whole plane on a CUDA device that can be read while it runs, paused and resumed, against a
// plain pass of the CPU. Tolerances: 1e-6 for sums of squares of single-precision values, whose rounding
// errors are random; an estimate that stopped early may differ by a few of its own standard errors. Without a
// device the tests report that nothing was compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "core/cluster/communicator.hpp"
#include "core/device/backends.hpp"
#include "core/device/loader.hpp"
#include "core/device/row_transform_plans.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/engine/refining_stream.hpp"
#include "core/features/feature_table.hpp"
#include "tests/support/feature_bits.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

constexpr Backend kCuda{BackendKind::cuda, 0, false};

class CudaProgress : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = cuda_unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << "NOT COMPARED, no CUDA device: " << reason;
  }
  static SpectrumPtr run(const PatternPtr& pattern, const RequestedOutputs& outputs, const Backend& backend,
                         const std::shared_ptr<PlaneProgress>& progress,
                         const ParameterValues& parameters = {}) {
    Request request = request_of(pattern, parameters, outputs);
    request.backend = backend;
    request.progress = progress;
    auto result = run_job(*find_method("exact"), std::move(request), pool());
    if (!result) ADD_FAILURE() << result.error().message();
    return result ? *result : nullptr;
  }
  static void expect_features(const Features& actual, const Features& expected) {
    EXPECT_NEAR(actual.entropy, expected.entropy, 1e-6);
    for (std::size_t k = 0; k < kRadialBins; ++k)
      EXPECT_NEAR(actual.radial[k], expected.radial[k], 1e-6) << "ring " << k;
    for (std::size_t k = 0; k < kSectors; ++k)
      EXPECT_NEAR(actual.sectors[k], expected.sectors[k], 1e-6) << "sector " << k;
    EXPECT_NEAR(actual.low_frequency_ratio, expected.low_frequency_ratio, 1e-6);
    EXPECT_NEAR(actual.flatness, expected.flatness, 1e-5 * expected.flatness + 1e-9);
    EXPECT_EQ(actual.samples, expected.samples);
  }
  /// Features, pyramid and strongest coefficients of a whole stream.
  static void expect_all(const PatternPtr& pattern, const std::string& tile);
};

constexpr RequestedOutputs kFeatures{false, true, false, 64};
constexpr RequestedOutputs kAll{false, true, true, 64};

void CudaProgress::expect_all(const PatternPtr& pattern, const std::string& tile) {
  const SpectrumPtr expected = run(pattern, kAll, {}, std::make_shared<PlaneProgress>());
  const SpectrumPtr actual = run(pattern, kAll, kCuda, std::make_shared<PlaneProgress>(), {{"tile", tile}});
  ASSERT_TRUE(expected && actual && expected->pyramid && actual->pyramid);
  expect_features(*actual->features, *expected->features);
  EXPECT_TRUE(actual->pyramid->streamed_share.empty());
  ASSERT_EQ(actual->pyramid->mean_power.size(), expected->pyramid->mean_power.size());
  for (std::size_t k = 0; k < expected->pyramid->mean_power.size(); ++k) {
    ASSERT_NEAR(actual->pyramid->mean_power[k], expected->pyramid->mean_power[k],
                2e-5F * expected->pyramid->mean_power[k] + 1e-4F)
        << k;
    ASSERT_NEAR(actual->pyramid->max_power[k], expected->pyramid->max_power[k],
                2e-5F * expected->pyramid->max_power[k] + 1e-4F)
        << k;
  }
  ASSERT_EQ(actual->strongest.size(), expected->strongest.size());
  // Coefficients of equal magnitude may come in another order, so that only magnitudes are compared.
  for (std::size_t k = 0; k < expected->strongest.size(); ++k)
    ASSERT_NEAR(std::abs(actual->strongest[k].value), std::abs(expected->strongest[k].value),
                1e-4F * std::abs(expected->strongest[k].value))
        << k;
}

std::vector<std::string> graphs() {
  return {"gen:random:rows=333,cols=200,nnz=1500",   "gen:power-law:n=401,nnz=3000",
          "gen:random:rows=1200,cols=1009,nnz=9000", "gen:random:rows=2,cols=9,nnz=4",
          "gen:power-law:n=1200,nnz=6000",           "gen:power-law:n=1202,nnz=6000"};
}

TEST_F(CudaProgress, ACompleteStreamGivesTheFeaturesOfAPlainPass) {
  for (const std::string& text : graphs()) {
    SCOPED_TRACE(text);
    const PatternPtr pattern = generated(text);
    const auto progress = std::make_shared<PlaneProgress>();
    const SpectrumPtr expected = run(pattern, kFeatures, {}, nullptr);
    const SpectrumPtr actual = run(pattern, kFeatures, kCuda, progress, {{"tile", "48"}});
    ASSERT_TRUE(expected && actual);
    expect_features(*actual->features, *expected->features);
    EXPECT_EQ(actual->exactness, Exactness::exact);
    EXPECT_TRUE(progress->estimate()->complete());
  }
}

TEST_F(CudaProgress, ACompleteStreamGivesThePyramidAndStrongestCoefficientsOfTheCpu) {
  for (const std::string& text : graphs()) {
    SCOPED_TRACE(text);
    expect_all(generated(text), "48");
  }
}

TEST_F(CudaProgress, MoreTiesThanTheDeviceListsGiveTheResultsOfTheCpu) {
  expect_all(make_pattern(401, 401, {{3, 5}}), "48");
}

TEST_F(CudaProgress, StopsAtTheAllowedErrorAndResumesToTheSameResult) {
  const PatternPtr pattern = generated("gen:power-law:n=6000,nnz=40000");
  const SpectrumPtr expected = run(pattern, kFeatures, kCuda, std::make_shared<PlaneProgress>());
  ASSERT_TRUE(expected);
  for (const RequestedOutputs& outputs : {kFeatures, kAll}) {
    const auto progress = std::make_shared<PlaneProgress>();
    const ParameterValues early{{"until", "0.02"}, {"tile", "64"}};
    const SpectrumPtr stopped = run(pattern, outputs, kCuda, progress, early);
    ASSERT_TRUE(stopped);
    const auto estimate = progress->estimate();
    ASSERT_TRUE(estimate);
    EXPECT_FALSE(estimate->complete());
    EXPECT_LT(estimate->rows_done, estimate->rows / 2);
    EXPECT_LE(estimate->largest, 0.02);
    EXPECT_EQ(stopped->exactness, Exactness::estimate);
    EXPECT_NEAR(stopped->features->entropy / expected->features->entropy, 1, 0.05);
    progress->stop_below(0);
    const SpectrumPtr ended = run(pattern, outputs, kCuda, progress, {{"tile", "64"}});
    ASSERT_TRUE(ended);
    EXPECT_TRUE(progress->estimate()->complete());
    expect_features(*ended->features, *expected->features);
  }
}

TEST_F(CudaProgress, CancellingNeitherLosesNorRepeatsARow) {
  const PatternPtr pattern = generated("gen:power-law:n=3000,nnz=9000");
  const SpectrumPtr expected = run(pattern, kAll, {}, std::make_shared<PlaneProgress>());
  ASSERT_TRUE(expected);
  for (const RequestedOutputs& outputs : {kFeatures, kAll}) {
    const auto progress = std::make_shared<PlaneProgress>();
    for (const std::uint64_t after : {3U, 200U, 700U}) {
      std::stop_source stop;
      JobContext::Options options;
      options.stop = stop.get_token();
      options.on_progress = [&](const Progress& now) {
        if (now.stage == "transform" && now.done > after) stop.request_stop();
      };
      JobContext context(pool(), std::move(options));
      Request request = request_of(pattern, {{"tile", "17"}}, outputs);
      request.backend = kCuda;
      request.progress = progress;
      const auto ended = run_method(*find_method("exact"), request, context);
      EXPECT_TRUE(ended || ended.error().code == ErrorCode::cancelled);
    }
    const SpectrumPtr ended = run(pattern, outputs, kCuda, progress, {{"tile", "50"}});
    ASSERT_TRUE(ended);
    expect_features(*ended->features, *expected->features);
    if (!outputs.pyramid) continue;
    ASSERT_TRUE(ended->pyramid);
    EXPECT_TRUE(ended->pyramid->streamed_share.empty()) << "every row was streamed once";
    for (std::size_t k = 0; k < expected->pyramid->mean_power.size(); ++k)
      ASSERT_NEAR(ended->pyramid->mean_power[k], expected->pyramid->mean_power[k],
                  2e-5F * expected->pyramid->mean_power[k] + 1e-4F)
          << k;
    ASSERT_EQ(ended->strongest.size(), expected->strongest.size());
  }
}

TEST_F(CudaProgress, AStreamThatStoppedOnTheDeviceResumesOnTheCpu) {
  const PatternPtr pattern = generated("gen:power-law:n=3000,nnz=9000");
  const SpectrumPtr expected = run(pattern, kAll, {}, std::make_shared<PlaneProgress>());
  const auto progress = std::make_shared<PlaneProgress>();
  const SpectrumPtr begun = run(pattern, kAll, kCuda, progress, {{"until", "0.03"}, {"tile", "64"}});
  ASSERT_TRUE(expected && begun);
  ASSERT_FALSE(progress->estimate()->complete());
  progress->stop_below(0);
  const SpectrumPtr ended = run(pattern, kAll, {}, progress);
  ASSERT_TRUE(ended && ended->pyramid);
  expect_features(*ended->features, *expected->features);
  EXPECT_TRUE(ended->pyramid->streamed_share.empty());
  ASSERT_EQ(ended->strongest.size(), expected->strongest.size());
  for (std::size_t k = 0; k < expected->strongest.size(); ++k)
    ASSERT_NEAR(std::abs(ended->strongest[k].value), std::abs(expected->strongest[k].value),
                1e-4F * std::abs(expected->strongest[k].value))
        << k;
}

TEST_F(CudaProgress, AGroupOfDevicesGivesTheBitsOfOneDevice) {
  const int count = cuda::loaded_module().module->device_count();
  if (count < 2) std::printf("NOT COMPARED, one device: groups of several devices\n");
  for (const std::string& text : graphs()) {
    const PatternPtr pattern = generated(text);
    for (const char* until : {"0", "0.03"}) {
      const ParameterValues parameters{{"until", until}, {"tile", "32"}};
      const SpectrumPtr one = run(pattern, kAll, kCuda, std::make_shared<PlaneProgress>(), parameters);
      ASSERT_TRUE(one && one->pyramid);
      for (int members = 1; members <= count; ++members) {
        SCOPED_TRACE(text + ", until " + until + ", devices " + std::to_string(members));
        const Backend group{BackendKind::cuda, 0, false, (std::uint64_t{1} << members) - 1};
        const SpectrumPtr all = run(pattern, kAll, group, std::make_shared<PlaneProgress>(), parameters);
        ASSERT_TRUE(all && all->pyramid);
        for (const FeatureDefinition& feature : kFeatureTable)
          EXPECT_TRUE(std::ranges::equal(feature.of(*all->features), feature.of(*one->features)))
              << feature.id;
        EXPECT_EQ(all->features->samples, one->features->samples);
        EXPECT_EQ(all->pyramid->mean_power, one->pyramid->mean_power);
        EXPECT_EQ(all->pyramid->max_power, one->pyramid->max_power);
        ASSERT_EQ(all->strongest.size(), one->strongest.size());
        for (std::size_t k = 0; k < one->strongest.size(); ++k)
          EXPECT_EQ(all->strongest[k].value, one->strongest[k].value) << k;
      }
      // Without a progress of its own a group streams all the same.
      const Backend whole{BackendKind::cuda, 0, false, 1};
      const SpectrumPtr plain = run(pattern, kAll, whole, nullptr);
      ASSERT_TRUE(plain);
      expect_features(*plain->features, *run(pattern, kAll, {}, nullptr)->features);
    }
  }
}

TEST_F(CudaProgress, EveryKernelOfRowSumsEqualsTheCpu) {
  for (const auto& [rows, cols] : {std::pair{70U, 150U}, {53U, 211U}, {40U, 7919U}}) {
    SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(cols));
    const PatternPtr pattern = random_pattern(rows, cols, 600, 15);
    const SpectrumPtr expected = run(pattern, kFeatures, {}, nullptr);
    const SpectrumPtr actual = run(pattern, kFeatures, kCuda, std::make_shared<PlaneProgress>());
    ASSERT_TRUE(expected && actual);
    expect_features(*actual->features, *expected->features);
  }
  for (const char* text : {"gen:power-law:n=150,nnz=600", "gen:power-law:n=211,nnz=900"}) {
    SCOPED_TRACE(text);
    expect_all(generated(text), "48");
  }
}

TEST_F(CudaProgress, PowerOnTheEdgesOfRadialBinsFallsIntoTheBinsOfTheCpu) {
  // All power lies on u + v ≡ 0, where r = √2·u/n: at n = 512 on the edge of a bin for every u = 16k.
  for (const char* text : {"gen:diagonal:n=512", "gen:circulant:n=512,degree=1,offset=3"}) {
    SCOPED_TRACE(text);
    const PatternPtr pattern = generated(text);
    const SpectrumPtr expected = run(pattern, kFeatures, {}, nullptr);
    const SpectrumPtr actual = run(pattern, kFeatures, kCuda, std::make_shared<PlaneProgress>());
    ASSERT_TRUE(expected && actual);
    expect_features(*actual->features, *expected->features);
    EXPECT_NEAR(expected->features->radial[5], 32.0 / 512, 1e-6);  // 16 values of u and their conjugates
  }
}

/// The ranks of one process, each on a thread of its own.
class ThreadRanks {
 public:
  explicit ThreadRanks(unsigned size) : sent_(size), barrier_(size) {}

  class Rank : public Communicator {
   public:
    Rank(ThreadRanks& all, unsigned number) : all_(all), number_(number) {}
    [[nodiscard]] unsigned rank() const override { return number_; }
    [[nodiscard]] unsigned size() const override { return static_cast<unsigned>(all_.sent_.size()); }
    [[nodiscard]] unsigned ranks_on_host() const override { return size(); }
    [[nodiscard]] unsigned rank_on_host() const override { return number_; }
    [[nodiscard]] std::vector<std::vector<std::byte>> gather(std::span<const std::byte> own,
                                                             const std::stop_token& /*stop*/) override {
      all_.sent_[number_].assign(own.begin(), own.end());
      all_.barrier_.arrive_and_wait();
      std::vector<std::vector<std::byte>> received = all_.sent_;
      all_.barrier_.arrive_and_wait();
      return received;
    }
    void abort(int exit_code) override { ADD_FAILURE() << "rank " << number_ << " ends with " << exit_code; }

   private:
    ThreadRanks& all_;
    unsigned number_;
  };

 private:
  std::vector<std::vector<std::byte>> sent_;
  std::barrier<> barrier_;
};

/// The results of the exact method by `size` ranks, each a thread here, all on the same device.
std::vector<SpectrumPtr> run_ranks(const PatternPtr& pattern, unsigned size,
                                   const ParameterValues& parameters) {
  ThreadRanks ranks(size);
  std::vector<SpectrumPtr> results(size);
  std::vector<std::jthread> threads;
  for (unsigned rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      ThreadRanks::Rank own(ranks, rank);
      ThreadPool workers(1);
      Request request = request_of(pattern, parameters, kFeatures);
      request.backend = kCuda;
      request.progress = std::make_shared<PlaneProgress>();
      request.progress->share_with(own);
      if (auto result = run_job(*find_method("exact"), std::move(request), workers)) results[rank] = *result;
    });
  threads.clear();  // waits for them
  return results;
}

TEST_F(CudaProgress, AnyNumberOfRanksGivesTheSameFeatures) {
  constexpr std::uint64_t kPrime = 5003;
  EXPECT_GT(row_transform_plans(kPrime, cuda::RowAlgorithm::optimized, kCuda, true).size(), 1U)
      << "control: the rows of a symmetric pattern have several plans";
  std::vector<std::string> texts = graphs();
  texts.push_back("gen:power-law:nnz=20000,n=" + std::to_string(kPrime));
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    const PatternPtr pattern = generated(text);
    std::vector<Features> of_size;
    for (const unsigned size : {1U, 2U, 3U}) {
      for (const SpectrumPtr& result : run_ranks(pattern, size, {{"tile", "48"}})) {
        ASSERT_TRUE(result && result->features);
        of_size.push_back(*result->features);
      }
    }
    for (const Features& features : of_size) {
      expect_features(features, of_size.front());
      EXPECT_TRUE(same_bits(figures(features), figures(of_size.front())));
    }
  }
}

TEST_F(CudaProgress, AStreamAfterWakingHasTheSameBits) {
  const PatternPtr pattern = generated("gen:random:rows=20000,cols=3001,nnz=60000");
  const auto features = [&] { return figures(*run_ranks(pattern, 1, {}).front()->features); };
  const auto before = features();
  for (const bool is_shared : {false, true}) wake_streams(kCuda, is_shared);
  EXPECT_TRUE(cuda::loss().empty()) << cuda::loss();
  EXPECT_TRUE(same_bits(features(), before));
}

TEST_F(CudaProgress, RanksEndTheStreamAtTheSameCheckPoint) {
  const PatternPtr pattern = generated("gen:random:rows=20000,cols=3001,nnz=60000");
  std::vector<Features> of_size;
  for (const unsigned size : {1U, 2U, 3U}) {
    for (const SpectrumPtr& result : run_ranks(pattern, size, {{"until", "0.05"}})) {
      ASSERT_TRUE(result && result->features);
      EXPECT_EQ(result->exactness, Exactness::estimate);
      of_size.push_back(*result->features);
    }
  }
  for (const Features& features : of_size)
    EXPECT_TRUE(same_bits(figures(features), figures(of_size.front())));
}

}  // namespace
}  // namespace spyctrum::test
