// SPDX-License-Identifier: Apache-2.0
// A job that fails on the device for lack of memory or because of a fault is repeated by the CPU, and the
// result says so; stopped and invalid jobs are not repeated. A method that throws on the device simulates the
// failures.
#include <gtest/gtest.h>

#include "app/controller/controller.hpp"
#include "app/controller/device_runs.hpp"
#include "core/device/backends.hpp"
#include "core/engine/refining_stream.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

constexpr Backend kDevice{BackendKind::cuda, 0, true};

/// Runs on the CPU; on a device it throws an error of the given code.
class Fragile : public Method {
 public:
  explicit Fragile(ErrorCode code) : Method({"fragile", "fragile", {}, {}, {}}, {}), code_(code) {}
  [[nodiscard]] Support supports(Backend) const override { return {}; }
  [[nodiscard]] Forecast forecast(const ResolvedRequest&) const override { return {}; }
  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext&) const override {
    (request.backend.kind == BackendKind::cuda ? device_runs : cpu_runs) += 1;
    if (request.backend.kind == BackendKind::cuda) throw Failure(code_, "the device says no.");
    return {};
  }
  mutable int device_runs = 0, cpu_runs = 0;

 private:
  ErrorCode code_;
};

ResolvedRequest some_request() {
  ResolvedRequest request;
  request.pattern = make_pattern(4, 5, {{0, 1}, {3, 2}});
  request.backend = kDevice;
  return request;
}

TEST(Fallback, AJobThatFailsOnTheDeviceIsRepeatedByTheCpuAndReported) {
  for (const ErrorCode code :
       {ErrorCode::out_of_memory, ErrorCode::backend_unavailable, ErrorCode::internal}) {
    const Fragile method(code);
    JobContext context(pool());
    const RunOutcome outcome = run_or_fall_back(method, some_request(), context);
    ASSERT_TRUE(outcome.spectrum);
    EXPECT_EQ(outcome.spectrum->provenance.backend, "cpu");
    ASSERT_TRUE(outcome.fallback);
    EXPECT_EQ(outcome.fallback->code, code);
    EXPECT_EQ(method.device_runs, 1);
    EXPECT_EQ(method.cpu_runs, 1);
  }
}

TEST(Fallback, StoppedAndInvalidJobsAreNotRepeated) {
  for (const ErrorCode code : {ErrorCode::cancelled, ErrorCode::wrong_use, ErrorCode::bad_input}) {
    const Fragile method(code);
    JobContext context(pool());
    EXPECT_THROW((void)run_or_fall_back(method, some_request(), context), Failure);
    EXPECT_EQ(method.cpu_runs, 0);
  }
}

TEST(Fallback, SmallRunsGoToTheCpuAndLargerOnesUntilTheDeviceIsAwake) {
  constexpr double kTiny = 1e6, kMiddling = 1e9, kPlaneOfSide20000 = 2e10, kLarge = 1e11;
  EXPECT_TRUE(is_faster_on_cpu(kTiny, 16, true));
  EXPECT_FALSE(is_faster_on_cpu(kMiddling, 16, true));
  EXPECT_TRUE(is_faster_on_cpu(kMiddling, 16, false));
  EXPECT_FALSE(is_faster_on_cpu(kMiddling, 1, false)) << "one thread takes longer than waking";
  EXPECT_FALSE(is_faster_on_cpu(kPlaneOfSide20000, 64, false)) << "32 threads take no longer than 64";
  EXPECT_FALSE(is_faster_on_cpu(kLarge, 16, false));
}

/// A stream of the exact plane whose device fails once there is an estimate.
class FailsAfterAnEstimate : public Fragile {
 public:
  FailsAfterAnEstimate() : Fragile(ErrorCode::internal) {}
  [[nodiscard]] Spectrum run(const ResolvedRequest& request, JobContext& context) const override {
    PlaneProgress& progress = *request.progress;
    const bool on_device = request.backend.kind == BackendKind::cuda;
    progress.pause(on_device);
    if (!on_device) rows_before = progress.estimate()->rows_done;
    Spectrum spectrum = run_refining(cpu_request(request), context);
    if (on_device) throw Failure(ErrorCode::internal, "the device is gone.");
    return spectrum;
  }
  mutable std::uint64_t rows_before = 0;

