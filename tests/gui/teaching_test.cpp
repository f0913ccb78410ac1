// SPDX-License-Identifier: Apache-2.0
// The panel that explains a spectrum, the sandbox, and the presentation.
#include <imgui_internal.h>

#include <algorithm>

#include "app/controller/lessons/lesson.hpp"
#include "core/matrix/drawing.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

class Teaching : public GuiTest {
 protected:
  [[nodiscard]] ScreenSize screen_size() override { return {.width = 1280, .height = 720}; }
};

TEST_F(Teaching, AFindingIsShownInBothDomainsAndTakenAwayAgain) {
  open("gen:band:n=200,lower=2,upper=2");
  EXPECT_FALSE(state().explain.explanation) << "not requested yet";
  press(ImGuiKey_F3);
  settle();
  ASSERT_TRUE(state().explain.explanation);
  keep("explain");
  const std::vector<Finding>& findings = state().explain.explanation->findings;
  const auto band = std::ranges::find(findings, FindingKind::diagonals, &Finding::kind);
  ASSERT_NE(band, findings.end());
  const std::string item = "finding " + std::to_string(band - findings.begin() + 1);
  drive([&](ImGuiTestContext* c) { c->ItemClick(("**/" + item).c_str()); });
  settle();
  keep("explain_shown");
  EXPECT_EQ(state().wave, band->wave);
  EXPECT_LT(state().view(Plane::pattern).rect.height(), 100) << "zoomed to a part of the band";
  EXPECT_TRUE(state().explain.marks[0]);
  drive([&](ImGuiTestContext* c) { c->ItemClick(("**/" + item).c_str()); });
  settle();
  EXPECT_FALSE(state().wave);
  EXPECT_FALSE(state().explain.shown);
  EXPECT_EQ(state().view(Plane::pattern).rect, state().view(Plane::pattern).full);
  open("gen:random:n=200,nnz=2000,seed=3");
  ASSERT_TRUE(state().explain.explanation) << "the next matrix is explained without a request";
  EXPECT_EQ(state().explain.explanation->findings.front().kind, FindingKind::nothing);
}

TEST_F(Teaching, AnExplanationSaysWhereItIsNotAboutWhatIsSeen) {
  open("gen:band:n=200,lower=2,upper=2");
  act(action::Explain{});
  settle();
  drive([](ImGuiTestContext* c) { c->WindowFocus("//Explain"); });
  settle();
  const ImRect panel = ImGui::FindWindowByName("Explain")->Rect();
  const Pixels whole = pixels_in(panel);
  draw(2);
  EXPECT_EQ(share_changed(whole, pixels_in(panel)), 0) << "control";
  act(action::SetView{Plane::spectrum, {-10, -10, 10, 10}});
  settle();
  EXPECT_GT(share_changed(whole, pixels_in(panel)), 0) << "another sentence";
  keep("explain_zoomed");
}

TEST_F(Teaching, TheKeyThatOpensADrawingGoesBackToTheColumnsThatWereOpen) {
  open("gen:band:n=200,lower=2,upper=2");
  act(action::SetColumnMethod{state().columns.back().id, "fixed-point"});
  act(action::SetView{Plane::spectrum, {-10, -10, 10, 10}});
  settle();
  const auto methods = [&] {
    std::vector<std::string> all;
    for (const Column& column : state().columns) all.push_back(column.method);
    return all;
  };
  const std::vector<std::string> before = methods();
  ASSERT_GT(before.size(), 1U);
  press(ImGuiKey_F4);
  settle();
  ASSERT_TRUE(state().sandbox.is_drawing);
  EXPECT_EQ(methods().size(), 1U);
  act(action::Draw{{.tool = Stroke::Tool::point, .from = {3, 9}, .to = {3, 9}}, false});
  settle();
  const std::string drawn = state().matrix()->source;
  press(ImGuiKey_F4);
  settle();
  EXPECT_EQ(methods(), before);
  EXPECT_EQ(state().matrix()->source, "gen:band:n=200,lower=2,upper=2");
  EXPECT_EQ(state().view(Plane::spectrum).rect, (PlaneRect{-10, -10, 10, 10}));
  EXPECT_FALSE(state().sandbox.is_drawing);
  press(ImGuiKey_F4);
  settle();
  EXPECT_TRUE(state().sandbox.is_drawing);
  EXPECT_EQ(state().matrix()->source, drawn) << "the drawing was kept";
}

