// SPDX-License-Identifier: Apache-2.0
// Opening, failing to open, and closing matrices by mouse and keyboard.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "app/panels/widgets/icons.hpp"
#include "tests/gui/gui_fixture.hpp"
#include "tests/support/file_bytes.hpp"

namespace spyctrum::testing {
namespace {

constexpr const char* kSmall = "gen:band:n=300,bandwidth=7";

class OpenClose : public GuiTest {};

TEST_F(OpenClose, StartScreenOffersTheGalleryAndHasNoPictures) {
  EXPECT_EQ(state().matrix(), nullptr);
  EXPECT_TRUE(exists("drop zone"));
  EXPECT_FALSE(exists("picture spectrum 1"));
  EXPECT_GT(contrast(screen()), 5);
}

TEST_F(OpenClose, TheGalleryIsDrawnWithFewTriangles) {
  EXPECT_GE(state().gallery.size(), 10U);
  EXPECT_LT(ImGui::GetDrawData()->TotalIdxCount / 3, 20'000);
}

TEST_F(OpenClose, TheStartScreenIsNotShownBeforeTheSizesOfItsPartsAreKnown) {
  EXPECT_EQ(drawn_at_first(), 0U) << "the menu bar would cover the title";
  EXPECT_GT(frame().frames_drawn(), 0U);
}

TEST_F(OpenClose, ACardOfTheGalleryOpensItsMatrixAndShowsTheDefaultColumns) {
  ASSERT_FALSE(state().gallery.empty());
  const std::string title = state().gallery.front().title;
  drive([&](ImGuiTestContext* c) { c->ItemClick(("**/card " + title).c_str()); });
  settle();
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().matrix()->source, state().gallery.front().source);
  ASSERT_EQ(state().columns.size(), 3U);
  for (const Column& column : state().columns) {
    EXPECT_TRUE(column.spectrum) << column.label;
    EXPECT_TRUE(column.picture(Row::pattern).shown) << column.label;
    EXPECT_TRUE(column.picture(Row::spectrum).shown) << column.label;
  }
}

TEST_F(OpenClose, PicturesOfAnOpenMatrixHaveStructureAndThoseOfDifferentMethodsDiffer) {
  open("gen:random:n=400,nnz=3000");
  EXPECT_GT(contrast(pixels_of("picture pattern 1")), 8);
  EXPECT_GT(contrast(pixels_of("picture spectrum 1")), 8);
  EXPECT_GT(share_changed(pixels_of("picture spectrum 1"), pixels_of("picture spectrum 3")), 0.1);
  // Control: the same cell twice is the same.
  EXPECT_EQ(pixels_of("picture spectrum 1"), pixels_of("picture spectrum 1"));
}

TEST_F(OpenClose, ControlOAndATypedPathOpenAFile) {
  const std::string path =
      write_file("three.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 4 3\n1 1\n3 2\n5 4\n");
  press(ImGuiMod_Ctrl | ImGuiKey_O);
  drive([&](ImGuiTestContext* c) { c->ItemInputValue("**/##path", path.c_str()); });
  settle();
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().matrix()->matrix.pattern->rows(), 5U);
  EXPECT_EQ(state().matrix()->matrix.pattern->cols(), 4U);
  EXPECT_EQ(state().matrix()->matrix.pattern->nonzeros(), 3);
}

TEST_F(OpenClose, APartOfANameListsTheFilesThatFitAndEnterOpensTheOnlyOne) {
  const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
  write_file("alpha.mtx", head + "5 4 1\n1 1\n");
  const std::string beta = write_file("beta.mtx", head + "7 3 1\n1 1\n");
  const std::string folder = std::filesystem::path(beta).parent_path().string();
  press(ImGuiMod_Ctrl | ImGuiKey_O);
  drive([&](ImGuiTestContext* c) {
    c->ItemInput("**/##path");
    c->KeyCharsReplace((folder + "/BET").c_str());
    c->Yield(2);
  });
  const std::string icon = std::string(panels::icon::kFile) + "  ";
  EXPECT_TRUE(exists(icon + "beta.mtx"));
  EXPECT_FALSE(exists(icon + "alpha.mtx"));
  drive([&](ImGuiTestContext* c) {
    c->KeyCharsReplace((folder + "/A").c_str());
    c->KeyPress(ImGuiKey_Enter);
    c->Yield(3);
  });
  EXPECT_TRUE(exists("##path")) << "both names contain an a, and the dialog stays";
  EXPECT_TRUE(state().load_failures.empty());
  drive([&](ImGuiTestContext* c) { c->KeyCharsReplace((folder + "/BET").c_str()); });
  press(ImGuiKey_Enter);
  settle();
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().matrix()->matrix.pattern->rows(), 7U);
}

