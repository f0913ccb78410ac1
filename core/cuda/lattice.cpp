// SPDX-License-Identifier: Apache-2.0
// Type-1 non-uniform FFT (Dutt & Rokhlin 1993; Barnett et al. 2019), or a modulated fold where both axes are
// on their grid: spread, one complex two-dimensional cuFFT, cut and corrected. Tables come from the host.
#include "core/cuda/lattice.hpp"

#include <cstring>

#include "core/cuda/delivery.hpp"
#include "core/cuda/lattice_kernels.hpp"
#include "core/cuda/row_tiles.hpp"

namespace spyctrum::cuda {

namespace {

/// An axis's tables on the device.
class AxisTables {
 public:
  AxisTables(Host& host, const LatticeAxisView& axis)
      : start_(upload(host, axis.start, axis.slots, "first cells")),
        weights_(upload(host, axis.weights, axis.slots * axis.taps, "taps")),
        phase_(upload(host, reinterpret_cast<const float2*>(axis.phase), axis.slots, "phases")),
        correction_(upload(host, axis.correction, axis.kept, "corrections")),
        axis_{start_.get(), weights_.get(), phase_.get(),    correction_.get(), axis.fine,
              axis.kept,    axis.count,     axis.first_cell, axis.taps} {}
  [[nodiscard]] const DeviceAxis& axis() const { return axis_; }

 private:
  DeviceBuffer<std::uint32_t> start_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<float2> phase_;
  DeviceBuffer<float> correction_;
  DeviceAxis axis_;
};

}  // namespace

Timing run_lattice(const LatticeTask& task, float* values, Host& host) {
  host.begin_stage("prepare");
  const DevicePattern columns(host, task.pattern);
  const AxisTables rows(host, task.rows);
  const AxisTables cols(host, task.cols);
  const DeviceBuffer<std::uint32_t> slots(host, task.pattern.nonzeros, "columns of the entries");
  Stream stream(host);
  check(host, launch_column_slots(columns.columns(), slots.get(), stream.get()), "columns of the entries");
  const std::uint64_t cells = task.rows.fine * task.cols.fine;
  const DeviceBuffer<float2> grid(host, cells, "fine grid");
  FftPlan plan(host, FftShape{false, task.rows.fine, task.cols.fine, 1, 1}, stream.get());
  Delivery delivery(host, task.rows.count, task.cols.count, values != nullptr, task.reductions);
  Event began(host);
  Event ended(host);
  check(host, cudaDeviceSynchronize(), "preparing");

  host.begin_stage("lattice");
  began.record(stream.get());
  check(host, cudaMemsetAsync(grid.get(), 0, cells * sizeof(float2), stream.get()), "clearing the fine grid");
  check(host,
        launch_spread(columns.columns(), slots.get(), task.pattern.nonzeros, rows.axis(), cols.axis(),
                      grid.get(), stream.get()),
        "spreading");
  plan.complex(grid.get(), CUFFT_FORWARD);
  ended.record(stream.get());
  const double leaving = deliver(
      host, delivery, stream.get(),
      [&](std::uint64_t first, std::uint32_t count, float2* output) {
        return launch_extract(grid.get(), rows.axis(), cols.axis(), first, count, output, stream.get());
      },
      [&](std::uint64_t first, std::uint64_t count, const float* output) {
        std::memcpy(values + 2 * first * task.cols.count, output, count * task.cols.count * sizeof(float2));
      },
      values != nullptr);
  return {ended.seconds_since(began) + leaving};
}

}  // namespace spyctrum::cuda
