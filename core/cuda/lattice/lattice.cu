// SPDX-License-Identifier: Apache-2.0
// Runs a LatticeTransform, or a GroupLattice, on a stream of its own and delivers its rows. Kernels: one
// thread for each element of the column, or row, that is replaced by the values on the axis.
#include "core/cuda/lattice/group_lattice.hpp"
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

/// The corrections of both axes; computed on the host while the device works.
struct Corrections {
  Corrections(Host& host, const LatticeTask& task, const LatticeCorrections::Axes& axes, cudaStream_t stream)
      : of_rows(host, axes.rows, task.cols.outputs(), stream),
        of_cols(host, axes.cols, task.rows.outputs(), stream) {}
  /// Replaces outputs on the axes by their values.
  [[nodiscard]] cudaError_t replace(const OutputRows& rows, cudaStream_t stream) const {
    cudaError_t code = cudaSuccess;
    if (of_cols.has_zero)
      code = launch_threads(replace_column, rows.count, stream, rows, of_cols.zero, of_cols.values.get());
    if (code == cudaSuccess && of_rows.has_zero)
      code = launch_threads(replace_row, rows.width, stream, rows, of_rows.zero, of_rows.values.get());
    return code;
  }
  DeviceCorrections of_rows;
  DeviceCorrections of_cols;
};

/// Runs a transform, and delivers its outputs by deliver_outputs(corrections), which returns device seconds.
template <class Transform, class DeliverOutputs>
Timing run_transform(const LatticeTask& task, Host& host, cudaStream_t stream, Transform& transform,
                     const DeliverOutputs& deliver_outputs) {
  Event began(host);
  Event ended(host);
  const StreamWait wait{stream};
  check(host, cudaStreamSynchronize(stream), "preparing");

  host.begin_stage("lattice");
  began.record(stream);
  transform.run();
  ended.record(stream);
  // Not timed: the device may wait for the host.
  const Corrections corrections(
      host, task, task.corrections == nullptr ? LatticeCorrections::Axes() : task.corrections->compute(),
      stream);
  transform.subtract(corrections.of_rows.leaks(), corrections.of_cols.leaks());
  const double leaving = deliver_outputs(corrections);
  return {ended.seconds_since(began) + leaving};
}

OutputRows output_rows(const LatticeTask& task, std::uint64_t first, std::uint32_t count, float2* values) {
  return {task.rows.outputs(), task.cols.outputs(), task.cols.count, first, count, values};
}

Timing run_groups(const LatticeTask& task, Host& host) {
  Stream stream(host);
  GroupLattice transform(host, static_cast<const GroupOrder&>(*task.order), task.rows, task.cols,
                         stream.get());
  Delivery delivery(host, task.rows.count, task.cols.count, task.receiver != nullptr, task.reductions,
                    transform.values());
  return run_transform(task, host, stream.get(), transform, [&](const Corrections& corrections) {
    const auto rows = static_cast<std::uint32_t>(task.rows.count);
    check(host, corrections.replace(output_rows(task, 0, rows, transform.values()), stream.get()),
          "values on the axes");
    return deliver(
        host, delivery, stream.get(), [](auto...) { return cudaSuccess; }, task.receiver);
  });
}

Timing run(const LatticeTask& task, Host& host) {
  host.begin_stage("prepare");
  if (task.by == LatticeOrder::groups) return run_groups(task, host);
  Stream stream(host);
  LatticeTransform transform(host, static_cast<const ResidentPattern&>(*task.pattern),
                             static_cast<const ResidentOrder&>(*task.order), task.rows, task.cols,
                             stream.get());
  Delivery delivery(host, task.rows.count, task.cols.count, task.receiver != nullptr, task.reductions,
                    transform.is_output() ? transform.values() : nullptr);
  return run_transform(task, host, stream.get(), transform, [&](const Corrections& corrections) {
    return deliver(
        host, delivery, stream.get(),
        [&](std::uint64_t first, std::uint32_t count, float2* output) {
          check(host,
                launch_extract(transform.values(), transform.rows(), transform.cols(), first, count, output,
                               stream.get()),
                "rows of the result");
          return corrections.replace(output_rows(task, first, count, output), stream.get());
        },
        task.receiver);
  });
}

}  // namespace

template <>
TaskEntry task_entry<LatticeTask>() {
  return make_task_entry<LatticeTask, run>();
}

}  // namespace spyctrum::cuda