TEST_F(OpenClose, WhatIsTypedWhileAFileDialogOpensIsTakenByIt) {
  const auto type_behind_key = [this](ImGuiKey letter, const std::string& path) {
    ImGuiIO& io = ImGui::GetIO();
    for (const bool down : {true, false})
      for (const ImGuiKey key : {ImGuiKey{ImGuiMod_Ctrl}, ImGuiKey_LeftCtrl, letter})
        io.AddKeyEvent(key, down);
    for (const char one : path) io.AddInputCharacter(static_cast<unsigned char>(one));
    draw(10);
    press(ImGuiKey_Enter);
    settle();
  };
  const std::string path =
      write_file("early.mtx", "%%MatrixMarket matrix coordinate pattern general\n6 2 1\n1 1\n");
  type_behind_key(ImGuiKey_O, path);
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().matrix()->matrix.pattern->rows(), 6U);
  const std::string picture = path + ".png";
  std::filesystem::remove(picture);  // left by an interrupted run
  type_behind_key(ImGuiKey_S, picture);
  EXPECT_TRUE(std::filesystem::remove(picture));
}

TEST_F(OpenClose, TheStartScreenHasRoomForRecentFilesAndForAFileThatIsRead) {
  for (int k = 1; k <= 9; ++k) {
    open("gen:band:n=" + std::to_string(10 * k));
    act(action::CloseMatrix{0});
  }
  const std::string path = write_file("waits.mtx", "") + ".slow";
  std::filesystem::remove(path);  // left by an interrupted run
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int pipe = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(pipe, 0);
  act(action::OpenFile{path});
  EXPECT_TRUE(draw_until([&] { return exists("cancel loading"); }, 20000));
  keep("start_loading");
  int parts = 0;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    const std::string_view name(window->Name);
    if (!window->WasActive || (!name.starts_with("Start/open") && !name.starts_with("Start/recent")))
      continue;
    ++parts;
    EXPECT_EQ(window->ScrollMax.y, 0) << name;
  }
  EXPECT_EQ(parts, 2);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/cancel loading"); });
  settle();
  ::close(pipe);
  std::filesystem::remove(path);
}

TEST_F(OpenClose, AHalfReadFileShowsThePatternSoFarAndItsCrossStopsIt) {
  const std::string path = write_file("beside.mtx", "") + ".slow";
  std::filesystem::remove(path);  // left by an interrupted run
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int pipe = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(pipe, 0);
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n900 900 1000000\n";
  for (int k = 0; k < 150000; ++k)
    text += std::to_string(k % 900 + 1) + " " + std::to_string(k % 450 + 1) + "\n";
  std::thread writer(
      [&] { EXPECT_EQ(::write(pipe, text.data(), text.size()), static_cast<ssize_t>(text.size())); });
  act(action::OpenFile{path});
  EXPECT_TRUE(draw_until([&] { return exists("pattern so far"); }, 20000));
  draw(4);
  EXPECT_EQ(state().matrix(), nullptr);
  EXPECT_GT(contrast(pixels_of("pattern so far")), 8);
  writer.join();
  drive([](ImGuiTestContext* c) { c->ItemClick("**/cancel loading"); });
  settle();
  ::close(pipe);
  std::filesystem::remove(path);
  EXPECT_TRUE(state().loading.empty());
  EXPECT_EQ(state().matrix(), nullptr);
  EXPECT_TRUE(exists("drop zone"));
}

TEST_F(OpenClose, ABadFileBecomesAToastAndALogLineAndTheOpenMatrixStays) {
  open(kSmall);
  const Pixels before = pixels_of("picture pattern 1");
  const std::string path =
      write_file("bad.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 4 3\n1 1\n9 9\n5 4\n");
  act(action::OpenFile{path});
  ASSERT_TRUE(draw_until([&] { return !state().toasts.empty(); }, 20000));
  EXPECT_EQ(state().toasts.back().level, Level::error);
  EXPECT_NE(state().toasts.back().text.find("bad.mtx"), std::string::npos);
  ASSERT_FALSE(state().log.empty());
  EXPECT_EQ(state().log.back().level, Level::error);
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().matrix()->source, kSmall);
  draw(4);
  const Pixels with_toast = screen();
  // A click on the toast's cross closes it, and pixels change.
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###dismiss"); });
  EXPECT_TRUE(state().toasts.empty());
  EXPECT_GT(share_changed(with_toast, screen()), 0.002);
  EXPECT_EQ(pixels_of("picture pattern 1"), before);
}