class Sandbox : public Teaching {
 protected:
  void SetUp() override {
    GuiTest::SetUp();
    press(ImGuiKey_F4);
    settle();
    ASSERT_TRUE(state().sandbox.is_drawing);
  }
  [[nodiscard]] Drawing drawing() const { return parse_drawing(state().matrix()->source).value(); }
  /// The middle of the entry (row, col) on the screen.
  ImVec2 place(int row, int col) {
    const ImRect cell = rect_of("picture pattern 1");
    const PlaneRect rect = picture_rect(state(), Plane::pattern);
    return {cell.Min.x + static_cast<float>((col + 0.5 - rect.left) / rect.width()) * cell.GetWidth(),
            cell.Min.y + static_cast<float>((row + 0.5 - rect.top) / rect.height()) * cell.GetHeight()};
  }
  void drag(ImVec2 from, ImVec2 to) {
    drive([&](ImGuiTestContext* c) {
      c->MouseMoveToPos(from);
      c->MouseDown(0);
      c->MouseMoveToPos(to);
      c->MouseUp(0);
    });
    settle();
  }
};

TEST_F(Sandbox, APencilDrawsTheSpectrumFollowsAndUndoTakesItBack) {
  const Drawing before = drawing();
  EXPECT_EQ(before.rows, 64U);
  const Pixels spectrum = pixels_of("picture spectrum 1");
  const PlaneRect view = state().view(Plane::pattern).rect;
  drag(place(10, 40), place(10, 55));
  const Drawing drawn = drawing();
  for (std::uint32_t col = 40; col <= 55; ++col) EXPECT_EQ(drawn.at(10, col), 1) << col;
  EXPECT_EQ(state().matrix()->matrix.pattern->nonzeros(), 64 + 16);
  EXPECT_EQ(state().view(Plane::pattern).rect, view) << "the left button draws and does not pan";
  EXPECT_GT(share_changed(spectrum, pixels_of("picture spectrum 1")), 0.2);
  keep("sandbox");
  EXPECT_TRUE(state().sandbox.can_undo);
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  settle();
  EXPECT_EQ(drawing(), before) << "one stroke is one step";
  press(ImGuiMod_Ctrl | ImGuiKey_Y);
  settle();
  EXPECT_EQ(drawing(), drawn);
}

TEST_F(Sandbox, TheSpectrumFollowsWithinTheFrameAndOnlyWhatChangesIsDrawn) {
  const ImRect picture = rect_of("picture spectrum 1");
  // Without the status bar, which shows the memory of the process.
  const ImRect above{0, 0, static_cast<float>(screen_size().width),
                     static_cast<float>(screen_size().height) - 40};
  while (!state().toasts.empty()) act(action::DismissToast{state().toasts.front().id});
  settle();
  for (int k = 0; k < 12; ++k) {
    const auto before = state().columns.front().picture(Row::spectrum).shown;
    const Pixels old = pixels_in(picture);
    Stroke stroke;
    stroke.from = stroke.to = {5, 9 + 4 * k};
    controller().dispatch(action::Draw{stroke});
    EXPECT_NE(state().columns.front().picture(Row::spectrum).shown, before) << "no job is waited for";
    draw();
    EXPECT_GT(share_changed(old, pixels_in(picture)), 0.2) << "one frame later, point " << k;
  }
  settle();
  // Entries are squares with edges: beside a drawn one the picture is as dark as far from it.
  const ImVec2 entry = place(5, 9);
  const float side = place(5, 10).x - entry.x;
  const auto at = [&](float x) { return pixels_in({x, entry.y, x + 1, entry.y + 1}); };
  EXPECT_EQ(at(entry.x - 0.4F * side), at(entry.x + 0.4F * side));
  EXPECT_EQ(at(entry.x - 0.7F * side), at(entry.x - 2 * side));
  EXPECT_NE(at(entry.x), at(entry.x - 2 * side)) << "control";
  // What was drawn in parts over all frames is what is drawn at once.
  const Pixels in_parts = pixels_in(above);
  ASSERT_TRUE(frame().capture(write_file("whole.png", "")));
  EXPECT_EQ(share_changed(in_parts, pixels_in(above)), 0);
}

