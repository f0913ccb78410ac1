// SPDX-License-Identifier: Apache-2.0
// Dialogs and whole screens: each appears, reads the state, and closes again. SPYCTRUM_GUI_DUMP=FOLDER stores
// a picture of each.
#include <glad/gl.h>

#include <imgui_internal.h>
#include <implot.h>
#include <implot_internal.h>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/widgets.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

class Screens : public GuiTest {
 protected:
  /// Opens `overlay`, expects pixels to change, closes it by Escape and expects them back.
  void check(Overlay overlay, const std::string& name) {
    // The crosshair and hover marks must not be part of the comparison.
    drive([](ImGuiTestContext* c) { c->MouseMoveToPos({4, 4}); });
    draw(3);
    const Pixels before = screen();
    act(action::SetOverlay{overlay});
    draw(5);
    ASSERT_EQ(state().interface.overlay, overlay);
    const Pixels open = screen();
    EXPECT_GT(share_changed(before, open, 6), 0.05) << name;
    EXPECT_GT(contrast(open), 5) << name;
    keep(name);
    press(ImGuiKey_Escape);
    draw(20);
    EXPECT_EQ(state().interface.overlay, Overlay::none) << name;
    EXPECT_LT(share_changed(before, screen(), 6), 0.002) << name;
  }
};

TEST_F(Screens, EveryDialogOpensAndEscapeClosesIt) {
  open("gen:stochastic-blocks:n=600,blocks=6,p_in=0.15,p_out=0.005");
  check(Overlay::help, "help");
  check(Overlay::about, "about");
  check(Overlay::go_to, "go_to");
  check(Overlay::preferences, "preferences");
  check(Overlay::gallery, "gallery");
}

TEST_F(Screens, FourColumnsAndFourRowsHavePicturesEverywhere) {
  open("gen:power-law:n=1500,nnz=20000");
  act(action::AddColumn{"bs-fft"});
  CompareSettings compare = state().compare;
  compare.rows = {true, true, true, true};
  act(action::SetCompare{compare});
  settle();
  act(action::GoTo{Plane::spectrum, 120, -200});
  settle();
  EXPECT_TRUE(state().crosshair.active);
  keep("four_columns");
  for (std::size_t i = 0; i < state().columns.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    if (!exists("picture spectrum " + number)) continue;  // scrolled away
    EXPECT_GT(contrast(pixels_of("picture spectrum " + number)), 3) << number;
    EXPECT_GT(contrast(pixels_of("picture pattern " + number)), 3) << number;
  }
  EXPECT_TRUE(state().columns[1].picture(Row::error).shown);
}

TEST_F(Screens, SingleCoefficientsAreShownAboveTheOpenLog) {
  open("gen:random:n=600,nnz=5000");
  act(action::SetView{Plane::spectrum, {19.5, 29.5, 23.5, 33.5}, true});
  act(action::SetView{Plane::pattern, {10, 10, 22, 24}, true});
  act(action::ShowLog{true});
  act(action::Notify{Level::info, "A note."});
  act(action::Notify{Level::error, "Something failed on a file; choose another one."});
  act(action::ShowWave{std::pair<std::int64_t, std::int64_t>{30, 40}});
  settle();
  keep("single_coefficients");
  EXPECT_TRUE(exists("##filter"));
}

TEST_F(Screens, TheLightThemeIsLight) {
  act(action::SetKeepAspect{false});  // no margins around the plane, which have the theme's colour
  open("gen:laplacian-2d:nx=50,ny=40");
  const auto mean = [](const Pixels& pixels) {
    double sum = 0;
    for (const std::uint8_t value : pixels.rgb) sum += value;
    return sum / static_cast<double>(pixels.rgb.size());
  };
  const double dark = mean(screen());
  const Pixels picture = pixels_of("picture spectrum 1");
  Settings settings = state().settings;
  settings.theme = Theme::light;
  act(action::SetSettings{settings});
  settle();
  keep("light");
  EXPECT_GT(mean(screen()), dark + 60);
  EXPECT_LT(share_changed(picture, pixels_of("picture spectrum 1")), 0.02) << "pictures keep their colours";
}

