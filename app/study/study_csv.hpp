// SPDX-License-Identifier: Apache-2.0
// Writes a study as two tables. results.csv holds what plan, seed and input determine, in an order
// independent of the order of the work, with six digits: the same plan gives the same file on any number of
// threads. costs.csv holds what depends on the machine: seconds, runs and bytes_peak are measured,
// bytes_forecast depends on the number of threads. One exception: that a cell was stopped at its time
// allowance is in both.
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
