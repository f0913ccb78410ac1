// SPDX-License-Identifier: Apache-2.0
// All figures of a study as files, each as SVG, PDF and PNG on white.
#pragma once

#include <string>
#include <vector>

#include "app/study/study.hpp"
#include "core/base/job_context.hpp"

namespace spyctrum {

/// Draws every figure for every group of matrices, and the pictures of one matrix if it can be read and
/// computed, into DIR/figures. Returns the files. Errors: output, cancelled.
[[nodiscard]] Result<std::vector<std::string>> draw_study_figures(const Study& study, JobContext& context);

}  // namespace spyctrum