TEST_F(Screens, AFrameOfWhichOpenGlRefusedAPartIsDrawnAgain) {
  open("gen:laplacian-2d:nx=50,ny=40");
  // Without the status line, which counts memory that changes.
  const auto above_status_line = [&] {
    constexpr std::size_t kStatusLine = 24;
    Pixels pixels = screen();
    pixels.rgb.resize(pixels.rgb.size() - 3 * kStatusLine * pixels.width);
    return pixels.rgb;
  };
  const auto before = above_status_line();
  for (const Theme theme : {Theme::light, Theme::dark}) {
    glEnable(GL_TEXTURE_BINDING_2D);  // which cannot be enabled: an error for the next check
    Settings settings = state().settings;
    settings.theme = theme;
    act(action::SetSettings{settings});
    draw();
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)) << "the frame was checked";
    settle();
  }
  EXPECT_EQ(above_status_line(), before);
}

TEST_F(Screens, TheFileDialogListsTheFolder) {
  const std::string path =
      write_file("listed.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n");
  press(ImGuiMod_Ctrl | ImGuiKey_O);
  drive([&](ImGuiTestContext* c) {
    c->ItemInput("**/##path");
    c->KeyCharsReplace((path.substr(0, path.rfind('/')) + "/").c_str());
    c->Yield(2);
  });
  keep("file_dialog");
  EXPECT_GT(contrast(screen()), 5);
}

TEST_F(Screens, ASweepFillsTheTradeOffPlot) {
  open("gen:stochastic-blocks:n=400,blocks=4,p_in=0.15,p_out=0.01");
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Cost"); });
  draw(3);
  const Pixels before = screen();
  act(action::StartSweep{});
  settle();
  EXPECT_GT(state().sweep.size(), 4U);
  keep("sweep");
  EXPECT_GT(share_changed(before, screen()), 0.002);
  // Ticks have the units of the table and of the cards.
  drive([](ImGuiTestContext* c) {
    const ImGuiTestItemInfo card = c->WindowInfo("//Cost/card");
    ImPlotPlot* plot = ImPlot::GetCurrentContext()->Plots.GetByKey(card.Window->GetID("###trade-off"));
    ASSERT_NE(plot, nullptr);
    for (const auto& [axis, unit] : {std::pair{ImAxis_X1, "s"}, std::pair{ImAxis_Y1, " %"}}) {
      ImPlotTicker& ticks = plot->Axes[axis].Ticker;
      ASSERT_GT(ticks.TickCount(), 1);
      for (int k = 0; k < ticks.TickCount(); ++k)
        if (ticks.Ticks[k].ShowLabel) {
          EXPECT_TRUE(std::string_view(ticks.GetText(k)).ends_with(unit)) << ticks.GetText(k);
        }
    }
  });
}

class SmallScreen : public GuiTest {
 protected:
  [[nodiscard]] ScreenSize screen_size() override { return {1280, 720, 1}; }
};

TEST_F(SmallScreen, CaptionsSayZeroToRounding) {
  const auto caption = [&] {
    const float width = rect_of("picture spectrum 1").GetWidth();
    std::string words;
    drive([&](ImGuiTestContext*) {
      words = panels::fit_caption(state(), state().columns[0], Row::spectrum, width).words;
    });
    return words;
  };
  open("gen:circulant:n=1024,degree=8,stride=24");
  EXPECT_NE(caption().find("rest zero to rounding"), std::string::npos) << caption();
  open("gen:random:n=900,nnz=9000");
  EXPECT_NE(caption().find("spectrum"), std::string::npos) << caption();
  EXPECT_EQ(caption().find("zero"), std::string::npos) << "control";
}

TEST_F(SmallScreen, CaptionsOfReconstructionsHaveTheirDistanceAndSayThatTheRangeIsTheirOwn) {
  open("gen:random:n=900,nnz=9000");
  drive([&](ImGuiTestContext*) {
    const auto font = panels::small_font();
    const auto width_of = [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; };
    std::size_t without_note = 0;
    for (const float width : {154.0F, 144.0F, 134.0F, 124.0F})
      for (std::size_t k = 1; k < 3; ++k) {
        const Column& column = state().columns[k];
        const panels::CaptionLines lines = panels::fit_two_lines(state(), column, Row::reconstruction, width);
        SCOPED_TRACE(lines.upper + " / " + lines.lower.words + " | " + lines.lower.note);
        EXPECT_TRUE(lines.lower.note.starts_with("H "));
        EXPECT_EQ(lines.lower.note.ends_with("own range"), column.picture(Row::reconstruction).range_is_own);
        EXPECT_NE((lines.upper + lines.lower.words).find("reconstruction · best"), std::string::npos);
        EXPECT_LE(width_of(lines.upper), width);
        EXPECT_LE(width_of(lines.lower.words) + width_of(lines.lower.note), width);
        without_note += panels::fit_caption(state(), column, Row::reconstruction, width).note.empty() ? 1 : 0;
      }
    EXPECT_GT(without_note, 0U) << "control: one line has not room for all";
    EXPECT_TRUE(state().columns[2].picture(Row::reconstruction).range_is_own);
  });
  // The upper line is drawn, and lies above no other picture.
  const ImRect picture = rect_of("picture reconstruction 3");
  EXPECT_GT(contrast(pixels_in({{picture.Min.x, picture.Min.y - 31}, {picture.Max.x, picture.Min.y - 17}})),
            5);
}

