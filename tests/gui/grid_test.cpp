// SPDX-License-Identifier: Apache-2.0
// The comparison on the screen: which pictures it has, that they fill the window and none is cut, colour
// bars, and the arrangement pinned by hand. SPYCTRUM_GUI_DUMP=FOLDER stores a picture of each screen.
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/pictures/colormap.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

constexpr const char* kSquare = "gen:stochastic-blocks:n=300,blocks=6,p_in=0.15,p_out=0.005";
constexpr const char* kWide = "gen:random:rows=200,cols=420,nnz=4000";

class Grid : public GuiTest {
 protected:
  void pin(GridForm form) {
    Settings settings = state().settings;
    settings.grid_form = form;
    act(action::SetSettings{settings});
    settle();
  }
  void open_rows(std::array<bool, kRows> rows) {
    CompareSettings compare = state().compare;
    compare.rows = rows;
    act(action::SetCompare{compare});
    settle();
  }
  /// The rectangles of all pictures on the screen.
  std::vector<ImRect> pictures() {
    std::vector<ImRect> found;
    drive([&](ImGuiTestContext* c) {
      for (std::size_t column = 1; column <= state().columns.size(); ++column)
        for (const char* row : {"pattern", "spectrum", "reconstruction", "error"}) {
          const std::string name = "**/picture " + std::string(row) + " " + std::to_string(column);
          const ImGuiTestItemInfo item = c->ItemInfo(name.c_str(), ImGuiTestOpFlags_NoError);
          if (item.ID != 0) found.push_back(item.RectFull);
        }
    });
    return found;
  }
  double area() {
    double sum = 0;
    for (const ImRect& one : pictures()) sum += double{one.GetWidth()} * double{one.GetHeight()};
    return sum;
  }
};

TEST_F(Grid, TheReferenceHasNoPicturesOfReconstructionAndError) {
  open(kSquare);
  open_rows({true, true, true, true});
  EXPECT_EQ(pictures().size(), 10U) << "of the reference two, of the others four";
  EXPECT_FALSE(exists("picture reconstruction 1"));
  EXPECT_FALSE(exists("picture error 1"));
  EXPECT_TRUE(exists("picture reconstruction 2")) << "control";
}

TEST_F(Grid, WithoutSpectraAPlaneIsShownBesideTheReconstructions) {
  open(kSquare);
  CompareSettings compare = state().compare;
  compare.rows = {false, false, true, true};
  act(action::SetCompare{compare});
  settle();
  EXPECT_GT(contrast(pixels_of("picture reconstruction 1")), 0.5) << "of Exact, whose card would be empty";
  EXPECT_FALSE(exists("picture error 1"));
  compare.rows = {false, false, false, true};
  act(action::SetCompare{compare});
  settle();
  keep("errors_alone");
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (std::string_view(window->Name).find("/column 1_") == std::string_view::npos) continue;
    const ImRect below_header{{window->Pos.x + 9, window->Pos.y + 50},
                              {window->Pos.x + 200, window->Pos.y + 70}};
    EXPECT_GT(contrast(pixels_in(below_header)), 5) << "the card says why it has no picture";
  }
}

TEST_F(Grid, ThePinnedArrangementIsTakenFromTheMenuAndTheAutomaticOneIsAsLarge) {
  open(kSquare);
  const double automatic = area();
  drive([](ImGuiTestContext* c) {
    c->ItemClick("**/###picture grid");
    c->ItemClick("**/Methods as rows");
  });
  settle();
  EXPECT_EQ(state().settings.grid_form, GridForm::rows);
  const ImRect first = rect_of("picture spectrum 1"), second = rect_of("picture spectrum 2");
  EXPECT_GT(second.Min.y, first.Max.y) << "methods as rows";
  EXPECT_NEAR(second.Min.x, first.Min.x, 1);
  EXPECT_GE(automatic * 1.06, area());
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  settle();
  EXPECT_EQ(state().settings.grid_form, GridForm::automatic);
  pin(GridForm::columns);
  EXPECT_GT(rect_of("picture spectrum 2").Min.x, rect_of("picture spectrum 1").Max.x);
  EXPECT_GE(automatic * 1.06, area());
}

