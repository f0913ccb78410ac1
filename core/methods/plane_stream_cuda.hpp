// SPDX-License-Identifier: Apache-2.0
// The whole plane on a CUDA device in the order that refines everywhere at once, as plane_stream.hpp has it
// on the CPU.
#pragma once

#include "core/methods/cuda_job.hpp"
#include "core/spectrum/plane_progress.hpp"

namespace spyctrum {

/// Goes on from what `progress` holds until PlaneProgress::is_enough() or the last row. Features alone are
/// summed on the device, row by row; for a display pyramid and the strongest coefficients (`pyramid_cells`
/// not 0) rows come to the host. Rows that are on their way when there is enough are computed again when the
/// stream goes on. Throws Failure as cuda_stream_rows(); what was done until then is kept.
CudaUse stream_plane_on_cuda(const SparsePattern& pattern, Backend backend, const CudaRows& rows,
                             std::uint32_t pyramid_cells, PlaneProgress& progress, JobContext& context);

}  // namespace spyctrum
