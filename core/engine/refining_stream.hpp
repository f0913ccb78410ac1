// SPDX-License-Identifier: Apache-2.0
// Streams the whole plane by rows in an order that refines all of it evenly: after any number of tiles there
// is an estimate with standard errors; the stream can be stopped there and resumed. This is the CPU's side;
// refining_stream_device.hpp is that of CUDA devices.
#pragma once

#include <cstdint>

#include "core/base/job_context.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Continues from the state in `progress` until PlaneProgress::is_enough() or the last row. `tile`: rows
/// computed together, 0: chosen. `pyramid_cells` per axis of the display pyramid, 0: features alone. Throws
/// Failure{cancelled}, Failure{out_of_memory}; `progress` then holds everything computed until that moment.
///
/// For a symmetric pattern only the symmetric half, |v| ≤ u of row u, is computed, which is half the work; at
/// equal time its features and standard errors are as good as those of whole rows (bench_symmetric_half).
void stream_plane_on(const SparsePattern& pattern, std::int64_t tile, std::uint32_t pyramid_cells,
                     PlaneProgress& progress, JobContext& context);

/// The result of a request that has a progress: features; pyramid and strongest coefficients where a pyramid
/// is requested; an estimate, with a note, where rows remain. Throws as stream_plane_on().
[[nodiscard]] Spectrum run_plane_on(const ResolvedRequest& request, JobContext& context);

}  // namespace spyctrum
