// SPDX-License-Identifier: Apache-2.0
// A device job that fails for memory, or because the device broke, is done by the CPU and says so; what the
// user stopped or asked wrongly is not done twice. The device is played by a method that fails on it.
#include <gtest/gtest.h>

#include "app/controller.hpp"
#include "app/tasks.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

ThreadPool& pool() {
  static ThreadPool pool(2);
  return pool;
}

constexpr Backend kDevice{BackendKind::cuda, 0, true};

/// Runs on the CPU; on a device it throws what it was given.
class Fragile : public Method {
 public:
  explicit Fragile(ErrorCode code) : code_(code) { info_.id = info_.label = "fragile"; }
  [[nodiscard]] const MethodInfo& info() const override { return info_; }
  [[nodiscard]] const std::vector<Parameter>& parameters() const override { return parameters_; }
  [[nodiscard]] Support supports(Backend, std::uint64_t, std::uint64_t) const override { return {}; }
  [[nodiscard]] Forecast forecast(const Request&) const override { return {}; }
  [[nodiscard]] Spectrum run(const Request& request, JobContext&) const override {
    (request.backend.kind == BackendKind::cuda ? device_runs : cpu_runs) += 1;
    if (request.backend.kind == BackendKind::cuda) throw Failure(code_, "the device says no.");
    return {};
  }
  mutable int device_runs = 0, cpu_runs = 0;

 private:
  ErrorCode code_;
  MethodInfo info_;
  std::vector<Parameter> parameters_;
};

Request some_request() {
  Request request;
  request.pattern = make_pattern(4, 5, {{0, 1}, {3, 2}});
  request.backend = kDevice;
  return request;
}

TEST(Fallback, WhatDoesNotFitOnTheDeviceIsComputedByTheCpuAndSaidSo) {
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

TEST(Fallback, WhatWasStoppedOrAskedWronglyIsNotDoneTwice) {
  for (const ErrorCode code : {ErrorCode::cancelled, ErrorCode::wrong_use, ErrorCode::bad_input}) {
    const Fragile method(code);
    JobContext context(pool());
    EXPECT_THROW((void)run_or_fall_back(method, some_request(), context), Failure);
    EXPECT_EQ(method.cpu_runs, 0);
  }
}

TEST(Fallback, TheCpusOwnFailureIsItsOwn) {
  EXPECT_FALSE(is_for_cpu({}, {ErrorCode::out_of_memory, "", "", 0}));
  EXPECT_TRUE(is_for_cpu(kDevice, {ErrorCode::out_of_memory, "", "", 0}));
}

TEST(BackendOfTheWindow, AutomaticTakesTheDeviceOrSaysWhyNot) {
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
  EXPECT_EQ(controller.state().status.cuda_reason, "") << "nobody asked for CUDA";
}

TEST(BackendOfTheWindow, OneThatIsNotThereIsSaidAndTheCpuTakesItsPlace) {
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
