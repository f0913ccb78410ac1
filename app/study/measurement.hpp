// SPDX-License-Identifier: Apache-2.0
// Measures the errors of a method, for every command that states them: `compare` and `study` call these
// functions, and `features` prints the result of run_method(), so that one seed gives one value, to the last
// bit. Exact features also come from run_method(): a stream with other consumers may process the rows
// differently (RowConsumer::accepts_symmetric_half) and round differently.
#pragma once

#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

/// The outputs needed for a measurement: features, and values if a reconstruction is to be made from them. A
/// method of the full plane is its own reconstruction.
[[nodiscard]] RequestedOutputs measured_outputs(const Method& method, bool reconstruct = true);

/// The features by run_method(). Throws the Failure of run_method(), or {internal} if it gives no features.
[[nodiscard]] Features features_by(const Method& method, ResolvedRequest request, JobContext& context);

/// The errors of the reconstructions against every row of the plane, which `reference` (a method of the full
/// plane) streams once for all of them. The errors of a reconstruction do not depend on the others. Throws as
/// stream_method().
[[nodiscard]] std::vector<ReconstructionErrors> errors_against_plane(
    const Method& reference, ResolvedRequest request, std::span<const Reconstruction* const> reconstructions,
    JobContext& context);

}  // namespace spyctrum