TEST_F(SmallScreen, CaptionsHaveOneLineWhereTwoWouldMakeThePicturesScroll) {
  open("gen:random:n=900,nnz=9000");
  const auto between = [&] {
    return rect_of("picture spectrum 2").Min.y - rect_of("picture pattern 2").Max.y;
  };
  const panels::GridLengths lengths;
  EXPECT_GE(between(), lengths.narrow_caption + lengths.gap) << "control: the window is high enough";
  act(action::ShowLog{true});
  settle();
  keep("low_comparison");
  EXPECT_LT(between(), lengths.caption + lengths.gap + 4);
}

TEST_F(SmallScreen, ALongNameIsWrappedAtItsPunctuation) {
  drive([](ImGuiTestContext*) {
    const auto font = panels::bold_font(14);
    const auto lines = panels::lines_of_name("circulant:n=1024,degree=8,stride=24", 190);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0] + lines[1], "circulant:n=1024,degree=8,stride=24");
    EXPECT_TRUE(lines[0].ends_with(","));
    EXPECT_EQ(panels::lines_of_name("corafull", 190), std::vector<std::string>{"corafull"}) << "control";
  });
}

TEST_F(SmallScreen, NoFrameIsEmptyWhenTheFirstMatrixOpens) {
  const auto middle = [&] { return contrast(pixels_in({{300, 60}, {1200, 680}})); };
  EXPECT_GT(middle(), 5) << "the gallery";
  act(action::OpenFile{"gen:random:n=900,nnz=9000"});
  ASSERT_TRUE(draw_until([&] { return state().matrix() != nullptr; }, 20000));
  for (int frames = 0; frames < 5; ++frames) {
    EXPECT_GT(middle(), 5) << frames << " frames later";
    draw();
  }
}

class NarrowScreen : public GuiTest {
 protected:
  [[nodiscard]] ScreenSize screen_size() override { return {900, 640, 1}; }
  static bool is_shown(const char* panel) {
    const ImGuiWindow* window = ImGui::FindWindowByName(panel);
    return window != nullptr && window->WasActive;
  }
};

TEST_F(NarrowScreen, ShowsThePanelsOfOneSideAndAStripThatOpensTheOther) {
  open("gen:random:n=600,nnz=6000");
  const auto width_of = [](const char* panel) { return ImGui::FindWindowByName(panel)->Size.x; };
  keep("narrow_left");
  EXPECT_TRUE(is_shown("Setup"));
  EXPECT_FALSE(is_shown("Features"));
  EXPECT_GE(width_of("Setup"), 270) << "the panel has the width that its widgets need";
  EXPECT_GE(width_of("Comparison"), 560) << "more than half of the window";
  drive([](ImGuiTestContext* c) { c->ItemClick("**/other side"); });
  settle();
  keep("narrow_right");
  EXPECT_FALSE(is_shown("Setup"));
  EXPECT_TRUE(is_shown("Features"));
  EXPECT_GE(width_of("Features"), 365);
  EXPECT_GE(width_of("Comparison"), 470);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/other side"); });
  settle();
  EXPECT_TRUE(is_shown("Setup"));
  press(ImGuiMod_Ctrl | ImGuiKey_B);
  settle();
  EXPECT_FALSE(is_shown("Setup") || is_shown("Features"));
  EXPECT_FALSE(exists("other side")) << "all panels are hidden by the user's choice";
}

TEST_F(NarrowScreen, TheUnitAboveABarIsColouredWhereARangeIsNotShared) {
  open("gen:random:n=600,nnz=6000");
  keep("narrow_units");
  const auto orange = [&](const char* bar) {
    const ImVec2 corner = rect_of(bar).Min;
    const Pixels unit = pixels_in({{corner.x - 2, corner.y - 17}, {corner.x + 32, corner.y - 3}});
    int count = 0;
    for (std::size_t k = 0; k < unit.rgb.size(); k += 3) count += unit.rgb[k] > unit.rgb[k + 2] + 60 ? 1 : 0;
    return count;
  };
  ASSERT_TRUE(state().columns[2].picture(Row::spectrum).range_is_own);
  EXPECT_GT(orange("bar spectrum 3"), 10);
  EXPECT_EQ(orange("bar spectrum 2"), 0) << "control: the range of the reference";
}

