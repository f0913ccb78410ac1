// SPDX-License-Identifier: Apache-2.0
// Error bars of estimated features whose method gives none: its samples do not show its bias, so that the
// features are compared with those of whole rows of the plane.
#pragma once

#include <optional>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

/// errors_of_biased() of `features` against decode_rows(), on the CPU, the same for every method and backend.
/// decode_rows() depends on the pattern alone and is kept for the patterns of the last calls. Empty where it
/// estimates nothing (sides above kLongestWholeLine) or does not fit the context's memory. Throws
/// Failure{cancelled}.
[[nodiscard]] std::optional<Features> measured_errors(const PatternPtr& pattern, const Features& features,
                                                      JobContext& context);

}  // namespace spyctrum
