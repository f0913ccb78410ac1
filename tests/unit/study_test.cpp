// SPDX-License-Identifier: Apache-2.0
// A study is defined by its journal: it is continued after any end, loses nothing and computes nothing twice;
// one bad cell does not disturb the others, and the same seed gives the same table.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "app/study/study_csv.hpp"
#include "app/study/study_journal.hpp"
#include "app/study/study_report.hpp"
#include "app/study/study_run.hpp"
#include "app/study/study_values.hpp"
#include "core/io/reader.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"
#include "tests/support/file_bytes.hpp"
#include "tests/support/reconstruction_errors.hpp"
#include "tests/support/scratch_folder.hpp"

namespace spyctrum {
namespace {

namespace fs = std::filesystem;

class StudyTest : public ::testing::Test {
 protected:
  [[nodiscard]] StudyPlan plan(const std::vector<std::string>& inputs = {"gen:band:n=90",
                                                                         "gen:arrow:n=77"}) const {
    StudyPlan plan;
    plan.methods = {"bs-fft", "elastic", "density-map"};
    plan.blocks = {4, 16};
    plan.memory_bytes = std::uint64_t{1} << 30U;
    plan.repeats = 1;
    auto set = set_sources(plan, inputs, false);
    EXPECT_TRUE(set);
    return plan;
  }
  Result<Study> run(const StudyPlan& plan, const std::string& folder, std::stop_token stop = {}) {
    StudyOptions options;
    options.stop = std::move(stop);
    return run_study(plan, folder, pool_, options);
  }
  [[nodiscard]] std::string cells_path() const { return folder_ + "/cells.jsonl"; }