TEST_F(OpenClose, AFileIsWrittenUnderANameWhoseEndingIsThatOfItsFormat) {
  open(kSmall);
  const std::string notes = write_file("notes.txt", "kept");
  press(ImGuiMod_Ctrl | ImGuiKey_E);
  drive([&](ImGuiTestContext* c) { c->ItemInputValue("**/##path", notes.c_str()); });
  settle();
  EXPECT_FALSE(exists("##path"));
  EXPECT_EQ(test::bytes_of(notes), "kept") << "a table is no .txt";
  EXPECT_TRUE(test::bytes_of(notes + ".csv").starts_with("file,method"));
}

TEST_F(OpenClose, ALongNameLeavesRoomForTheSizeOfItsFile) {
  const std::string head = "%%MatrixMarket matrix coordinate pattern general\n5 4 1\n1 1\n";
  const std::string name = std::string(180, 'w') + ".mtx";
  write_file("short.mtx", head);
  const std::string folder = std::filesystem::path(write_file(name, head)).parent_path().string();
  press(ImGuiMod_Ctrl | ImGuiKey_O);
  drive([&](ImGuiTestContext* c) {
    c->ItemInput("**/##path");
    c->KeyCharsReplace((folder + "/").c_str());
    c->Yield(2);
  });
  const std::string icon = std::string(panels::icon::kFile) + "  ";
  EXPECT_TRUE(exists(icon + "short.mtx")) << "control";
  EXPECT_FALSE(exists(icon + name)) << "its end is replaced by an ellipsis";
}

TEST_F(OpenClose, AnEmptyFolderSaysWhatWasLookedForAndOffersWhatCanBeDone) {
  const std::string folder = std::filesystem::path(write_file("readme", "no matrix")).parent_path();
  act(action::OpenFile{folder});
  settle();
  EXPECT_TRUE(exists("Open a file…"));
  EXPECT_FALSE(exists("###list text")) << "there is nothing to search";
  keep("empty_folder");
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Open another folder…"); });
  EXPECT_TRUE(exists("##path"));
  press(ImGuiKey_Escape);
  EXPECT_EQ(state().interface.overlay, Overlay::gallery);
}

TEST_F(OpenClose, NamesThatAreNoUtf8AreToldApartAndTheirFilesOpened) {
  const std::string text = "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1\n";
  const std::string first = write_file("b\xE8.mtx", text), second = write_file("b\xE9.mtx", text);
  const std::filesystem::path folder = std::filesystem::path(first).parent_path();
  act(action::OpenFile{folder});
  settle();
  keep("latin_folder");
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###list text"); });
  drive([](ImGuiTestContext* c) { c->KeyCharsReplaceEnter("xE9"); });
  settle();
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().matrix()->source, second);
  EXPECT_EQ(state().matrix()->matrix.name, "b\\xE9");
  act(action::CloseMatrix{0});
  press(ImGuiMod_Ctrl | ImGuiKey_O);
  drive([&](ImGuiTestContext* c) {
    c->ItemClick("**/##path");
    c->KeyCharsReplaceEnter((folder / "b\\xE8.mtx").c_str());
  });
  settle();
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().matrix()->source, first);
  EXPECT_EQ(state().recent.front(), first);
}

TEST_F(OpenClose, ControlWClosesTheMatrixAndBringsTheStartScreenBack) {
  open(kSmall);
  EXPECT_TRUE(exists("picture spectrum 1"));
  press(ImGuiMod_Ctrl | ImGuiKey_W);
  settle();
  EXPECT_EQ(state().matrix(), nullptr);
  EXPECT_TRUE(exists("drop zone"));
  EXPECT_FALSE(exists("picture spectrum 1"));
}

TEST_F(OpenClose, AFileDialogClosesByEscapeWithoutOpeningAnything) {
  press(ImGuiMod_Ctrl | ImGuiKey_O);
  EXPECT_TRUE(exists("##path"));
  press(ImGuiKey_Escape);
  EXPECT_FALSE(exists("##path"));
  EXPECT_EQ(state().matrix(), nullptr);
}

}  // namespace
}  // namespace spyctrum::testing
