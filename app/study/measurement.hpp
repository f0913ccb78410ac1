// SPDX-License-Identifier: Apache-2.0
// One measurement of a method, for every command that states its errors: `compare` and `study` call these
// functions, and `features` prints what run_method() returns, so that one seed gives one value, to the last
// bit. The exact features are those of run_method() as well: a stream with other consumers may take another
// path through the rows (RowConsumer::accepts_symmetric_half), whose rounding differs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

/// What is computed for a measurement: the features, and values where a reconstruction is to be made of them.
/// A method of the full plane is its own reconstruction.
[[nodiscard]] RequestedOutputs measured_outputs(const Method& method, bool reconstruct = true);

/// The features by run_method(). Throws Failure, as it fails, or {internal} where it gives none.
[[nodiscard]] Features features_by(const Method& method, Request request, JobContext& context);

/// The errors of the reconstructions against every row of the plane, which `reference` (a method of the full
/// plane) streams once for all of them. One reconstruction's errors do not depend on the others. Throws
/// Failure as stream_method() fails.
[[nodiscard]] std::vector<ReconstructionErrors> errors_against_plane(
    const Method& reference, Request request, std::span<const Reconstruction* const> reconstructions,
    JobContext& context);

}  // namespace spyctrum