  test::ScratchFolder scratch_;
  std::string folder_ = scratch_.file("study");
  ThreadPool pool_{2};
};

TEST_F(StudyTest, ResultsHoldEveryCellOfThePlanWithItsErrors) {
  auto study = run(plan(), folder_);
  ASSERT_TRUE(study) << study.error().message();
  EXPECT_EQ(study->matrices.size(), 2U);
  EXPECT_EQ(study->references.size(), 2U);
  ASSERT_EQ(study->cells.size(), 2U * 5U);
  for (const StudyCell& cell : study->cells) {
    EXPECT_EQ(cell.status, CellStatus::done) << cell.matrix << cell.method << cell.reason;
    ASSERT_TRUE(cell.errors);
    if (cell.method == "bs-fft") {
      EXPECT_LT((*cell.errors)["entropy"], 1e-6);
      EXPECT_FALSE(cell.reconstruction);
      ASSERT_TRUE(cell.difference);
      EXPECT_GT(cell.difference->relative, 0);
      EXPECT_LT(cell.difference->of_mean, 1e-4) << "of rows by another method";
    } else {
      ASSERT_TRUE(cell.reconstruction) << cell.reconstruction_note;
      EXPECT_GT(cell.reconstruction->hellinger, 0.01);
      EXPECT_FALSE(cell.reconstruction->sampled);
    }
  }
}

TEST_F(StudyTest, ReconstructionErrorsAreThoseOfAWholePass) {
  auto study = run(plan({"gen:random:n=61,nnz=300"}), folder_);
  ASSERT_TRUE(study);
  const StudyCell* cell = study->cell("gen:random:n=61,nnz=300", "elastic", 4);
  ASSERT_NE(cell, nullptr);
  JobContext context(pool_);
  auto matrix = load_matrix("gen:random:n=61,nnz=300", {}, context);
  ASSERT_TRUE(matrix);
  const ReconstructionErrors errors = test::elastic_errors(matrix->pattern, "4", context);
  EXPECT_NEAR(cell->reconstruction->hellinger, errors.hellinger, 1e-5);
  EXPECT_NEAR(cell->reconstruction->recall_top10, errors.recall_top10, 1e-3);
}

TEST_F(StudyTest, ContinuesWhereItStopped) {
  const StudyPlan whole = plan();
  ASSERT_TRUE(run(whole, folder_));
  const std::string before = test::bytes_of(cells_path());
  // The last three lines are lost, and a fourth is torn.
  const auto lines = read_journal(cells_path());
  ASSERT_FALSE(lines.empty());
  std::ofstream out(cells_path(), std::ios::binary | std::ios::trunc);
  for (std::size_t k = 0; k + 4 < lines.size(); ++k) out << lines[k] << '\n';
  const std::string kept = [&] {
    out.flush();
    return test::bytes_of(cells_path());
  }();
  out << lines[lines.size() - 4].substr(0, 40);
  out.close();
  auto study = run(whole, folder_);
  ASSERT_TRUE(study) << study.error().message();
  EXPECT_EQ(study->cells.size(), 10U);
  // The complete lines are unchanged, and the new ones follow them.
  EXPECT_TRUE(test::bytes_of(cells_path()).starts_with(kept));
  EXPECT_EQ(read_journal(cells_path()).size(), lines.size());
  auto again = load_study(folder_);
  ASSERT_TRUE(again);
  std::set<std::tuple<std::string, std::string, std::optional<std::uint32_t>>> names;
  for (const StudyCell& cell : again->cells)
    EXPECT_TRUE(names.emplace(cell.matrix, cell.method, cell.block).second);
}

TEST_F(StudyTest, AMatrixWhoseNameIsNotUtf8CountsOnceWhenTheStudyIsContinued) {
  fs::create_directories(folder_);
  const std::vector<std::string> files{folder_ + "/a\xE9.mtx", folder_ + "/a\xE8.mtx"};
  for (const std::string& file : files)
    std::ofstream(file) << "%%MatrixMarket matrix coordinate pattern general\n6 5 2\n1 1\n2 3\n";
  const std::string out = folder_ + "/out";
  ASSERT_TRUE(run(plan(files), out));
  const std::string before = test::bytes_of(out + "/cells.jsonl");
  for (const auto& again : {plan(files), plan({files[1]})}) {
    const auto study = run(again, out);
    ASSERT_TRUE(study) << study.error().message();
    EXPECT_EQ(study->matrices.size(), 2U);
    EXPECT_EQ(study->plan.names, (std::vector<std::string>{"a\\xE9", "a\\xE8"}));
    EXPECT_EQ(test::bytes_of(out + "/cells.jsonl"), before);
  }
}

TEST_F(StudyTest, AFinishedStudyIsLeftUnchanged) {
  ASSERT_TRUE(run(plan(), folder_));
  const std::string before = test::bytes_of(cells_path());
  ASSERT_TRUE(run(plan(), folder_));
  EXPECT_EQ(test::bytes_of(cells_path()), before);
}

TEST_F(StudyTest, ALargerPlanComputesOnlyTheNewCells) {
  ASSERT_TRUE(run(plan({"gen:band:n=90"}), folder_));
  const std::string before = test::bytes_of(cells_path());
  StudyPlan larger = plan();
  larger.blocks.push_back(8);
  auto study = run(larger, folder_);
  ASSERT_TRUE(study);
  EXPECT_TRUE(test::bytes_of(cells_path()).starts_with(before));
  EXPECT_EQ(study->cells.size(), 2U * 7U);
}

TEST_F(StudyTest, AStudyIsContinuedWithoutAMethodThatOnlyAnotherVersionHas) {
  const StudyPlan own = plan({"gen:band:n=90"});
  ASSERT_TRUE(run(own, folder_));
  const std::string file = folder_ + "/study.json";
  std::string text = test::bytes_of(file);
  const std::string known = "\"density-map\"";
  text.replace(text.find(known), known.size(), "\"of-another-version\"");
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  const auto study = run(own, folder_);
  ASSERT_TRUE(study) << study.error().message();
  EXPECT_EQ(study->cells.size(), 5U);
  EXPECT_EQ(cells_left(*study), 0U);
  EXPECT_EQ(std::ranges::count(study->plan.methods, "of-another-version"), 1) << "it stays in the plan";
}

TEST_F(StudyTest, AnotherSeedIsAnotherStudy) {
  ASSERT_TRUE(run(plan(), folder_));
  StudyPlan other = plan();
  other.seed = 2;
  auto study = run(other, folder_);
  ASSERT_FALSE(study);
  EXPECT_EQ(study.error().code, ErrorCode::wrong_use);
}

TEST_F(StudyTest, AFailedCellDoesNotEndTheStudy) {
  fs::create_directories(folder_ + "_in");
  std::ofstream(folder_ + "_in/broken.mtx")
      << "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 1\n";
  StudyPlan small = plan({folder_ + "_in", "gen:random:n=700,nnz=4000"});
  small.methods = {"dense", "bs-fft", "density-map"};
  small.memory_bytes = 3000000;  // the dense plane of 700² does not fit
  auto study = run(small, folder_);
  fs::remove_all(folder_ + "_in");
  ASSERT_TRUE(study) << study.error().message();
  EXPECT_NE(study->matrix("broken")->problem.find("broken.mtx"), std::string::npos);
  EXPECT_EQ(cells_left(*study), 0U) << "no process will compute the cells of a broken file";
  const StudyCell* dense = study->cell("gen:random:n=700,nnz=4000", "dense", std::nullopt);
  ASSERT_NE(dense, nullptr);
  EXPECT_EQ(dense->status, CellStatus::memory);
  EXPECT_NE(dense->reason.find("the allowance is"), std::string::npos) << dense->reason;
  EXPECT_GT(dense->bytes_forecast, small.memory_bytes);
  EXPECT_EQ(study->cell("gen:random:n=700,nnz=4000", "density-map", 16)->status, CellStatus::done);
}

TEST_F(StudyTest, ACellThatRunsOutOfTimeIsRecordedAndLargerOnesAreNotStarted) {
  StudyPlan hurried = plan({"gen:random:n=6000,nnz=400000"});
  hurried.methods = {"density-map", "elastic-paper"};
  hurried.cell_seconds = 1e-4;
  hurried.blocks = {1, 2};
  auto study = run(hurried, folder_);
  ASSERT_TRUE(study) << study.error().message();
  const StudyCell* first = study->cell(hurried.names[0], "elastic-paper", 2);
  const StudyCell* second = study->cell(hurried.names[0], "elastic-paper", 1);
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(first->status, CellStatus::time);
  EXPECT_NE(first->reason.find("allowance"), std::string::npos);
  EXPECT_EQ(second->status, CellStatus::time);
  EXPECT_NE(second->reason.find("not started"), std::string::npos);
}

TEST_F(StudyTest, WhatEndedForMemoryIsTriedAgainWhenItsForecastFits) {
  StudyPlan small = plan({"gen:random:n=700,nnz=4000"});
  small.methods = {"dense", "density-map"};
  small.memory_bytes = 3000000;  // the dense plane of 700² does not fit
  auto first = run(small, folder_);
  ASSERT_TRUE(first) << first.error().message();
  const StudyCell refused = *first->cell(small.names[0], "dense", std::nullopt);
  ASSERT_EQ(refused.status, CellStatus::memory);
  StudyPlan more = small;
  more.memory_bytes = refused.bytes_forecast - 1;  // more, but not enough
  const std::string before = test::bytes_of(cells_path());
  ASSERT_TRUE(run(more, folder_));
  EXPECT_EQ(test::bytes_of(cells_path()), before) << "nothing was tried in vain";
  more.memory_bytes = std::uint64_t{1} << 30U;
  auto enough = run(more, folder_);
  ASSERT_TRUE(enough) << enough.error().message();
  EXPECT_EQ(enough->cell(small.names[0], "dense", std::nullopt)->status, CellStatus::done);
  EXPECT_TRUE(test::bytes_of(cells_path()).starts_with(before));
  EXPECT_EQ(std::ranges::count(test::bytes_of(cells_path()), '\n'), std::ranges::count(before, '\n') + 1);
  auto again = load_study(folder_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->cells.size(), first->cells.size()) << "the later record replaces the earlier one";
  EXPECT_EQ(again->cell(small.names[0], "dense", std::nullopt)->status, CellStatus::done);
  ASSERT_TRUE(run(small, folder_));
  EXPECT_EQ(load_study(folder_)->cell(small.names[0], "dense", std::nullopt)->status, CellStatus::done)
      << "a smaller allowance takes nothing away";
}

TEST_F(StudyTest, WhatEndedForTimeIsTriedAgainWithMoreTime) {
  StudyPlan hurried = plan({"gen:random:n=3000,nnz=100000"});
  hurried.methods = {"elastic-paper"};
  hurried.blocks = {4, 8};
  hurried.cell_seconds = 1e-6;
  auto first = run(hurried, folder_);
  ASSERT_TRUE(first) << first.error().message();
  ASSERT_EQ(first->cell(hurried.names[0], "elastic-paper", 8)->status, CellStatus::time);
  ASSERT_FALSE(first->references[0].problem.empty());
  const std::string before = test::bytes_of(cells_path());
  ASSERT_TRUE(run(hurried, folder_));
  EXPECT_EQ(test::bytes_of(cells_path()), before);
  StudyPlan patient = hurried;
  patient.cell_seconds = 600;
  auto second = run(patient, folder_);
  ASSERT_TRUE(second) << second.error().message();
  for (const std::uint32_t block : {4U, 8U}) {
    const StudyCell* cell = second->cell(hurried.names[0], "elastic-paper", block);
    EXPECT_EQ(cell->status, CellStatus::done) << cell->reason;
    EXPECT_TRUE(cell->errors) << "the reference was tried again, too";
  }
  EXPECT_EQ(second->references.size(), 1U);
}

TEST_F(StudyTest, WhatFailedInAnotherVersionIsTriedAgain) {
  StudyCell cell;
  cell.status = CellStatus::failed;
  cell.allowance = plan().allowance();
  EXPECT_TRUE(is_settled(cell, plan()));
  cell.allowance.version = "0.0.1";
  EXPECT_FALSE(is_settled(cell, plan()));
  cell.status = CellStatus::done;
  EXPECT_TRUE(is_settled(cell, plan()));
}

TEST(StudyValuesTest, WhiskersEndAtTheLastValueWithinOneAndAHalfInterquartileRanges) {
  const StudyValues values({9, 1, 3, 2, 4});
  EXPECT_DOUBLE_EQ(values.median(), 3);
  EXPECT_DOUBLE_EQ(values.quantile(0.25), 2);
  EXPECT_DOUBLE_EQ(values.quantile(0.75), 4);
  EXPECT_EQ(values.whiskers(), std::pair(1.0, 4.0)) << "9 is beyond 4 + 1.5·2";
  EXPECT_EQ(StudyValues({5}).whiskers(), std::pair(5.0, 5.0));
}

TEST_F(StudyTest, AMatrixThatWasRepairedIsRead) {
  fs::create_directories(folder_ + "_in");
  const std::string file = folder_ + "_in/broken.mtx";
  std::ofstream(file) << "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 1\n";
  const StudyPlan one = plan({file});
  ASSERT_TRUE(run(one, folder_));
  const std::string before = test::bytes_of(cells_path());
  ASSERT_TRUE(run(one, folder_));
  EXPECT_EQ(test::bytes_of(cells_path()), before);
  std::ofstream(file) << "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1\n";
  auto study = run(one, folder_);
  fs::remove_all(folder_ + "_in");
  ASSERT_TRUE(study) << study.error().message();
  EXPECT_EQ(study->matrices.size(), 1U);
  EXPECT_EQ(study->cells.size(), 5U);
}

TEST_F(StudyTest, FilesOfSomethingElseAreNotOverwritten) {
  for (const char* name : {"results.csv", "costs.csv", "report.md", "cells.jsonl", "study.json"}) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const std::string file = folder_ + "/" + name;
    std::ofstream(file) << "mine, without an end of line";
    auto study = run(plan(), folder_);
    ASSERT_FALSE(study) << name;
    EXPECT_NE(study.error().message().find(name), std::string::npos) << study.error().message();
    EXPECT_EQ(test::bytes_of(file), "mine, without an end of line");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1) << name;
  }
}

