// SPDX-License-Identifier: Apache-2.0
// Pan, zoom, scale, comparison, crosshair, dialogs and keys.
#include "tests/gui/gui_fixture.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "app/panels/comparison/cell.hpp"
#include "app/panels/widgets/format.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/panels/widgets/wave_text.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum::testing {
namespace {

constexpr const char* kMatrix = "gen:random:n=600,nnz=5000";

class Looking : public GuiTest {
 protected:
  void SetUp() override {
    GuiTest::SetUp();
    act(action::SetKeepAspect{false});  // positions in these tests are shares of the view
    open(kMatrix);
  }
  const View& spectrum() { return state().view(Plane::spectrum); }
  const View& pattern() { return state().view(Plane::pattern); }
  /// Chooses "save session" in the palette, which opens the dialog for its file.
  void save_session_by_palette() {
    press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    draw(3);
    drive([](ImGuiTestContext* c) {
      c->KeyChars("save session");
      c->KeyPress(ImGuiKey_Enter);
    });
    draw(4);
  }
};

TEST_F(Looking, TheWheelZoomsAtTheCursorAndAllColumnsFollow) {
  const ImRect cell = rect_of("picture spectrum 1");
  const Pixels other = pixels_of("picture spectrum 2");
  const ImVec2 at = {cell.Min.x + cell.GetWidth() * 0.25F, cell.Min.y + cell.GetHeight() * 0.25F};
  const double u = spectrum().rect.top + 0.25 * spectrum().rect.height();
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos(at);
    c->MouseWheelY(3);
  });
  settle();
  EXPECT_LT(spectrum().rect.width(), spectrum().full.width() * 0.7);
  EXPECT_NEAR(spectrum().rect.top + 0.25 * spectrum().rect.height(), u, 0.01 * spectrum().full.height());
  EXPECT_GT(share_changed(other, pixels_of("picture spectrum 2")), 0.05);
  EXPECT_EQ(pattern().rect, pattern().full) << "the other plane has its own view";
}

TEST_F(Looking, RowsOfNarrowCoefficientsWithNumbersHaveTicksAboveThese) {
  const ImRect cell = rect_of("picture spectrum 1");
  constexpr double kSide = 66;  // points: beside the number is no room for a tick
  const double rows = cell.GetHeight() / kSide, cols = cell.GetWidth() / kSide;
  act(action::SetView{Plane::spectrum, {-0.5, -0.5, rows - 0.5, cols - 0.5}});
  settle();
  drive([](ImGuiTestContext* c) { c->MouseMoveToPos({4, 4}); });
  draw(2);
  keep("narrow_numbers");
  const auto bright_above_number = [&](float from, float to) {
    const float y = cell.Min.y + static_cast<float>(1.5 * kSide);  // the middle of row u = 1
    return white_pixels(pixels_in({{cell.Min.x + from, y - 20}, {cell.Min.x + to, y - 9}}));
  };
  EXPECT_GT(bright_above_number(7, 30), 3U) << "+1";
  EXPECT_EQ(bright_above_number(66 + 7, 66 + 30), 0U) << "control: the next column";
}

TEST_F(Looking, TheCaptionOfAReconstructionNamesItsSamplesAndLines) {
  const auto show = [&](Fill fill) {
    ScaleSettings scale = state().scale;
    scale.fill = fill;
    act(action::SetScale{scale});
    settle();
  };
  const auto words = [&](std::size_t column) {
    return panels::caption(state(), state().columns.at(column), Row::reconstruction) + " | " +
           panels::caption_tip(state(), state().columns.at(column), Row::reconstruction);
  };
  const Column& elastic = state().columns.at(1);
  const std::string samples = grouped(elastic.spectrum->grid.count());
  EXPECT_NE(panels::caption(state(), elastic, Row::spectrum).find(" of " + samples + " samples"),
            std::string::npos)
      << "not the number of coefficients from which the features come";
  EXPECT_NE(panels::caption_tip(state(), elastic, Row::spectrum).find(grouped(elastic.samples)),
            std::string::npos)
      << "which the tooltip names";
  show(Fill::smooth);
  EXPECT_NE(words(1).find(samples + " samples"), std::string::npos) << words(1);
  EXPECT_NE(words(1).find("600 rows"), std::string::npos) << words(1);
  show(Fill::best);
  ASSERT_GT(elastic.line_coefficients, 0U);
  EXPECT_NE(words(1).find(grouped(elastic.line_coefficients) + " coefficients of lines"), std::string::npos)
      << words(1);
  EXPECT_NE(words(1).find(" on exact lines"), std::string::npos) << words(1);
  EXPECT_EQ(words(0).find("samples"), std::string::npos)
      << "the reference is not made of samples: " << words(0);
  show(Fill::bilinear);
  EXPECT_EQ(panels::caption_tip(state(), elastic, Row::reconstruction), "");
}

