// SPDX-License-Identifier: Apache-2.0
// Plans by cuFFT's advanced layout, and the list of resident plans that no job uses.
#include "core/cuda/runtime/fft_plans.hpp"

#include <algorithm>
#include <mutex>

namespace spyctrum::cuda {

namespace {

constexpr std::size_t kMostUnusedPlans = 32;  // more are destroyed, oldest first

bool equal(const FftShape& a, const FftShape& b) {
  return a.real == b.real && a.rows == b.rows && a.length == b.length && a.stride == b.stride &&
         a.batch == b.batch;
}

struct UnusedPlan {
  int device;
  FftShape shape;
  cufftHandle handle;
  std::uint64_t work_bytes;
};

/// Never destroyed: when statics are destroyed, the driver may already be unloaded.
struct UnusedPlans {
  std::mutex mutex;
  std::vector<UnusedPlan> plans;  ///< in the order in which they were returned
};
UnusedPlans& unused_plans() {
  static auto* plans = new UnusedPlans;
  return *plans;
}

}  // namespace

FftLayout::FftLayout(const FftShape& shape)
    : type(shape.real ? CUFFT_R2C : CUFFT_C2C), batch(static_cast<long long>(shape.batch)) {
  const auto length = static_cast<long long>(shape.length);
  const auto rows = static_cast<long long>(shape.rows);
  const long long half = length / 2 + 1;
  if (rows > 1 || shape.real) {
    sizes = {rows, length};
    embed_in = {rows, shape.real ? 2 * half : length};
    embed_out = {rows, shape.real ? half : length};
    stride_in = rows * embed_in[1];
    stride_out = rows * embed_out[1];
  } else {
    sizes = embed_in = embed_out = {length};
    stride_in = stride_out = static_cast<long long>(shape.stride);
  }
}

std::uint64_t fft_work_bytes(const FftShape& shape, Host& host) {
  FftLayout layout(shape);
  const LongCall call;
  cufftHandle plan = 0;
  check(host, cufftCreate(&plan), "creating a cuFFT plan");
  std::size_t bytes = 0;
  const cufftResult code = cufftGetSizeMany64(
      plan, static_cast<int>(layout.sizes.size()), layout.sizes.data(), layout.embed_in.data(), 1,
      layout.stride_in, layout.embed_out.data(), 1, layout.stride_out, layout.type, layout.batch, &bytes);
  (void)cufftDestroy(plan);
  check(host, code, "finding the size of cuFFT's work area");
  return bytes;
}

cufftHandle make_plan(Host& host, FftLayout& layout, std::size_t& work_bytes) {
  const LongCall call;
  cufftHandle plan = 0;
  check(host, cufftCreate(&plan), "creating a cuFFT plan");
  try {
    check(host, cufftSetAutoAllocation(plan, 0), "cuFFT's own work area");
    check(host,
          cufftMakePlanMany64(plan, static_cast<int>(layout.sizes.size()), layout.sizes.data(),
                              layout.embed_in.data(), 1, layout.stride_in, layout.embed_out.data(), 1,
                              layout.stride_out, layout.type, layout.batch, &work_bytes),
          "planning a cuFFT transform");
  } catch (...) {
    (void)cufftDestroy(plan);
    throw;
  }
  return plan;
}

FftPlan::FftPlan(Host& host, const FftLayout& requested, cudaStream_t stream) : host_(host) {
  FftLayout layout = requested;
  std::size_t bytes = 0;
  plan_ = make_plan(host, layout, bytes);
  // If a constructor throws, the destructor does not run.
  try {
    work_ = DeviceBuffer<char>(host, bytes, "work area of cuFFT");
    if (bytes != 0) check(host, cufftSetWorkArea(plan_, work_.get()), "cuFFT's work area");
    check(host, cufftSetStream(plan_, stream), "cuFFT's stream");
  } catch (...) {
    (void)cufftDestroy(plan_);
    throw;
  }
}

FftPlan::~FftPlan() {
  const LongCall call;
  (void)cufftDestroy(plan_);
}

ResidentPlan::ResidentPlan(Host& host, const FftShape& shape) : shape_(shape) {
  check(host, cudaGetDevice(&device_), "finding the current device");
  {
    UnusedPlans& unused = unused_plans();
    const std::lock_guard lock(unused.mutex);
    const auto found = std::find_if(unused.plans.rbegin(), unused.plans.rend(), [&](const UnusedPlan& plan) {
      return plan.device == device_ && equal(plan.shape, shape);
    });
    if (found != unused.plans.rend()) {
      handle_ = found->handle;
      work_bytes_ = found->work_bytes;
      is_loaded_ = true;
      unused.plans.erase(std::next(found).base());
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
    UnusedPlans& unused = unused_plans();
    const std::lock_guard lock(unused.mutex);
    unused.plans.push_back({device_, shape_, handle_, work_bytes_});
    if (unused.plans.size() <= kMostUnusedPlans) return;
    old = unused.plans.front().handle;
    unused.plans.erase(unused.plans.begin());
  } catch (...) {
    old = handle_;  // the list cannot grow
  }
  (void)cufftDestroy(old);
}

void ResidentPlan::run(Host& host, float2* in, float2* out, int direction, void* work, cudaStream_t stream) {
  if (work_bytes_ != 0) check(host, cufftSetWorkArea(handle_, work), "cuFFT's work area");
  check(host, cufftSetStream(handle_, stream), "cuFFT's stream");
  std::optional<LongCall> first;
  if (!std::exchange(is_loaded_, true)) first.emplace();
  check(host, cufftExecC2C(handle_, in, out, direction), "cuFFT");
}

void release_unused_plans() noexcept {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return (void)cudaGetLastError();
  const auto take_one = [device](cufftHandle& handle) {
    UnusedPlans& unused = unused_plans();
    const std::lock_guard lock(unused.mutex);
    const auto found = std::find_if(unused.plans.begin(), unused.plans.end(),
                                    [device](const UnusedPlan& plan) { return plan.device == device; });
    if (found == unused.plans.end()) return false;
    handle = found->handle;
    unused.plans.erase(found);
    return true;
  };
  // One at a time: a list of all plans would take memory, and the interface thread can take the lock in
  // between.
  for (cufftHandle old = 0; take_one(old);) {
    const LongCall call;
    (void)cufftDestroy(old);
  }
}

}  // namespace spyctrum::cuda
