// SPDX-License-Identifier: Apache-2.0
// Block size, columns and jobs: which inputs start work and which stop it.
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/desktop/changed_parts.hpp"
#include "app/panels/comparison/cell.hpp"
#include "app/panels/widgets/commands.hpp"
#include "render/texture.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

constexpr const char* kMatrix = "gen:random:n=600,nnz=5000";

class Work : public GuiTest {
 protected:
  /// With many threads a job might end before a test cancels it.
  Controller::Options controller_options() override {
    Controller::Options options;
    options.threads = 2;
    return options;
  }
  const Column& sampled() { return state().columns.at(1); }
  /// Method and entropy of each column; infinity: nothing was computed.
  using FeaturesOfColumns = std::vector<std::pair<std::string, double>>;
  FeaturesOfColumns features() {
    FeaturesOfColumns all;
    for (const Column& column : state().columns)
      all.emplace_back(column.method, column.spectrum && column.spectrum->features
                                          ? column.spectrum->features->entropy
                                          : std::numeric_limits<double>::infinity());
    return all;
  }
};

TEST_F(Work, DraggingTheSliderChangesTheBlockAndWhatIsSampled) {
  open(kMatrix);
  ASSERT_EQ(state().block, 16U);
  // Means include the rows that were sampled for the features, which do not depend on b here.
  ScaleSettings scale = state().scale;
  scale.single_samples = true;
  act(action::SetScale{scale});
  settle();
  const auto samples = sampled().samples;
  const Pixels before = pixels_of("picture spectrum 2");
  const ImRect slider = rect_of("block slider");
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos({slider.Max.x - 2, slider.GetCenter().y});
    c->MouseClick();
  });
  settle();
  EXPECT_EQ(state().block, 128U);
  EXPECT_EQ(sampled().block, 128U);
  EXPECT_LT(sampled().samples, samples);
  EXPECT_GT(share_changed(before, pixels_of("picture spectrum 2")), 0.1);
}

TEST_F(Work, ATypedBlockSizeIsTakenOnEnter) {
  open(kMatrix);
  drive([](ImGuiTestContext* c) { c->ItemInputValue("**/##block number", "7"); });
  settle();
  EXPECT_EQ(state().block, 7U);
  EXPECT_EQ(sampled().block, 7U);
  ASSERT_TRUE(sampled().spectrum);
  EXPECT_EQ(sampled().spectrum->block, 7U);
}

TEST_F(Work, ATypedBlockSizeBeyondTheRangeIsRefusedWithAToast) {
  open(kMatrix);
  drive([](ImGuiTestContext* c) { c->ItemInputValue("**/##block number", "4000"); });
  draw(3);
  EXPECT_EQ(state().block, 16U);
  EXPECT_FALSE(state().toasts.empty());
}

TEST_F(Work, ALargeMatrixTakesLargerBlockSizes) {
  open("gen:random:n=1e7,nnz=3000");
  drive([](ImGuiTestContext* c) { c->ItemInputValue("**/##block number", "4000"); });
  settle();
  EXPECT_EQ(state().block, 4000U);
  ASSERT_TRUE(sampled().spectrum);
  EXPECT_EQ(sampled().spectrum->block, 4000U);
  const ImRect slider = rect_of("block slider");
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos({slider.Max.x - 2, slider.GetCenter().y});
    c->MouseClick();
  });
  settle();
  EXPECT_EQ(state().block, 16384U) << "about a thousand nodes are left where the slider ends";
}

TEST_F(Work, TheSliderSaysThatTheBlockSizeWasRaisedAndReturnsToTheEarlierOne) {
  Settings settings = state().settings;
  settings.memory_bytes = 300'000'000;
  act(action::SetSettings{settings});
  open("gen:random:n=1e7,nnz=2000");
  keep("raised_block");
  EXPECT_TRUE(sampled().spectrum) << "with the block size that the program chose";
  drive([](ImGuiTestContext* c) { c->ItemClick("**/back to 16"); });
  settle();
  EXPECT_EQ(state().block, 16U);
  EXPECT_TRUE(sampled().error);
  EXPECT_FALSE(exists("back to 16"));
}

