// SPDX-License-Identifier: Apache-2.0
// Which plans a plane takes is said by plane_fft_shapes() (core/device/interface/module.hpp), so that
// forecasts count the same work area.
#include "core/cuda/runtime/fft_plans.hpp"

#include <algorithm>
#include <mutex>

namespace spyctrum::cuda {

namespace {

constexpr std::size_t kSparePlans = 24;

bool equal(const FftShape& a, const FftShape& b) {
  return a.real == b.real && a.rows == b.rows && a.length == b.length && a.stride == b.stride &&
         a.batch == b.batch;
}

struct SparePlan {
  int device;
  FftShape shape;
  cufftHandle handle;
  std::uint64_t work_bytes;
};

/// Never destroyed: the driver may be gone when the program's statics are.
struct SparePlans {
  std::mutex mutex;
  std::vector<SparePlan> plans;  ///< given back last, last
};
SparePlans& spare_plans() {
  static auto* plans = new SparePlans;
  return *plans;
}

}  // namespace

ResidentPlan::ResidentPlan(Host& host, const FftShape& shape) : shape_(shape) {
  check(host, cudaGetDevice(&device_), "asking for the current device");
  {
    SparePlans& spare = spare_plans();
    const std::lock_guard lock(spare.mutex);
    const auto found = std::find_if(spare.plans.rbegin(), spare.plans.rend(), [&](const SparePlan& plan) {
      return plan.device == device_ && equal(plan.shape, shape);
    });
    if (found != spare.plans.rend()) {
      handle_ = found->handle;
      work_bytes_ = found->work_bytes;
      is_loaded_ = true;
      spare.plans.erase(std::next(found).base());
      return;
    }
  }
  FftLayout layout(shape);
  std::size_t bytes = 0;
  handle_ = make_plan(host, layout, bytes);
  work_bytes_ = bytes;
}

ResidentPlan::~ResidentPlan() {
  cufftHandle old = 0;
  try {
    SparePlans& spare = spare_plans();
    const std::lock_guard lock(spare.mutex);
    spare.plans.push_back({device_, shape_, handle_, work_bytes_});
    if (spare.plans.size() <= kSparePlans) return;
    old = spare.plans.front().handle;
    spare.plans.erase(spare.plans.begin());
  } catch (...) {
    old = handle_;  // no memory even for the list
  }
  (void)cufftDestroy(old);
}

void ResidentPlan::run(Host& host, float2* values, void* work, cudaStream_t stream) {
  if (work_bytes_ != 0) check(host, cufftSetWorkArea(handle_, work), "cuFFT's work area");
  check(host, cufftSetStream(handle_, stream), "cuFFT's stream");
  std::optional<LongCall> first;
  if (!std::exchange(is_loaded_, true)) first.emplace();
  check(host, cufftExecC2C(handle_, values, values, CUFFT_FORWARD), "cuFFT");
}

void release_spare_plans() noexcept {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return (void)cudaGetLastError();
  const auto take_one = [device](cufftHandle& handle) {
    SparePlans& spare = spare_plans();
    const std::lock_guard lock(spare.mutex);
    const auto found = std::find_if(spare.plans.begin(), spare.plans.end(),
                                    [device](const SparePlan& plan) { return plan.device == device; });
    if (found == spare.plans.end()) return false;
    handle = found->handle;
    spare.plans.erase(found);
    return true;
  };
  // One at a time: a list of them would want memory, and the thread that draws may come in between.
  for (cufftHandle old = 0; take_one(old);) {
    const LongCall call;
    (void)cufftDestroy(old);
  }
}

}  // namespace spyctrum::cuda
