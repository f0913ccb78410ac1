// SPDX-License-Identifier: Apache-2.0
// study: matrices × methods × block sizes into a folder; an interrupted study is continued.
#include "app/study/study_csv.hpp"
#include "app/study/study_report.hpp"
#include "app/study/study_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "app/cli/commands.hpp"
#include "app/cli/method_run.hpp"
#include "app/process/process.hpp"

namespace spyctrum::cli {

namespace {

std::string time_left(double seconds) {
  if (seconds < 0) return {};
  const auto whole = static_cast<long>(seconds);
  std::array<char, 48> text{};
  if (whole < 100) {
    std::snprintf(text.data(), text.size(), ", about %ld s left", whole);
  } else {
    std::snprintf(text.data(), text.size(), ", about %ld min left", (whole + 30) / 60);
  }
  return text.data();
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
  Json unreadable = Json::array();
  for (const StudyMatrix& matrix : study.matrices)
    if (!matrix.problem.empty())
      unreadable.push_back({{"source", matrix.source}, {"problem", matrix.problem}});
  return {{"out", study.folder},
          {"cells", study.folder + "/cells.jsonl"},
          {"results", study.folder + "/results.csv"},
          {"costs", study.folder + "/costs.csv"},
          {"report", study.folder + "/report.md"},
          {"matrices", study.matrices.size()},
          {"unreadable", unreadable},
          {"done", count_of(study, CellStatus::done)},
          {"memory", count_of(study, CellStatus::memory)},
          {"time", count_of(study, CellStatus::time)},
          {"unsupported", count_of(study, CellStatus::unsupported)},
          {"failed", count_of(study, CellStatus::failed)},
          {"version", SPYCTRUM_VERSION}};
}

/// Figures are the plots of the desktop program, which draws them without a window. Where the program or
/// OpenGL is missing, the tables are complete and there are no figures.
void draw_figures(const Session& session, const std::string& folder) {
  std::error_code problem;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", problem).parent_path() / "spyctrum";
  if (problem || !std::filesystem::exists(program, problem)) {
    session.note("No figures: the desktop program spyctrum is not in the folder of spyctrum-cli.");
    return;
  }
  ChildProcess child({program.string(), "--figures", folder}, -1, -1, session.stop());
  if (child.wait() != 0 && !session.stop().stop_requested())
    session.note("No figures: " + program.string() + " --figures could not draw them here.");
}

}  // namespace

Result<void> run_study_command(Session& session, const StudyCommandOptions& options) {
  StudyPlan plan;
  plan.methods = options.methods;
  if (plan.methods.empty())
    for (const auto& method : methods()) plan.methods.push_back(method->info().id);
  for (const std::int64_t block : options.blocks) {
    if (block < 1 || block > kLargestBlock)
      return fail(ErrorCode::wrong_use, "A block size is 1 or more, not " + std::to_string(block) + ".");
    plan.blocks.push_back(static_cast<std::uint32_t>(block));
  }
  plan.backend = to_string(session.backend());
  plan.seed = session.options().seed;
  plan.memory_bytes = session.memory_bytes();
  plan.cell_seconds = options.cell_seconds;
  plan.repeats = options.repeats;
  if (auto found = set_sources(plan, options.files, options.stand_ins); !found) return found;

  StudyOptions run_options;
  run_options.stop = session.stop();
  if (!session.options().quiet) run_options.on_progress = show_progress;
  auto study = run_study(plan, options.out, session.pool(), run_options);
  session.clear_progress();
  // The tables are written after an interruption too.
  auto whole = load_study(options.out);
  if (whole) {
    if (auto written = write_study_csv(*whole); !written) return written;
    if (options.figures && study) draw_figures(session, options.out);
    if (auto written = write_study_report(*whole); !written) return written;
  }
  if (!study) return tl::unexpected<Error>(study.error());
  session.print(summary_json(*study));
  session.line(options.out + ": " + std::to_string(count_of(*study, CellStatus::done)) + " of " +
               std::to_string(study->cells.size()) + " cells done; report.md, results.csv, costs.csv");
  return session.finish();
}

}  // namespace spyctrum::cli
