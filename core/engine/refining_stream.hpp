// SPDX-License-Identifier: Apache-2.0
// The whole plane by rows in an order that refines everywhere at once, so that it can be looked at on the
// way, stopped where it is good enough, and taken up again. On the processor; on a device by
// refining_stream_device.hpp.
#pragma once

#include <cstdint>

#include "core/base/job_context.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Of a symmetric pattern the symmetric half is computed, |v| ≤ u of row u, which is half the work. At the
/// same time spent they know the features as well as whole rows would, and how well (bench_symmetric_half).
///
/// Goes on from what `progress` holds until PlaneProgress::is_enough() or the last row. `tile`: rows at a
/// time, 0 chooses. `pyramid_cells` an axis of the display pyramid, 0: features alone. Throws
/// Failure{cancelled}, Failure{out_of_memory}; what was done until then is kept.
void stream_plane_on(const SparsePattern& pattern, std::int64_t tile, std::uint32_t pyramid_cells,
                     PlaneProgress& progress, JobContext& context);

/// The same for a request that holds a progress: features, and the pyramid and strongest coefficients where a
/// pyramid is wanted; an estimate, with a note, where rows are left to do.
[[nodiscard]] Spectrum run_plane_on(const ResolvedRequest& request, JobContext& context);

}  // namespace spyctrum