TEST_F(StudyTest, AnInterruptionKeepsWhatWasDone) {
  std::stop_source stop;
  StudyOptions options;
  options.stop = stop.get_token();
  options.on_progress = [&](const StudyProgress& progress) {
    if (progress.done == 3) stop.request_stop();
  };
  auto study = run_study(plan(), folder_, pool_, options);
  ASSERT_FALSE(study);
  EXPECT_EQ(study.error().code, ErrorCode::cancelled);
  EXPECT_EQ(load_study(folder_)->cells.size(), 3U);
}

TEST_F(StudyTest, TheSameSeedGivesTheSameTableInAnyOrder) {
  ASSERT_TRUE(run(plan({"gen:arrow:n=77", "gen:band:n=90"}), folder_ + "_a"));
  ASSERT_TRUE(run(plan({"gen:band:n=90"}), folder_ + "_b"));
  ASSERT_TRUE(run(plan({"gen:band:n=90", "gen:arrow:n=77"}), folder_ + "_b"));
  for (const char* end : {"_a", "_b"}) {
    auto study = load_study(folder_ + end);
    ASSERT_TRUE(study);
    ASSERT_TRUE(write_study_csv(*study));
  }
  const std::string table = test::bytes_of(folder_ + "_a/results.csv");
  EXPECT_EQ(table, test::bytes_of(folder_ + "_b/results.csv"));
  EXPECT_EQ(std::ranges::count(table, '\n'), 11);
  EXPECT_TRUE(table.starts_with("matrix,kind,rows,cols,nonzeros,method,block,status,"));
  EXPECT_EQ(table.find("seconds"), std::string::npos);
  EXPECT_TRUE(test::bytes_of(folder_ + "_a/costs.csv")
                  .starts_with("matrix,method,block,status,backend,device,seconds,"));
  fs::remove_all(folder_ + "_a");
  fs::remove_all(folder_ + "_b");
}