TEST_F(Looking, ALeftDragPansAndADoubleClickFits) {
  act(action::SetView{Plane::spectrum, {-50, -50, 50, 50}, true});
  settle();
  const ImRect cell = rect_of("picture spectrum 1");
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos(cell.GetCenter());
    c->MouseDown(0);
    c->MouseMoveToPos({cell.GetCenter().x + 60, cell.GetCenter().y});
    c->MouseUp(0);
  });
  EXPECT_NEAR(spectrum().rect.left, -50 - 60 * 100 / cell.GetWidth(), 2);
  EXPECT_DOUBLE_EQ(spectrum().rect.top, -50);
  EXPECT_NEAR(spectrum().rect.width(), 100, 1e-6);
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos(cell.GetCenter());
    c->MouseDoubleClick(0);
  });
  EXPECT_EQ(spectrum().rect, spectrum().full);
}

TEST_F(Looking, ARightDragZoomsToTheBoxAndBackReturns) {
  const ImRect cell = rect_of("picture pattern 1");
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos({cell.Min.x + cell.GetWidth() * 0.25F, cell.Min.y + cell.GetHeight() * 0.5F});
    c->MouseDown(1);
    c->MouseMoveToPos({cell.Min.x + cell.GetWidth() * 0.75F, cell.Min.y + cell.GetHeight() * 0.75F});
    c->MouseUp(1);
  });
  const PlaneRect full = pattern().full;
  EXPECT_NEAR(pattern().rect.left, full.width() * 0.25, full.width() * 0.02);
  EXPECT_NEAR(pattern().rect.right, full.width() * 0.75, full.width() * 0.02);
  EXPECT_NEAR(pattern().rect.top, full.height() * 0.5, full.height() * 0.02);
  press(ImGuiMod_Alt | ImGuiKey_LeftArrow);
  EXPECT_EQ(pattern().rect, full);
}

TEST_F(Looking, SingleCoefficientsCarryTheirNumbersAndSmallerOnesDoNot) {
  act(action::RemoveColumn{state().columns.back().id});  // two pictures have room for numbers
  settle();
  act(action::SetView{Plane::spectrum, {19.5, 29.5, 23.5, 33.5}, true});
  settle();
  const ImRect cell = rect_of("picture spectrum 1");
  ASSERT_GT(cell.GetWidth() / 4, 60);
  const std::size_t with_numbers = white_pixels(pixels_in(cell));
  EXPECT_GT(with_numbers, 100U);
  // One coefficient has one colour: the pixels around a number are equal.
  const ImVec2 corner = {cell.Min.x + cell.GetWidth() / 4 + 8, cell.Min.y + cell.GetHeight() / 4 + 8};
  const Pixels patch = pixels_in({corner, {corner.x + 10, corner.y + 5}});
  EXPECT_LT(contrast(patch), 2);
  // Control: forty coefficients across are too small for numbers.
  act(action::SetView{Plane::spectrum, {0.5, 10.5, 40.5, 50.5}, true});
  settle();
  EXPECT_LT(white_pixels(pixels_of("picture spectrum 1")), with_numbers / 2);
}