class ClassroomScreen : public GuiTest {
 protected:
  [[nodiscard]] ScreenSize screen_size() override { return {1200, 800, 1}; }
  [[nodiscard]] Controller::Options controller_options() override {
    Controller::Options options;
    options.lessons = {SPYCTRUM_SOURCE_DIR "/assets/lessons"};
    return options;
  }
  static ImVec2 scrolling() { return ImGui::FindWindowByName("Comparison")->ScrollMax; }
  void show_rows(std::array<bool, kRows> rows) {
    CompareSettings compare = state().compare;
    compare.rows = rows;
    act(action::SetCompare{compare});
    settle();
  }
};

TEST_F(ClassroomScreen, PicturesBecomeSmallerBeforeAnyOfThemIsCut) {
  open("gen:random:n=600,nnz=6000");
  show_rows({true, true, true, true});
  keep("four_rows");
  EXPECT_EQ(scrolling().x, 0);
  EXPECT_EQ(scrolling().y, 0);
  act(action::ListLessons{});
  settle();
  act(action::OpenLesson{state().lessons.known.at(8).path});
  settle();
  act(action::ShowPresentation{true});
  settle();
  for (const char* method : {"elastic", "density-map"})
    if (state().columns.size() < 3) act(action::AddColumn{method});
  show_rows({true, true, true, false});
  keep("presented_lesson");
  ASSERT_EQ(state().columns.size(), 3U);
  EXPECT_EQ(scrolling().x, 0);
  EXPECT_EQ(scrolling().y, 0);
  act(action::CloseLesson{});
}

class TabletScreen : public NarrowScreen {
  [[nodiscard]] ScreenSize screen_size() override { return {1024, 700, 1}; }
};

TEST_F(TabletScreen, ShowsThePicturesWhole) {
  open("gen:random:n=600,nnz=6000");
  EXPECT_NE(is_shown("Setup"), is_shown("Features"));
  const ImRect pictures = ImGui::FindWindowByName("Comparison")->InnerRect;
  EXPECT_LT(rect_of("picture reconstruction 3").Max.x, pictures.Max.x);
  EXPECT_GT(pictures.GetWidth(), 700);
}

class LeastScreenOfBothSides : public NarrowScreen {
  [[nodiscard]] ScreenSize screen_size() override { return {1150, 700, 1}; }
};

TEST_F(LeastScreenOfBothSides, TheNumbersOfTheFeaturesScrollInsteadOfBeingCut) {
  open("gen:random:n=600,nnz=6000");
  EXPECT_TRUE(is_shown("Setup") && is_shown("Features"));
  keep("both_sides");
  const auto scrolls = [] {
    return std::ranges::any_of(ImGui::GetCurrentContext()->Windows, [](const ImGuiWindow* one) {
      return one->WasActive && std::string_view(one->Name).find("/features_") != std::string_view::npos &&
             one->ScrollMax.x > 0;
    });
  };
  EXPECT_TRUE(scrolls());
  act(action::RemoveColumn{state().columns.back().id});
  settle();
  EXPECT_FALSE(scrolls()) << "control: the numbers of two columns fit";
}

class LargeTypeScreen : public NarrowScreen {
  [[nodiscard]] ScreenSize screen_size() override { return {2800, 1600, 2}; }
};

TEST_F(LargeTypeScreen, StoresItsLayoutInPoints) {
  open("gen:random:n=600,nnz=6000");
  const ImGuiWindow& setup = *ImGui::FindWindowByName("Setup");
  EXPECT_NEAR(setup.Size.x, 2 * 274, 4);
  EXPECT_NEAR(setup.DockNode->SizeRef.x, 274, 2) << "a layout stored here serves windows with smaller type";
}

class NarrowestScreen : public NarrowScreen {
  [[nodiscard]] ScreenSize screen_size() override { return {640, 480, 1}; }
};

TEST_F(NarrowestScreen, NoButtonAboveThePicturesIsCut) {
  open("gen:random:n=600,nnz=6000");
  keep("narrowest");
  const ImRect button = rect_of("###add method");
  EXPECT_GT(button.GetWidth(), 10);
  EXPECT_LE(button.Max.x, ImGui::FindWindowByName("Comparison")->InnerRect.Max.x);
}