TEST_F(Work, ARefusalHasAButtonThatSetsWhatFitsAndNoBadgeUntilThereIsAPicture) {
  Settings settings = state().settings;
  settings.memory_bytes = 300'000'000;
  act(action::SetSettings{settings});
  // Of a block size of its own the program changes nothing.
  for (const std::size_t k : {1U, 2U}) act(action::SetColumnBlock{state().columns[k].id, 16});
  open("gen:random:n=1e7,nnz=2000");
  for (const std::size_t k : {1U, 2U}) act(action::SetColumnBlock{state().columns[k].id, std::nullopt});
  settle();
  ASSERT_TRUE(sampled().error);
  EXPECT_FALSE(panels::shown_exactness(sampled()));
  const auto has_button_in = [&](Row row) {
    return exists("$$" + std::to_string(static_cast<int>(row)) + "/###apply advice");
  };
  EXPECT_TRUE(has_button_in(Row::spectrum));
  EXPECT_FALSE(has_button_in(Row::reconstruction)) << "one refusal is enough";
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###apply advice"); });
  settle();
  EXPECT_FALSE(sampled().error);
  EXPECT_GT(state().block, 1000U);
  ASSERT_TRUE(sampled().spectrum);
  EXPECT_EQ(panels::shown_exactness(sampled()), Exactness::exact_samples);
  EXPECT_GT(contrast(pixels_of("picture spectrum 2")), 3);
  EXPECT_FALSE(exists("**/###apply advice"));
}

TEST_F(Work, ExactColumnDoesNotChangeWithTheBlock) {
  open(kMatrix);
  const Pixels before = pixels_of("picture spectrum 1");
  act(action::SetBlock{5});
  settle();
  EXPECT_EQ(share_changed(before, pixels_of("picture spectrum 1")), 0);
}

TEST_F(Work, AColumnIsAddedFromTheMenuAndRemovedByItsCross) {
  open(kMatrix);
  ASSERT_EQ(state().columns.size(), 3U);
  EXPECT_FALSE(exists("picture spectrum 4"));
  drive([](ImGuiTestContext* c) {
    c->ItemClick("**/###add method");
    c->ItemClick("**/Density Map");
  });
  settle();
  ASSERT_EQ(state().columns.size(), 4U);
  EXPECT_EQ(state().columns[3].method, "density-map");
  EXPECT_TRUE(state().columns[3].spectrum);
  EXPECT_GT(contrast(pixels_of("picture spectrum 4")), 3);
  const ColumnId gone = state().columns[0].id;
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###remove column"); });
  settle();
  EXPECT_EQ(state().columns.size(), 3U);
  EXPECT_EQ(state().column(gone), nullptr);
}

TEST_F(Work, ARunOfAColumnThatIsComputedSaysThatItIs) {
  open(kMatrix);
  act(action::FocusColumn{1});
  EXPECT_FALSE(panels::is_possible(state(), panels::Command::run_column));
  const std::size_t before = state().toasts.size();
  press(ImGuiMod_Ctrl | ImGuiKey_Enter);
  draw(2);
  ASSERT_EQ(state().toasts.size(), before + 1);
  EXPECT_NE(state().toasts.back().text.find("the column is computed"), std::string::npos);
  Column waiting = state().columns.at(1);
  for (const bool is_busy : {false, true}) {
    waiting.busy = is_busy;
    EXPECT_NE(panels::why_no_run(waiting), nullptr);
    waiting.held_back = "It takes long.";
    EXPECT_EQ(panels::why_no_run(waiting), nullptr);
    waiting.held_back.clear();
  }
  waiting.busy = false;
  waiting.error = Error{};
  EXPECT_EQ(panels::why_no_run(waiting), nullptr);
}

