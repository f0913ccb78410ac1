// SPDX-License-Identifier: Apache-2.0
// Thread pool, job context, memory ledger, backends and errors.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/base/backend.hpp"
#include "core/base/deadline.hpp"
#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/base/memory_ledger.hpp"
#include "core/base/thread_pool.hpp"
#include "core/device/backends.hpp"

namespace spyctrum {
namespace {

TEST(ThreadPool, VisitsEveryIndexOnceInRangesOfAtMostTheGrain) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::size_t count : {0UL, 1UL, 2UL, 7UL, 100UL, 1003UL}) {
      for (const std::size_t grain : {0UL, 1UL, 3UL, 64UL, 5000UL}) {
        std::vector<std::atomic<int>> visits(count);
        std::atomic<bool> too_long{false};
        pool.parallel_for(count, grain, [&](std::size_t begin, std::size_t end, unsigned) {
          if (end - begin > std::max<std::size_t>(1, grain)) too_long = true;
          for (std::size_t k = begin; k < end; ++k) ++visits[k];
        });
        EXPECT_FALSE(too_long);
        for (const auto& visit : visits) EXPECT_EQ(visit.load(), 1);
      }
    }
  }
}

TEST(ThreadPool, GivesConcurrentCallsDistinctWorkerNumbers) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<bool> shared{false};
  std::atomic<bool> out_of_range{false};
  for (int round = 0; round < 20; ++round) {
    pool.parallel_for(200, 1, [&](std::size_t, std::size_t, unsigned worker) {
      if (worker >= 4) {
        out_of_range = true;
        return;
      }
      if (++inside[worker] != 1) shared = true;
      std::this_thread::yield();
      --inside[worker];
    });
  }
  EXPECT_FALSE(shared);
  EXPECT_FALSE(out_of_range);
}

TEST(ThreadPool, HandsRangesOutInAscendingOrder) {
  ThreadPool pool(3);
  std::mutex mutex;
  std::vector<std::size_t> last(3, 0);
  bool ascending = true;
  pool.parallel_for(500, 7, [&](std::size_t begin, std::size_t, unsigned worker) {
    const std::lock_guard lock(mutex);
    if (begin < last[worker]) ascending = false;
    last[worker] = begin;
  });
  EXPECT_TRUE(ascending);
}

TEST(ThreadPool, RethrowsTheFirstExceptionAndCanBeUsedAgain) {
  ThreadPool pool(3);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> calls{0};
    EXPECT_THROW(pool.parallel_for(100000, 1,
                                   [&](std::size_t begin, std::size_t, unsigned) {
                                     ++calls;
                                     if (begin == 10) throw std::runtime_error("ten");
                                     // Otherwise the other ranges could be finished before the exception is
                                     // thrown.
                                     if (begin > 10)
                                       std::this_thread::sleep_for(std::chrono::microseconds(50));
                                   }),
                 std::runtime_error);
    EXPECT_LT(calls.load(), 100000);
    std::atomic<int> visited{0};
    pool.parallel_for(30, 1, [&](std::size_t, std::size_t, unsigned) { ++visited; });
    EXPECT_EQ(visited.load(), 30);
  }
}