class SmallestScreenOfBothSides : public NarrowScreen {
  [[nodiscard]] ScreenSize screen_size() override { return {1200, 800, 1}; }
};

TEST_F(SmallestScreenOfBothSides, NoToolBelowThePicturesIsCut) {
  open("gen:random:n=600,nnz=6000");
  const auto expect_whole = [&](const char* panel, std::initializer_list<const char*> items) {
    const ImRect inside = ImGui::FindWindowByName(panel)->InnerRect;
    for (const char* item : items) {
      EXPECT_GT(rect_of(item).GetWidth(), 10) << item;
      EXPECT_LE(rect_of(item).Max.x, inside.Max.x) << item;
      EXPECT_LE(rect_of(item).Max.y, inside.Max.y) << item;
    }
  };
  act(action::Animate{Swept::block});
  settle();
  keep("small_animation");
  expect_whole(panels::kAnimation,
               {"block size", "rows of the stream", "###frame", "###speed", "###close animation"});
  act(action::StopAnimation{});
  act(action::SwitchDrawing{});
  settle();
  keep("small_drawing");
  expect_whole(panels::kSandbox, {"periodic stamp", "Copy for a lesson", "Save the steps as a lesson…"});
}

/// 1024 × 700 pixels at twice the size.
class SmallFineScreen : public NarrowScreen {
  [[nodiscard]] ScreenSize screen_size() override { return {1024, 700, 2}; }
};

TEST_F(SmallFineScreen, NoButtonAboveThePicturesIsCut) {
  open("gen:random:n=600,nnz=6000");
  keep("small_fine");
  const ImRect pictures = ImGui::FindWindowByName("Comparison")->InnerRect;
  for (const char* button : {"pattern", "spectrum", "reconstruction", "error", "###fit", "###add method"}) {
    EXPECT_GT(rect_of(button).GetWidth(), 10) << button;
    EXPECT_LE(rect_of(button).Max.x, pictures.Max.x) << button;
  }
  EXPECT_LT(rect_of("error").Max.y, rect_of("###fit").Min.y + 1) << "below, not upon each other";
}

TEST_F(SmallScreen, SmallPicturesHaveTicksOnBothSidesOfZero) {
  // Nothing but labels is bright in the spectrum of a matrix without entries.
  open(write_file("empty.mtx", "%%MatrixMarket matrix coordinate pattern general\n500 500 0\n"));
  drive([](ImGuiTestContext* c) { c->MouseMoveToPos({4, 4}); });
  keep("small_ticks");
  const Pixels pixels = pixels_of("picture spectrum 2");
  ASSERT_LT(pixels.width, 220U);
  const auto has_label = [&](std::size_t left, std::size_t top, std::size_t right, std::size_t bottom) {
    for (std::size_t y = top; y < bottom; ++y)
      for (std::size_t x = left; x < right; ++x)
        if (pixels.rgb.at(3 * (y * pixels.width + x)) > 180) return true;
    return false;
  };
  const std::size_t w = pixels.width - 2, h = pixels.height - 2;
  EXPECT_TRUE(has_label(8, h - 18, w / 2 - 10, h)) << "below, negative";
  EXPECT_TRUE(has_label(w / 2 + 10, h - 18, w, h)) << "below, positive";
  EXPECT_TRUE(has_label(8, 10, 45, h / 2 - 10)) << "beside, negative";
  EXPECT_FALSE(has_label(60, 10, w, h - 24)) << "control: nothing else is bright";
}

TEST_F(SmallScreen, TheHeaderOfEveryMethodHasItsTime) {
  open("gen:random:n=900,nnz=9000");
  drive([](ImGuiTestContext* c) { c->MouseMoveToPos({4, 4}); });
  draw(3);
  std::size_t cards = 0;
  for (const ImGuiWindow* card : ImGui::GetCurrentContext()->Windows) {
    if (std::string_view(card->Name).find("/column ") == std::string_view::npos) continue;
    ++cards;
    // Part of the second line, from and to a distance from the right edge of the card.
    const auto contrast_at = [&](float from, float to) {
      const ImVec2 corner{card->Pos.x + card->Size.x, card->Pos.y + 30};
      return contrast(pixels_in({{corner.x - from, corner.y}, {corner.x - to, corner.y + 14}}));
    };
    EXPECT_GT(contrast_at(40, 9), 10) << card->Name;
    EXPECT_LT(contrast_at(8, 2), 1) << "control: the time ends before the edge";
  }
  EXPECT_EQ(cards, 3U);
}

}  // namespace
}  // namespace spyctrum::testing