/// The lines of a table without the named columns.
std::string without(const std::string& table, const std::set<std::string>& columns) {
  std::istringstream in(table);
  std::vector<bool> keeps;
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    const bool is_head = keeps.empty();
    std::string field;
    std::size_t column = 0;
    bool quoted = false;
    line += ',';
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c != ',' || quoted) {
        field += c;
        continue;
      }
      if (is_head) keeps.push_back(!columns.contains(field));
      if (keeps[column++]) kept += field + ',';
      field.clear();
    }
    kept += '\n';
  }
  return kept;
}

TEST_F(StudyTest, TheSameSeedGivesTheSameTablesExceptForMeasuredCosts) {
  StudyPlan all = plan({"gen:power-law:n=301,nnz=1500,seed=2", "gen:band:n=260"});
  all.methods.clear();
  for (const auto& method : methods()) all.methods.push_back(method->info().id);
  const auto tables = [&](unsigned threads, const std::string& folder) {
    ThreadPool pool(threads);
    auto study = run_study(all, folder, pool, {});
    EXPECT_TRUE(study);
    EXPECT_TRUE(write_study_csv(*study));
    const std::string results = test::bytes_of(folder + "/results.csv");
    const std::string costs = test::bytes_of(folder + "/costs.csv");
    fs::remove_all(folder);
    return std::pair(results, costs);
  };
  const auto [results, costs] = tables(2, folder_ + "_a");
  const auto [again, costs_again] = tables(2, folder_ + "_b");
  const auto [on_seven, costs_on_seven] = tables(7, folder_ + "_c");
  EXPECT_EQ(results, again);
  EXPECT_EQ(results, on_seven);
  const std::set<std::string> measured{
      "seconds", "preparation_seconds", "decoding_seconds", "reconstruction_seconds",
      "runs",    "bytes_peak",          "device_bytes_peak"};
  EXPECT_EQ(without(costs, measured), without(costs_again, measured));
  EXPECT_NE(costs, costs_again);  // seconds to six digits
  EXPECT_EQ(without("a,seconds,b\n1,2,3\n\"x,y\",4,5\n", measured), "a,b,\n1,3,\n\"x,y\",5,\n");
}