TEST_F(Work, NamesOfFilesToWriteBeginWithTheMatrix) {
  EXPECT_EQ(panels::named_after_matrix(state(), "view.png"), "view.png") << "no matrix";
  open(write_file("矩阵 a:b.txt", "1 2\n2 3\n3 1\n"));
  EXPECT_EQ(panels::named_after_matrix(state(), "view.png"), "矩阵_a_b-view.png");
  EXPECT_EQ(panels::named_after_matrix(state(), ".mtx"), "矩阵_a_b.mtx");
  std::string longest;
  for (int k = 0; k < 70; ++k) longest += "矩";
  open(write_file(longest + ".txt", "1 2\n2 3\n3 1\n"));
  EXPECT_EQ(panels::named_after_matrix(state(), ".mtx"), longest.substr(0, 120) + ".mtx")
      << "whole characters";
}

TEST_F(Work, EscapeCancelsTheRunningJobAndTheProgramContinues) {
  // Rows of a prime length and four million entries: takes far longer than the frames below.
  act(action::OpenFile{"gen:random:n=60013,nnz=4000000"});
  ASSERT_TRUE(draw_until([&] { return !state().jobs.empty() && state().jobs.front().running; }, 200000));
  const JobId job = state().jobs.front().id;
  press(ImGuiKey_Escape);
  ASSERT_TRUE(draw_until(
      [&] { return std::ranges::none_of(state().jobs, [job](const JobView& one) { return one.id == job; }); },
      200000));
  while (!state().jobs.empty()) {
    act(action::CancelJob{state().jobs.front().id});
    draw();
  }
  settle();
  open("gen:diagonal:n=64");
  EXPECT_TRUE(state().columns.at(0).picture(Row::spectrum).shown);
}

TEST_F(Work, TheCrossOfAJobCancelsIt) {
  while (state().columns.size() > 1) act(action::RemoveColumn{state().columns.back().id});
  act(action::OpenFile{"gen:random:n=40009,nnz=2000000"});
  // The whole plane takes far longer than the pictures: its job is the last one left.
  ASSERT_TRUE(draw_until([&] { return state().matrix() != nullptr && state().jobs.size() == 1; }, 200000));
  const JobId job = state().jobs.front().id;
  drive([](ImGuiTestContext* c) {
    if (c->ItemExists("**/Activity")) c->ItemClick("**/Activity");
    c->ItemClick("**/###cancel job");
  });
  EXPECT_TRUE(draw_until([&] { return state().jobs.empty() || state().jobs.front().id != job; }, 200000));
  EXPECT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().columns.at(0).spectrum, nullptr) << "it ended by itself before it was cancelled";
}

/// SPYCTRUM_CANCELS sets the number of cancels, and SPYCTRUM_SEED the moments and what is started.
TEST_F(Work, CancelsAndRestartsAtRandomMomentsLeaveAProgramThatComputesAsBefore) {
  const auto from_environment = [](const char* name, unsigned usual) {
    const char* given = std::getenv(name);
    return given != nullptr ? static_cast<unsigned>(std::atoi(given)) : usual;
  };
  const unsigned cancels = from_environment("SPYCTRUM_CANCELS", 40);
  std::mt19937 random(from_environment("SPYCTRUM_SEED", 21));
  const auto below = [&](unsigned limit) { return static_cast<std::uint32_t>(random() % limit); };
  open(kMatrix);
  const FeaturesOfColumns before = features();

  unsigned cancelled = 0;
  for (unsigned cycle = 0; cycle < 20 * cancels && cancelled < cancels; ++cycle) {
    switch (below(6)) {
      case 0:
        act(action::OpenFile{"gen:random:n=" + std::to_string(500 + below(3000)) + ",nnz=20000", true});
        break;
      case 1:
        act(action::SetBlock{2 + below(60)});
        break;
      case 2: {
        const double at = below(200);
        act(action::SetView{Plane::spectrum, {at - 200, at - 150, at, at + 50}, false});
        break;
      }
      case 3:
        act(action::ReloadMatrix{});
        break;
      case 4:
        act(action::ComputeErrors{});
        break;
      default:
        for (const Column& column : state().columns) act(action::RunColumn{column.id});
    }
    if (state().matrices.size() > 3) act(action::CloseMatrix{0});
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(below(30000));
    do draw();
    while (std::chrono::steady_clock::now() < until);
    if (state().jobs.empty()) continue;
    const auto job = below(static_cast<unsigned>(state().jobs.size()));
    act(action::CancelJob{state().jobs[job].id});
    ++cancelled;
  }
  EXPECT_EQ(cancelled, cancels) << "the jobs ended before they could be cancelled";
  settle();
  while (!state().matrices.empty()) act(action::CloseMatrix{0});
  act(action::SetBlock{16});
  open(kMatrix);
  EXPECT_EQ(features(), before);
  EXPECT_GT(contrast(pixels_of("picture spectrum 1")), 3);
}

