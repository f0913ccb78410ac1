// SPDX-License-Identifier: Apache-2.0
// Obtains the bytes from cuFFT, through the module, once for each shape.
#include "core/device/fft_work_bytes.hpp"

#include <map>
#include <mutex>
#include <tuple>

#include "core/device/device_job.hpp"
#include "core/device/device_module.hpp"

namespace spyctrum {

std::uint64_t device_fft_work_bytes(Backend backend, const cuda::FftShape& shape) {
  using Key = std::tuple<int, bool, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
  static std::mutex mutex;
  static std::map<Key, std::uint64_t> known;
  const Key key{backend.device, shape.real, shape.rows, shape.length, shape.stride, shape.batch};
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  ThreadPool pool(1);
  JobContext context(pool);
  DeviceJob host(backend, context);
  const auto bytes = run_guarded([&] { return cuda_module().fft_work_bytes(backend.device, shape, host); });
  return known[key] = bytes ? *bytes : 0;
}

}  // namespace spyctrum
