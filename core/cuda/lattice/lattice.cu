// SPDX-License-Identifier: Apache-2.0
// Runs a LatticeTransform on a stream of its own and delivers its rows. Kernels: one thread for each element
// of a corrected column, or for each column of the corrected rows; a thread applies all corrections of its
// outputs in their order.
#include <cstring>

#include "core/cuda/lattice/lattice_transform.hpp"
#include "core/cuda/reductions/delivery.hpp"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/device/interface/lattice.hpp"

namespace spyctrum::cuda {

namespace {

/// Some of the AxisCorrections of one axis.
struct DeviceCorrections {
  const AxisCorrection* corrections = nullptr;
  std::uint32_t count = 0;
  const float2* values = nullptr;
};

/// Output rows first … first+count−1 of a lattice, `width` values each.
struct CorrectedRows {
  struct Outputs {
    std::uint64_t distinct_rows = 1;
    std::uint64_t distinct_cols = 1;
    std::uint64_t width = 1;
  };
  Outputs outputs;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  float2* values = nullptr;
};

__device__ void correct(float2& value, float share, float2 of_axis) {
  if (share == 0) {
    value = of_axis;
    return;
  }
  value.x = fmaf(-share, of_axis.x, value.x);
  value.y = fmaf(-share, of_axis.y, value.y);
}

/// Corrects columns by F[u, 0] of each row.
__global__ void __launch_bounds__(kThreads) correct_columns(CorrectedRows rows, DeviceCorrections by) {
  const std::uint64_t r = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (r >= rows.count) return;
  const float2 of_axis = by.values[(rows.first + r) % rows.outputs.distinct_rows];
  for (std::uint32_t k = 0; k < by.count; ++k) {
    const AxisCorrection one = by.corrections[k];
    for (std::uint64_t q = one.output; q < rows.outputs.width; q += rows.outputs.distinct_cols)
      correct(rows.values[r * rows.outputs.width + q], one.share, of_axis);
  }
}

/// Corrects rows by F[0, v] of each column.
__global__ void __launch_bounds__(kThreads) correct_rows(CorrectedRows rows, DeviceCorrections by) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (q >= rows.outputs.width) return;
  const float2 of_axis = by.values[q % rows.outputs.distinct_cols];
  const std::uint64_t distinct = rows.outputs.distinct_rows;
  for (std::uint32_t k = 0; k < by.count; ++k) {
    const AxisCorrection one = by.corrections[k];
    const std::uint64_t to_output = (one.output + distinct - rows.first % distinct) % distinct;
    for (std::uint64_t r = to_output; r < rows.count; r += distinct)
      correct(rows.values[r * rows.outputs.width + q], one.share, of_axis);
  }
}

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
      const DeviceCorrections of_cols = of_cols_.part(by_share);
      const DeviceCorrections of_rows = of_rows_.part(by_share);
      cudaError_t code = cudaSuccess;
      if (of_cols.count != 0) code = launch_threads(correct_columns, count, stream, rows, of_cols);
      if (code == cudaSuccess && of_rows.count != 0 && count != 0)
        code = launch_threads(correct_rows, outputs_.width, stream, rows, of_rows);
      if (code != cudaSuccess) return code;
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
