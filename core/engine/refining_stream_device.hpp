// SPDX-License-Identifier: Apache-2.0
// The whole plane on a CUDA device in the order that refines everywhere at once, as refining_stream.hpp has
// it on the CPU.
#pragma once

#include "core/device/device_job.hpp"
#include "core/device/device_rows.hpp"
#include "core/engine/plane_progress.hpp"

namespace spyctrum {

/// Goes on from what `progress` holds until PlaneProgress::is_enough() or the last row. Features are summed
/// on the device, row by row, as are cells of a display pyramid (`pyramid_cells` not 0); of the strongest
/// coefficients candidates leave it tile by tile. Where more of those are equally strong than a tile can list
/// (cuda::kMostStrong), the rows that are left come to the host instead. Rows that are on their way when
/// there is enough are computed again when the stream goes on. Throws Failure as stream_device_rows(); what
/// was done until then is kept.
DeviceUse stream_plane_on_cuda(const SparsePattern& pattern, Backend backend, const DeviceRows& rows,
                               std::uint32_t pyramid_cells, PlaneProgress& progress, JobContext& context);

}  // namespace spyctrum
