// SPDX-License-Identifier: Apache-2.0
// Calls cuFINUFFT, which uses the device's default stream and allocates memory itself; the expected size of
// that memory is booked.
#include "core/device/interface/nufft.hpp"
#include "core/cuda/runtime/device_memory.hpp"
#include "core/cuda/runtime/streams.hpp"
#include "core/cuda/runtime/task_entry.hpp"

namespace spyctrum::cuda {

namespace {

constexpr int kWarning = 1;

/// Books the device bytes that the library is expected to allocate.
class Expected {
 public:
  Expected(Host& host, std::uint64_t bytes) : host_(host), bytes_(bytes) {
    host.book(bytes, "cuFINUFFT's own grids");
  }
  ~Expected() { host_.unbook(bytes_); }
  Expected(const Expected&) = delete;
  Expected& operator=(const Expected&) = delete;

 private:
  Host& host_;
  std::uint64_t bytes_;
};

template <class T>
class Plan {
 public:
  explicit Plan(const NufftCalls<T>& calls) : calls_(calls) {}
  ~Plan() {
    const LongCall call;
    if (plan_ != nullptr) (void)calls_.destroy(plan_);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  [[nodiscard]] int make(const NufftTask<T>& task) {
    const LongCall call;
    return calls_.make_plan(task.type, 2, task.modes, -1, 1, task.tolerance, &plan_, nullptr);
  }
  [[nodiscard]] typename NufftCalls<T>::Plan get() const { return plan_; }

 private:
  const NufftCalls<T>& calls_;
  typename NufftCalls<T>::Plan plan_ = nullptr;
};

template <class T>
Timing run(const NufftTask<T>& task, Host& host) {
  int& code = *task.code;
  host.begin_stage("copy");
  const auto x = upload(host, task.x, task.sources, "points");
  const auto y = upload(host, task.y, task.sources, "points");
  const auto strengths = upload(host, task.strengths, task.sources, "strengths");
  const auto s = upload(host, task.s, task.targets, "targets");
  const auto t = upload(host, task.t, task.targets, "targets");
  const DeviceBuffer<std::complex<T>> result(host, task.results, "modes");
  const Expected library(host, task.library_bytes);
  host.checkpoint(0, 1);
  host.begin_stage("cufinufft");
  Event began(host);
  Event ended(host);
  Plan<T> plan(task.calls);
  code = plan.make(task);
  if (code > kWarning) return {};
  began.record(nullptr);
  code = task.calls.set_points(plan.get(), static_cast<std::int64_t>(task.sources), x.get(), y.get(), nullptr,
                               static_cast<int>(task.targets), s.get(), t.get(), nullptr);
  if (code <= kWarning) code = task.calls.execute(plan.get(), strengths.get(), result.get());
  if (code > kWarning) {
    (void)cudaGetLastError();
    return {};
  }
  code = 0;
  ended.record(nullptr);
  check(host, cudaDeviceSynchronize(), "cuFINUFFT");
  download(host, task.result, result.get(), task.results, "modes to the host");
  return {ended.seconds_since(began)};
}

}  // namespace

template <>
TaskEntry task_entry<NufftTask<float>>() {
  return make_task_entry<NufftTask<float>, run>();
}
template <>
TaskEntry task_entry<NufftTask<double>>() {
  return make_task_entry<NufftTask<double>, run>();
}

}  // namespace spyctrum::cuda
