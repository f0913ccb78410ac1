// SPDX-License-Identifier: Apache-2.0
// The report of a study: the paper's tables from the study's cells, beside the paper's printed values.
#pragma once

#include "app/study/study.hpp"

namespace spyctrum {

/// Writes DIR/report.md with the figures in DIR/figures. Errors: output.
[[nodiscard]] Result<void> write_study_report(const Study& study);

}  // namespace spyctrum