TEST_F(Sandbox, ToolsDrawBlocksStampsAndEraseAndMirror) {
  drive([](ImGuiTestContext* c) { c->ItemClick("**/full block"); });
  drag(place(4, 30), place(9, 33));
  EXPECT_EQ(state().matrix()->matrix.pattern->nonzeros(), 64 + 6 * 4);
  drive([](ImGuiTestContext* c) {
    c->ItemClick("**/mirror");
    c->ItemClick("**/points");
  });
  drag(place(20, 50), place(20, 50));
  EXPECT_EQ(drawing().at(50, 20), 1);
  drive([](ImGuiTestContext* c) {
    c->ItemClick("**/erase");
    c->ItemClick("**/diagonal");
  });
  drag(place(12, 12), place(12, 12));
  EXPECT_EQ(drawing().at(0, 0), 0);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Clear"); });
  settle();
  EXPECT_EQ(state().matrix()->matrix.pattern->nonzeros(), 0) << "an empty matrix is no error";
  for (const Column& column : state().columns) EXPECT_FALSE(column.error) << column.error->message();
  drive([](ImGuiTestContext* c) {
    c->ItemClick("**/erase");
    c->ItemClick("**/mirror");
    c->ItemClick("**/periodic stamp");
  });
  drag(place(3, 3), place(3, 3));
  EXPECT_EQ(state().matrix()->matrix.pattern->nonzeros(), 64) << "every eighth row and column of 64";
}

TEST_F(Sandbox, ARegionOfAMatrixIsDrawnIn) {
  open("gen:band:n=300,bandwidth=1");
  EXPECT_FALSE(state().sandbox.is_drawing);
  act(action::DrawRegion{});
  settle();
  EXPECT_FALSE(state().sandbox.is_drawing) << "300 rows are too many";
  act(action::SelectRegion{PlaneRect{20, 20, 60, 50}});
  settle();
  act(action::DrawRegion{});
  settle();
  ASSERT_TRUE(state().sandbox.is_drawing);
  EXPECT_EQ(drawing().rows, 40U);
  EXPECT_EQ(drawing().cols, 30U);
  EXPECT_EQ(drawing().at(5, 5), 1);
  EXPECT_EQ(drawing().at(5, 9), 0);
}

/// The middle of the frequency (u, v) in a picture of the whole spectrum.
ImVec2 frequency_place(const AppState& state, const ImRect& cell, double u, double v) {
  const PlaneRect rect = picture_rect(state, Plane::spectrum);
  return {cell.Min.x + static_cast<float>((v - rect.left) / rect.width()) * cell.GetWidth(),
          cell.Min.y + static_cast<float>((u - rect.top) / rect.height()) * cell.GetHeight()};
}

