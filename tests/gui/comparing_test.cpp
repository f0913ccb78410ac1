// SPDX-License-Identifier: Apache-2.0
// Comparing methods: pictures split along a diagonal, a partner other than the reference, zoom, range and
// colours of one column alone, and sessions that restore all of it.
#include <imgui_internal.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

constexpr const char* kMatrix = "gen:stochastic-blocks:n=300,blocks=6,p_in=0.15,p_out=0.005";

class Comparing : public GuiTest {
 protected:
  [[nodiscard]] const Column& column(std::size_t index) const { return state().columns.at(index); }
  /// A square of the picture, a quarter of its side wide, centred at (x, y) of its width and height.
  Pixels part(const std::string& picture, float x, float y) {
    const ImRect all = rect_of(picture);
    const float half = all.GetWidth() / 8;
    const ImVec2 at{all.Min.x + x * all.GetWidth(), all.Min.y + y * all.GetHeight()};
    return pixels_in({{at.x - half, at.y - half}, {at.x + half, at.y + half}});
  }
  /// Clicks an item of the menu of a column; of menus in it, "Take from/Exact/Zoom".
  void choose_in_menu(std::size_t index, const std::string& path) {
    const std::string card = "/column " + std::to_string(index + 1) + "_";
    drive([&](ImGuiTestContext* c) {
      for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
        if (std::string(window->Name).find(card) != std::string::npos) c->SetRef(window);
      c->ItemClick("column menu/###column menu");
    });
    drive([&](ImGuiTestContext* c) {
      std::istringstream parts(path);
      for (std::string part; std::getline(parts, part, '/');) c->ItemClick(("**/" + part).c_str());
      c->PopupCloseAll();
    });
    settle();
  }
  static std::string text_of(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(Comparing, APictureIsSplitAlongEitherDiagonal) {
  open(kMatrix);
  ScaleSettings scale = state().scale;
  scale.single_samples = true;  // with the rows of its features the column's picture is the reference's
  act(action::SetScale{scale});
  settle();
  const std::string picture = "picture spectrum 2";
  const Pixels own_left = part(picture, 0.3F, 0.7F), own_right = part(picture, 0.75F, 0.45F),
               own_top = part(picture, 0.3F, 0.3F), own_bottom = part(picture, 0.7F, 0.7F);
  press(ImGuiMod_Shift | ImGuiKey_W);
  EXPECT_TRUE(state().compare.wipe);
  EXPECT_EQ(state().compare.wipe_line, WipeLine::diagonal);
  keep("split_diagonal");
  EXPECT_LT(share_changed(own_left, part(picture, 0.3F, 0.7F)), 0.02) << "below the diagonal: the column";
  const Pixels right = part(picture, 0.75F, 0.45F);
  EXPECT_GT(share_changed(own_right, right), 0.3) << "above it: the reference";
  press(ImGuiMod_Alt | ImGuiKey_W);
  EXPECT_EQ(state().compare.wipe_line, WipeLine::antidiagonal);
  EXPECT_LT(share_changed(own_top, part(picture, 0.3F, 0.3F)), 0.02);
  EXPECT_GT(share_changed(own_bottom, part(picture, 0.7F, 0.7F)), 0.3);
  press(ImGuiMod_Alt | ImGuiKey_W);
  EXPECT_FALSE(state().compare.wipe);
  EXPECT_LT(share_changed(own_right, part(picture, 0.75F, 0.45F)), 0.02) << "control: off again";
  CompareSettings compare = state().compare;
  compare.show_reference = true;
  act(action::SetCompare{compare});
  draw(3);
  EXPECT_LT(share_changed(right, part(picture, 0.75F, 0.45F)), 0.02) << "it was the reference's picture";
}

TEST_F(Comparing, TheWordReferenceStandsInThePartThatShowsIt) {
  open(kMatrix);
  // 80 × 24 pixels at the right end of the picture's upper or lower part.
  const auto corner = [&](const std::string& picture, bool above) {
    const ImRect all = rect_of(picture);
    const float top = above ? all.Min.y + 26 : all.Max.y - 44;
    return pixels_in({{all.Max.x - 90, top}, {all.Max.x - 10, top + 24}});
  };
  // Above the antidiagonal.
  const auto own_part = [&] {
    const ImRect all = rect_of("picture spectrum 2");
    return pixels_in({{all.Max.x - 100, all.Min.y + 4}, {all.Max.x - 60, all.Min.y + 24}});
  };
  const Pixels own = own_part();
  const std::string split = "picture spectrum 2", reference = "picture spectrum 1";
  press(ImGuiMod_Shift | ImGuiKey_W);
  EXPECT_GT(share_changed(corner(reference, true), corner(split, true)), 0.05) << "above the diagonal";
  press(ImGuiMod_Alt | ImGuiKey_W);
  EXPECT_GT(share_changed(corner(reference, false), corner(split, false)), 0.05) << "below the antidiagonal";
  EXPECT_LT(share_changed(own, own_part()), 0.02) << "control: no word in the column's own part";
}

TEST_F(Comparing, TheLineOfASplitIsDragged) {
  open(kMatrix);
  press(ImGuiMod_Shift | ImGuiKey_W);
  const ImRect cell = rect_of("picture spectrum 2");
  drive([&](ImGuiTestContext* c) {
    // On the line at a quarter of the height, to the right by a fifth of the width.
    c->MouseMoveToPos({cell.Min.x + cell.GetWidth() / 4, cell.Min.y + cell.GetHeight() / 4});
    c->MouseDragWithDelta({cell.GetWidth() / 5, 0});
  });
  EXPECT_NEAR(state().compare.wipe_position, 0.7, 0.03);
  EXPECT_EQ(state().view(Plane::spectrum).rect, state().view(Plane::spectrum).full) << "nothing was panned";
}

TEST_F(Comparing, AnyColumnCanStandForTheReference) {
  open(kMatrix);
  const Pixels exact = pixels_of("picture spectrum 1"), map = pixels_of("picture spectrum 3");
  CompareSettings compare = state().compare;
  compare.against = column(2).id;
  compare.show_reference = true;
  act(action::SetCompare{compare});
  draw(3);
  EXPECT_GT(share_changed(exact, pixels_of("picture spectrum 1")), 0.3) << "the reference shows Density Map";
  EXPECT_LT(share_changed(map, pixels_of("picture spectrum 3")), 0.01) << "which shows itself";
  act(action::RemoveColumn{column(2).id});
  settle();
  ASSERT_NE(compared_column(state()), nullptr);
  EXPECT_TRUE(compared_column(state())->reference) << "without it the reference is shown again";
}

TEST_F(Comparing, WhileTheReferenceIsShownCaptionBarAndReadOutAreItsOwn) {
  open(kMatrix);
  act(action::GoTo{Plane::spectrum, 40, -70});
  settle();
  const ImRect exact = rect_of("picture spectrum 1"), map = rect_of("picture spectrum 3");
  const auto caption_of = [&](const ImRect& picture) {
    return pixels_in({{picture.Min.x, picture.Min.y - 16}, {picture.Min.x + 160, picture.Min.y - 2}});
  };
  const auto read_out_of = [&](const ImRect& picture) {
    return pixels_in({{picture.Max.x - 60, picture.Min.y + 6}, {picture.Max.x - 9, picture.Min.y + 18}});
  };
  const auto bar_of = [&](const char* bar) {
    const ImRect rect = rect_of(bar);
    return pixels_in({{rect.Min.x + 12, rect.Min.y}, {rect.Max.x + 4, rect.Max.y}});
  };
  const Pixels own_bar = bar_of("bar spectrum 3");
  EXPECT_GT(share_changed(caption_of(exact), caption_of(map)), 0.02) << "control";
  EXPECT_GT(share_changed(bar_of("bar spectrum 2"), own_bar), 0.01)
      << "control: Density Map has its own range";
  CompareSettings compare = state().compare;
  compare.show_reference = true;
  act(action::SetCompare{compare});
  draw(3);
  keep("reference_shown");
  EXPECT_EQ(share_changed(caption_of(exact), caption_of(map)), 0);
  EXPECT_EQ(share_changed(read_out_of(exact), read_out_of(map)), 0);
  EXPECT_EQ(share_changed(bar_of("bar spectrum 2"), bar_of("bar spectrum 3")), 0);
}

TEST_F(Comparing, AColumnWithItsOwnZoomMovesAloneAndTakesThatOfAnother) {
  open(kMatrix);
  choose_in_menu(2, "own zoom");
  ASSERT_TRUE(column(2).look.views);
  const Pixels before = pixels_of("picture spectrum 2");
  const ImRect cell = rect_of("picture spectrum 3");
  const PlaneRect full = state().view(Plane::spectrum).full;
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos(cell.GetCenter());
    c->MouseWheelY(3);
    c->MouseMoveToPos({5, 5});
  });
  settle();
  EXPECT_EQ(state().view(Plane::spectrum).rect, full);
  EXPECT_LT(view_of(state(), column(2), Plane::spectrum).width(), 0.7 * full.width());
  EXPECT_EQ(column(2).picture(Row::spectrum).shown->rect, picture_rect(state(), Plane::spectrum, &column(2)));
  EXPECT_LT(share_changed(before, pixels_of("picture spectrum 2")), 0.01) << "control: the others stay";
  // The linked view moves the others only.
  act(action::SetView{Plane::spectrum, {-50, -50, 50, 50}});
  settle();
  EXPECT_LT(view_of(state(), column(2), Plane::spectrum).width(), 0.7 * full.width());
  EXPECT_NE(view_of(state(), column(2), Plane::spectrum), state().view(Plane::spectrum).rect);
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos(cell.GetCenter());
    c->MouseDoubleClick();
  });
  settle();
  EXPECT_EQ(view_of(state(), column(2), Plane::spectrum), full) << "a double click fits the column alone";
  EXPECT_EQ(state().view(Plane::spectrum).rect, (PlaneRect{-50, -50, 50, 50}));
  choose_in_menu(2, "Take from/Exact/Zoom");
  EXPECT_EQ(view_of(state(), column(2), Plane::spectrum), (PlaneRect{-50, -50, 50, 50}));
  choose_in_menu(2, "own zoom");
  EXPECT_FALSE(column(2).look.views);
}

