// SPDX-License-Identifier: Apache-2.0
// Writes a study as two tables. results.csv contains the values that plan, seed and input determine, in an
// order independent of the order of the work: the same plan gives the same file on any number of threads.
// costs.csv contains values that depend on the machine: seconds, runs and bytes_peak are measured,
// bytes_forecast depends on the number of threads. One exception: that a cell was stopped at its time
// allowance is in both.
#pragma once

#include "app/study/study.hpp"

namespace spyctrum {

/// Writes DIR/results.csv and DIR/costs.csv. Errors: output.
[[nodiscard]] Result<void> write_study_csv(const Study& study);

}  // namespace spyctrum
