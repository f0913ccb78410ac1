// SPDX-License-Identifier: Apache-2.0
// Links between pattern and spectrum: a region of the pattern and its spectrum, a frequency and its wave;
// orders of rows and columns.
#include <chrono>
#include <thread>

#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

class Domains : public GuiTest {
 protected:
  void SetUp() override {
    GuiTest::SetUp();
    act(action::SetKeepAspect{false});  // positions in these tests are shares of the view
    open("gen:stochastic-blocks:n=300,blocks=4");
  }
};

TEST_F(Domains, ShiftAndARightDragShowsTheRegionsSpectrumWhileItIsDragged) {
  const ImRect cell = rect_of("picture pattern 1");
  const auto at = [&](float x, float y) {
    return ImVec2(cell.Min.x + x * cell.GetWidth(), cell.Min.y + y * cell.GetHeight());
  };
  std::size_t columns = 0;
  bool live = false, picture = false;
  drive([&](ImGuiTestContext* c) {
    c->KeyDown(ImGuiMod_Shift);
    c->MouseMoveToPos(at(0.1F, 0.1F));
    c->MouseDown(1);
    c->MouseMoveToPos(at(0.4F, 0.4F));
    const auto shown = [&] {
      return state().columns.size() == 4 && state().columns[3].picture(Row::spectrum).shown;
    };
    for (int i = 0; i < 20000 && !shown(); ++i) c->Yield();
    columns = state().columns.size();
    live = state().region_live;
    picture = shown();
    c->MouseUp(1);
    c->KeyUp(ImGuiMod_Shift);
  });
  EXPECT_EQ(columns, 4U) << "during the drag";
  EXPECT_TRUE(live);
  EXPECT_TRUE(picture);
  settle();
  EXPECT_FALSE(state().region_live);
  ASSERT_TRUE(state().region);
  EXPECT_NEAR(state().region->left, 30, 4);
  EXPECT_NEAR(state().region->right, 120, 4)
      << "although the pictures shrank to make room for the new column";
  EXPECT_GT(contrast(pixels_of("picture spectrum 4")), 2);
  act(action::SelectRegion{});
  settle();
  EXPECT_FALSE(exists("picture spectrum 4"));
}

TEST_F(Domains, ARegionIsOneStepOfUndoHoweverSlowlyItIsDragged) {
  const ImRect picture = rect_of("picture pattern 1");
  const auto at = [&](float share) {
    return ImVec2{picture.Min.x + share * picture.GetWidth(), picture.Min.y + share * picture.GetHeight()};
  };
  drive([&](ImGuiTestContext* c) {
    c->KeyDown(ImGuiMod_Shift);
    c->MouseMoveToPos(at(0.1F));
    c->MouseDown(1);
    for (const float share : {0.3F, 0.5F, 0.7F}) {
      c->MouseMoveToPos(at(share));
      c->Yield(3);
      std::this_thread::sleep_for(std::chrono::milliseconds(700));  // longer than keys that repeat
    }
    c->MouseUp(1);
    c->KeyUp(ImGuiMod_Shift);
  });
  settle();
  ASSERT_TRUE(state().region);
  act(action::Undo{});
  settle();
  EXPECT_FALSE(state().region);
}

TEST_F(Domains, ControlAndAClickLaysTheWaveOverThePatternWithItsSum) {
  act(action::SetView{Plane::spectrum, {-10.5, -10.5, 10.5, 10.5}, true});
  settle();
  const Pixels before = pixels_of("picture pattern 1");
  const ImRect cell = rect_of("picture spectrum 1");
  const auto click = [&] {
    drive([&](ImGuiTestContext* c) {
      c->MouseMoveToPos(
          {cell.Min.x + cell.GetWidth() * 12.5F / 21, cell.Min.y + cell.GetHeight() * 13.5F / 21});
      c->KeyDown(ImGuiMod_Ctrl);
      c->MouseClick(0);
      c->KeyUp(ImGuiMod_Ctrl);
      c->MouseMoveToPos({5, 5});
    });
    settle();
  };
  click();
  ASSERT_TRUE(state().wave);
  EXPECT_EQ(*state().wave, std::pair(std::int64_t{3}, std::int64_t{2}));
  ASSERT_TRUE(state().wave_sum);
  EXPECT_GT(share_changed(before, pixels_of("picture pattern 1")), 0.2) << "bands over a good part of it";
  click();
  EXPECT_FALSE(state().wave);
  EXPECT_EQ(share_changed(before, pixels_of("picture pattern 1")), 0) << "a second click takes it away";
}

TEST_F(Domains, AnotherOrderStandsBesideTheOriginalAndBFlickersBetweenThem) {
  act(action::AddColumn{"exact", {Arrangement::Kind::reordered, "random", 1}});
  settle();
  ASSERT_EQ(state().columns.size(), 4U);
  const Pixels original = pixels_of("picture pattern 1"), shuffled = pixels_of("picture pattern 4");
  EXPECT_GT(share_changed(original, shuffled), 0.05);
  CompareSettings compare = state().compare;
  compare.show_reference = true;
  act(action::SetCompare{compare});
  draw(2);
  EXPECT_LT(share_changed(original, pixels_of("picture pattern 4")), 0.02);
  compare.show_reference = false;
  act(action::SetCompare{compare});
  draw(2);
  EXPECT_EQ(share_changed(shuffled, pixels_of("picture pattern 4")), 0);
  press(ImGuiKey_B);
  EXPECT_TRUE(state().compare.blink);
}

}  // namespace
}  // namespace spyctrum::testing