TEST_F(Looking, CurveAndColourMapChangeThePixelsAndNoJobRuns) {
  const Pixels before = pixels_of("picture spectrum 1");
  ASSERT_EQ(state().scale.curve, Curve::log);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/linear"); });
  draw(2);
  EXPECT_EQ(state().scale.curve, Curve::linear);
  EXPECT_GT(share_changed(before, pixels_of("picture spectrum 1")), 0.05);
  press(ImGuiMod_Shift | ImGuiKey_L);
  draw(2);
  EXPECT_EQ(state().scale.curve, Curve::log);
  EXPECT_EQ(share_changed(before, pixels_of("picture spectrum 1")), 0) << "back where it was";
  ScaleSettings scale = state().scale;
  for (const ColorMap& map : color_maps())
    if (map.kind == ColorMap::Kind::sequential && map.name != scale.color_map)
      scale.color_map = std::string(map.name);
  act(action::SetScale{scale});
  draw(2);
  EXPECT_GT(share_changed(before, pixels_of("picture spectrum 1")), 0.2);
  EXPECT_TRUE(controller().idle());
}

TEST_F(Looking, GoToCentresTheViewAndSetsTheCrosshair) {
  act(action::SetView{Plane::spectrum, {-20, -20, 20, 20}, true});
  press(ImGuiMod_Ctrl | ImGuiKey_G);
  ASSERT_EQ(state().interface.overlay, Overlay::go_to);
  draw(3);
  ASSERT_EQ(state().interface.overlay, Overlay::go_to) << "it stays until it is answered";
  drive([](ImGuiTestContext* c) {
    c->ItemInput("**/###goto row");
    c->KeyCharsReplace("100");
    c->ItemInput("**/###goto col");
    c->KeyCharsReplace("-120");
    c->ItemClick("**/Go");
  });
  settle();
  EXPECT_EQ(state().interface.overlay, Overlay::none);
  EXPECT_NEAR((spectrum().rect.top + spectrum().rect.bottom) / 2, 100, 1);
  EXPECT_NEAR((spectrum().rect.left + spectrum().rect.right) / 2, -120, 1);
  EXPECT_TRUE(state().crosshair.active);
  EXPECT_EQ(state().crosshair.u, 100);
  EXPECT_EQ(state().crosshair.v, -120);
}

TEST_F(Looking, CountsOfTheRowAndTheColumnUnderTheCursorAreNotTakenForItsPlace) {
  const SparsePattern& pattern = *state().pattern();
  act(action::SetCrosshair{Plane::pattern, 7.5, 11.5});
  const std::string words = panels::read_out(state(), state().columns.at(0), Row::pattern);
  const Crosshair& cross = state().crosshair;
  EXPECT_EQ(words, std::string(pattern.contains(7, 11) ? "stored" : "not stored") +
                       "   entries: " + std::to_string(cross.row_count) + " in row, " +
                       std::to_string(cross.col_count) + " in column");
  EXPECT_GT(cross.row_count, 0);
  EXPECT_EQ(panels::read_out(state(), state().columns.at(1), Row::pattern), "") << "control: once";
}

TEST_F(Looking, APresentationHasThePlaceOfTheCursorInThePictures) {
  act(action::SetCrosshair{Plane::spectrum, 7, -11});
  const auto place = [&](std::size_t column) {
    return panels::place_read_out(state(), state().columns.at(column), Row::spectrum);
  };
  EXPECT_EQ(place(0), "") << "the status bar has it";
  act(action::ShowPresentation{true});
  EXPECT_EQ(place(0), "u = +7   v = \u221211");
  EXPECT_EQ(place(1), "") << "once";
}

TEST_F(Looking, TheCrosshairReadsExactValuesInEveryColumnAndGoesWithTheCursor) {
  const ImRect picture = rect_of("picture spectrum 1");
  const ImVec2 at = picture.GetCenter();
  Crosshair seen;
  drive([&](ImGuiTestContext* c) {
    c->MouseMoveToPos(at);
    const auto whole = [&] { return state().crosshair.coefficient && !state().crosshair.pending; };
    for (int i = 0; i < 20000 && !whole(); ++i) c->Yield();
    seen = state().crosshair;
    c->MouseMoveToPos({at.x, picture.Min.y - 8});  // its caption
    c->Yield(3);
  });
  EXPECT_TRUE(seen.active);
  EXPECT_EQ(seen.plane, Plane::spectrum);
  ASSERT_TRUE(seen.coefficient);
  EXPECT_LE(std::abs(seen.u), 2);
  EXPECT_LE(std::abs(seen.v), 2);
  EXPECT_EQ(seen.columns.size(), state().columns.size());
  EXPECT_FALSE(state().crosshair.active);
}

