// SPDX-License-Identifier: Apache-2.0
// Moving pictures: frames in the window, and what a file is given.
#include <algorithm>

#include "app/controller/files/comparison_figure.hpp"
#include "core/io/quote.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

/// Frames without a change take no time: a busy machine draws many of them before a job has ended.
constexpr int kManyFrames = 1'000'000;

/// What a file received.
struct Written {
  std::vector<ComparisonFigure> frames;
  bool finished = false;
  std::size_t fails_at = 1000;  ///< the frame that finds the disk full
};

class RecordedFile : public AnimationFile {
 public:
  RecordedFile(Written& written, std::string path) : written_(written), path_(std::move(path)) {}
  void add(const ComparisonFigure& frame) override {
    if (written_.frames.size() == written_.fails_at)
      throw Failure(ErrorCode::output, "There is no space left on the disk.");
    written_.frames.push_back(frame);
  }
  std::string finish(const std::stop_token& /*stop*/) override {
    written_.finished = true;
    return path_;
  }

 private:
  Written& written_;
  std::string path_;
};

class Animations : public GuiTest {
 protected:
  [[nodiscard]] ScreenSize screen_size() override { return {.width = 1280, .height = 720}; }
  [[nodiscard]] Controller::Options controller_options() override {
    Controller::Options options;
    options.open_animation = [this](const std::string& path, double,
                                    double) -> Result<std::shared_ptr<AnimationFile>> {
      if (path.ends_with(".gif")) return fail(ErrorCode::wrong_use, "does not end with .webp or .png.");
      return std::make_shared<RecordedFile>(written_, path);
    };
    return options;
  }
  [[nodiscard]] const AnimationView& view() const { return state().animation; }
  [[nodiscard]] bool log_has(const std::string& words) const {
    return std::ranges::any_of(
        state().log, [&](const LogEntry& entry) { return entry.text.find(words) != std::string::npos; });
  }
  void click(const std::string& item) {
    drive([&](ImGuiTestContext* c) { c->ItemClick(("**/" + item).c_str()); });
    settle();
  }
  Written written_;
};

TEST_F(Animations, ASweepOverBlockSizesIsSteppedPlayedAndLeavesTheSettingAsItWas) {
  open("gen:band:n=64,lower=2,upper=2");
  const std::uint32_t before = state().block;
  press(ImGuiKey_F6);
  settle();
  ASSERT_EQ(view().swept, Swept::block);
  ASSERT_TRUE(view().settled);
  EXPECT_EQ(state().block, 2U);
  EXPECT_EQ(view().captions.front(), "b = 2");
  EXPECT_EQ(view().captions.back(), "b = 16") << "a quarter of the side";
  const Pixels first = pixels_of("picture spectrum 3");
  for (int k = 0; k < 5; ++k) click("frame forward");
  EXPECT_EQ(view().frame, 5U);
  EXPECT_EQ("b = " + std::to_string(state().block), view().captions[5]);
  EXPECT_GT(share_changed(first, pixels_of("picture spectrum 3")), 0.1) << "Density Map of larger blocks";
  keep("animation");
  click("frame back");
  EXPECT_EQ(view().frame, 4U);
  EXPECT_EQ("b = " + std::to_string(state().block), view().captions[4]);
  // As fast as the pictures come: no time is waited for.
  act(action::PlayFrames{true, 30});
  EXPECT_TRUE(draw_until([&] { return view().frame == 7; }, kManyFrames));
  EXPECT_TRUE(draw_until([&] { return view().frame == 0; }, kManyFrames))
      << "the first one follows the last one";
  click("###play");
  EXPECT_FALSE(view().playing);
  click("###close animation");
  EXPECT_FALSE(view().swept);
  EXPECT_EQ(state().block, before);
  EXPECT_FALSE(state().interface.can_undo) << "frames are no changes of the user";
  EXPECT_FALSE(exists("frame forward"));
}

