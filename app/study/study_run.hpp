// SPDX-License-Identifier: Apache-2.0
// Computes the cells that a study's journal does not hold yet and adds them to it, cheapest first.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "app/study/study.hpp"
#include "app/study/study_shard.hpp"
#include "core/base/backend.hpp"
#include "core/base/thread_pool.hpp"
#include "core/io/reader.hpp"

namespace spyctrum {

/// Options for reading the plan's files. Throws Failure{wrong_use} for an import option that no format has
/// and for unknown weights.
[[nodiscard]] LoadOptions load_options(const StudyPlan& plan);

struct StudyProgress {
  std::size_t done = 0;      ///< cells in the journal
  std::size_t total = 0;     ///< cells of the plan
  std::string title;         ///< the current cell or step
  std::string outcome;       ///< outcome of the cell that just ended; empty when a cell begins
  double seconds_left = -1;  ///< a rough estimate; negative: unknown
};

struct StudyOptions {
  std::stop_token stop;
  std::function<void(const StudyProgress&)> on_progress;
  /// One of several processes that share the folder; empty: this process does all remaining work.
  std::optional<ShardNumber> shard{};
  /// The backend of this process, if not StudyPlan::backend: ranks on one machine use different devices.
  std::optional<Backend> backend{};
};

/// The number of cells of the plan without a record, except those of matrices that cannot be read.
[[nodiscard]] std::size_t cells_left(const Study& study);

/// Sets the plan's sources: files and gen: texts as they are, folders replaced by their matrix files in order
/// of name; names are made unique. `stand_ins` adds generated matrices for those data sets of the paper that
/// are missing. Errors: bad_input for a path that does not exist.
[[nodiscard]] Result<void> set_sources(StudyPlan& plan, const std::vector<std::string>& inputs,
                                       bool stand_ins);

/// Continues the study in `folder`, or begins it. The plan may add matrices, methods and block sizes. Cells
/// that are done are not computed again; cells that were refused or ended for memory or time are tried again
/// once the plan allows more. A cell that fails does not end the study. A shard computes cells that no other
/// running shard has claimed, beginning with its own share of the matrices, and may end before the others; a
/// run without shards takes over the records of all shards. Errors: wrong_use if seed, import options or
/// backend differ from the folder's, if the folder contains files of these names but no study, or if another
/// run writes there; bad_input if a file's pattern has changed; cancelled (finished cells are kept); output.
[[nodiscard]] Result<Study> run_study(const StudyPlan& plan, const std::string& folder, ThreadPool& pool,
                                      const StudyOptions& options);

}  // namespace spyctrum
