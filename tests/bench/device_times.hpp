// SPDX-License-Identifier: Apache-2.0
// Device time of a call on CUDA: one warm-up, ten runs, median and quartiles.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/device/device_job.hpp"
#include "core/device/loader.hpp"
#include "core/engine/device_grid.hpp"

namespace spyctrum::bench {

inline constexpr int kDeviceRuns = 10;

struct DeviceTimes {
  bool ran = false;
  double median = 0, lower = 0, upper = 0;  // milliseconds: median and quartiles
  std::uint64_t bytes = 0;                  // of the device at the peak
};

/// Not measured where the device memory does not suffice.
inline DeviceTimes measure(const std::function<DeviceUse()>& run) {
  DeviceTimes measured;
  std::vector<double> times;
  try {
    (void)run();
    for (int k = 0; k < kDeviceRuns; ++k) {
      const DeviceUse use = run();
      times.push_back(1e3 * use.seconds);
      measured.bytes = use.bytes;
    }
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::out_of_memory) throw;
    return measured;
  }
  std::sort(times.begin(), times.end());
  measured.ran = true;
  measured.median = (times[kDeviceRuns / 2 - 1] + times[kDeviceRuns / 2]) / 2;
  measured.lower = times[kDeviceRuns / 4];
  measured.upper = times[kDeviceRuns - 1 - kDeviceRuns / 4];
  return measured;
}

/// For jobs that must succeed; throws where one fails.
inline JobContext::Options all_memory() {
  JobContext::Options options;
  options.memory_bytes = std::uint64_t{1} << 40;
  return options;
}

/// Coefficients of a plan's grid, which are computed and not copied to the host.
inline DeviceUse compute_on_device(const PatternPtr& pattern, const DeviceGridPlan& plan, Backend backend,
                                   JobContext& context) {
  DeviceUse use;
  (void)compute_device_grid(pattern, plan, backend, context, use, {false, nullptr});
  return use;
}

inline std::string json_of(const DeviceTimes& measured) {
  if (!measured.ran) return "null";
  char text[160];
  std::snprintf(text, sizeof text,
                R"({"median_ms": %.4f, "quartiles_ms": [%.4f, %.4f], "device_bytes": %llu})", measured.median,
                measured.lower, measured.upper, static_cast<unsigned long long>(measured.bytes));
  return text;
}

/// Runs a benchmark as main() does; returns its exit code: 1 with the reason on standard error where it
/// failed, 77 where there is no device.
inline int run_all(const std::function<void(cuda::Module&)>& bench) {
  const cuda::LoadedModule& loaded = cuda::loaded_module();
  if (loaded.module == nullptr) {
    std::printf("NOT MEASURED, no CUDA device: %s\n", loaded.reason.c_str());
    return 77;
  }
  const auto result = run_guarded([&] { bench(*loaded.module); });
  if (result) return 0;
  std::fprintf(stderr, "%s\n", result.error().message().c_str());
  return 1;
}

/// The number in argument `place`, or `otherwise` where it is not given.
inline std::size_t number_at(int count, char** arguments, int place, std::size_t otherwise) {
  return place < count ? std::strtoull(arguments[place], nullptr, 10) : otherwise;
}

}  // namespace spyctrum::bench