TEST_F(StudyTest, LosesNoRecordedCellWhenItIsKilled) {
  // spyctrum-cli, killed (SIGKILL) once it has written some cells.
  const std::string program = SPYCTRUM_BIN_DIR "/spyctrum-cli";
  const std::vector<std::string> words{program,           "study",       "gen:random:n=1500,nnz=9000",
                                       "gen:band:n=1200", "--out",       folder_,
                                       "--blocks",        "2,4,8,16,32", "--quiet"};
  const auto start = [&] {
    const pid_t child = fork();
    if (child == 0) {
      std::vector<char*> arguments;
      for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      execv(program.c_str(), arguments.data());
      _exit(127);
    }
    return child;
  };
  const pid_t first = start();
  ASSERT_GT(first, 0);
  const auto lines_now = [&] { return std::ranges::count(test::bytes_of(cells_path()), '\n'); };
  while (lines_now() < 6 && waitpid(first, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  const std::string left = test::bytes_of(cells_path());
  const std::string whole = left.substr(0, left.rfind('\n') + 1);
  EXPECT_GE(std::ranges::count(whole, '\n'), 6);
  int status = 0;
  const pid_t second = start();
  waitpid(second, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(test::bytes_of(cells_path()).starts_with(whole));
  auto study = load_study(folder_);
  ASSERT_TRUE(study) << study.error().message();
  std::set<std::tuple<std::string, std::string, std::optional<std::uint32_t>>> names;
  for (const StudyCell& cell : study->cells)
    EXPECT_TRUE(names.emplace(cell.matrix, cell.method, cell.block).second);
  std::size_t expected = 0;
  for (const auto& method : methods()) expected += method->info().uses_block ? 5 : 1;
  EXPECT_EQ(study->cells.size(), 2 * expected);
}

TEST_F(StudyTest, StandInsHaveThePapersSizesAndAreLabelled) {
  StudyPlan paper;
  ASSERT_TRUE(set_sources(paper, {}, true));
  ASSERT_EQ(paper.names.size(), paper_data_sets().size());
  for (const std::string& name : paper.names) EXPECT_TRUE(name.ends_with("(generated)")) << name;
  JobContext context(pool_);
  auto matrix = load_matrix(stand_in_source(paper_data_sets()[0]), {}, context);
  ASSERT_TRUE(matrix) << matrix.error().message();
  EXPECT_EQ(matrix->pattern->rows(), 11701U);
  EXPECT_EQ(matrix->pattern->nonzeros(), 290519);
}

TEST_F(StudyTest, TheReportHoldsTheMediansOfTheCells) {
  auto study =
      run(plan({"gen:random:n=61,nnz=300", "gen:random:n=70,nnz=300", "gen:random:n=80,nnz=500"}), folder_);
  ASSERT_TRUE(study);
  const std::vector<StudyGroup> groups = study_groups(*study);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].matrices.size(), 3U);
  std::vector<double> values;
  for (const StudyCell& cell : study->cells)
    if (cell.method == "elastic" && cell.block == 4U) values.push_back(cell.reconstruction->hellinger);
  std::ranges::sort(values);
  const auto median = values_over(*study, groups[0], "elastic", 4, value_hellinger());
  ASSERT_TRUE(median);
  EXPECT_EQ(median->count(), 3U);
  EXPECT_DOUBLE_EQ(median->median(), values[1]);
  ASSERT_TRUE(write_study_report(*study));
  const std::string report = test::bytes_of(folder_ + "/report.md");
  for (const char* part :
       {"## Data sets", "## Completed or failed", "## Median seconds", "## Crossover",
        "## Mean seconds of the decoder", "### Seconds of preparation", "### Largest difference over √K",
        " at ", "0.422 (b=4) … 0.759 (b=128)", "gen:random:n=61,nnz=300"})
    EXPECT_NE(report.find(part), std::string::npos) << part;
}

TEST_F(StudyTest, AFolderWithoutAStudyIsReported) {
  fs::create_directories(folder_);
  EXPECT_FALSE(is_study_folder(folder_));
  EXPECT_EQ(load_study(folder_).error().code, ErrorCode::bad_input);
}

}  // namespace
}  // namespace spyctrum