TEST_F(Looking, ControlBHidesTheSidePanelsAndGivesPicturesTheirRoom) {
  const float narrow = rect_of("picture spectrum 1").GetWidth();
  EXPECT_TRUE(exists("block slider"));
  press(ImGuiMod_Ctrl | ImGuiKey_B);
  settle();
  EXPECT_FALSE(state().interface.side_panels);
  EXPECT_FALSE(exists("block slider"));
  EXPECT_GT(rect_of("picture spectrum 1").GetWidth(), narrow * 1.2F);
  press(ImGuiMod_Ctrl | ImGuiKey_B);
  settle();
  EXPECT_TRUE(exists("block slider"));
}

TEST_F(Looking, DOpensTheRowOfErrors) {
  EXPECT_FALSE(exists("picture error 2"));
  press(ImGuiKey_D);
  settle();
  EXPECT_TRUE(state().compare.rows[static_cast<std::size_t>(Row::error)]);
  EXPECT_TRUE(state().columns[1].picture(Row::error).shown);
  EXPECT_GT(contrast(pixels_of("picture error 2")), 5);
}

TEST_F(Looking, SpaceShowsTheReferenceWhileItIsHeld) {
  bool while_held = false, afterwards = true;
  drive([&](ImGuiTestContext* c) {
    c->KeyDown(ImGuiKey_Space);
    c->Yield(3);
    while_held = state().compare.show_reference;
    c->KeyUp(ImGuiKey_Space);
    c->Yield(3);
    afterwards = state().compare.show_reference;
  });
  EXPECT_TRUE(while_held);
  EXPECT_FALSE(afterwards);
}

TEST_F(Looking, TheReferenceReplacesAColumnsPictureOnRequest) {
  const Pixels own = pixels_of("picture spectrum 2");
  CompareSettings compare = state().compare;
  compare.show_reference = true;
  act(action::SetCompare{compare});
  draw(2);
  const Pixels reference = pixels_of("picture spectrum 2");
  EXPECT_GT(share_changed(own, reference), 0.05);
  // The picture equals that of the reference, except for the word REFERENCE in its corner.
  const double word = share_changed(pixels_of("picture spectrum 1"), reference);
  EXPECT_GT(word, 0.0005);
  EXPECT_LT(word, 0.05);
  compare.show_reference = false;
  act(action::SetCompare{compare});
  draw(2);
  EXPECT_EQ(share_changed(own, pixels_of("picture spectrum 2")), 0);
}

TEST_F(Looking, KeysDoWhatTheMenuSays) {
  press(ImGuiKey_2);
  EXPECT_EQ(state().interface.focused_column, 1U);
  press(ImGuiKey_1);
  EXPECT_EQ(state().interface.focused_column, 0U);
  press(ImGuiKey_Tab);
  EXPECT_EQ(state().interface.focused_column, 1U);
  press(ImGuiMod_Shift | ImGuiKey_Tab);
  EXPECT_EQ(state().interface.focused_column, 0U);
  EXPECT_FALSE(ImGui::GetIO().NavVisible) << "it moves between columns alone, and not between buttons";
  ScaleSettings scale = state().scale;
  scale.low_percent = 20;
  act(action::SetScale{scale});
  press(ImGuiKey_A);
  EXPECT_DOUBLE_EQ(state().scale.low_percent, 1);
  press(ImGuiKey_B);
  EXPECT_TRUE(state().compare.blink);
  press(ImGuiKey_B);
  EXPECT_FALSE(state().compare.blink);
  press(ImGuiKey_W);
  EXPECT_TRUE(state().compare.wipe);
  press(ImGuiKey_RightBracket);
  EXPECT_EQ(state().block, 17U);
  press(ImGuiKey_LeftBracket);
  EXPECT_EQ(state().block, 16U);
  press(ImGuiMod_Ctrl | ImGuiKey_L);
  EXPECT_TRUE(state().interface.log_open);
  act(action::SetView{Plane::spectrum, {-50, -50, 50, 50}, true});
  press(ImGuiKey_R);
  EXPECT_EQ(spectrum().rect, spectrum().full);
  press(ImGuiMod_Shift | ImGuiKey_Slash);
  EXPECT_EQ(state().interface.overlay, Overlay::help);
  settle();  // while a job runs, Escape cancels the job
  press(ImGuiKey_Escape);
  EXPECT_EQ(state().interface.overlay, Overlay::none);
}