TEST_F(Animations, EveryFrameOfAFileShowsWhatItsCaptionSays) {
  open("gen:band:n=64,lower=2,upper=2");
  act(action::Animate{Swept::block});
  settle();
  act(action::ShowFrame{6});
  settle();
  act(action::ExportAnimation{"sweep.webp", true});
  EXPECT_EQ(view().writing, "sweep.webp");
  settle();
  ASSERT_TRUE(written_.finished);
  ASSERT_EQ(written_.frames.size(), view().captions.size());
  for (std::size_t k = 0; k < written_.frames.size(); ++k) {
    const ComparisonFigure& frame = written_.frames[k];
    EXPECT_TRUE(frame.dark);
    EXPECT_EQ(frame.caption, view().captions[k] + "  (" + std::to_string(k + 1) + " of " +
                                 std::to_string(written_.frames.size()) + ")");
    EXPECT_NE(frame.headings[2].find(view().captions[k]), std::string::npos) << frame.headings[2];
    ASSERT_FALSE(frame.rows.empty());
    for (const auto& picture : frame.rows.front().pictures) ASSERT_TRUE(picture);
  }
  const auto rgb = [&](std::size_t k) { return written_.frames[k].rows[1].pictures[2]->rgb; };
  EXPECT_NE(rgb(0), rgb(5)) << "Density Map's spectrum";
  EXPECT_EQ(written_.frames[0].rows[1].pictures[0]->rgb, written_.frames[5].rows[1].pictures[0]->rgb)
      << "control: the exact one does not depend on b";
  EXPECT_TRUE(view().writing.empty());
  EXPECT_TRUE(log_has("Wrote sweep.webp"));
}

TEST_F(Animations, AFullDiskAnEndingEscapeAndAnotherMatrixAreMessages) {
  open("gen:band:n=64,lower=2,upper=2");
  act(action::ExportAnimation{"sweep.webp"});
  EXPECT_TRUE(log_has("no moving picture"));
  act(action::Animate{Swept::block});
  settle();
  act(action::ExportAnimation{"sweep.gif"});
  EXPECT_TRUE(log_has("does not end with"));
  EXPECT_TRUE(view().writing.empty());
  written_.fails_at = 2;
  act(action::ExportAnimation{"full.webp"});
  settle();
  EXPECT_TRUE(log_has("no space left"));
  EXPECT_FALSE(written_.finished);
  EXPECT_TRUE(view().writing.empty());
  EXPECT_TRUE(view().swept) << "the moving picture stays";
  written_ = {};
  act(action::ExportAnimation{"stopped.webp"});
  act(action::CancelNewest{});
  settle();
  EXPECT_TRUE(log_has("stopped.webp was not written"));
  EXPECT_FALSE(written_.finished);
  written_ = {};
  act(action::ExportAnimation{"other.webp"});
  open("gen:random:n=64,nnz=300");
  EXPECT_TRUE(log_has("other.webp was not written"));
  EXPECT_FALSE(written_.finished);
  EXPECT_FALSE(view().swept);
}

TEST_F(Animations, OrdersThresholdsAndRowsAreSweptToo) {
  open("gen:random:n=300,nnz=3000,seed=4");
  act(action::Animate{Swept::order});
  settle();
  const std::size_t columns = state().columns.size();
  act(action::ExportAnimation{"orders.webp"});
  settle();
  ASSERT_EQ(written_.frames.size(), 5U);
  EXPECT_EQ(state().columns.front().arrangement.order, "spectral");
  const auto pattern = [&](std::size_t k) { return written_.frames[k].rows[0].pictures[0]->rgb; };
  for (std::size_t k = 1; k < 5; ++k) EXPECT_NE(pattern(k), pattern(k - 1)) << written_.frames[k].caption;
  act(action::Animate{Swept::threshold});
  settle();
  EXPECT_EQ(state().columns.front().arrangement, Arrangement{}) << "the order is restored";
  ASSERT_EQ(state().columns.size(), columns + 1) << "Threshold was added";
  const std::uint32_t block = state().columns.back().block;
  const std::string all = grouped(static_cast<std::uint64_t>(state().pattern()->nonzeros()));
  EXPECT_EQ(view().captions.back(), all + " of " + all + " entries kept");
  act(action::ShowFrame{view().captions.size() - 1});
  settle();
  EXPECT_LT(state().columns.back().block, block) << "more and more entries are kept";
  act(action::StopAnimation{});
  settle();
  EXPECT_EQ(state().columns.size(), columns);
}

