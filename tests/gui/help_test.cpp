// SPDX-License-Identifier: Apache-2.0
// The help on panels, and its pictures. SPYCTRUM_HELP=FOLDER makes them anew, in both looks:
// SPYCTRUM_HELP=assets/help build/release/bin/test_gui_help
#include <imgui_internal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>

#include "app/panels/dialogs/help_pictures.hpp"
#include "app/panels/dialogs/panel_help.hpp"
#include "app/panels/widgets/panels_list.hpp"
#include "app/study/study_run.hpp"
#include "core/collection/index.hpp"
#include "core/io/export.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

namespace fs = std::filesystem;
using panels::PanelHelp;

constexpr std::uint32_t kWidest = 640, kHighest = 420;

/// Means over squares, as small as the pictures of the help are; what is lower than that is left out.
Pixels reduced(const Pixels& from) {
  const std::uint32_t by = (from.width + kWidest - 1) / kWidest;
  Pixels to{std::min(from.height / by, kHighest), from.width / by, {}};
  for (std::uint32_t row = 0; row < to.height; ++row)
    for (std::uint32_t col = 0; col < to.width; ++col)
      for (std::uint32_t channel = 0; channel < 3; ++channel) {
        std::uint32_t sum = 0;
        for (std::uint32_t k = 0; k < by * by; ++k)
          sum +=
              from.rgb[3 * ((std::size_t{row} * by + k / by) * from.width + std::size_t{col} * by + k % by) +
                       channel];
        to.rgb.push_back(static_cast<std::uint8_t>(sum / (by * by)));
      }
  return to;
}

double brightness(const Pixels& pixels) {
  double sum = 0;
  for (const std::uint8_t value : pixels.rgb) sum += value;
  return sum / static_cast<double>(pixels.rgb.size());
}