TEST_F(Sandbox, ADraggedCoefficientChangesTheMatrixBesideItAndUndoTakesItBack) {
  const Pixels pattern = pixels_of("picture pattern 1");
  const ImVec2 at = frequency_place(state(), rect_of("picture spectrum 1"), 8, 8);
  drag(at, {at.x, at.y - 60});
  ASSERT_EQ(state().sandbox.changed.size(), 1U);
  const ChangedCoefficient changed = state().sandbox.changed.front();
  EXPECT_EQ(changed.u, 8);
  EXPECT_EQ(changed.v, 8);
  EXPECT_GT(changed.after, changed.before + 20) << "60 pixels are more than half of K = 64";
  ASSERT_TRUE(state().sandbox.matrix);
  EXPECT_EQ(state().matrix()->matrix.pattern->nonzeros(), 64) << "the drawing itself stays";
  EXPECT_GT(share_changed(pattern, pixels_of("picture pattern 1")), 0.3);
  keep("dragged");
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  settle();
  EXPECT_TRUE(state().sandbox.changed.empty());
  EXPECT_FALSE(state().sandbox.matrix);
  EXPECT_EQ(drawing().rows, 64U);
  EXPECT_LT(share_changed(pattern, pixels_of("picture pattern 1")), 0.01);
  const ImVec2 on_line = frequency_place(state(), rect_of("picture spectrum 1"), 8, -8);
  drag(on_line, {on_line.x, on_line.y + 130});
  ASSERT_EQ(state().sandbox.changed.size(), 1U);
  EXPECT_NEAR(state().sandbox.changed.front().before, 64, 1e-9);
  EXPECT_EQ(state().sandbox.changed.front().after, 0) << "more than K down, but no magnitude is negative";
  drag(place(10, 40), place(10, 50));
  EXPECT_TRUE(state().sandbox.changed.empty()) << "another drawing has another spectrum";
}

TEST_F(Sandbox, ItsStrokesBecomeTheStepsOfALesson) {
  drag(place(10, 40), place(10, 50));
  drag(place(30, 40), place(30, 50));
  const std::string last = state().matrix()->source;
  const std::string path = write_file("drawn.lesson", "");
  act(action::ExportSteps{path});
  settle();
  act(action::OpenLesson{path});
  settle();
  ASSERT_TRUE(state().lessons.lesson) << "it is read as any lesson";
  ASSERT_EQ(state().lessons.lesson->steps.size(), 3U);
  EXPECT_NE(state().matrix()->source, last);
  act(action::ShowStep{2});
  settle();
  EXPECT_EQ(state().matrix()->source, last);
}

TEST_F(Teaching, WhatFoldsOntoACoefficientIsMarkedInTheExactPlaneAndTheOtherWayRound) {
  open("gen:random:n=128,nnz=1500,seed=3");
  act(action::SetBlock{4});
  settle();
  // Exact, Elastic, Density Map.
  ASSERT_EQ(state().columns[2].spectrum->placement, Placement::reduced_plane);
  const ImRect exact = rect_of("picture spectrum 1"), reduced = rect_of("picture spectrum 3");
  const auto hover = [&](const ImRect& picture, double u, double v) {
    const ImVec2 at = frequency_place(state(), picture, u, v);
    ImGui::GetIO().AddMousePosEvent(at.x, at.y);
    settle();
    ASSERT_TRUE(state().crosshair.active);
  };
  hover(reduced, 20, 30);
  const Pixels without = pixels_in(exact);
  act(action::SetCompare{[&] {
    CompareSettings compare = state().compare;
    compare.folding = true;
    return compare;
  }()});
  settle();
  EXPECT_GT(share_changed(without, pixels_in(exact)), 0.01) << "16 marks and their lines";
  keep("folding");
  hover(exact, 40, 40);
  const Pixels marked = pixels_in(reduced);
  keep("folding_from_exact");
  press(ImGuiKey_K);
  EXPECT_FALSE(state().compare.folding);
  hover(exact, 40, 40);
  EXPECT_GT(share_changed(marked, pixels_in(reduced)), 0.005) << "the coefficient into which it folds";
  press(ImGuiKey_K);
  EXPECT_TRUE(state().compare.folding);
  drive([](ImGuiTestContext* c) { c->MouseMove("**/picture pattern 1"); });
  settle();
  const Pixels alone = pixels_in(exact);
  act(action::ShowWave{{{10, 12}}});
  settle();
  EXPECT_GT(share_changed(alone, pixels_in(exact)), 0.01) << "the wave holds it while the mouse is elsewhere";
  act(action::ShowWave{});
  settle();
  EXPECT_EQ(share_changed(alone, pixels_in(exact)), 0) << "control: without a coefficient nothing is marked";
}

