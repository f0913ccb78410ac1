// SPDX-License-Identifier: Apache-2.0
// The figures of a study are complete files in all three forms, on white, each different from the others, and
// are drawn in full: what lies beyond the ends of an axis would be left out or drawn over the margin.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "app/figures/study_figures.hpp"
#include "app/study/study_plots.hpp"
#include "app/study/study_run.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {
namespace {

namespace fs = std::filesystem;

class StudyFigures : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / ("spyctrum_figures_" + std::to_string(getpid()))).string();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  Result<Study> run() {
    StudyPlan plan;
    plan.methods = {"bs-fft", "dense", "elastic", "density-map"};
    plan.blocks = {4, 16, 32};
    plan.memory_bytes = std::uint64_t{1} << 30U;
    plan.repeats = 1;
    EXPECT_TRUE(set_sources(plan, {"gen:band:n=300", "gen:random:n=400,nnz=3000"}, false));
    return run_study(plan, folder_, pool_, {});
  }
  [[nodiscard]] static std::string text_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string folder_;
  ThreadPool pool_{2};
};

TEST_F(StudyFigures, AreCompleteFilesThatDiffer) {
  const auto study = run();
  ASSERT_TRUE(study) << study.error().message();
  JobContext context(pool_);
  const auto files = draw_study_figures(*study, context);
  ASSERT_TRUE(files) << files.error().message();
  EXPECT_EQ(files->size(), 3 * (kStudyPlots + 3 + 1)) << "plots, whole planes, pictures";
  std::set<std::string> contents;
  for (const std::string& file : *files) {
    const std::string text = text_of(file);
    const std::string ending = fs::path(file).extension().string();
    const bool whole =
        ending == ".png"   ? text.starts_with("\x89PNG") && text.find("IEND") != std::string::npos
        : ending == ".svg" ? text.starts_with("<?xml") && text.ends_with("</svg>\n")
                           : text.starts_with("%PDF") && text.find("%%EOF") != std::string::npos;
    EXPECT_TRUE(whole) << file;
    EXPECT_TRUE(contents.insert(text).second) << file << " equals another figure";
  }
}

TEST_F(StudyFigures, EndWithAMessageWhereTheyCannotBeWritten) {
  auto study = run();
  ASSERT_TRUE(study) << study.error().message();
  std::ofstream(folder_ + "/figures") << "a file in the way";
  JobContext context(pool_);
  const auto files = draw_study_figures(*study, context);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::output);
}

TEST_F(StudyFigures, MethodsDifferByColourAndMarkAndWithoutColourByMarkAndDash) {
  std::set<std::pair<std::uint32_t, Mark>> in_colour;
  std::set<std::tuple<Mark, double, double>> in_grey;
  for (const auto& method : methods()) {
    const MethodStyle style = method_style(method->info().id);
    EXPECT_TRUE(in_colour.insert({style.color, style.mark}).second) << method->info().id;
    EXPECT_TRUE(in_grey.insert({style.mark, style.dash[0], style.dash[1]}).second) << method->info().id;
  }
}

}  // namespace
}  // namespace spyctrum
