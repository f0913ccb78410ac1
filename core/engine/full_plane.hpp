// SPDX-License-Identifier: Apache-2.0
// Streams the plane row by row, u = 0 … ⌊m/2⌋, on the CPU or a CUDA device. Used by the methods that differ
// only in how a row is transformed: BS-FFT, Exact and, on CUDA, the paper's BS-FFT.
#pragma once

#include <span>

#include "core/device/device_rows.hpp"
#include "core/engine/row_tiles.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// How rows are computed: `rule` on the CPU, `algorithm` on a device.
struct PlaneRows {
  LengthRule rule = LengthRule::library;
  cuda::RowAlgorithm algorithm = cuda::RowAlgorithm::optimized;
  bool store_half = false;  ///< Algorithm 1: store all m·q coefficients first; on a device only
};

/// `how` for a request on a device, with the request's tile; store_half is false for windows.
[[nodiscard]] DeviceRows device_rows(const ResolvedRequest& request, const PlaneRows& how);

/// plan_rows() for the rows u = 0 … ⌊m/2⌋ of a request on the CPU.
[[nodiscard]] RowPlan plane_row_plan(const ResolvedRequest& request, LengthRule rule, unsigned threads);

/// Bytes and operations of run_plane(): its outputs and tiles.
[[nodiscard]] Forecast forecast_plane(const ResolvedRequest& request, const PlaneRows& how);
/// The requested outputs, from streaming the plane. Throws Failure{cancelled}, {out_of_memory} and, on a
/// device, as stream_device_rows().
[[nodiscard]] Spectrum run_plane(const ResolvedRequest& request, const PlaneRows& how, JobContext& context);
/// Streams the plane to `consumers`. Throws as run_plane().
void stream_plane(const ResolvedRequest& request, const PlaneRows& how,
                  std::span<RowConsumer* const> consumers, JobContext& context);

}  // namespace spyctrum
