// SPDX-License-Identifier: Apache-2.0
// The whole plane row by row, u = 0 … ⌊m/2⌋, on the processor or a CUDA device: what the methods share that
// are a choice of how rows are computed (BS-FFT, Exact, and on CUDA the paper's BS-FFT).
#pragma once

#include <span>

#include "core/methods/cuda_job.hpp"
#include "core/methods/method.hpp"
#include "core/methods/row_stream.hpp"

namespace spyctrum {

/// Which rows: by a length rule on the CPU, by an algorithm on a device.
struct PlaneRows {
  LengthRule rule = LengthRule::library;
  cuda::RowAlgorithm algorithm = cuda::RowAlgorithm::ours;
  bool store_half = false;  ///< Algorithm 1's m·q output, on a device only
};

/// The rows of a request on a device, windows included (nothing is stored for those).
[[nodiscard]] CudaRows cuda_rows(const Request& request, const PlaneRows& how);

/// Tiles of the plane on the CPU; `threads` as plan_rows().
[[nodiscard]] RowPlan plane_row_plan(const Request& request, LengthRule rule, unsigned threads);

/// Forecast of run_plane(): products and tiles.
[[nodiscard]] Forecast forecast_plane(const Request& request, const PlaneRows& how);
/// Streams the plane into what the request's products ask for.
[[nodiscard]] Spectrum run_plane(const Request& request, const PlaneRows& how, JobContext& context);
/// Streams the plane into `sinks`.
void stream_plane(const Request& request, const PlaneRows& how, std::span<RowSink* const> sinks,
                  JobContext& context);

}  // namespace spyctrum
