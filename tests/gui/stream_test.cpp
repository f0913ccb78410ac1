// SPDX-License-Identifier: Apache-2.0
// An exact plane that is being computed, on the screen: error bars, pause, resume, strongest coefficients.
#include "app/panels/comparison/cell.hpp"
#include "app/panels/widgets/theme.hpp"
#include "core/base/memory_ledger.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

class StreamScreen : public GuiTest {
 protected:
  /// Two threads on any machine, so that a plane takes long enough to be paused.
  [[nodiscard]] Controller::Options controller_options() override {
    Controller::Options options;
    options.threads = 2;
    return options;
  }
  [[nodiscard]] const Column& exact() const { return state().columns.at(0); }
  /// Pixels of the plot of sectors in the colour of the exact column, as bars have it; sectors are paler.
  [[nodiscard]] std::size_t pixels_of_bars() {
    const ImVec4 color = ImGui::ColorConvertU32ToFloat4(panels::series_color(exact().style.color));
    const std::array<float, 3> expected{255 * color.x, 255 * color.y, 255 * color.z};
    const Pixels plot = pixels_of("sectors");
    std::size_t count = 0;
    for (std::size_t at = 0; at < plot.rgb.size(); at += 3) {
      bool is_near = true;
      for (std::size_t k = 0; k < 3; ++k)
        is_near = is_near && std::abs(static_cast<float>(plot.rgb[at + k]) - expected[k]) < 30;
      if (is_near) ++count;
    }
    return count;
  }
};

TEST_F(StreamScreen, AStreamIsPausedAndResumedByItsButtons) {
  act(action::OpenFile{"gen:random:n=25000,nnz=40000"});
  ASSERT_TRUE(draw_until([&] { return exact().estimate != nullptr; }, 20000));
  draw();
  drive([](ImGuiTestContext* c) { c->ItemClick("**/pause"); });
  settle();
  ASSERT_TRUE(exact().stopped);
  EXPECT_TRUE(exists("1 %")) << "the error at which to stop can be chosen";
  drive([](ImGuiTestContext* c) { c->ItemClick("**/resume"); });
  settle();
  EXPECT_FALSE(exact().stopped);
  EXPECT_FALSE(exists("resume")) << "every row is done";
  EXPECT_FALSE(exists("pause"));
}

TEST_F(StreamScreen, ARunThatWaitsForTheUserHasAButtonInPlaceOfItsPicture) {
  act(action::RemoveColumn{state().columns.back().id});
  const Column& elastic = state().columns[1];
  // About half of the memory allowance: 8 bytes for each of (n/16)² samples.
  const double samples = static_cast<double>(default_memory_allowance_bytes()) / 16;
  const auto side = static_cast<std::uint64_t>(16 * std::sqrt(samples));
  act(action::OpenFile{"gen:random:nnz=5000,n=" + std::to_string(side)});
  ASSERT_TRUE(draw_until([&] { return state().raised_block.has_value(); }));
  act(action::SetBlock{16});
  ASSERT_TRUE(draw_until([&] { return !elastic.held_back.empty(); }));
  settle();
  draw();
  keep("held_back");
  drive([](ImGuiTestContext* c) { c->ItemClick("**/picture spectrum 2"); });
  EXPECT_FALSE(elastic.busy) << "control: only the button starts it";
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###start run"); });
  EXPECT_TRUE(elastic.held_back.empty());
  EXPECT_TRUE(elastic.busy);
  act(action::RemoveColumn{elastic.id});
  settle();
}

TEST_F(StreamScreen, APlaneThatIsNotStartedSaysSoBesideAButtonThatStartsIt) {
  while (state().columns.size() > 1) act(action::RemoveColumn{state().columns.back().id});
  act(action::OpenFile{"gen:random:n=500000,nnz=5000"});
  ASSERT_TRUE(draw_until([&] { return !exact().held_back.empty(); }));
  ASSERT_TRUE(draw_until([&] { return exact().picture(Row::spectrum).shown != nullptr; }));
  EXPECT_EQ(panels::badge_words(exact()), "preview") << "samples, as no row was computed";
  drive([](ImGuiTestContext* c) { c->ItemClick("**/start"); });
  EXPECT_TRUE(exact().held_back.empty());
  EXPECT_TRUE(exact().busy);
  EXPECT_FALSE(exists("start"));
  act(action::CloseMatrix{0});
  settle();
}

TEST_F(StreamScreen, ErrorBarsAreDrawnWhileTheFeaturesAreAnEstimate) {
  Settings settings = state().settings;
  settings.good_enough = 0.05;
  act(action::SetSettings{settings});
  open("gen:random:n=2500,nnz=9000");
  while (state().columns.size() > 1)
    act(action::RemoveColumn{state().columns.back().id});  // Elastic has bars
  settle();
  ASSERT_TRUE(exact().stopped);
  const std::size_t with_bars = pixels_of_bars();
  settings.good_enough = 0;
  act(action::SetSettings{settings});
  settle();
  ASSERT_FALSE(exact().stopped);
  EXPECT_GT(with_bars, pixels_of_bars() + 20);
}

TEST_F(StreamScreen, NoCoefficientThatIsZeroIsAmongTheStrongest) {
  open(write_file("two.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n"));
  drive([](ImGuiTestContext* c) { c->ItemClick("**/Strongest"); });
  draw();
  EXPECT_TRUE(exists("###strongest 1")) << "F[−1, −1] = 2, beside DC";
  EXPECT_FALSE(exists("###strongest 2"));
  open(write_file("empty.mtx", "%%MatrixMarket matrix coordinate pattern general\n50 40 0\n"));
  draw();
  keep("empty_strongest");
  EXPECT_FALSE(exists("###strongest 1"));
}

TEST_F(StreamScreen, AStrongCoefficientLaysItsWaveOverThePattern) {
  open("gen:stochastic-blocks:n=600,blocks=6");
  ASSERT_NE(exact().strongest(), nullptr);
  const StrongCoefficient strongest = exact().strongest()->front();
  drive([](ImGuiTestContext* c) {
    c->ItemClick("**/Strongest");
    c->ItemClick("**/###strongest 1");
  });
  settle();
  ASSERT_TRUE(state().wave);
  EXPECT_EQ(*state().wave, std::pair(strongest.u, strongest.v));
  ASSERT_TRUE(state().crosshair.coefficient);
  EXPECT_NEAR(std::abs(*state().crosshair.coefficient), std::abs(strongest.value),
              1e-3 * std::abs(strongest.value));
}

}  // namespace
}  // namespace spyctrum::testing