TEST_F(Grid, OneMethodIsMadeLargeByTheMenuAndASessionKeepsItAndTheLinesOfMethods) {
  open(kSquare);
  const double before = rect_of("picture spectrum 2").GetWidth();
  drive([](ImGuiTestContext* c) {
    c->ItemClick("**/###picture grid");
    c->ItemClick("**/One method large");
    c->ItemClick("**/###picture grid");
    c->ItemClick("**/###large 2");
  });
  settle();
  EXPECT_EQ(state().settings.grid_form, GridForm::one_large);
  EXPECT_TRUE(state().columns.at(1).large);
  EXPECT_FALSE(state().columns.at(0).large);
  const double large = rect_of("picture spectrum 2").GetWidth();
  EXPECT_GT(large, 1.3 * before);
  EXPECT_GT(large, 1.5 * rect_of("picture spectrum 1").GetWidth());
  const std::string file = write_file("one-large.json", "");
  act(action::SaveSession{file});
  settle();
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  settle();
  EXPECT_EQ(state().settings.grid_form, GridForm::automatic);
  EXPECT_NEAR(rect_of("picture spectrum 2").GetWidth(), before, 1) << "control";
  drive([](ImGuiTestContext* c) {
    c->ItemClick("**/###picture grid");
    c->ItemClick("**/2 lines of methods");
  });
  settle();
  EXPECT_EQ(state().settings.grid_lines, 2U);
  act(action::LoadSession{file});
  settle();
  EXPECT_EQ(state().settings.grid_lines, 0U);
  EXPECT_TRUE(state().columns.at(1).large);
  EXPECT_NEAR(rect_of("picture spectrum 2").GetWidth(), large, 1);
}

TEST_F(Grid, SmallAndLargePicturesShowTheSamePartOfThePlane) {
  open(kSquare);
  pin(GridForm::columns_large);
  const ImRect large = rect_of("picture spectrum 2"), small = rect_of("picture reconstruction 2");
  ASSERT_GT(large.GetWidth(), small.GetWidth() * 1.2F);
  const auto at_quarter = [&](const ImRect& cell) {
    std::pair<double, double> seen;
    drive([&](ImGuiTestContext* c) {
      c->MouseMoveToPos({cell.Min.x + cell.GetWidth() / 4, cell.Min.y + cell.GetHeight() / 4});
      c->Yield(3);
      seen = {state().crosshair.row, state().crosshair.col};
    });
    return seen;
  };
  const auto in_large = at_quarter(large), in_small = at_quarter(small);
  EXPECT_NEAR(in_large.first, in_small.first, 6);
  EXPECT_NEAR(in_large.second, in_small.second, 6);
  EXPECT_GT(contrast(pixels_in(small)), 3);
}

TEST_F(Grid, PicturesWithOneRangeHaveOneColourBarAndAnOwnRangeHasItsOwn) {
  open(kSquare);
  EXPECT_FALSE(exists("bar spectrum 1"));
  EXPECT_TRUE(exists("bar spectrum 2")) << "the last column with the shared range";
  EXPECT_TRUE(exists("bar spectrum 3")) << "Density Map has its own range";
  const ImRect bar = rect_of("bar spectrum 2"), picture = rect_of("picture spectrum 2");
  EXPECT_NEAR(bar.GetHeight(), picture.GetHeight(), 1);
  EXPECT_GE(bar.Min.x, picture.Max.x) << "outside the picture";
  // The colours of the map, from its last at the top to its first at the bottom.
  const ColorMap* map = find_color_map(state().scale.color_map);
  ASSERT_NE(map, nullptr);
  const auto expect_color = [&](float y, std::size_t entry) {
    const Pixels at = pixels_in({{bar.Min.x + 2, y}, {bar.Min.x + 4, y + 1}});
    ASSERT_GE(at.rgb.size(), 3U);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(at.rgb[c], map->rgb.at(entry).at(c), 12) << y;
  };
  expect_color(bar.Min.y + 2, 254);
  expect_color(bar.Max.y - 3, 1);
  // Its numbers are beside it.
  EXPECT_GT(contrast(pixels_in({{bar.Min.x + 10, bar.Min.y}, {bar.Max.x, bar.Max.y}})), 3);
  act(action::SetColumnOwnRange{state().columns.at(2).id, false});
  settle();
  EXPECT_FALSE(exists("bar spectrum 2")) << "control: all share one range now";
  EXPECT_TRUE(exists("bar spectrum 3"));
}

