// SPDX-License-Identifier: Apache-2.0
// Runs a LatticeTransform on a stream of its own and delivers its rows.
#include <cstring>

#include "core/cuda/lattice/axis_kernels.hpp"
#include "core/cuda/lattice/lattice_transform.hpp"
#include "core/cuda/reductions/delivery.hpp"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/device/interface/lattice.hpp"

namespace spyctrum::cuda {

namespace {

/// The corrections of a task on the device.
class AxisCorrector {
 public:
  AxisCorrector(Host& host, const LatticeTask& task)
      : of_rows_(host, task.of_rows, task.cols.distinct),
        of_cols_(host, task.of_cols, task.rows.distinct),
        outputs_{task.rows.distinct, task.cols.distinct, task.cols.count} {}
  /// Corrects the output rows first … first+count−1. Shares are subtracted first, since replaced outputs are
  /// exact.
  cudaError_t correct(std::uint64_t first, std::uint32_t count, float2* output, cudaStream_t stream) const {
    const CorrectedRows rows{outputs_, first, count, output};
    for (const bool by_share : {true, false}) {
      if (const cudaError_t code = launch_correct_columns(rows, of_cols_.part(by_share), stream)) return code;
      if (const cudaError_t code = launch_correct_rows(rows, of_rows_.part(by_share), stream)) return code;
    }
    return cudaSuccess;
  }

 private:
  struct OfAxis {
    OfAxis(Host& host, const AxisCorrections& task, std::uint64_t along)
        : shares(task.shares),
          count(task.count),
          corrections(upload(host, task.corrections, task.count, "values on the axes")),
          values(upload(host, task.values, task.count == 0 ? 0 : 2 * along, "values on the axes")) {}
    [[nodiscard]] DeviceCorrections part(bool by_share) const {
      return {corrections.get() + (by_share ? 0 : shares), by_share ? shares : count - shares,
              reinterpret_cast<const float2*>(values.get())};
    }
    std::uint32_t shares;
    std::uint32_t count;
    DeviceBuffer<AxisCorrection> corrections;
    DeviceBuffer<float> values;
  };
  OfAxis of_rows_;
  OfAxis of_cols_;
  CorrectedRows::Outputs outputs_;
};

Timing run(const LatticeTask& task, Host& host) {
  float* const values = task.values;
  host.begin_stage("prepare");
  Stream stream(host);
  LatticeTransform transform(host, static_cast<const ResidentPattern&>(*task.pattern),
                             static_cast<const ResidentOrder&>(*task.order), task.rows, task.cols,
                             stream.get());
  const AxisCorrector corrector(host, task);
  Delivery delivery(host, task.rows.count, task.cols.count, values != nullptr, task.reductions,
                    transform.is_output() ? transform.values() : nullptr);
  Event began(host);
  Event ended(host);
  const StreamWait wait{stream.get()};
  check(host, cudaStreamSynchronize(stream.get()), "preparing");

  host.begin_stage("lattice");
  began.record(stream.get());
  transform.run();
  ended.record(stream.get());
  const double leaving = deliver(
      host, delivery, stream.get(),
      [&](std::uint64_t first, std::uint32_t count, float2* output) {
        check(host,
              launch_extract(transform.values(), transform.rows(), transform.cols(), first, count, output,
                             stream.get()),
              "rows of the result");
        return corrector.correct(first, count, output, stream.get());
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