TEST_F(Comparing, RangeAndColoursOfOneColumnAreLockedAndTaken) {
  open(kMatrix);
  ColumnLook look;
  look.color_map = "viridis";  // the bar beside it makes the pictures smaller
  act(action::SetColumnLook{column(1).id, look});
  settle();
  const Pixels second = pixels_of("picture spectrum 2"), third = pixels_of("picture spectrum 3");
  look.color_map = "magma";
  act(action::SetColumnLook{column(1).id, look});
  settle();
  EXPECT_GT(share_changed(second, pixels_of("picture spectrum 2")), 0.3);
  EXPECT_LT(share_changed(third, pixels_of("picture spectrum 3")), 0.01) << "control";
  EXPECT_TRUE(exists("bar spectrum 1")) << "its bar has other colours";
  choose_in_menu(2, "Take from/Elastic BS-FFT/Colours");
  EXPECT_EQ(column(2).look.color_map, "magma");
  EXPECT_FALSE(column(2).look.range) << "nothing else is taken";
  choose_in_menu(1, "locked range");
  ASSERT_TRUE(column(1).look.range);
  const DisplayRange locked = *column(1).look.range;
  ScaleSettings scale = state().scale;
  scale.low_percent = 30;
  act(action::SetScale{scale});
  settle();
  EXPECT_EQ(column(1).picture(Row::spectrum).range, locked);
  EXPECT_NE(column(0).picture(Row::spectrum).range, locked) << "control";
  act(action::SetColumnLook{column(1).id, {.views = {}, .range = {}, .color_map = "no such map"}});
  EXPECT_EQ(column(1).look.range, locked) << "refused";
}

