// SPDX-License-Identifier: Apache-2.0
// Error bars of estimated features for methods that provide none. The samples of a biased method do not show
// its bias; so the features are compared with features from whole rows of the plane.
#pragma once

#include <optional>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

/// Returns errors_of_biased() of `features` against decode_rows(), computed on the CPU, the same for every
/// method and backend. decode_rows() depends on the pattern alone; its results for the last patterns are
/// kept. Empty if it estimates nothing (sides above kLongestWholeLine) or does not fit the context's memory.
/// Throws Failure{cancelled}.
[[nodiscard]] std::optional<Features> measured_errors(const PatternPtr& pattern, const Features& features,
                                                      JobContext& context);

}  // namespace spyctrum