TEST_F(Grid, APictureOfZerosHasNoScale) {
  const auto bar_contrast = [&](const char* name) {
    const ImRect bar = rect_of(name);
    return contrast(pixels_in({{bar.Min.x, bar.Min.y + 2}, {bar.Max.x, bar.Max.y - 20}}));
  };
  open("gen:random:n=60,nnz=100");
  EXPECT_GT(bar_contrast("bar spectrum 2"), 3) << "control";
  EXPECT_GT(bar_contrast("bar pattern 2"), 3) << "control";
  open(write_file("zeros.mtx", "%%MatrixMarket matrix coordinate pattern general\n60 60 0\n"));
  EXPECT_LT(bar_contrast("bar spectrum 2"), 1);
  EXPECT_LT(bar_contrast("bar pattern 2"), 1) << "only the colour of no entry, below";
}

struct Screen {
  std::uint32_t width, height;
  float scale;
  Theme theme;
};

class GridOn : public Grid, public ::testing::WithParamInterface<Screen> {
 protected:
  [[nodiscard]] ScreenSize screen_size() override {
    return {GetParam().width, GetParam().height, GetParam().scale};
  }
};

TEST_P(GridOn, NoPictureIsCutAndEveryPanelScrolls) {
  Settings settings = state().settings;
  settings.theme = GetParam().theme;
  act(action::SetSettings{settings});
  act(action::SetBlock{4});  // larger blocks leave so few samples that their mean is one colour
  for (const char* matrix : {kSquare, kWide}) {
    open(matrix);
    keep("grid_" + std::to_string(GetParam().width) + (matrix == kWide ? "_wide" : ""));
    const std::vector<ImRect> all = pictures();
    EXPECT_EQ(all.size(), 8U) << "3 columns of 3, less the reference's reconstruction";
    ImRect room;
    drive([&](ImGuiTestContext* c) { room = c->WindowInfo("//Comparison").Window->InnerRect; });
    for (const ImRect& one : all) {
      EXPECT_TRUE(room.Contains(one))
          << one.Min.x << ' ' << one.Min.y << ' ' << one.Max.x << ' ' << one.Max.y;
      EXPECT_GE(std::max(one.GetWidth(), one.GetHeight()), 96 * GetParam().scale);
      EXPECT_GT(contrast(pixels_in(one)), 3);
      for (const ImRect& other : all)
        EXPECT_TRUE(&one == &other || !one.Overlaps(other)) << "pictures on each other";
    }
    EXPECT_GT(area() / (double{room.GetWidth()} * double{room.GetHeight()}), matrix == kWide ? 0.38 : 0.42);
  }
  // The last choice of the longest panel is reached.
  drive([](ImGuiTestContext* c) {
    const ImGuiTestItemInfo card = c->WindowInfo("//Setup/card");
    c->ScrollToBottom(card.Window->ID);
    c->ItemClick("**/best");
    c->ItemClick("**/nearest");
  });
  EXPECT_EQ(state().scale.fill, Fill::nearest);
}

INSTANTIATE_TEST_SUITE_P(Sizes, GridOn,
                         ::testing::Values(Screen{1280, 720, 1, Theme::dark},
                                           Screen{1280, 720, 1, Theme::light},
                                           Screen{1920, 1080, 1, Theme::dark},
                                           Screen{1920, 1080, 1, Theme::light},
                                           Screen{3840, 2160, 2, Theme::light}));

}  // namespace
}  // namespace spyctrum::testing
