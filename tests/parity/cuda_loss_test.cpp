// SPDX-License-Identifier: Apache-2.0
// A CUDA device that is lost while the program runs: every later job reports the reason and runs on the CPU.
// Each test runs in a process of its own, because CUDA cannot be restored in a process that has lost it. With
// a device the error is a real illegal memory access; without one the test reports it as the module would.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "core/device/backends.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_module.hpp"
#include "core/device/interface/lattice.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

constexpr Backend kNamed{BackendKind::cuda, 0, false};
constexpr Backend kAutomatic{BackendKind::cuda, 0, true};

/// Whether jobs behave as they must after the job that lost the device returned `error`: a named device is
/// refused with the reason, `auto` takes the CPU. Returns the first violation; empty if there is none.
std::string problem_after(const Error& error) {
  if (error.code != ErrorCode::backend_unavailable) return "the job that lost it says: " + error.message();
  const std::string lost = cuda_unavailable_reason();
  if (lost.find("CUDA is lost until the program is started again: ") != 0) return "reason: " + lost;
  if (error.what.find(lost) == std::string::npos) return "reason: " + lost + ", error: " + error.what;
  const auto named = parse_backend("cuda");
  if (named || named.error().what.find(lost) == std::string::npos) return "--backend cuda is not refused";
  const auto automatic = parse_backend("auto");
  if (!automatic || automatic->kind != BackendKind::cpu) return "auto is not the CPU";
  ThreadPool pool(1);
  const PatternPtr pattern = random_pattern(20, 30, 50, 1);
  for (const Method* method : runnable_methods()) {
    Request request;
    request.pattern = pattern;
    request.backend = kAutomatic;
    const auto taken = run_job(*method, request, pool);
    if (!taken || (*taken)->provenance.backend != "cpu") return method->info().id + " is not the CPU's";
    request.backend = kNamed;
    const auto refused = run_job(*method, request, pool);
    if (refused || refused.error().code != ErrorCode::backend_unavailable ||
        refused.error().what.find(lost) == std::string::npos)
      return method->info().id + " is not refused with the reason";
  }
  return {};
}

/// Ends the process: with 0 and the reason on standard error if problem_after() finds nothing, else with 1.
[[noreturn]] void leave(const Result<void>& result) {
  const std::string problem = result ? "nothing was lost" : problem_after(result.error());
  std::fprintf(stderr, "%s\n", problem.empty() ? cuda_unavailable_reason().c_str() : problem.c_str());
  // _Exit() skips the driver's cleanup.
  std::_Exit(problem.empty() ? 0 : 1);
}

TEST(CudaLossDeathTest, AReportedLossIsTheReasonGivenToEveryLaterJob) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ThreadPool pool(1);
        JobContext context(pool);
        leave(run_guarded([&] {
          DeviceJob host(kNamed, context, std::uint64_t{1} << 30);
          host.fail(cuda::DeviceError::lost,
                    "waiting for the device: an illegal memory access was encountered", 700);
        }));
      },
      ::testing::ExitedWithCode(0), "until the program is started again: waiting for the device: an illegal");
}

TEST(CudaLossDeathTest, ARealIllegalAccessIsRecognised) {
  if (!cuda_unavailable_reason().empty())
    GTEST_SKIP() << "NOT PROVOKED, no CUDA device: " << cuda_unavailable_reason();
  // On an H200 the reset that follows was seen to end the OpenGL contexts of other programs.
  if (std::getenv("SPYCTRUM_PROVOKE_GPU_FAULT") == nullptr)  // NOLINT(concurrency-mt-unsafe): one thread
    GTEST_SKIP()
        << "NOT PROVOKED: only with SPYCTRUM_PROVOKE_GPU_FAULT=1, because it may disturb other programs";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ThreadPool pool(1);
        JobContext context(pool);
        leave(run_guarded([&] {
          DeviceJob host(kNamed, context);
          // Slots of rows that do not exist, so that the kernel reads 64 GB beyond the end of its tables.
          const std::uint32_t id = 0;
          const std::int64_t starts[] = {0, 4};
          const std::uint32_t slots[] = {0xFFFFFFF0U, 0xFFFFFFF1U, 0xFFFFFFF2U, 0xFFFFFFF3U};
          const cuda::PatternView view{64, 64, 4, 1, &id, starts, slots};
          cuda::LatticeAxisSpec axis;
          axis.size = axis.fine = axis.distinct = axis.count = 64;
          axis.step = axis.cell = 1;
          cuda::Pictures& pictures = cuda_module().pictures();
          const std::unique_ptr<cuda::DeviceData> pattern(pictures.upload_pattern(0, view, &id, 1, host));
          const std::unique_ptr<cuda::DeviceData> order(
              pictures.sort_order(0, *pattern, axis, axis, cuda::LatticeOrder::tiles, host));
        }));
      },
      ::testing::ExitedWithCode(0), "until the program is started again: .*illegal memory access");
}

}  // namespace
}  // namespace spyctrum::test
