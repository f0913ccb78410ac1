// SPDX-License-Identifier: Apache-2.0
// study: matrices × methods × block sizes into a folder; an interrupted study is continued.
#include "app/study/study_csv.hpp"
#include "app/study/study_report.hpp"
#include "app/study/study_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "app/process/process.hpp"
#include "core/device/backends.hpp"
#include "core/io/quote.hpp"

namespace spyctrum::cli {

namespace {

std::string time_left(double seconds) {
  if (seconds < 0) return {};
  const auto whole = static_cast<long>(seconds);
  return ", about " +
         (whole < 100 ? std::to_string(whole) + " s" : std::to_string((whole + 30) / 60) + " min") + " left";
}

/// Progress: one line that is rewritten on a terminal; elsewhere a line for each finished cell.
void show_progress(const StudyProgress& progress) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const std::string count = "[" + std::to_string(progress.done) + "/" + std::to_string(progress.total) + "] ";
  if (!progress.outcome.empty()) {
    std::cerr << (terminal ? "\r\033[K" : "");
    if (!terminal || progress.outcome != "done")
      std::cerr << count << progress.title << ": " << progress.outcome << time_left(progress.seconds_left)
                << '\n';
  } else if (terminal) {
    std::cerr << "\r\033[K" << count << progress.title << time_left(progress.seconds_left);
  }
  std::cerr << std::flush;
}

std::size_t count_of(const Study& study, CellStatus status) {
  return static_cast<std::size_t>(std::ranges::count(study.cells, status, &StudyCell::status));
}

Json summary_json(const Study& study) {
  Json object{{"out", study.folder},
              {"cells", study.folder + "/cells.jsonl"},
              {"results", study.folder + "/results.csv"},
              {"costs", study.folder + "/costs.csv"},
              {"report", study.folder + "/report.md"},
              {"matrices", study.matrices.size()},
              {"unreadable", Json::array()}};
  for (const StudyMatrix& matrix : study.matrices)
    if (!matrix.problem.empty())
      object["unreadable"].push_back({{"source", matrix.source}, {"problem", matrix.problem}});
  for (const CellStatus status : kCellStatuses) object[to_string(status)] = count_of(study, status);
  object["left"] = cells_left(study);
  object["version"] = SPYCTRUM_VERSION;
  return object;
}

/// Figures are drawn by the desktop program, without a window: this one links no library that draws. Where
/// the program is missing, the tables are complete and there are no figures.
void draw_figures(const Session& session, const std::string& folder) {
  std::error_code problem;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", problem).parent_path() / "spyctrum";
  if (problem || !std::filesystem::exists(program, problem)) {
    session.note("No figures: the desktop program spyctrum is not in the folder of spyctrum-cli.");
    return;
  }
  StartedProgram child({program.string(), "--figures", folder}, -1, -1, session.stop());
  if (child.wait() != 0 && !session.stop().stop_requested())
    session.note("No figures: " + program.string() + " --figures could not draw them here.");
}

}  // namespace

void run_study_command(Session& session, const StudyCommandOptions& options) {
  StudyPlan plan;
  plan.methods = options.methods;
  if (plan.methods.empty())
    for (const auto& method : methods()) plan.methods.push_back(method->info().id);
  plan.blocks = block_sizes(options.blocks);
  plan.backend = to_string(or_throw(parse_backend(session.options().backend)));
  plan.seed = session.options().seed;
  plan.memory_bytes = session.memory_bytes();
  plan.cell_seconds = options.cell_seconds;
  plan.repeats = options.repeats;
  plan.import = session.options().import;
  plan.weights = session.options().weights;
  or_throw(set_sources(plan, options.files, options.stand_ins));

  StudyOptions run_options;
  if (options.shard) {
    run_options.shard = parse_shard(*options.shard);
    if (!run_options.shard)
      throw Failure(ErrorCode::wrong_use, "--shard: '" + *options.shard + "' is not K/N with 1 ≤ K ≤ N.");
  }
  run_options.stop = session.stop();
  run_options.backend = session.backend();
  const bool is_shared = is_started_by_mpi() && !options.shard;
  if (is_shared) run_options.shard = ShardNumber{session.ranks().rank() + 1, session.ranks().size()};
  if (!session.options().quiet) run_options.on_progress = show_progress;
  auto ended = run_study(plan, options.out, session.pool(), run_options);
  if (is_shared && ended) {
    // Rank 0 takes over the records of all shards once none of them writes any more.
    (void)session.ranks().gather({}, session.stop());
    if (!session.is_first()) return;
    run_options.shard.reset();
    ended = run_study(plan, options.out, session.pool(), run_options);
  }
  // The tables are written after an interruption too.
  const auto whole = load_study(options.out);
  if (whole) {
    or_throw(write_study_csv(*whole));
    if (options.figures && ended && cells_left(*whole) == 0) draw_figures(session, options.out);
    or_throw(write_study_report(*whole));
  }
  const Study study = or_throw(std::move(ended));
  if (!whole) throw Failure(whole.error());
  session.print(summary_json(study));
  const std::size_t left = cells_left(study);
  session.line(options.out, ": ", count_of(study, CellStatus::done), " of ", study.cells.size() + left,
               " cells done; report.md, results.csv, costs.csv");
  const auto unreadable = static_cast<std::size_t>(
      std::ranges::count_if(study.matrices, [](const StudyMatrix& one) { return !one.problem.empty(); }));
  if (unreadable > 0)
    session.line("  ", counted(unreadable, "matrix", "matrices"), " could not be read; report.md says why");
  if (left > 0)
    session.line("  other shards are working on ", counted(left, "cell", "cells"),
                 "; afterwards run this command without --shard");
}

}  // namespace spyctrum::cli
