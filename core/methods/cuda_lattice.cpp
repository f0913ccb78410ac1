// SPDX-License-Identifier: Apache-2.0
// Tables on the host, as the CPU makes them; spreading, FFT and cut on the device.
#include "core/methods/cuda_lattice.hpp"

#include <cmath>
#include <limits>

#include "core/fft/row_slots.hpp"
#include "core/methods/cuda_forecast.hpp"
#include "core/methods/device_samples.hpp"

namespace spyctrum {

namespace {

constexpr double kMostPerCell = 32;  // entries to a cell before single-precision sums lose digits

double taps_of(const LatticeAxisSizes& axis, const SpreadShape& shape) {
  return axis.on_grid ? 1 : static_cast<double>(shape.width);
}

double cells_of(const CudaGridPlan& plan) {
  return static_cast<double>(plan.rows.fine) * static_cast<double>(plan.cols.fine);
}

/// Nanoseconds of a large device, roughly: an atomic addition to a complex cell, and a cell's way through the
/// FFT.
double cost_of(const CudaGridPlan& plan, const SparsePattern& pattern) {
  return 0.02 * static_cast<double>(pattern.nonzeros()) * taps_of(plan.rows, *plan.shape) *
             taps_of(plan.cols, *plan.shape) +
         0.012 * cells_of(plan);
}

/// The cheapest shape that keeps the tolerance; the reason when none does.
std::string choose_shape(CudaGridPlan& plan, const SparsePattern& pattern, double tolerance,
                         Backend backend) {
  if (tolerance < 1e-6) return "the tolerance asks for double precision";
  double best = std::numeric_limits<double>::infinity();
  CudaGridPlan candidate = plan;
  for (const SpreadShape& shape : spread_shapes()) {
    if (expected_error(shape, false) > tolerance) continue;
    candidate.shape = shape;
    candidate.rows = lattice_axis_sizes(plan.grid.rows, shape);
    candidate.cols = lattice_axis_sizes(plan.grid.cols, shape);
    const double cost = cost_of(candidate, pattern);
    if (cost >= best) continue;
    best = cost;
    plan = candidate;
  }
  std::string reason;
  if (!plan.shape) return "no spreading function of single precision keeps the tolerance";
  if (static_cast<double>(pattern.nonzeros()) > kMostPerCell * cells_of(plan))
    reason = "more than 32 entries fall on a cell of the fine grid";
  else if (32.0 * cells_of(plan) > static_cast<double>(cuda_module().facts(backend.device).free_bytes))
    reason = "the fine grid would take more than half of the device's memory";
  if (!reason.empty()) plan.shape.reset();
  return reason;
}

std::uint64_t table_bytes(const CudaGridPlan& plan, const SparsePattern& pattern) {
  const auto axis_bytes = [&](const LatticeAxisSizes& axis, std::size_t slots) {
    return saturating_sum(static_cast<std::uint64_t>(12 + 4 * taps_of(axis, *plan.shape)) * slots,
                          4 * axis.kept);
  };
  return axis_bytes(plan.rows, pattern.row_counts().ids.size()) +
         axis_bytes(plan.cols, pattern.column_ids().size()) +
         4 * static_cast<std::uint64_t>(pattern.nonzeros());
}

ByteTerms device_lattice_terms(const CudaGridPlan& plan, const Request& request) {
  ByteTerms terms;
  add_device_pattern(terms, *request.pattern);
  terms.add("tables", table_bytes(plan, *request.pattern));
  terms.add("fine grid", 8 * plan.rows.fine * plan.cols.fine);
  terms.add("work area of cuFFT",
            cuda_fft_work_bytes(request.backend, {false, plan.rows.fine, plan.cols.fine, 1, 1}));
  terms.add("rows on their way out", cuda::delivery_bytes(plan.grid.rows.count(), plan.grid.cols.count()));
  return terms;
}

}  // namespace

CudaGridPlan plan_cuda_grid(const SparsePattern& pattern, const FrequencyGrid& grid, GridEngine engine,
                            double tolerance, std::int64_t tile, Backend backend) {
  CudaGridPlan plan;
  plan.grid = grid;
  plan.by_rows.tile = static_cast<std::uint64_t>(tile);
  if (engine == GridEngine::rows) {
    plan.by_rows_because = "asked for";
    return plan;
  }
  if (auto progressions = as_lattice(grid)) {
    plan.grid = *progressions;
    plan.by_rows_because = choose_shape(plan, pattern, tolerance, backend);
  } else {
    plan.by_rows_because = "the frequencies are not evenly spaced";
  }
  if (!plan.shape && engine == GridEngine::lattice) {
    throw Failure(ErrorCode::wrong_use,
                  "The lattice engine cannot be used on CUDA: " + plan.by_rows_because + ".",
                  "Set engine to auto or rows, or use --backend cpu.");
  }
  return plan;
}

Forecast forecast_cuda_grid(const CudaGridPlan& plan, const Request& request) {
  const SparsePattern& pattern = *request.pattern;
  if (!plan.shape) return forecast_cuda_window(request, plan.grid, plan.by_rows);
  ByteTerms terms;
  const std::uint64_t height = plan.grid.rows.count();
  const std::uint64_t width = plan.grid.cols.count();
  terms.add("tables", table_bytes(plan, pattern));
  terms.add("classes of the samples", DeviceSamples::bytes(request, height));
  if (request.products.values || request.window || !request.products.features) {
    terms.add("values", saturating_product(8, saturating_product(height, width)));
    terms.add("page-locked rows", cuda::delivery_bytes(height, width));
  }
  const double cells = std::max(2.0, cells_of(plan));
  const double operations = 4.0 * taps_of(plan.rows, *plan.shape) * taps_of(plan.cols, *plan.shape) *
                                static_cast<double>(pattern.nonzeros()) +
                            5.0 * cells * std::log2(cells);
  Forecast forecast{terms.total(), operations, terms.text()};
  ByteTerms device = device_lattice_terms(plan, request);
  device.add("classes and sums of the samples", DeviceSamples::device_bytes(request, height, width, 1));
  add_device(forecast, device);
  return forecast;
}

namespace {

/// `values` null: they stay on the device.
CudaUse run_lattice(const SparsePattern& pattern, const CudaGridPlan& plan, Backend backend, float* values,
                    const cuda::Reductions* reductions, JobContext& context) {
  const Booking booked(context.memory(), table_bytes(plan, pattern), "tables of the axes");
  const LatticeAxis<float> rows(plan.grid.rows, plan.rows, *plan.shape, pattern.row_counts().ids);
  const LatticeAxis<float> cols(plan.grid.cols, plan.cols, *plan.shape, pattern.column_ids());
  const std::vector<Index> slots = row_slots(pattern);
  cuda::LatticeTask task;
  task.pattern = view_of(pattern);
  task.pattern.row_indices = slots.data();
  task.rows = view_of(rows, plan.grid.rows.count());
  task.cols = view_of(cols, plan.grid.cols.count());
  task.reductions = reductions;
  CudaHost host(backend, context);
  const cuda::Timing timing = cuda_module().lattice(backend.device, task, values, host);
  return {timing.device_seconds, host.device_memory().peak()};
}

}  // namespace

std::vector<std::complex<float>> compute_cuda_grid(const SparsePattern& pattern, const CudaGridPlan& plan,
                                                   Backend backend, JobContext& context, CudaUse& use,
                                                   const CudaSamples& samples) {
  if (!plan.shape) return cuda_gather(pattern, backend, plan.by_rows, plan.grid, samples, context, use);
  context.begin_stage("tables");
  BookedVector<std::complex<float>> values(context, samples.to_host ? plan.grid.count() : 0, "coefficients");
  use = run_lattice(pattern, plan, backend,
                    samples.to_host ? reinterpret_cast<float*>(values.data.data()) : nullptr,
                    samples.reductions, context);
  return std::move(values.data);
}

CudaUse measure_cuda_lattice(const SparsePattern& pattern, const CudaGridPlan& plan, Backend backend,
                             JobContext& context) {
  return run_lattice(pattern, plan, backend, nullptr, nullptr, context);
}

std::string note_of(const CudaGridPlan& plan, const CudaUse& use) {
  return (plan.shape ? std::string("computed by the lattice engine")
                     : "computed by rows (" + plan.by_rows_because + ")") +
         "; " + use.note();
}

}  // namespace spyctrum