TEST_F(Looking, EveryPressOfAKeyIsAStepOfUndo) {
  ASSERT_EQ(state().block, 16U);
  press(ImGuiKey_RightBracket);
  press(ImGuiKey_RightBracket);
  ASSERT_EQ(state().block, 18U);
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  EXPECT_EQ(state().block, 17U);
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  EXPECT_EQ(state().block, 16U);
}

TEST_F(Looking, AKeyHasTheModifiersThatItWasPressedWithHoweverSlowTheFrame) {
  const bool panels = state().interface.side_panels;
  ImGuiIO& io = ImGui::GetIO();
  // All events arrive between two frames, the release of the modifier before that of the key.
  for (const auto& [key, down] : {std::pair{ImGuiMod_Ctrl, true},
                                  {ImGuiKey_LeftCtrl, true},
                                  {ImGuiKey_B, true},
                                  {ImGuiMod_Ctrl, false},
                                  {ImGuiKey_LeftCtrl, false},
                                  {ImGuiKey_B, false}})
    io.AddKeyEvent(static_cast<ImGuiKey>(key), down);
  draw(6);
  EXPECT_EQ(state().interface.side_panels, !panels);
  EXPECT_FALSE(state().compare.blink) << "Ctrl+B is not B";
  // The modifier was pressed in a frame before.
  for (const ImGuiKey key : {ImGuiKey{ImGuiMod_Shift}, ImGuiKey_LeftShift}) io.AddKeyEvent(key, true);
  draw();
  io.AddKeyEvent(ImGuiKey_W, true);
  for (const ImGuiKey key : {ImGuiKey{ImGuiMod_Shift}, ImGuiKey_LeftShift, ImGuiKey_W})
    io.AddKeyEvent(key, false);
  draw(6);
  EXPECT_TRUE(state().compare.wipe);
  EXPECT_EQ(state().compare.wipe_line, WipeLine::diagonal) << "Shift+W is not W";
}

TEST_F(Looking, ATabIsOpenedByAClickHoweverSlowTheFrame) {
  const auto is_open = [](const char* panel) {
    const ImGuiWindow* window = ImGui::FindWindowByName(panel);
    return window != nullptr && window->DockTabIsVisible;
  };
  ASSERT_FALSE(is_open(panels::kTheory));
  const ImVec2 tab = rect_of("Theory").GetCenter();
  ImGuiIO& io = ImGui::GetIO();
  // The movement to the tab and the click arrive between two frames.
  io.AddMousePosEvent(tab.x, tab.y);
  io.AddMouseButtonEvent(0, true);
  io.AddMouseButtonEvent(0, false);
  draw(6);
  EXPECT_TRUE(is_open(panels::kTheory));
  EXPECT_FALSE(is_open(panels::kCost)) << "control";
}

TEST_F(Looking, ThePaletteRunsTheCommandThatFitsWhatIsTyped) {
  ASSERT_FALSE(state().compare.wipe);
  press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
  draw(3);
  ASSERT_EQ(state().interface.overlay, Overlay::palette);
  drive([](ImGuiTestContext* c) {
    c->KeyChars("wipe");
    c->KeyPress(ImGuiKey_Enter);
  });
  EXPECT_TRUE(state().compare.wipe);
  EXPECT_EQ(state().interface.overlay, Overlay::none);
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  EXPECT_TRUE(state().compare.wipe) << "undo is about settings, not about aids of looking";
}