TEST_F(Animations, AllFramesOfASweepOverOrdersHaveTheSameColours) {
  open("gen:band:n=300,lower=2,upper=2");  // in a random order its spectrum is flat
  const auto covers = [](const DisplayRange& range, const DisplayRange& part) {
    return range.low <= part.low && part.high <= range.high;
  };
  const auto range_of = [&](std::size_t column) {
    return state().columns[column].picture(Row::spectrum).own_range;
  };
  act(action::Animate{Swept::order});
  settle();
  const DisplayRange as_stored = range_of(0);
  act(action::ExportAnimation{"orders.webp"});
  EXPECT_TRUE(view().measuring);
  settle();
  ASSERT_TRUE(written_.finished);
  ASSERT_EQ(written_.frames.size(), view().captions.size());
  ASSERT_TRUE(state().columns[0].arrangement != Arrangement{});
  EXPECT_TRUE(state().columns[1].arrangement == Arrangement{}) << "Elastic keeps the order";
  const auto spectra = [&](std::size_t k) { return written_.frames[k].rows[1]; };
  for (std::size_t k = 0; k < written_.frames.size(); ++k) {
    EXPECT_TRUE(covers(spectra(k).range, as_stored)) << k;
    EXPECT_EQ(spectra(k).range.low, spectra(0).range.low) << k;
    EXPECT_EQ(spectra(k).range.high, spectra(0).range.high) << k;
    EXPECT_EQ(spectra(k).pictures[1]->rgb, spectra(0).pictures[1]->rgb) << "Elastic, frame " << k;
  }
  EXPECT_NE(spectra(1).pictures[0]->rgb, spectra(0).pictures[0]->rgb)
      << "control: the exact one is reordered";
  act(action::ShowFrame{1});
  settle();
  EXPECT_FALSE(covers(range_of(0), as_stored)) << "control: the reordered column alone would darken Elastic";
}

TEST_F(Animations, TheRowsOfAStreamGrowAndItsPlaneIsWholeAtTheEnd) {
  open("gen:random:n=3000,nnz=9000,seed=4");
  while (state().columns.size() > 1) act(action::RemoveColumn{state().columns.back().id});
  settle();
  const auto streamed = [&] {
    return state().columns.front().estimate ? state().columns.front().estimate->rows_done : 0;
  };
  EXPECT_EQ(streamed(), 0U) << "control: the whole plane is no estimate";
  act(action::Animate{Swept::rows});
  settle();
  const std::uint64_t first = streamed();
  EXPECT_GT(first, 0U);
  EXPECT_LT(first, 1501U);
  EXPECT_EQ(view().captions[0], grouped(first) + " of 1,501 rows of the half plane");
  act(action::ShowFrame{view().captions.size() - 2});
  settle();
  const std::uint64_t later = streamed();
  EXPECT_GT(later, first);
  EXPECT_LT(later, 1501U);
  act(action::ShowFrame{0});
  settle();
  EXPECT_EQ(streamed(), first) << "backwards: from the first row again";
  act(action::ShowFrame{view().captions.size() - 1});
  settle();
  EXPECT_EQ(streamed(), 0U);
  EXPECT_EQ(state().columns.front().plane_share, 1);
}

TEST_F(Animations, NoFrameOfAStreamRepeatsTheOneBefore) {
  open("gen:random:n=3000,nnz=9000,seed=4");
  while (state().columns.size() > 1) act(action::RemoveColumn{state().columns.back().id});
  settle();
  act(action::Animate{Swept::rows});
  settle();
  act(action::ExportAnimation{"rows.webp"});
  settle();
  ASSERT_TRUE(written_.finished);
  ASSERT_EQ(written_.frames.size(), view().captions.size());
  ASSERT_GT(written_.frames.size(), 1U);
  EXPECT_EQ(written_.frames.back().caption, "all rows");
  const auto spectrum = [&](std::size_t k) { return written_.frames[k].rows[1].pictures[0]->rgb; };
  for (std::size_t k = 1; k < written_.frames.size(); ++k) {
    EXPECT_NE(view().captions[k], view().captions[k - 1]);
    EXPECT_NE(spectrum(k), spectrum(k - 1)) << written_.frames[k].caption;
  }
}

TEST_F(Animations, AFrameOfAPlaneThatEndsBeforeItsFirstPauseSaysAllRows) {
  open("gen:random:n=60,nnz=200,seed=4");
  while (state().columns.size() > 1) act(action::RemoveColumn{state().columns.back().id});
  settle();
  act(action::Animate{Swept::rows});
  settle();
  // So few rows are streamed at once on any machine; if not, their number is in the caption.
  const auto& estimate = state().columns.front().estimate;
  EXPECT_EQ(view().captions[0],
            estimate ? std::to_string(estimate->rows_done) + " of 31 rows of the half plane" : "all rows");
  EXPECT_TRUE(estimate || view().captions.size() == 1) << "no frame shows the same plane again";
}

}  // namespace
}  // namespace spyctrum::testing
