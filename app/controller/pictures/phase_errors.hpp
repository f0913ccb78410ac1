// SPDX-License-Identifier: Apache-2.0
// Differences between the phases of stored coefficients and the exact phases.
#pragma once

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// Whether the phases of `spectrum` can be compared: it stores values on a grid.
[[nodiscard]] bool has_phases(const Spectrum& spectrum);

/// Returns the grid of `spectrum` with values √δ, so that pictures of power show the mean of δ = |arg F̂ −
/// arg F| in 0 … π. Node (s, t) of a reduced plane is compared with F[s, t], the frequency that it
/// represents. δ is 0 if both are zero to rounding, and π/2 if one of them is. Requires has_phases(). Throws
/// Failure{cancelled}, {out_of_memory}.
[[nodiscard]] SpectrumPtr phase_errors(const Spectrum& spectrum, const SparsePattern& pattern,
                                       JobContext& context);

}  // namespace spyctrum
