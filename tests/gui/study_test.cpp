// SPDX-License-Identifier: Apache-2.0
// The theory and advisor panels show results for the open matrix; a study opens from its folder, and
// any of its cells opens its matrix with the cell's method and block size.
#include <implot.h>
#include <implot_internal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/study/study_run.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMatrix = "gen:random:n=600,nnz=5000";

class Studies : public GuiTest {
 protected:
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
    GuiTest::TearDown();
  }
  std::string make_study() {
    folder_ = (fs::temp_directory_path() / ("spyctrum_gui_study_" + std::to_string(getpid()))).string();
    fs::remove_all(folder_);
    StudyPlan plan;
    plan.methods = {"bs-fft", "elastic", "density-map"};
    plan.blocks = {4, 16, 32};
    plan.memory_bytes = std::uint64_t{1} << 30U;
    plan.repeats = 1;
    EXPECT_TRUE(set_sources(plan, {"gen:band:n=300", "gen:random:n=400,nnz=3000"}, false));
    ThreadPool pool(2);
    auto study = run_study(plan, folder_, pool, {});
    EXPECT_TRUE(study) << (study ? "" : study.error().message());
    return folder_;
  }
  std::string folder_;
};

TEST_F(Studies, TheTheoryPanelShowsBoundsAndAfterAPassMeasuredValues) {
  open(kMatrix);
  ASSERT_TRUE(state().theory.theory);
  EXPECT_EQ(state().theory.theory->block, 16U);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Theory"); });
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Measure the energy"); });
  settle();
  ASSERT_TRUE(state().theory.measured);
  ASSERT_TRUE(state().theory.theory);
  for (const Statement& statement : state().theory.theory->statements) {
    EXPECT_NE(statement.holds(), false) << statement.id;
    EXPECT_TRUE(statement.measured) << statement.id;
  }
  EXPECT_FALSE(exists("Measure the energy"));
  act(action::SetBlock{4});
  settle();
  EXPECT_EQ(state().theory.theory->block, 4U);
}

TEST_F(Studies, TheoryOfAnotherMatrixStartsUnmeasured) {
  open(kMatrix);
  act(action::MeasureTheory{});
  settle();
  ASSERT_TRUE(state().theory.measured);
  open("gen:band:n=200");
  EXPECT_FALSE(state().theory.measured);
  EXPECT_EQ(state().theory.theory->m, 200U);
}

TEST_F(Studies, RelatedWorkIsJudgedForTheOpenMatrixOnceItsSpectrumWasMeasured) {
  open(kMatrix);
  ASSERT_EQ(state().theory.related.size(), 5U);
  EXPECT_FALSE(state().theory.related[0].met) << "no spectrum was measured";
  drive([](ImGuiTestContext* c) { c->MenuClick("##MainMenuBar/Help/Related work"); });
  EXPECT_EQ(state().interface.overlay, Overlay::related);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Measure the spectrum"); });
  settle();
  EXPECT_EQ(state().theory.related[0].met, false) << state().theory.related[0].verdict;
  EXPECT_FALSE(exists("Measure the spectrum"));
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Close"); });
  EXPECT_EQ(state().interface.overlay, Overlay::none);
}

TEST_F(Studies, AClickAppliesARecommendation) {
  open(kMatrix);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Advisor"); });
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Ask the advisor"); });
  settle();
  ASSERT_FALSE(state().advisor.known.prospects.empty());
  const std::vector<Advice> list = recommend(state().advisor.known.prospects, {});
  ASSERT_TRUE(list.front().fits);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/$$0/##advice"); });
  settle();
  EXPECT_NE(std::ranges::find(state().columns, list.front().prospect.method, &Column::method),
            state().columns.end());
}

TEST_F(Studies, ASettingIsAppliedToTheColumnOfItsMethodOrToANewOne) {
  open(kMatrix);
  act(action::UseSetting{"elastic", 7});
  settle();
  EXPECT_EQ(state().columns.size(), 3U);
  EXPECT_EQ(state().block, 7U);
  act(action::UseSetting{"fixed-point", 9});
  settle();
  ASSERT_EQ(state().columns.size(), 4U);
  EXPECT_EQ(state().columns[3].method, "fixed-point");
  EXPECT_EQ(state().columns[3].block, 9U);
  EXPECT_EQ(state().interface.focused_column, 3U);
}

TEST_F(Studies, AFolderOpensAsAStudyAndACellAsItsMatrix) {
  act(action::OpenFile{make_study()});
  settle();
  ASSERT_TRUE(state().study);
  EXPECT_EQ(state().study->cells.size(), 14U);
  EXPECT_GT(contrast(screen()), 5);
  act(action::OpenStudyCell{"gen:random:n=400,nnz=3000", "density-map", 32});
  settle();
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().matrix()->source, "gen:random:n=400,nnz=3000");
  EXPECT_EQ(state().block, 32U);
  const auto column = std::ranges::find(state().columns, "density-map", &Column::method);
  ASSERT_NE(column, state().columns.end());
  EXPECT_EQ(column->block, 32U);
  ASSERT_TRUE(column->spectrum);
  act(action::CloseStudy{});
  draw(2);
  EXPECT_FALSE(state().study);
}

TEST_F(Studies, AStudyChosenAsAFolderIsShownAndItsTablesAreNotListedAsMatrices) {
  act(action::OpenFolder{make_study()});
  settle();
  EXPECT_TRUE(state().study);
  EXPECT_NE(state().interface.overlay, Overlay::folder);
}

TEST_F(Studies, EveryAxisHasTwoTicksToReadItBy) {
  act(action::OpenFile{make_study()});
  settle();
  ImPool<ImPlotPlot>& plots = ImPlot::GetCurrentContext()->Plots;
  ASSERT_EQ(plots.GetAliveCount(), 1);
  const ImPlotPlot& plot = *plots.GetByIndex(0);
  for (const int axis : {ImAxis_X1, ImAxis_Y1}) {
    const ImPlotAxis& one = plot.Axes[axis];
    // n·K of both matrices lies within a decade.
    EXPECT_GE(std::ranges::count_if(
                  one.Ticker.Ticks,
                  [&](const ImPlotTick& tick) { return tick.ShowLabel && one.Range.Contains(tick.PlotPos); }),
              2)
        << axis;
  }
}

TEST_F(Studies, AFolderWithoutAStudyIsReported) {
  act(action::OpenStudy{fs::temp_directory_path().string()});
  settle();
  EXPECT_FALSE(state().study);
  EXPECT_FALSE(state().toasts.empty());
}

}  // namespace
}  // namespace spyctrum::testing
