// SPDX-License-Identifier: Apache-2.0
// Runs a LatticeTransform on a stream of its own and delivers its rows.
#include <cstring>

#include "core/cuda/lattice/lattice_transform.hpp"
#include "core/cuda/reductions/delivery.hpp"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/device/interface/lattice.hpp"

namespace spyctrum::cuda {

namespace {

Timing run(const LatticeTask& task, Host& host) {
  float* const values = task.values;
  host.begin_stage("prepare");
  Stream stream(host);
  LatticeTransform transform(host, static_cast<const ResidentPattern&>(*task.pattern),
                             static_cast<const ResidentOrder&>(*task.order), task.rows, task.cols,
                             stream.get());
  Delivery delivery(host, task.rows.count, task.cols.count, values != nullptr, task.reductions,
                    transform.is_output() ? transform.values() : nullptr);
  Event began(host);
  Event ended(host);
  // Waits before the buffers are freed, also after an exception.
  const struct Finish {
    cudaStream_t stream;
    ~Finish() { (void)cudaStreamSynchronize(stream); }
  } finish{stream.get()};
  check(host, cudaStreamSynchronize(stream.get()), "preparing");

  host.begin_stage("lattice");
  began.record(stream.get());
  transform.run();
  ended.record(stream.get());
  const double leaving = deliver(
      host, delivery, stream.get(),
      [&](std::uint64_t first, std::uint32_t count, float2* output) {
        return launch_extract(transform.values(), transform.rows(), transform.cols(), first, count, output,
                              stream.get());
      },
      [&](std::uint64_t first, std::uint64_t count, const float* output) {
        std::memcpy(values + 2 * first * task.cols.count, output, count * task.cols.count * sizeof(float2));
      },
      values != nullptr);
  return {ended.seconds_since(began) + leaving};
}

}  // namespace

template <>
TaskEntry task_entry<LatticeTask>() {
  return make_task_entry<LatticeTask, run>();
}

}  // namespace spyctrum::cuda