class Help : public GuiTest {
 protected:
  [[nodiscard]] ScreenSize screen_size() override { return {.width = 1280, .height = 720}; }
  void SetUp() override {
    GuiTest::SetUp();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override {
    GuiTest::TearDown();
    fs::remove_all(folder_);
  }
  void take(const char* window, std::map<std::string, Pixels>& taken) {
    drive([&](ImGuiTestContext* c) { c->WindowFocus(("//" + std::string(window)).c_str()); });
    drive([](ImGuiTestContext* c) { c->MouseMoveToPos({640, 2}); });
    settle();
    const ImGuiWindow* found = ImGui::FindWindowByName(window);
    ASSERT_TRUE(found != nullptr && found->WasActive) << window;
    taken[window] = reduced(pixels_in(found->Rect()));
  }
  std::map<std::string, Pixels> pictures_of_all() {
    std::map<std::string, Pixels> taken;
    open("gen:stochastic-blocks:n=600");
    act(action::StartSweep{});
    act(action::AskAdvisor{});
    act(action::Explain{});
    act(action::ShowLog{});
    settle();
    for (const char* window :
         {panels::kComparison, panels::kSetup, panels::kActivity, panels::kFeatures, panels::kCost,
          panels::kStrongest, panels::kTheory, panels::kAdvisor, panels::kExplain, panels::kLog})
      take(window, taken);
    act(action::ShowLog{false});
    act(action::Animate{Swept::block});
    settle();
    take(panels::kAnimation, taken);
    act(action::StopAnimation{});
    act(action::OpenLesson{SPYCTRUM_SOURCE_DIR "/assets/lessons/06-folding.lesson"});
    act(action::ShowStep{1});
    settle();
    take(panels::kLesson, taken);
    act(action::CloseLesson{});
    act(action::NewDrawing{});
    settle();
    take(panels::kSandbox, taken);
    take_study_and_collection(taken);
    return taken;
  }
  void take_study_and_collection(std::map<std::string, Pixels>& taken) {
    ThreadPool pool(2);
    StudyPlan plan;
    plan.methods = {"bs-fft", "elastic", "density-map"};
    plan.blocks = {4, 8, 16, 32};
    plan.repeats = 1;
    const std::vector<std::string> sources = {"gen:band:n=300", "gen:random:n=400,nnz=3000",
                                              "gen:arrow:n=200"};
    ASSERT_TRUE(set_sources(plan, sources, false));
    ASSERT_TRUE(run_study(plan, (folder_ / "study").string(), pool, {}));
    act(action::OpenStudy{(folder_ / "study").string()});
    settle();
    act(action::OpenFile{"gen:band:n=300"});
    settle();
    take(panels::kStudy, taken);
    act(action::CloseStudy{});
    JobContext context(pool);
    {
      Database database = Database::open_or_create((folder_ / "c.db").string(), {});
      ASSERT_TRUE(index_folders(sources, database, Backend{}, context));
    }
    act(action::OpenCollection{(folder_ / "c.db").string()});
    settle();
    act(action::ShowCollection{false});
    settle();
    take(panels::kCollection, taken);
    act(action::CloseCollection{});
  }
  void make_pictures(bool light) {
    Settings settings = state().settings;
    settings.theme = light ? Theme::light : Theme::dark;
    act(action::SetSettings{settings});
    const std::map<std::string, Pixels> taken = pictures_of_all();
    for (const PanelHelp& panel : panels::panel_helps()) {
      ASSERT_TRUE(taken.contains(panel.window)) << panel.window;
      const Pixels& pixels = taken.at(panel.window);
      EXPECT_GT(contrast(pixels), 4) << panel.window << " is not empty";
      EXPECT_EQ(brightness(pixels) > 128, light) << panel.window;
      const char* into = std::getenv("SPYCTRUM_HELP");
      if (into == nullptr) continue;
      const std::string path = std::string(into) + "/" + panels::help_picture_name(panel, light) + ".png";
      EXPECT_TRUE(write_png(path, pixels.height, pixels.width, pixels.rgb));
    }
  }
  fs::path folder_ = fs::temp_directory_path() / ("spyctrum_gui_help_" + std::to_string(getpid()));
};

TEST_F(Help, ExplainsEveryPanelInThreeSentencesBesideItsPictureInBothLooks) {
  panels::HelpPictures pictures;
  for (const PanelHelp& panel : panels::panel_helps()) {
    const std::string_view words = panel.words;
    std::size_t ends = words.ends_with('.') ? 1 : 0;
    for (std::size_t k = 0; k + 2 < words.size(); ++k)
      ends += words.substr(k, 2) == ". " && std::isupper(static_cast<unsigned char>(words[k + 2])) ? 1U : 0U;
    EXPECT_EQ(ends, 3U) << panel.window;
    for (const bool light : {false, true}) {
      const render::Texture2D* picture = pictures.find(panels::help_picture_name(panel, light));
      ASSERT_NE(picture, nullptr) << panels::help_picture_name(panel, light);
      EXPECT_LE(picture->width(), kWidest) << panel.window;
      EXPECT_LE(picture->height(), kHighest) << panel.window;
    }
  }
  EXPECT_EQ(pictures.find("nothing-dark"), nullptr) << "control";
}

TEST_F(Help, IsAPageBesideTheKeys) {
  open("gen:band:n=64");
  press(ImGuiKey_F1);
  settle();
  const Pixels keys = screen();
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Panels"); });
  settle();
  keep("help_panels");
  EXPECT_GT(share_changed(keys, screen()), 0.1);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Close"); });
  EXPECT_EQ(state().interface.overlay, Overlay::none);
}

/// The pictures are of panels that are filled; stored only where SPYCTRUM_HELP names a folder.
TEST_F(Help, PicturesOfAllPanelsCanBeMadeAnew) { make_pictures(false); }

TEST_F(Help, PicturesOfAllPanelsCanBeMadeAnewInTheLightLook) { make_pictures(true); }

}  // namespace
}  // namespace spyctrum::testing
