// SPDX-License-Identifier: Apache-2.0
// Runs a LatticeTransform on a stream of its own and delivers its rows. Kernels: one thread for each element
// of the column, or row, that is replaced by the values on the axis.
#include "core/cuda/lattice/lattice_transform.hpp"
#include "core/cuda/reductions/delivery.hpp"
#include "core/cuda/runtime/launch.cuh"
#include "core/cuda/runtime/task_entry.hpp"
#include "core/device/interface/lattice.hpp"

namespace spyctrum::cuda {

namespace {

/// Output rows first … first+count−1 of a lattice, `width` values each; outputs of an axis repeat after its
/// number of different ones.
struct OutputRows {
  std::uint64_t different_rows = 1;
  std::uint64_t different_cols = 1;
  std::uint64_t width = 1;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  float2* values = nullptr;
};

/// The outputs of column `zero`, F[u, 0], are replaced.
__global__ void __launch_bounds__(kThreads)
    replace_column(OutputRows rows, std::uint32_t zero, const float2* values) {
  const std::uint64_t r = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (r >= rows.count) return;
  const float2 value = values[(rows.first + r) % rows.different_rows];
  for (std::uint64_t q = zero; q < rows.width; q += rows.different_cols)
    rows.values[r * rows.width + q] = value;
}

/// The outputs of row `zero`, F[0, v], are replaced.
__global__ void __launch_bounds__(kThreads)
    replace_row(OutputRows rows, std::uint32_t zero, const float2* values) {
  const std::uint64_t q = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (q >= rows.width) return;
  const float2 value = values[q % rows.different_cols];
  const std::uint64_t different = rows.different_rows;
  const std::uint64_t to_output = (zero + different - rows.first % different) % different;
  for (std::uint64_t r = to_output; r < rows.count; r += different) rows.values[r * rows.width + q] = value;
}

/// The AxisCorrections of one axis on the device; `along`: different outputs of the other one.
struct DeviceCorrections {
  DeviceCorrections(Host& host, const AxisCorrections& axis, std::uint64_t along, cudaStream_t stream)
      : count(axis.count),
        has_zero(axis.has_zero),
        zero(axis.zero),
        shares(host, axis.count, kPurpose, stream),
        values(host, count == 0 && !has_zero ? 0 : along, kPurpose, stream) {
    copy_to_device(host, shares.get(), axis.leaks, count, stream, kPurpose);
    if (values.get() != nullptr) copy_to_device(host, values.get(), axis.values, along, stream, kPurpose);
  }
  [[nodiscard]] DeviceLeaks leaks() const { return {shares.get(), count, values.get()}; }
  static constexpr const char* kPurpose = "values on the axes";
  std::uint32_t count;
  bool has_zero;
  std::uint32_t zero;
  DeviceBuffer<OutputLeak> shares;
  DeviceBuffer<float2> values;
};

Timing run(const LatticeTask& task, Host& host) {
  host.begin_stage("prepare");
  Stream stream(host);
  LatticeTransform transform(host, static_cast<const ResidentPattern&>(*task.pattern),
                             static_cast<const ResidentOrder&>(*task.order), task.rows, task.cols,
                             stream.get());
  Delivery delivery(host, task.rows.count, task.cols.count, task.receiver != nullptr, task.reductions,
                    transform.is_output() ? transform.values() : nullptr);
  Event began(host);
  Event ended(host);
  const StreamWait wait{stream.get()};
  check(host, cudaStreamSynchronize(stream.get()), "preparing");

  host.begin_stage("lattice");
  began.record(stream.get());
  transform.run();
  ended.record(stream.get());
  // Not timed: the device may wait for the host.
  const LatticeCorrections::Axes axes =
      task.corrections == nullptr ? LatticeCorrections::Axes() : task.corrections->compute();
  const DeviceCorrections of_rows(host, axes.rows, task.cols.outputs(), stream.get());
  const DeviceCorrections of_cols(host, axes.cols, task.rows.outputs(), stream.get());
  transform.subtract(of_rows.leaks(), of_cols.leaks());
  const double leaving = deliver(
      host, delivery, stream.get(),
      [&](std::uint64_t first, std::uint32_t count, float2* output) {
        check(host,
              launch_extract(transform.values(), transform.rows(), transform.cols(), first, count, output,
                             stream.get()),
              "rows of the result");
        const OutputRows rows{
            task.rows.outputs(), task.cols.outputs(), task.cols.count, first, count, output};
        cudaError_t code = cudaSuccess;
        if (of_cols.has_zero)
          code =
              launch_threads(replace_column, count, stream.get(), rows, of_cols.zero, of_cols.values.get());
        if (code == cudaSuccess && of_rows.has_zero)
          code = launch_threads(replace_row, task.cols.count, stream.get(), rows, of_rows.zero,
                                of_rows.values.get());
        return code;
      },
      task.receiver);
  return {ended.seconds_since(began) + leaving};
}

}  // namespace

template <>
TaskEntry task_entry<LatticeTask>() {
  return make_task_entry<LatticeTask, run>();
}

}  // namespace spyctrum::cuda
