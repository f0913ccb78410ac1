// SPDX-License-Identifier: Apache-2.0
// One cell of a study: a method at a block size on a matrix, run, timed and compared.
#pragma once

#include <stop_token>

#include "app/study/reference_rows.hpp"
#include "app/study/study.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

struct CellTask {
  const StudyPlan* plan = nullptr;
  const StudyMatrix* matrix = nullptr;
  PatternPtr pattern;
  const Method* method = nullptr;
  std::optional<std::uint32_t> block{};
  Backend backend;
  const StudyReference* reference = nullptr;  ///< nullptr or with a problem: no errors
  const ReferenceRows* rows = nullptr;        ///< nullptr: no reconstruction errors
};

/// Forecast of the cell; zeros if the method gives none.
[[nodiscard]] Forecast forecast_of(const CellTask& task, unsigned threads);
/// The record of a cell without its outcome.
[[nodiscard]] StudyCell blank_cell(const CellTask& task, unsigned threads);
/// Throws Failure{cancelled} if `stop` was requested.
void check_interrupted(const std::stop_token& stop);
/// Options of a job under the plan's allowance.
[[nodiscard]] JobContext::Options job_options(const StudyPlan& plan, std::stop_token stop);
/// Runs the cell. Throws Failure{cancelled} if `stop` was requested; any other failure becomes the cell's
/// status.
[[nodiscard]] StudyCell run_cell(const CellTask& task, ThreadPool& pool, const std::stop_token& stop);

}  // namespace spyctrum
