// SPDX-License-Identifier: Apache-2.0
// Streams the plane on a CUDA device in the order of refining_stream.hpp, which covers it evenly.
#pragma once

#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"
#include "core/engine/plane_progress.hpp"

namespace spyctrum {

/// Streams from the state in `progress` on until PlaneProgress::is_enough() or the last row; returns device
/// seconds and bytes. Throws as stream_device_rows(); `progress` then contains all rows that were added.
///
/// Features and the cells of a display pyramid (`pyramid_cells` > 0) are summed on the device, features for
/// each row; after each tile the sums and the candidates for the strongest coefficients are copied to the
/// host. If more coefficients of a tile have equal power than it can list (cuda::kMostStrong), the remaining
/// rows are copied to the host instead. Rows that are being computed when the stream ends are computed again
/// when it is resumed.
DeviceUse stream_plane_on_cuda(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                               std::uint32_t pyramid_cells, PlaneProgress& progress, JobContext& context);

}  // namespace spyctrum