/// std::thread's refusal used to end the program.
TEST(ThreadPool, WorksWithAsManyThreadsAsTheSystemPermits) {
  {
    ThreadPool many(4'000'000'000U);
    EXPECT_LE(many.threads(), 1024U);
    std::atomic<int> sum{0};
    many.parallel_for(10, 1,
                      [&](std::size_t begin, std::size_t, unsigned) { sum += static_cast<int>(begin); });
    EXPECT_EQ(sum, 45);
  }
  const pid_t child = fork();
  if (child == 0) {
    // The superuser may start any number: step down.
    const rlimit few{3, 3};
    if (setrlimit(RLIMIT_NPROC, &few) != 0 || (geteuid() == 0 && setuid(54321) != 0)) _exit(2);
    const ThreadPool pool(64);
    _exit(pool.threads() >= 1 && pool.threads() <= 3 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ThreadPool, RunsNestedLoopsWithoutDeadlock) {
  ThreadPool pool(3);
  std::atomic<int> visited{0};
  pool.parallel_for(10, 1, [&](std::size_t, std::size_t, unsigned) {
    pool.parallel_for(10, 1, [&](std::size_t, std::size_t, unsigned) {
      pool.parallel_for(3, 1, [&](std::size_t, std::size_t, unsigned) { ++visited; });
    });
  });
  EXPECT_EQ(visited.load(), 300);
}

TEST(ThreadPool, RunsLoopsOfSeveralThreadsAtOnce) {
  ThreadPool pool(2);
  std::vector<std::thread> lanes;
  std::atomic<int> visited{0};
  for (int lane = 0; lane < 4; ++lane) {
    lanes.emplace_back([&] {
      for (int round = 0; round < 50; ++round)
        pool.parallel_for(40, 1, [&](std::size_t, std::size_t, unsigned) { ++visited; });
    });
  }
  for (std::thread& lane : lanes) lane.join();
  EXPECT_EQ(visited.load(), 4 * 50 * 40);
}

TEST(Deadline, WithoutTimeHasPassedFromTheBeginning) {
  for (int k = 0; k < 100; ++k) {
    const Deadline deadline(0, {});
    ASSERT_TRUE(deadline.token().stop_requested()) << k;
    ASSERT_TRUE(deadline.passed());
  }
  EXPECT_FALSE(Deadline(3600, {}).passed()) << "control";
}

TEST(JobContext, StopsAtTheNextCheckpoint) {
  ThreadPool pool(1);
  std::stop_source source;
  JobContext::Options options;
  options.stop = source.get_token();
  JobContext context(pool, options);
  EXPECT_NO_THROW(context.checkpoint(1, 2));
  source.request_stop();
  EXPECT_TRUE(context.stop_requested());
  for (const auto& call :
       std::vector<std::function<void()>>{[&] { context.checkpoint(1, 2); }, [&] { context.check_stop(); },
                                          [&] { context.begin_stage("x"); }}) {
    try {
      call();
      ADD_FAILURE() << "did not stop";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.error().code, ErrorCode::cancelled);
    }
  }
}

TEST(JobContext, ReportsTheStageAndThrottlesReports) {
  ThreadPool pool(1);
  std::vector<Progress> reports;
  JobContext::Options options;
  options.on_progress = [&](const Progress& progress) { reports.push_back(progress); };
  JobContext context(pool, options);
  context.begin_stage("build");
  const auto began = std::chrono::steady_clock::now();
  std::uint64_t calls = 0;
  while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(70))
    context.checkpoint(++calls, 1u << 30);
  ASSERT_FALSE(reports.empty());
  EXPECT_LT(reports.size(), calls);
  EXPECT_EQ(reports.front().stage, "build");
  EXPECT_EQ(reports.front().total, 1u << 30);
  for (std::size_t k = 1; k < reports.size(); ++k) EXPECT_GT(reports[k].done, reports[k - 1].done);
  context.checkpoint(7, 7);
  EXPECT_EQ(reports.back().done, 7U) << "the end is always reported";
}

TEST(JobContext, ListsStagesInOrderOfFirstBeginAndSumsRepeatedOnes) {
  ThreadPool pool(1);
  JobContext context(pool);
  context.begin_stage("a");
  context.begin_stage("b");
  context.begin_stage("a");
  context.add_stage_seconds("c", 2.5);
  const StageSeconds stages = context.finish_stages();
  ASSERT_EQ(stages.size(), 3U);
  double total = 0;
  std::set<std::string> names;
  for (const auto& [name, seconds] : stages) {
    EXPECT_GE(seconds, 0.0);
    total += seconds;
    names.insert(name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"a", "b", "c"}));
  EXPECT_GE(total, 2.5);
}

TEST(MemoryLedger, CountsHeldBytesAndThePeak) {
  MemoryLedger ledger(1000);
  {
    const Booking first(ledger, 400, "first");
    {
      const Booking second(ledger, 500, "second");
      EXPECT_EQ(ledger.current(), 900U);
    }
    EXPECT_EQ(ledger.current(), 400U);
    EXPECT_EQ(ledger.peak(), 900U);
    ledger.restart_peak();
    EXPECT_EQ(ledger.peak(), 400U);
  }
  EXPECT_EQ(ledger.current(), 0U);
}

