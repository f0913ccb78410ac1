// SPDX-License-Identifier: Apache-2.0
// Fills a study: whatever its journal does not hold yet is computed and added to it, cheapest first.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "app/study/study.hpp"
#include "core/base/thread_pool.hpp"

namespace spyctrum {

struct StudyProgress {
  std::size_t done = 0;      ///< cells that are in the journal
  std::size_t total = 0;     ///< cells of the plan
  std::string title;         ///< what is computed now
  std::string outcome;       ///< of the cell that just ended; empty when one begins
  double seconds_left = -1;  ///< rough; negative: unknown
};

struct StudyOptions {
  std::stop_token stop;
  std::function<void(const StudyProgress&)> on_progress;
};

/// Files and gen: texts as they are, folders as the matrix files in them in order of their names; names are
/// made unique. `stand_ins` adds generated matrices for data sets of the paper that are not among them.
/// Errors: bad_input for a path that is not there.
[[nodiscard]] Result<void> set_sources(StudyPlan& plan, const std::vector<std::string>& inputs,
                                       bool stand_ins);

/// Continues the study in `folder` or begins it. The plan may have grown (matrices, methods, blocks); what is
/// there already stays and is not computed again. Errors: wrong_use where seed or backend differ from what
/// the folder holds; bad_input where a file's pattern changed; cancelled (everything finished is kept);
/// output. One cell that fails does not end it.
[[nodiscard]] Result<Study> run_study(const StudyPlan& plan, const std::string& folder, ThreadPool& pool,
                                      const StudyOptions& options);

}  // namespace spyctrum