TEST_F(Looking, ThePaletteFindsTheFigureOfTheComparisonByTheWordExport) {
  press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
  draw(3);
  drive([](ImGuiTestContext* c) { c->KeyChars("export figure"); });
  EXPECT_TRUE(exists("###palette 1"));
  press(ImGuiKey_Escape);
}

TEST_F(Looking, ThePaletteOrdersRowsAndColumnsOfTheSelectedColumn) {
  const auto choose = [this](const char* order) {
    press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    draw(3);
    drive([&](ImGuiTestContext* c) {
      c->KeyChars(order);
      c->KeyPress(ImGuiKey_Enter);
    });
    settle();
  };
  act(action::FocusColumn{1});
  choose("columns cuthill");
  EXPECT_EQ(state().columns[1].arrangement.order, "rcm");
  EXPECT_EQ(state().columns[0].arrangement.kind, Arrangement::Kind::matrix)
      << "another column keeps its order";
  choose("columns as stored");
  EXPECT_EQ(state().columns[1].arrangement.kind, Arrangement::Kind::matrix);
}

TEST_F(Looking, AKeyThatNeedsAMatrixSaysSoWhileNoneIsOpen) {
  act(action::CloseMatrix{0});
  settle();
  ASSERT_FALSE(state().matrix());
  // The log, since a toast may leave before it is counted where frames are slow.
  const std::size_t before = state().log.size();
  press(ImGuiKey_F6);
  settle();
  ASSERT_EQ(state().log.size(), before + 1);
  EXPECT_EQ(state().log.back().text, "Moving picture: no matrix is open.");
  press(ImGuiKey_PageDown);
  press(ImGuiMod_Ctrl | ImGuiKey_Z);
  settle();
  EXPECT_EQ(state().log.size(), before + 1) << "control: these need something else";
}

TEST_F(Looking, AKeyThatNeedsAReferenceSaysSoWhereThereIsNone) {
  act(action::SetColumnArrangement{state().columns[0].id, {Arrangement::Kind::reordered, "rcm", 1}});
  settle();
  while (!state().toasts.empty()) act(action::DismissToast{state().toasts.front().id});
  press(ImGuiKey_W);
  settle();
  EXPECT_FALSE(state().compare.wipe);
  ASSERT_EQ(state().toasts.size(), 1U);
  EXPECT_EQ(state().toasts.back().text, "Wipe: there is no exact column to compare with.");
}

TEST_F(Looking, ThePictureWithTheKeyboardFocusIsNotTakenForTheOneUnderTheMouse) {
  open("gen:random:n=300,nnz=2000");
  drive([](ImGuiTestContext* c) {
    c->ItemClick("**/picture pattern 1");
    c->MouseMoveToPos({4, 4});
  });
  settle();
  press(ImGuiMod_Ctrl | ImGuiKey_G);
  press(ImGuiKey_Escape);
  press(ImGuiKey_RightArrow);
  settle();
  EXPECT_FALSE(state().crosshair.active);
}

TEST_F(Looking, AWaveWhoseEntriesCancelHasNoPhase) {
  open("gen:circulant:n=128,degree=16,stride=8");
  act(action::ShowWave{std::pair<std::int64_t, std::int64_t>(-8, 8)});
  settle();
  ASSERT_TRUE(state().wave_sum);
  EXPECT_EQ(panels::wave_text(state())[0].find("phase"), std::string::npos) << panels::wave_text(state())[0];
  EXPECT_TRUE(panels::wave_text(state())[1].starts_with("|F| 0 to rounding"))
      << panels::wave_text(state())[1];
}

TEST_F(Looking, ThePhaseOfAWaveThatEveryEntryLiesOnIsZero) {
  open("gen:circulant:n=128,degree=16,stride=8");
  act(action::ShowWave{std::pair<std::int64_t, std::int64_t>(-16, 16)});
  settle();
  ASSERT_TRUE(state().wave_sum);
  EXPECT_NE(std::arg(state().wave_sum->coefficient), 0) << "but for rounding";
  EXPECT_TRUE(panels::wave_text(state())[0].ends_with("phase 0")) << panels::wave_text(state())[0];
}