TEST(MemoryLedger, RefusesABookingAboveTheAllowanceAndNamesItsPurpose) {
  MemoryLedger ledger(1000);
  const Booking held(ledger, 600, "held");
  for (const std::uint64_t bytes : {std::uint64_t{401}, ~std::uint64_t{0}, ~std::uint64_t{0} - 599}) {
    try {
      const Booking refused(ledger, bytes, "tile buffer");
      ADD_FAILURE() << bytes << " bytes were booked";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.error().code, ErrorCode::out_of_memory);
      EXPECT_NE(failure.error().what.find("tile buffer"), std::string::npos);
    }
    EXPECT_EQ(ledger.current(), 600U);
  }
  EXPECT_NO_THROW(Booking(ledger, 400, "the rest"));
}

TEST(MemoryLedger, BookingsMoveWithTheirOwners) {
  MemoryLedger ledger(1000);
  Booking a(ledger, 100, "a");
  Booking b(std::move(a));
  EXPECT_EQ(ledger.current(), 100U);
  Booking c(ledger, 50, "c");
  c = std::move(b);
  b = Booking();
  EXPECT_EQ(ledger.current(), 100U);
  c = Booking();
  EXPECT_EQ(ledger.current(), 0U);
}

TEST(MemoryLedger, CountsExactlyUnderConcurrentBookings) {
  MemoryLedger ledger(1u << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 2000; ++k) const Booking booking(ledger, 10, "little");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ledger.current(), 0U);
  EXPECT_LE(ledger.peak(), 40U);
  EXPECT_GE(ledger.peak(), 10U);
}

TEST(Memory, OfThisMachineIsPositiveAndConsistent) {
  EXPECT_GT(physical_memory_bytes(), std::uint64_t{1} << 20);
  EXPECT_GT(available_memory_bytes(), 0U);
  EXPECT_LE(default_memory_allowance_bytes(), physical_memory_bytes());
  EXPECT_EQ(memory_allowance_bytes(7), 7U);
  EXPECT_GT(memory_allowance_bytes(0), 7U);
}

TEST(Memory, PagesOfAnArrayAreMappedAndKeepTheirContent) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  const std::size_t bytes = 64 * page;
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* const array = static_cast<char*>(pages);
  array[5] = 'a';
  const auto mapped = [&] {
    std::vector<unsigned char> is_there(bytes / page);
    EXPECT_EQ(mincore(pages, bytes, is_there.data()), 0);
    return std::count_if(is_there.begin(), is_there.end(), [](unsigned char one) { return (one & 1U) != 0; });
  };
  if (mapped() > 1) GTEST_SKIP() << "NOT COMPARED, the system maps more than the page that is written";
  map_pages(array + 5, bytes / 2);  // from the middle of the first page to that of page 32
#ifdef MADV_POPULATE_WRITE
  EXPECT_EQ(mapped(), 33);
#endif
  EXPECT_EQ(array[5], 'a');
  EXPECT_EQ(array[bytes / 2], 0);
  munmap(pages, bytes);
}