TEST_F(Teaching, OutsideOfASmallPlaneTheMarkedCoefficientIsTheOneThatIsReadOut) {
  open("gen:random:n=128,nnz=1500,seed=3");
  act(action::SetBlock{4});
  ScaleSettings scale = state().scale;
  scale.reduced = ReducedPlacement::centre;
  act(action::SetScale{scale});
  CompareSettings compare = state().compare;
  compare.folding = true;
  act(action::SetCompare{compare});
  settle();
  const ImRect exact = rect_of("picture spectrum 1"), reduced = rect_of("picture spectrum 3");
  const ImVec2 outside = frequency_place(state(), reduced, 27, 20);
  ImGui::GetIO().AddMousePosEvent(outside.x, outside.y);
  settle();
  // The plane of 32 × 32 coefficients ends at 15; u folds onto u − 32.
  const Crosshair& cross = state().crosshair;
  ASSERT_TRUE(cross.active && cross.u > 15 && cross.v > 15);
  const auto u = static_cast<double>(cross.u - 32), v = static_cast<double>(cross.v - 32);
  EXPECT_EQ(cross.columns.at(2).sample_u, u) << "read out";
  EXPECT_EQ(cross.columns.at(2).sample_v, v);
  const ImVec2 place = frequency_place(state(), exact, u, v);
  const ImRect around{{place.x - 4, place.y - 4}, {place.x + 4, place.y + 4}};
  keep("folding_outside");
  const Pixels marked = pixels_in(around);
  compare.folding = false;
  act(action::SetCompare{compare});
  settle();
  EXPECT_GT(share_changed(marked, pixels_in(around)), 0.5) << "the place nearest to DC has the largest mark";
}

TEST_F(Teaching, MessagesLieAboveTheLinksOfFolding) {
  open("gen:random:n=128,nnz=1500,seed=3");
  act(action::SetBlock{4});
  CompareSettings compare = state().compare;
  compare.rows = {true, true, false, false};
  act(action::SetCompare{compare});
  act(action::ShowPresentation{});
  act(action::Notify{Level::error, "A message."});
  act(action::PinToast{state().toasts.back().id});
  settle();
  const std::string name = "###toast " + std::to_string(state().toasts.back().id);
  const ImRect toast = ImGui::FindWindowByName(name.c_str())->Rect();
  const ImRect reduced = rect_of("picture spectrum 3");
  const Pixels message = pixels_in(toast), picture = pixels_in(reduced);
  compare.folding = true;
  act(action::SetCompare{compare});
  act(action::ShowWave{{{20, 30}}});
  settle();
  keep("message_above_links");
  EXPECT_TRUE(toast.Overlaps(reduced));
  EXPECT_GT(share_changed(picture, pixels_in(reduced)), 0.01) << "control: the links are drawn";
  EXPECT_EQ(share_changed(message, pixels_in(toast)), 0);
}

TEST_F(Teaching, APresentationShowsPicturesAloneInLargeType) {
  open("gen:band:n=200,lower=2,upper=2");
  while (state().columns.size() > 1) act(action::RemoveColumn{state().columns.back().id});
  settle();
  const float before = rect_of("picture spectrum 1").GetWidth();
  // The test engine restores the style after input, so the size of the type is changed by an action.
  act(action::ShowPresentation{});
  settle();
  keep("presentation");
  EXPECT_TRUE(state().interface.presentation);
  EXPECT_GT(rect_of("picture spectrum 1").GetWidth(), before * 1.2F);
  EXPECT_GT(ImGui::GetStyle().FontScaleDpi, 1.2F);
  press(ImGuiKey_F11);
  settle();
  EXPECT_FALSE(state().interface.presentation);
}

}  // namespace
}  // namespace spyctrum::testing
