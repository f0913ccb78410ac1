// SPDX-License-Identifier: Apache-2.0
// A study as two tables. results.csv holds what plan, seed and input determine, in an order that does not
// depend on the order of the work, with six digits: the same plan gives the same file, on any number of
// threads. costs.csv holds what the machine determines: the columns seconds, runs and bytes_peak are
// measured, bytes_forecast follows the number of threads. The one exception is a cell that was stopped at its
// time allowance: its status says so in both.
#pragma once

#include "app/study/study.hpp"

namespace spyctrum {

/// Writes DIR/results.csv and DIR/costs.csv. Errors: output.
[[nodiscard]] Result<void> write_study_csv(const Study& study);

/// Cells in the order of the tables: matrices by m·n and name, methods as registered, blocks ascending.
[[nodiscard]] std::vector<const StudyCell*> cells_in_order(const Study& study);
/// Matrices that could be read, by m·n and name.
[[nodiscard]] std::vector<const StudyMatrix*> matrices_in_order(const Study& study);

}  // namespace spyctrum