TEST(FormatBytes, WritesThreeDigitsInPowersOfTen) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.00 kB");
  EXPECT_EQ(format_bytes(1'567'000'000), "1.57 GB");
  EXPECT_EQ(format_bytes(12'340), "12.3 kB");
  EXPECT_EQ(format_bytes(999'600), "1.00 MB");
}

TEST(Backend, ParsesItsNamesAndExplainsRefusals) {
  EXPECT_EQ(*parse_backend("cpu"), Backend{});
  EXPECT_TRUE(parse_backend("auto").has_value());
  for (const char* text : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CPU", "cuda:0,", "cuda:,1",
                           "cuda:0;1", "cuda:none"}) {
    const auto parsed = parse_backend(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::wrong_use) << text;
    EXPECT_FALSE(parsed.error().advice.empty());
  }
  for (const char* text : {"cuda:64", "cuda:0,64", "cuda:99999999999999999999"}) {
    const auto parsed = parse_backend(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::backend_unavailable) << text;
  }
  const auto beyond = parse_backend("cuda:64", 0, {"", {90}});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().what, "There is no cuda:64: this machine has 1 CUDA device.");
  if (!cuda_unavailable_reason().empty()) {
    const auto parsed = parse_backend("cuda:0");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, ErrorCode::backend_unavailable);
    EXPECT_NE(parsed.error().what.find(cuda_unavailable_reason()), std::string::npos);
  }
  EXPECT_EQ(to_string(Backend{BackendKind::cuda, 3}), "cuda:3");
  const Backend group{BackendKind::cuda, 0, false, 0b101};
  EXPECT_EQ(to_string(group), "cuda:0,2");
  ASSERT_EQ(members_of(group).size(), 2U);
  EXPECT_EQ(members_of(group)[1], (Backend{BackendKind::cuda, 2}));
  EXPECT_EQ(members_of(Backend{}), std::vector<Backend>{Backend{}});
  EXPECT_FALSE(device_name({}).empty());
}

TEST(Backend, LeavesOutDevicesThatAreTooOldAndRefusesTheirNames) {
  const CudaDevices machine{"", {61, 90, 70, 75}};
  EXPECT_EQ(*parse_backend("cuda:all", 0, machine), (Backend{BackendKind::cuda, 1, false, 0b1010}));
  EXPECT_EQ(*parse_backend("cuda:1,3", 0, machine), (Backend{BackendKind::cuda, 1, false, 0b1010}));
  EXPECT_EQ(*parse_backend("cuda:3", 0, machine), (Backend{BackendKind::cuda, 3}));
  // Ranks take the usable devices in turn.
  for (const auto& [rank, device] : {std::pair{0U, 1}, {1U, 3}, {2U, 1}}) {
    EXPECT_EQ(*parse_backend("cuda", rank, machine), (Backend{BackendKind::cuda, device}));
    EXPECT_EQ(*parse_backend("auto", rank, machine), (Backend{BackendKind::cuda, device, true}));
  }
  for (const char* text : {"cuda:0", "cuda:0,1", "cuda:1,2,3", "cuda:4", "cuda:1,63"}) {
    const auto parsed = parse_backend(text, 0, machine);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::backend_unavailable) << text;
    EXPECT_EQ(parsed.error().advice, "Use cuda:1 or --backend cpu.");
  }
  EXPECT_EQ(parse_backend("cuda:1,0", 0, machine).error().what,
            "cuda:0 has compute capability 6.1; 7.5 or newer is needed.");
  EXPECT_EQ(parse_backend("cuda:4", 0, machine).error().what,
            "There is no cuda:4: this machine has 4 CUDA devices.");
  const CudaDevices old{"", {61, 0}};  // 0: the device did not tell
  EXPECT_EQ(*parse_backend("auto", 1, old), Backend{});
  for (const char* text : {"cuda", "cuda:0", "cuda:all"}) {
    const auto parsed = parse_backend(text, 1, old);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().what,
              "The CUDA backend is not available: no CUDA device has compute capability 7.5 or newer.");
  }
}

TEST(Error, IsMadeFromAnyThrownObject) {
  EXPECT_EQ(run_guarded([] { return 7; }).value(), 7);
  EXPECT_TRUE(run_guarded([] {}).has_value());
  const auto failed = run_guarded([]() -> int { throw Failure(ErrorCode::bad_input, "line 3", "look"); });
  EXPECT_EQ(failed.error().code, ErrorCode::bad_input);
  EXPECT_EQ(failed.error().message(), "line 3 look");
  EXPECT_EQ(run_guarded([]() -> int { throw std::bad_alloc(); }).error().code, ErrorCode::out_of_memory);
  EXPECT_EQ(run_guarded([]() -> int { throw std::out_of_range("x"); }).error().code, ErrorCode::internal);
  EXPECT_EQ(run_guarded([]() -> int { throw 3; }).error().code, ErrorCode::internal);
}

TEST(Error, HasTheExitCodesOfTheCommandLine) {
  EXPECT_EQ(exit_code(ErrorCode::wrong_use), 2);
  EXPECT_EQ(exit_code(ErrorCode::bad_input), 3);
  EXPECT_EQ(exit_code(ErrorCode::out_of_memory), 4);
  EXPECT_EQ(exit_code(ErrorCode::backend_unavailable), 5);
  EXPECT_EQ(exit_code(ErrorCode::cancelled), 130);
  EXPECT_EQ(exit_code(ErrorCode::internal), 1);
}

}  // namespace
}  // namespace spyctrum
