// SPDX-License-Identifier: Apache-2.0
// Exact features by rows, that can be stopped when they are good enough.
#pragma once

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/feature_progress.hpp"

namespace spyctrum {

/// Goes on from what `progress` holds until no standard error is above `until` (FeatureEstimate::largest; 0:
/// to the last row, and then the features are exact). `tile`: rows at a time, 0 chooses.
/// Throws Failure{cancelled}, Failure{out_of_memory}; what was done until then is kept.
void exact_features_cpu(const SparsePattern& pattern, double until, std::int64_t tile,
                        FeatureProgress& progress, JobContext& context);

}  // namespace spyctrum
