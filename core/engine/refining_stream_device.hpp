// SPDX-License-Identifier: Apache-2.0
// Streams the whole plane on a CUDA device in the evenly refining order of refining_stream.hpp.
#pragma once

#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"
#include "core/engine/plane_progress.hpp"

namespace spyctrum {

/// Continues from the state in `progress` until PlaneProgress::is_enough() or the last row; returns device
/// seconds and bytes. Throws as stream_device_rows(); `progress` then holds everything added until that
/// moment.
///
/// Features are summed on the device row by row, as are the cells of a display pyramid (`pyramid_cells` > 0);
/// candidates for the strongest coefficients are copied to the host tile by tile. Where more coefficients tie
/// than a tile can list (cuda::kMostStrong), the remaining rows are copied to the host instead. Rows in
/// flight when the stream ends are computed again when it is resumed.
DeviceUse stream_plane_on_cuda(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                               std::uint32_t pyramid_cells, PlaneProgress& progress, JobContext& context);

}  // namespace spyctrum