TEST(Phases, OfRealValuesAreZeroOrPiWhateverTheRounding) {
  EXPECT_EQ(panels::phase_text({3, 1e-14}), "0");
  EXPECT_EQ(panels::phase_text({-3, 1e-14}), "+3.14");
  EXPECT_EQ(panels::phase_text({-3, -1e-14}), "+3.14");
  EXPECT_EQ(panels::phase_text({0, -2}), "−1.57");
}

TEST_F(Looking, EnterRunsTheCommandThatTheArrowKeysChose) {
  const auto line_of = [this](bool second) {
    press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    draw(3);
    drive([&](ImGuiTestContext* c) {
      c->KeyChars("split");
      if (second) c->KeyPress(ImGuiKey_DownArrow);
      c->KeyPress(ImGuiKey_Enter);
    });
    EXPECT_TRUE(state().compare.wipe);
    const WipeLine line = state().compare.wipe_line;
    act(action::SetCompare{});
    return line;
  };
  EXPECT_NE(line_of(false), line_of(true));
}

TEST_F(Looking, WhatIsTypedWhileThePaletteOpensIsTakenByIt) {
  ImGuiIO& io = ImGui::GetIO();
  for (const bool down : {true, false})
    for (const ImGuiKey key : {ImGuiKey{ImGuiMod_Ctrl}, ImGuiKey_LeftCtrl, ImGuiKey{ImGuiMod_Shift},
                               ImGuiKey_LeftShift, ImGuiKey_P})
      io.AddKeyEvent(key, down);
  for (const char letter : std::string("wipe")) io.AddInputCharacter(static_cast<unsigned>(letter));
  for (const bool down : {true, false}) io.AddKeyEvent(ImGuiKey_W, down);  // its command is no command here
  draw(10);
  ASSERT_EQ(state().interface.overlay, Overlay::palette);
  EXPECT_FALSE(state().compare.wipe);
  press(ImGuiKey_Enter);
  draw(3);
  EXPECT_TRUE(state().compare.wipe);
}

TEST_F(Looking, APathCanBeTypedAfterACommandOfThePaletteAsksForOne) {
  save_session_by_palette();
  EXPECT_EQ(state().interface.overlay, Overlay::none);
  EXPECT_TRUE(exists("##path"));
  press(ImGuiKey_Escape);
  draw(3);
  EXPECT_FALSE(exists("##path"));
}

TEST_F(Looking, AnExistingFileIsReplacedOnlyWhereSaveIsChosenAgain) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("spyctrum_gui_replaced_" + std::to_string(getpid()) + ".json");
  std::ofstream(path) << "old";
  save_session_by_palette();
  drive([&](ImGuiTestContext* c) {
    c->KeyCharsReplace(path.c_str());
    c->KeyPress(ImGuiKey_Enter);
  });
  draw(4);
  keep("replace");
  EXPECT_TRUE(exists("##path"));
  EXPECT_EQ(std::filesystem::file_size(path), 3U);
  drive([](ImGuiTestContext* c) { c->KeyPress(ImGuiKey_Enter); });
  settle();
  EXPECT_FALSE(exists("##path"));
  EXPECT_GT(std::filesystem::file_size(path), 3U);
  std::filesystem::remove(path);
}

TEST_F(Looking, KeysTypedIntoAFieldAreNotCommands) {
  std::uint32_t block = 0;
  std::size_t focused = 1;
  drive([&](ImGuiTestContext* c) {
    c->ItemInput("**/##block number");
    c->KeyChars("12");
    block = state().block;
    focused = state().interface.focused_column;
    c->KeyPress(ImGuiKey_Enter);
  });
  EXPECT_EQ(block, 16U) << "not before Enter";
  EXPECT_EQ(focused, 0U);
  EXPECT_EQ(state().block, 12U);
}

