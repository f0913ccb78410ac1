// SPDX-License-Identifier: Apache-2.0
// Pictures and figures on the clipboard: what the clipboard's program is given.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/controller/files/comparison_figure.hpp"
#include "core/io/export.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

namespace fs = std::filesystem;

class Copying : public GuiTest {
 protected:
  [[nodiscard]] Controller::Options controller_options() override {
    Controller::Options options;
    options.write_figure = [](const std::string& path, const ComparisonFigure& figure, double) {
      return write_atomically(path, [&](std::ostream& out) {
        out << "figure of " << figure.headings.size() << (figure.dark ? ", dark" : ", light");
      });
    };
    return options;
  }
  void SetUp() override {
    GuiTest::SetUp();
    clip_ = write_file("clip", "");
    const fs::path program = write_file("xclip", "#!/bin/sh\ncat > '" + clip_ + "'\n");
    fs::permissions(program, fs::perms::owner_all);
    const char* path = std::getenv("PATH");
    path_ = path != nullptr ? path : "";
    setenv("PATH", (program.parent_path().string() + ":" + path_).c_str(), 1);
    setenv("DISPLAY", ":0", 1);
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    unsetenv("DISPLAY");
    GuiTest::TearDown();
  }
  [[nodiscard]] std::string copied() {
    draw_until([&] { return fs::file_size(clip_) > 0; });
    std::ifstream file(clip_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string clip_, path_;
};

TEST_F(Copying, ThePictureLastUnderTheCursorIsCopiedAsAPng) {
  open("gen:band:n=200");
  drive([](ImGuiTestContext* c) { c->MouseMove("**/picture spectrum 2"); });
  press(ImGuiMod_Ctrl | ImGuiKey_C);
  EXPECT_EQ(copied().substr(1, 3), "PNG");
  ASSERT_TRUE(draw_until([&] { return !state().toasts.empty(); }));
  draw(5);
  ASSERT_EQ(state().toasts.size(), 1U)
      << "nothing is said of the file that only the clipboard's program read";
  EXPECT_EQ(state().toasts.front().text, "Copied the picture.");
}

TEST_F(Copying, TheComparisonIsCopiedAsAFigureFromThePalette) {
  open("gen:band:n=200");
  press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
  drive([](ImGuiTestContext* c) {
    c->KeyCharsAppend("copy dark");
    c->Yield(2);
    c->KeyPress(ImGuiKey_Enter);
  });
  EXPECT_EQ(copied(), "figure of 3, dark");
}

TEST_F(Copying, WithoutAProgramAMessageSaysWhatToInstall) {
  unsetenv("DISPLAY");
  open("gen:band:n=200");
  press(ImGuiMod_Ctrl | ImGuiKey_C);
  draw(5);
  ASSERT_FALSE(state().toasts.empty());
  EXPECT_NE(state().toasts.back().text.find("xclip"), std::string::npos);
  EXPECT_EQ(fs::file_size(clip_), 0U) << "control";
}

}  // namespace
}  // namespace spyctrum::testing
