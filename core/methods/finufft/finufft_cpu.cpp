// SPDX-License-Identifier: Apache-2.0
// Calls FINUFFT on a thread of its own, since the library cannot be interrupted.
#include "core/methods/finufft/finufft_cpu.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "core/methods/finufft/finufft_library.hpp"

namespace spyctrum {

namespace {

/// Options with this number of threads and without warnings. In every version 2 finufft_opts begins with
/// modeord, (chkbnds or spreadinterponly), debug, spread_debug, showwarn, nthreads. Returns null, for the
/// library's defaults, if the default options do not match that.
template <class T>
void* options_of(const FinufftCalls<T>& calls, int threads, std::array<int, 256>& options) {
  constexpr std::size_t kShowWarnings = 4;
  constexpr std::size_t kThreads = 5;
  calls.default_options(options.data());
  if (options[0] != 0 || options[kShowWarnings] != 1 || options[kThreads] != 0) return nullptr;
  options[kShowWarnings] = 0;
  options[kThreads] = threads;
  return options.data();
}

template <class T>
int call_library(FinufftArrays<T>& arrays) {
  constexpr int kForward = -1;
  constexpr int kWarning = 1;
  const FinufftCalls<T>& calls = finufft_library().calls<T>();
  std::array<int, 256> options{};
  typename FinufftCalls<T>::Plan plan = nullptr;
  int code = calls.make_plan(arrays.type, 2, arrays.modes.data(), kForward, 1, arrays.tolerance, &plan,
                             options_of(calls, arrays.threads, options));
  if (code > kWarning) return code;
  code = calls.set_points(plan, static_cast<std::int64_t>(arrays.x.size()), arrays.x.data(), arrays.y.data(),
                          nullptr, static_cast<std::int64_t>(arrays.s.size()), arrays.s.data(),
                          arrays.t.data(), nullptr);
  if (code <= kWarning) code = calls.execute(plan, arrays.strengths.data(), arrays.result.data());
  calls.destroy(plan);
  return code > kWarning ? code : 0;
}

/// Runs the call on a thread of its own and waits until it ends or the job is stopped. Only one call runs at
/// a time: the next one waits for a call whose job was stopped.
template <class T>
void run_library(const std::shared_ptr<FinufftArrays<T>>& arrays, std::uint64_t library_bytes,
                 JobContext& context) {
  const Booking library(context.memory(), library_bytes, "FINUFFT's own grids");
  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool busy = false;
  };
  // Never destroyed: a call whose job was stopped may end after the program's statics were destroyed.
  static Gate& gate = *new Gate;
  constexpr auto kPatience = std::chrono::milliseconds(10);
  const auto wait_for = [&](auto&& done) {
    std::unique_lock lock(gate.mutex);
    while (!done()) {
      gate.changed.wait_for(lock, kPatience);
      lock.unlock();
      context.checkpoint(0, 0);
      lock.lock();
    }
  };
  wait_for([&] { return !gate.busy ? (gate.busy = true) : false; });
  const auto finished = std::make_shared<bool>(false);
  try {
    std::thread([arrays, finished] {
      arrays->code = call_library(*arrays);
      const std::lock_guard lock(gate.mutex);
      *finished = true;
      gate.busy = false;
      gate.changed.notify_all();
    }).detach();
  } catch (...) {  // the system gives no thread
    const std::lock_guard lock(gate.mutex);
    gate.busy = false;
    gate.changed.notify_all();
    throw;
  }
  wait_for([&] { return *finished; });
}

}  // namespace

std::vector<std::complex<float>> finufft_cpu(const SparsePattern& pattern, const FrequencyGrid& grid,
                                             const FinufftOptions& options, JobContext& context) {
  if (!finufft_library().available())
    throw Failure(ErrorCode::backend_unavailable, finufft_library().reason + ".");
  return finufft_values(pattern, grid, options, {"FINUFFT", {run_library<float>, run_library<double>}},
                        context);
}

}  // namespace spyctrum