TEST_F(Looking, ResetLayoutBringsMovedPanelsBack) {
  const ImRect before = rect_of("block slider");
  act(action::ResetLayout{});
  draw(6);
  const ImRect after = rect_of("block slider");
  EXPECT_NEAR(before.Min.x, after.Min.x, 2);
  EXPECT_NEAR(before.GetWidth(), after.GetWidth(), 2);
}

TEST_F(Looking, APanelMayBeTooSmallForWhatItShows) {
  // As in the first frame of a stored layout, before the panels have their sizes.
  act(action::OpenFile{"gen:laplacian-2d:nx=12,ny=10", true, Reading{{}, Weights::value}});
  settle();
  ASSERT_TRUE(exists("magnitudes"));
  for (const char* panel : {"//Setup", "//Features"}) {
    drive([&](ImGuiTestContext* c) {
      c->UndockWindow(panel);
      c->WindowResize(panel, {40, 60});
    });
    settle();
  }
  act(action::ResetLayout{});
  draw(6);
  EXPECT_TRUE(exists("block slider"));
}

TEST_F(Looking, AFullBlockIsEvenAtEveryZoom) {
  open("gen:block-diagonal:n=1600,block=800");
  // About 1.6 entries across a pixel: counts of whole entries alternate.
  act(action::SetView{Plane::pattern, {20.3, 30.7, 420.3, 770.7}, true});
  settle();
  const CellImage& image = *state().columns.at(0).picture(Row::pattern).shown;
  std::set<float> counts;
  for (std::size_t k = 0; k < image.cells.size(); k += 2) counts.insert(image.cells[k]);
  ASSERT_GT(counts.size(), 2U) << "control: pixels hold different numbers of entries";
  const ImRect cell = rect_of("picture pattern 1");
  const ImVec2 centre = cell.GetCenter();
  // Between the numbers of the axes, which are written at the edges.
  EXPECT_LT(contrast(pixels_in({{centre.x - 40, centre.y - 30}, {centre.x + 40, centre.y + 30}})), 1);
  // Control: the edge of the block is seen.
  act(action::SetView{Plane::pattern, {600, 600, 1000, 1000}, true});
  settle();
  EXPECT_GT(contrast(pixels_in({{centre.x - 40, centre.y - 30}, {centre.x + 40, centre.y + 30}})), 20);
}

TEST_F(GuiTest, UnitsAreSquareByDefault) {
  // Far wider than high: the picture has margins.
  open("gen:random:rows=100,cols=1000,nnz=4000");
  const CellImage& image = *state().columns.at(0).picture(Row::spectrum).shown;
  const auto unit_ratio = [](const CellImage& shown) {
    return shown.rect.height() / shown.height / (shown.rect.width() / shown.width);
  };
  ASSERT_NE(image.height, image.width);
  EXPECT_NEAR(unit_ratio(image), 1, 1e-9);
  const Pixels square = pixels_of("picture spectrum 1");
  act(action::SetKeepAspect{false});
  settle();
  EXPECT_GT(std::abs(unit_ratio(*state().columns.at(0).picture(Row::spectrum).shown) - 1), 0.1) << "control";
  EXPECT_GT(share_changed(square, pixels_of("picture spectrum 1")), 0.05);
}

TEST_F(GuiTest, APictureSharpensUntilEveryPixelIsExact) {
  // Between the pyramid of the plane and single coefficients.
  open("gen:random:n=9000,nnz=40000");
  act(action::SetView{Plane::spectrum, {100, 100, 1500, 1500}, true});
  settle();
  const Column& exact = state().columns.at(0);
  EXPECT_FALSE(exact.picture(Row::spectrum).shown->sampled);
  EXPECT_FALSE(panels::is_coarse(exact, Row::spectrum));
  EXPECT_EQ(panels::caption(state(), exact, Row::spectrum).find("coarser"), std::string::npos);
  const Column& elastic = state().columns.at(1);
  ASSERT_TRUE(elastic.picture(Row::reconstruction).shown);
  EXPECT_FALSE(elastic.picture(Row::reconstruction).shown->sampled);
}

}  // namespace
}  // namespace spyctrum::testing