TEST_F(Comparing, ASessionRestoresAZoomedViewWithLocksAndArrangementToTheLastBit) {
  open(kMatrix);
  const ImRect cell = rect_of("picture spectrum 1"), pattern = rect_of("picture pattern 1");
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos({cell.Min.x + cell.GetWidth() * 0.37F, cell.Min.y + cell.GetHeight() * 0.61F});
    c->MouseWheelY(5);
    c->MouseMoveToPos(
        {pattern.Min.x + pattern.GetWidth() * 0.2F, pattern.Min.y + pattern.GetHeight() * 0.7F});
    c->MouseWheelY(2);
  });
  act(action::SetColumnLook{
      column(1).id,
      {.views = std::array{PlaneRect{1.25, 2.5, 101.1, 99.7}, PlaneRect{-31.7, -3, 7.3, 41}},
       .range = DisplayRange{1.1F, 2.7F},
       .color_map = "magma"}});
  act(action::SetColumnLarge{column(2).id});
  Settings settings = state().settings;
  settings.grid_form = GridForm::one_large;
  act(action::SetSettings{settings});
  CompareSettings compare = state().compare;
  compare.wipe = true;
  compare.wipe_line = WipeLine::antidiagonal;
  compare.wipe_position = 0.3F;
  compare.against = column(2).id;
  compare.rows = {true, true, false, true};
  act(action::SetCompare{compare});
  settle();
  const std::string first = write_file("zoomed.json", ""), second = write_file("again.json", ""),
                    other = write_file("other.json", "");
  act(action::SaveSession{first});
  settle();
  const Pixels shown = pixels_of("picture spectrum 2");
  // Everything is changed, the matrix as well, before the session is loaded.
  act(action::SetCompare{{}});
  act(action::RemoveColumn{column(1).id});
  act(action::SetSettings{{}});
  open("gen:band:n=200");
  act(action::SaveSession{other});
  settle();
  act(action::LoadSession{first});
  settle();
  act(action::CloseMatrix{1});
  settle();
  act(action::SaveSession{second});
  settle();
  EXPECT_EQ(text_of(first), text_of(second));
  EXPECT_NE(text_of(first), text_of(other)) << "control";
  EXPECT_LT(share_changed(shown, pixels_of("picture spectrum 2")), 0.01);
}

}  // namespace
}  // namespace spyctrum::testing