TEST_F(Work, AFrameFindsThePartsOfTheScreenThatItChanges) {
  open(kMatrix);
  settle();
  ImDrawData& data = *ImGui::GetDrawData();
  ChangedParts parts;
  const render::PixelRect all{0, 0, kWidth, kHeight};
  EXPECT_EQ(parts.compare(data), std::vector{all});
  EXPECT_TRUE(parts.compare(data).empty());
  // The corners of one triangle, in another colour.
  ImDrawList& list = *data.CmdLists.back();
  const ImDrawCmd& command = list.CmdBuffer.back();
  render::PixelRect touched = all;
  for (int k = 0; k < 3; ++k) {
    ImDrawVert& corner = list.VtxBuffer[static_cast<int>(command.VtxOffset) +
                                        list.IdxBuffer[static_cast<int>(command.IdxOffset) + k]];
    corner.col ^= 0x00FFFFFFU;
    const int x = static_cast<int>(corner.pos.x), y = static_cast<int>(corner.pos.y);
    touched = k == 0 ? render::PixelRect{x, y, x, y}
                     : render::PixelRect{std::min(touched.left, x), std::min(touched.top, y),
                                         std::max(touched.right, x), std::max(touched.bottom, y)};
  }
  const std::vector<render::PixelRect> changed = parts.compare(data);
  ASSERT_FALSE(changed.empty());
  int left = kWidth, top = kHeight, right = 0, bottom = 0;
  for (const render::PixelRect& part : changed) {
    left = std::min(left, part.left);
    top = std::min(top, part.top);
    right = std::max(right, part.right);
    bottom = std::max(bottom, part.bottom);
  }
  EXPECT_LE(left, touched.left);
  EXPECT_LE(top, touched.top);
  EXPECT_GE(right, touched.right);
  EXPECT_GE(bottom, touched.bottom);
  EXPECT_LT((right - left) * (bottom - top), static_cast<int>(kWidth * kHeight / 4))
      << "not the rest of the screen";
  parts.forget();
  EXPECT_EQ(parts.compare(data), std::vector{all});
}

TEST_F(Work, APartThatShowsAnotherTextureIsDrawnAnew) {
  open(kMatrix);
  settle();
  ImDrawData& data = *ImGui::GetDrawData();
  ImDrawCmd& command = data.CmdLists.back()->CmdBuffer.back();
  constexpr GLuint kFirst = 5000, kEnd = 5008;
  for (GLuint name = kFirst; name < kEnd; ++name)
    for (GLuint writes = kFirst; writes <= name; ++writes) render::count_write(name);
  ChangedParts parts;
  const auto compare_with = [&](GLuint name) {
    command.TexRef = ImTextureRef(static_cast<ImTextureID>(name));
    return parts.compare(data);
  };
  for (GLuint before = kFirst; before < kEnd; ++before)
    for (GLuint name = kFirst; name < kEnd; ++name) {
      (void)compare_with(before);
      EXPECT_EQ(compare_with(name).empty(), name == before) << before << " " << name;
    }
}