 private:
  static ResolvedRequest cpu_request(ResolvedRequest request) {
    request.backend = {};
    request.parameters = *resolve(*find_method("exact"), {});
    return request;
  }
};

TEST(Fallback, AStreamThatFailsOnTheDeviceContinuesOnTheCpu) {
  const FailsAfterAnEstimate method;
  JobContext context(pool());
  ResolvedRequest request;
  request.pattern = random_pattern(1500, 1400, 6000, 3);
  request.outputs = {false, true, true, 64};
  request.backend = kDevice;
  request.progress = std::make_shared<PlaneProgress>();
  const RunOutcome outcome = run_or_fall_back(method, request, context);
  ASSERT_TRUE(outcome.fallback) << "said so";
  const std::uint64_t rows = request.progress->estimate()->rows;
  EXPECT_GT(method.rows_before, 0U);
  EXPECT_LT(method.rows_before, rows) << "the device failed before the end";
  EXPECT_TRUE(request.progress->estimate()->complete());
  ASSERT_TRUE(outcome.spectrum && outcome.spectrum->pyramid);
  EXPECT_TRUE(outcome.spectrum->pyramid->streamed_share.empty()) << "every row was streamed once";
  ResolvedRequest plain = request;
  plain.backend = {};
  plain.parameters = *resolve(*find_method("exact"), {});
  plain.progress = std::make_shared<PlaneProgress>();
  const Spectrum expected = run_refining(plain, context);
  EXPECT_NEAR(outcome.spectrum->features->entropy, expected.features->entropy, 1e-9);
  for (std::size_t k = 0; k < expected.pyramid->mean_power.size(); ++k)
    ASSERT_NEAR(outcome.spectrum->pyramid->mean_power[k], expected.pyramid->mean_power[k],
                2e-5F * expected.pyramid->mean_power[k] + 1e-4F)
        << k;
}

TEST(Fallback, AFailureOfTheCpuIsNotRepeated) {
  EXPECT_FALSE(is_for_cpu({}, {ErrorCode::out_of_memory, "", "", 0}));
  EXPECT_TRUE(is_for_cpu(kDevice, {ErrorCode::out_of_memory, "", "", 0}));
}

TEST(BackendOfTheWindow, AutomaticSelectsTheDeviceOrReportsWhyNot) {
  const Controller controller;
  const StatusFacts& facts = controller.state().status;
  EXPECT_EQ(facts.on_device, cuda_unavailable_reason().empty());
  EXPECT_EQ(facts.cuda_reason, cuda_unavailable_reason());
  EXPECT_TRUE(facts.backend.starts_with(facts.on_device ? "CUDA · " : "CPU, ")) << facts.backend;
}

TEST(BackendOfTheWindow, TheCpuMayBeChosen) {
  Controller::Options options;
  options.backend = "cpu";
  const Controller controller(options);
  EXPECT_FALSE(controller.state().status.on_device);
  EXPECT_EQ(controller.state().status.cuda_reason, "") << "CUDA was not requested";
}

TEST(BackendOfTheWindow, AMissingDeviceIsReportedAndReplacedByTheCpu) {
  Controller controller;
  Settings settings = controller.state().settings;
  settings.backend = "cuda:63";
  controller.dispatch(action::SetSettings{settings});
  EXPECT_FALSE(controller.state().status.on_device);
  EXPECT_NE(controller.state().status.cuda_reason, "");
  ASSERT_FALSE(controller.state().toasts.empty());
  settings.backend = "auto";
  controller.dispatch(action::SetSettings{settings});
  EXPECT_EQ(controller.state().status.on_device, cuda_unavailable_reason().empty());
}

}  // namespace
}  // namespace spyctrum::test
