// SPDX-License-Identifier: Apache-2.0
// Streams the plane by rows in an order that covers it evenly: at each check point the features can be
// estimated with standard errors, and the stream can be stopped and later resumed.
#pragma once

#include <cstdint>

#include "core/base/job_context.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Streams on the CPU from the state in `progress` on until PlaneProgress::is_enough() or the last row.
/// `tile`: rows computed together, 0: chosen. `pyramid_cells`: cells per axis of the display pyramid, 0:
/// features only. Throws Failure{cancelled}, Failure{out_of_memory}; `progress` then contains all completed
/// rows.
///
/// For a symmetric pattern only the symmetric half is computed, |v| ≤ u of row u, with half the work; in
/// equal time its standard errors are as small as those of whole rows (bench_symmetric_half).
void stream_refining(const SparsePattern& pattern, std::int64_t tile, std::uint32_t pyramid_cells,
                     PlaneProgress& progress, JobContext& context);

/// The same on a CUDA device: streams from the state in `progress` on until PlaneProgress::is_enough() or the
/// last row; returns device seconds and bytes. Throws as stream_device_rows(); `progress` then contains all
/// rows that were added.
///
/// Features and the cells of a display pyramid (`pyramid_cells` > 0) are summed on the device, features for
/// each row; after each tile the sums and the candidates for the strongest coefficients are copied to the
/// host. If more coefficients of a tile have equal power than the device can list (cuda::kMostStrong), the
/// remaining rows are copied to the host instead. Rows that are being computed when the stream ends are
/// computed again when it is resumed.
DeviceUse stream_refining_on_cuda(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                                  std::uint32_t pyramid_cells, PlaneProgress& progress, JobContext& context);

/// Streams on the request's backend for a request with a progress. The result has features and, if a pyramid
/// is requested, the pyramid and the strongest coefficients; it is an estimate, with a note, if rows remain.
[[nodiscard]] Spectrum run_refining(const ResolvedRequest& request, JobContext& context);

/// Sums some rows of diagonal patterns on every device of `backend`, as a stream would: the first use of
/// kernels and of cuFFT takes tens of milliseconds, which can pass while a matrix is read. `is_shared`:
/// PlaneProgress::is_shared() of the stream. Failures are not reported: they occur again in the stream. Does
/// nothing on the CPU.
void wake_streams(Backend backend, bool is_shared);

}  // namespace spyctrum