TEST_F(Work, DrawingThePartsThatChangedGivesThePixelsOfTheWholeScreen) {
  act(action::NewDrawing{64});
  settle();
  const std::string path = write_file("whole.png", "");
  for (const Theme theme : {Theme::dark, Theme::light}) {
    Settings settings = state().settings;
    settings.theme = theme;
    act(action::SetSettings{settings});
    for (std::int64_t k = 0; k < 8; ++k) {
      Stroke stroke;
      stroke.from = {7 * k, k};
      stroke.to = {7 * k + 5, 8 * k};
      act(action::Draw{stroke, false});
      settle();
      // The whole screen but the menu and the status bar, which shows the memory of the process.
      const ImRect between{0, 30, static_cast<float>(kWidth), static_cast<float>(kHeight) - 40};
      const Pixels parts = pixels_in(between);
      ASSERT_TRUE(frame().capture(path));
      EXPECT_EQ(share_changed(parts, pixels_in(between), 0), 0) << "after stroke " << k;
    }
  }
}

TEST_F(Work, ATooltipAppearsWholeUnderAMouseThatRests) {
  const auto shown = [] {
    const ImGuiWindow* tip = ImGui::GetCurrentContext()->TooltipPreviousWindow;
    return tip != nullptr && tip->Active && !tip->Hidden;
  };
  const auto point_at = [this](ImVec2 at) {
    ImGui::GetIO().AddMousePosEvent(at.x, at.y);
    draw(3);
  };
  /// Draws only the frames that are requested, as the window does after an input.
  const auto rest = [this] {
    for (int frames = 0; frame().next_frame_in() >= 0 && frames < 50; ++frames) {
      std::this_thread::sleep_for(std::chrono::duration<double>(frame().next_frame_in()));
      draw();
    }
  };
  for (const char* item : {"//**/drop zone", "//**/card Band"}) {
    ImVec2 middle;
    drive([&](ImGuiTestContext* context) { middle = context->ItemInfo(item).RectFull.GetCenter(); });
    point_at(middle);
    rest();
    ASSERT_TRUE(shown()) << item;
    ImGuiWindow* tip = ImGui::GetCurrentContext()->TooltipPreviousWindow;
    EXPECT_EQ(tip->SizeFull.y, ImGui::CalcWindowNextAutoFitSize(tip).y) << item;
  }
  point_at({2, 400});
  rest();
  EXPECT_FALSE(shown()) << "control: nothing is under the mouse";
  EXPECT_LT(frame().next_frame_in(), 0);
}

TEST_F(Work, AScreenAtRestRequestsNoFrameAndRedrawsNoPicture) {
  open(kMatrix);
  settle();
  ASSERT_TRUE(controller().idle());
  // Wait until the first toasts have disappeared.
  while (!state().toasts.empty()) act(action::DismissToast{state().toasts.front().id});
  draw(5);
  EXPECT_LT(frame().next_frame_in(), 0);
  const std::uint64_t drawn = frame().picture_draws();
  // The whole screen without the status bar, which shows the memory of the process.
  const ImRect above{0, 0, static_cast<float>(kWidth), static_cast<float>(kHeight) - 40};
  const Pixels before = pixels_in(above);
  const std::uint64_t frames = frame().frames_drawn();
  draw(20);
  EXPECT_LE(frame().frames_drawn(), frames + 4) << "frames that differ by the memory in the status bar";
  EXPECT_EQ(frame().picture_draws(), drawn);
  EXPECT_EQ(pixels_in(above), before);
  EXPECT_LT(frame().next_frame_in(), 0);
  // Control: a change is drawn, and blinking requests frames.
  act(action::SetBlock{9});
  settle();
  EXPECT_GT(frame().picture_draws(), drawn);
  EXPECT_GT(frame().frames_drawn(), frames);
  CompareSettings compare = state().compare;
  compare.blink = true;
  act(action::SetCompare{compare});
  draw(2);
  EXPECT_GE(frame().next_frame_in(), 0);
  EXPECT_LE(frame().next_frame_in(), 0.6);
}

}  // namespace
}  // namespace spyctrum::testing
