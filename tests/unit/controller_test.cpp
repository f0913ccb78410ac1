// SPDX-License-Identifier: Apache-2.0
// The whole program without a window: actions in, state out. The thread of the test acts as the interface
// thread. The limits of waits are far above what any machine needs; no test measures time.
#include "app/controller/controller.hpp"
#include "app/controller/files/exports.hpp"
#include "core/io/export.hpp"
#include "core/matrix/generators.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "app/controller/files/session.hpp"
#include "app/controller/files/settings.hpp"
#include "app/controller/pictures/picture_task.hpp"
#include "app/controller/studies/sweep_service.hpp"
#include "app/study/method_style.hpp"
#include "tests/support/controller_fixture.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/test_pool.hpp"
#include "tests/support/wait_until_idle.hpp"

namespace spyctrum {
namespace {

namespace fs = std::filesystem;

Controller::Options with_figures() {
  Controller::Options options;
  options.threads = 2;
  // Writes the texts of a figure in place of a drawing.
  options.write_figure = [](const std::string& path, const ComparisonFigure& figure, double) {
    return write_atomically(path, [&](std::ostream& out) {
      out << figure.title << '\n';
      for (const FigureRow& row : figure.rows)
        for (std::size_t k = 0; k < figure.headings.size(); ++k)
          if (row.pictures[k]) out << figure.headings[k] << ' ' << row.pictures[k]->caption << '\n';
      out << figure.rows.size() << (figure.dark ? " dark" : " light");
    });
  };
  return options;
}

class ControllerTest : public test::ControllerFixture {
 protected:
  ControllerTest() : ControllerFixture({96, 64}, with_figures()) {
    // Pictures of the views as they are, of every sample: square units and means of samples have tests of
    // their own.
    controller_.dispatch(action::SetKeepAspect{false});
    ScaleSettings scale = state().scale;
    scale.single_samples = true;
    controller_.dispatch(action::SetScale{scale});
  }

  test::ScratchFolder scratch_;
};

const char* const kMatrix = "gen:random:n=300,nnz=2500";
const char* const kOther = "gen:band:n=210,bandwidth=5";

/// The writing end of a named pipe: a file that arrives slowly.
class SlowFile {
 public:
  explicit SlowFile(const std::string& path) {
    if (mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("no named pipe");
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);  // for writing alone it would wait for a reader
  }
  ~SlowFile() { finish(); }
  SlowFile(const SlowFile&) = delete;
  SlowFile& operator=(const SlowFile&) = delete;
  void write(const std::string& text) const {
    ASSERT_EQ(::write(descriptor_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void finish() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  int descriptor_ = -1;
};

TEST_F(ControllerTest, ColumnsHaveTheNamesOfTheirMethods) {
  // The advisor and studies use them, too.
  controller_.dispatch(action::AddColumn{"bs-fft"});
  for (const Column& one : state().columns)
    EXPECT_EQ(one.label, find_method(one.method)->info().label) << one.method;
  controller_.dispatch(action::RemoveColumn{column(0).id});
  EXPECT_TRUE(column(2).reference);
  EXPECT_EQ(column(2).label, "BS-FFT") << "also of the reference";
}

TEST_F(ControllerTest, BeginsWithExactElasticAndDensityMapAndAnOpenGallery) {
  ASSERT_EQ(state().columns.size(), 3U);
  EXPECT_EQ(column(0).label, "Exact");
  EXPECT_TRUE(column(0).reference);
  EXPECT_EQ(column(1).method, "elastic");
  EXPECT_EQ(column(1).block, 16U);
  EXPECT_EQ(column(2).method, "density-map");
  EXPECT_EQ(state().scale.fill, Fill::best);
  EXPECT_FALSE(state().gallery.empty());
  EXPECT_EQ(state().interface.overlay, Overlay::gallery);
  EXPECT_TRUE(controller_.idle());
}

TEST_F(ControllerTest, SamplesThatWouldNotFitAreRefusedWithABlockThatDoesAndTheExactPlaneIsHeldBack) {
  // Of a block size of its own the program changes nothing.
  for (const std::size_t k : {1U, 2U}) controller_.dispatch(action::SetColumnBlock{column(k).id, 16});
  open("gen:random:n=1e9,nnz=2000");
  EXPECT_FALSE(column(0).held_back.empty());
  EXPECT_TRUE(column(0).picture(Row::spectrum).shown);
  EXPECT_TRUE(column(1).held_back.empty()) << column(1).held_back;
  ASSERT_TRUE(column(1).error);
  EXPECT_EQ(column(1).error->code, ErrorCode::out_of_memory);
  EXPECT_NE(column(1).error->advice.find("block"), std::string::npos) << column(1).error->message();
  EXPECT_EQ(column(1).error->what.find(column(1).label), std::string::npos)
      << "the card is named already: " << column(1).error->what;
  EXPECT_TRUE(log_has(column(1).label + ": " + column(1).error->what)) << "the log has no cards";
}

TEST_F(ControllerTest, AMatrixTooLargeForTheBlockSizeIsShownWithALargerOneThatCanBeUndone) {
  Settings settings = state().settings;
  settings.memory_bytes = 300'000'000;
  controller_.dispatch(action::SetSettings{settings});
  open("gen:random:n=1e7,nnz=2000");
  const std::uint32_t raised = state().block;
  EXPECT_GT(raised, 16U);
  for (const std::size_t k : {1U, 2U}) {
    EXPECT_TRUE(column(k).spectrum) << column(k).label;
    EXPECT_TRUE(column(k).picture(Row::spectrum).shown) << column(k).label;
  }
  ASSERT_TRUE(state().raised_block);
  EXPECT_EQ(state().raised_block->from, 16U);
  EXPECT_TRUE(log_has("Block size " + std::to_string(raised) + " instead of 16"));
  open(kMatrix);
  EXPECT_EQ(state().block, 16U) << "a smaller matrix has the block size of before";
  EXPECT_FALSE(state().raised_block);
  act(action::SelectMatrix{0});
  EXPECT_EQ(state().block, raised);
  act(action::Undo{});
  EXPECT_EQ(state().block, 16U);
  EXPECT_TRUE(column(1).error);
  act(action::SelectMatrix{1});
  act(action::SelectMatrix{0});
  EXPECT_EQ(state().block, 16U) << "the user declined";
}

TEST_F(ControllerTest, ASessionOfAHugeMatrixHasItsOwnBlockSize) {
  Settings settings = state().settings;
  settings.memory_bytes = 300'000'000;
  controller_.dispatch(action::SetSettings{settings});
  open("gen:random:n=1e7,nnz=2000");
  act(action::SetBlock{16});
  act(action::SaveSession{scratch_.file("huge.json")});
  act(action::CloseMatrix{0});
  act(action::SetBlock{32});
  act(action::LoadSession{scratch_.file("huge.json")});
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().block, 16U);
  EXPECT_FALSE(state().raised_block);
}

TEST_F(ControllerTest, PicturesOfASlenderMatrixAreNoLines) {
  controller_.dispatch(action::SetKeepAspect{true});
  open("gen:random:rows=20,cols=5000,nnz=2000");
  EXPECT_EQ(picture_rect(state(), Plane::spectrum), state().view(Plane::spectrum).full);
  EXPECT_NE(state().status.view.find("u: 3.2 pixels a coefficient, v: 52 coefficients a pixel"),
            std::string::npos)
      << state().status.view;
  open("gen:random:rows=20,cols=300,nnz=2000");
  const PlaneRect rect = picture_rect(state(), Plane::spectrum);
  EXPECT_NEAR(rect.height() / 64, rect.width() / 96, 1e-9) << "control: units are square";
}

TEST_F(ControllerTest, ARunThatTakesMuchOfTheMemoryWaitsForTheUserAndSaysWhatToChange) {
  // The side at which Elastic takes about half of the allowance.
  const Method& elastic = *find_method("elastic");
  const std::uint64_t half = default_memory_allowance_bytes() / 2;
  PatternPtr pattern;
  for (std::uint64_t n = 100'000; !pattern; n += n / 16) {
    JobContext context(test::pool());
    const PatternPtr larger = generate("gen:random:nnz=2000,n=" + std::to_string(n), context).value().pattern;
    if (elastic.forecast(default_request(elastic, larger, 16)).bytes > half) pattern = larger;
  }
  for (const std::size_t k : {1U, 2U}) controller_.dispatch(action::SetColumnBlock{column(k).id, 16});
  open("gen:random:nnz=2000,n=" + std::to_string(pattern->rows()));
  EXPECT_FALSE(column(1).error);
  EXPECT_FALSE(column(1).spectrum);
  EXPECT_NE(column(1).held_back.find("of free memory and was not started. Set block to "), std::string::npos)
      << column(1).held_back;
  EXPECT_TRUE(column(0).picture(Row::spectrum).shown) << "exact pictures need little memory";
  controller_.dispatch(action::SetColumnBlock{column(1).id, 2048});
  EXPECT_TRUE(column(1).held_back.empty()) << column(1).held_back;
  EXPECT_TRUE(column(1).busy);
}

TEST_F(ControllerTest, TheAdviceOfARefusalIsAppliedWithAMargin) {
  Settings settings = state().settings;
  settings.memory_bytes = 500'000'000;
  controller_.dispatch(action::SetSettings{settings});
  for (const std::size_t k : {1U, 2U}) controller_.dispatch(action::SetColumnBlock{column(k).id, 16});
  open("gen:random:n=2e7,nnz=2000");
  for (const std::size_t k : {1U, 2U}) act(action::SetColumnBlock{column(k).id, std::nullopt});
  ASSERT_TRUE(column(1).error);
  ASSERT_TRUE(column(1).error->setting.contains("block"));
  const unsigned long fits = std::stoul(column(1).error->setting.at("block"));
  EXPECT_NE(column(1).error->advice.find(std::to_string(fits)), std::string::npos);
  EXPECT_TRUE(advised_setting(state(), column(0)).empty()) << "there was nothing to refuse";
  controller_.dispatch(action::ApplyAdvice{column(1).id});
  EXPECT_GT(state().block, fits) << "what is free changes from moment to moment";
  EXPECT_LT(state().block, fits + fits / 4);
  settle();
  EXPECT_FALSE(column(1).error) << column(1).error->message();
  ASSERT_TRUE(column(1).spectrum);
  EXPECT_EQ(column(1).spectrum->block, state().block);
  EXPECT_TRUE(advised_setting(state(), column(1)).empty());
  EXPECT_FALSE(column(1).reconstruction_errors)
      << "one row of the plane has more coefficients than such a pass";

  act(action::SetColumnBlock{column(1).id, 16});
  const std::uint32_t before = state().block;
  controller_.dispatch(action::ApplyAdvice{column(1).id});
  EXPECT_TRUE(column(1).own_block);
  EXPECT_GT(column(1).block, fits);
  EXPECT_EQ(state().block, before) << "a column of its own block size leaves the others alone";
}

/// The same matrix in two controllers, one of which builds a hierarchy, as for a large matrix.
class Hierarchies : public ::testing::Test {
 protected:
  Hierarchies() : with_(options_from(1000)), without_(with_figures()) {
    for (Controller* controller : {&with_, &without_})
      controller->dispatch(action::SetPictureSize{Plane::pattern, {96, 64}});
    both(action::SetKeepAspect{false});
    both(action::OpenFile{kMatrix});
  }
  void both(const Action& action) {
    for (Controller* controller : {&with_, &without_}) {
      controller->dispatch(action);
      ASSERT_TRUE(test::wait_until_idle(*controller, test::kPatience));
    }
  }
  void expect_equal_pictures() {
    for (const PlaneRect& view : {PlaneRect{3, 5, 250, 290}, PlaneRect{40.5, 17, 61, 33}}) {
      both(action::SetView{Plane::pattern, view});
      const auto quick = with().picture(Row::pattern).shown, slow = without().picture(Row::pattern).shown;
      ASSERT_TRUE(quick && slow);
      EXPECT_EQ(quick->rect, slow->rect);
      EXPECT_EQ(quick->cells, slow->cells);
    }
  }
  [[nodiscard]] const Column& with() const { return with_.state().columns.at(0); }
  [[nodiscard]] const Column& without() const { return without_.state().columns.at(0); }

  Controller with_, without_;

 private:
  static Controller::Options options_from(std::int64_t entries) {
    Controller::Options options = with_figures();
    options.hierarchy_from = entries;
    return options;
  }
};

TEST_F(Hierarchies, DrawTheSamePatternAsTheEntries) {
  ASSERT_TRUE(with_.state().matrix()->hierarchy);
  EXPECT_EQ(with_.state().matrix()->hierarchy->pattern(), with_.state().matrix()->matrix.pattern);
  EXPECT_FALSE(without_.state().matrix()->hierarchy) << "too few entries for a hierarchy";
  expect_equal_pictures();
  both(action::OpenFile{kOther});
  EXPECT_EQ(with_.state().matrix()->hierarchy->pattern(), with_.state().matrix()->matrix.pattern);
}

TEST_F(Hierarchies, DrawOtherOrdersAsTheirEntriesDo) {
  EXPECT_FALSE(with().hierarchy) << "the matrix as it is has its own";
  both(action::SetColumnArrangement{with().id, {Arrangement::Kind::reordered, "random", 1}});
  ASSERT_TRUE(with().hierarchy && with().pattern);
  EXPECT_EQ(with().hierarchy->pattern(), with().pattern);
  EXPECT_FALSE(without().hierarchy) << "too few entries for a hierarchy";
  expect_equal_pictures();
  const PatternPtr random = with().pattern;
  both(action::SetColumnArrangement{with().id, {Arrangement::Kind::reordered, "degree", 1}});
  EXPECT_NE(with().pattern, random);
  EXPECT_EQ(with().hierarchy->pattern(), with().pattern) << "of the order that is shown";
  expect_equal_pictures();
  const std::weak_ptr<const SparsePattern> left = with().pattern;
  both(action::SetColumnArrangement{with().id, {}});
  EXPECT_FALSE(with().hierarchy);
  expect_equal_pictures();
  EXPECT_TRUE(left.expired()) << "nothing keeps an order that is no longer shown";
}

TEST_F(ControllerTest, AnOpenedMatrixGetsResultsPicturesAndErrorsInEveryColumn) {
  open(kMatrix);
  EXPECT_EQ(state().matrix()->matrix.pattern->rows(), 300U);
  EXPECT_EQ(state().interface.overlay, Overlay::none);
  for (const Column& each : state().columns) {
    EXPECT_FALSE(each.busy) << each.label;
    EXPECT_FALSE(each.error) << each.label << ": " << each.error->message();
    ASSERT_TRUE(each.spectrum) << each.label;
    EXPECT_TRUE(each.spectrum->features) << each.label;
    for (const Row row : {Row::pattern, Row::spectrum, Row::reconstruction}) {
      const Picture& picture = each.picture(row);
      ASSERT_TRUE(picture.shown) << each.label << ' ' << name_of(row);
      EXPECT_EQ(picture.shown->width, 96U);
      EXPECT_EQ(picture.shown->height, 64U);
      EXPECT_EQ(picture.shown->rect, state().view(plane_of(row)).rect);
      EXPECT_LT(picture.range.low, picture.range.high + 1e-6F);
      EXPECT_FALSE(picture.busy);
      EXPECT_GT(picture.version, 0U);
    }
  }
  EXPECT_DOUBLE_EQ(column(0).plane_share, 1);
  // So small a random matrix has Elastic compute every coefficient for its features.
  EXPECT_DOUBLE_EQ(column(1).plane_share,
                   static_cast<double>(column(1).spectrum->features->samples) / (300.0 * 300.0));
  ASSERT_TRUE(column(1).feature_errors);
  EXPECT_LT((*column(1).feature_errors)["entropy"], 0.05);
  EXPECT_FALSE(column(0).feature_errors);
  ASSERT_TRUE(column(1).reconstruction_errors);
  EXPECT_GT(column(1).reconstruction_errors->hellinger, 0);
  EXPECT_LT(column(1).reconstruction_errors->hellinger, 1);
  EXPECT_EQ(state().status.exactness, "exact");
}

TEST_F(ControllerTest, ColumnsShareTheRangeOfTheReferenceUnlessUnlocked) {
  open(kMatrix);
  const auto same = [](const DisplayRange& a, const DisplayRange& b) {
    return a.low == b.low && a.high == b.high;
  };
  EXPECT_TRUE(same(column(1).picture(Row::spectrum).range, column(0).picture(Row::spectrum).range));
  EXPECT_FALSE(column(1).picture(Row::spectrum).range_is_own);
  controller_.dispatch(action::SetColumnOwnRange{column(1).id, true});
  EXPECT_TRUE(column(1).picture(Row::spectrum).range_is_own);
  EXPECT_TRUE(same(column(1).picture(Row::spectrum).range, column(1).picture(Row::spectrum).own_range));
  ScaleSettings scale = state().scale;
  scale.manual = DisplayRange{1, 2};
  controller_.dispatch(action::SetScale{scale});
  EXPECT_EQ(column(0).picture(Row::spectrum).range.low, 1);
  EXPECT_EQ(column(0).picture(Row::spectrum).range.high, 2);
  controller_.dispatch(action::AutoRange{});
  EXPECT_FALSE(state().scale.manual);
}

TEST_F(ControllerTest, PicturesOfSamplesAverageMoreOfThemWhereTheSharedRangeIsNarrow) {
  ScaleSettings scale = state().scale;
  scale.single_samples = false;
  controller_.dispatch(action::SetScale{scale});
  controller_.dispatch(action::SetPictureSize{Plane::spectrum, {128, 128}});
  // A flat spectrum, of which a pixel covers 244 coefficients and 61 samples; of a coarser lattice cells of
  // four sampled rows would average more than either range asks for.
  controller_.dispatch(action::SetBlock{2});
  open("gen:random:rows=2000,cols=2000,nnz=20000");
  const auto noise = [&] { return column(1).picture(Row::spectrum).shown->relative_error; };
  const double shared = noise();
  act(action::SetColumnOwnRange{column(1).id, true});
  EXPECT_LE(noise(), 1.0 / 8) << "at least 64";
  EXPECT_LT(shared, 0.85 * noise());
}

TEST_F(ControllerTest, MovingPercentilesMeasuresAgainButDrawsNothingAnew) {
  open(kMatrix);
  const auto shown = column(0).picture(Row::spectrum).shown;
  const DisplayRange before = column(0).picture(Row::spectrum).range;
  ScaleSettings scale = state().scale;
  scale.low_percent = 30;
  scale.high_percent = 60;
  act(action::SetScale{scale});
  EXPECT_EQ(column(0).picture(Row::spectrum).shown, shown);
  EXPECT_GT(column(0).picture(Row::spectrum).range.low, before.low);
  EXPECT_LT(column(0).picture(Row::spectrum).range.high, before.high);
}

TEST_F(ControllerTest, APictureOfAnotherViewIsKnownUntilItIsReplaced) {
  open(kMatrix);
  CompareSettings compare = state().compare;
  compare.rows = {true, true, true, true};
  act(action::SetCompare{compare});
  const auto misses = [&] {
    std::vector<bool> each;
    for (const Row row : {Row::spectrum, Row::reconstruction, Row::error})
      each.push_back(column(1).picture(row).misses_view);
    return each;
  };
  const std::vector<bool> all(3, true), none(3, false);
  const View view = state().view(Plane::spectrum);
  const auto expect = [&](const Action& action, const std::vector<bool>& before) {
    controller_.dispatch(action);
    EXPECT_TRUE(column(1).picture(Row::spectrum).busy);
    EXPECT_EQ(misses(), before);
    ASSERT_TRUE(test::wait_until_idle(controller_, test::kPatience));
    EXPECT_EQ(misses(), none);
  };
  const PlaneRect &whole = view.full, quarter{whole.top, whole.left, 0.5, 0.5};
  expect(action::SetPictureSize{Plane::spectrum, {2 * view.pixels.width, 2 * view.pixels.height}}, all);
  expect(action::SetPictureSize{Plane::spectrum, view.pixels}, none);
  expect(action::SetView{Plane::spectrum, quarter}, all);  // enlarged
  expect(action::SetView{Plane::spectrum, whole}, all);    // the picture of a quarter covers no more
}

TEST_F(ControllerTest, AnInvalidScaleIsRefused) {
  ScaleSettings scale = state().scale;
  scale.low_percent = 70;
  scale.high_percent = 60;
  controller_.dispatch(action::SetScale{scale});
  EXPECT_NE(state().scale.low_percent, 70);
  scale = state().scale;
  scale.color_map = "no such map";
  controller_.dispatch(action::SetScale{scale});
  EXPECT_NE(state().scale.color_map, "no such map");
  EXPECT_EQ(state().toasts.size(), 2U);
  controller_.dispatch(action::SetScale{scale});
  EXPECT_EQ(state().toasts.size(), 2U) << "the same message again";
}

TEST_F(ControllerTest, TheLatestBlockWinsAndTheOldPictureStaysMeanwhile) {
  open(kMatrix);
  const auto before = column(1).picture(Row::spectrum).shown;
  const auto spectrum = column(1).spectrum;
  for (std::uint32_t block = 1; block <= 60; ++block) {
    controller_.dispatch(action::SetBlock{block});
    EXPECT_EQ(column(1).block, block);
    EXPECT_TRUE(column(1).spectrum);
    EXPECT_TRUE(column(1).picture(Row::spectrum).shown);
    if (block % 7 == 0) controller_.poll();
  }
  act(action::SetBlock{23});
  EXPECT_EQ(column(1).spectrum->block, 23U);
  EXPECT_NE(column(1).picture(Row::spectrum).shown, before);
  EXPECT_FALSE(column(1).busy);
  // The earlier setting finds its cached results.
  controller_.dispatch(action::SetBlock{16});
  EXPECT_EQ(column(1).spectrum, spectrum);
}

TEST_F(ControllerTest, ResultsOfAnEarlierBlockSizeAreMarkedAsOutdated) {
  open(kMatrix);
  std::mt19937 random(5);
  std::size_t outdated = 0;
  for (int move = 0; move < 200; ++move) {
    controller_.dispatch(action::SetBlock{1 + static_cast<std::uint32_t>(random() % 64)});
    if (random() % 3 == 0) settle();
    const Column& elastic = column(1);
    EXPECT_EQ(elastic.block, state().block);
    EXPECT_EQ(elastic.outdated, elastic.spectrum->block != elastic.block) << "move " << move;
    EXPECT_EQ(elastic.samples, elastic.spectrum->features->samples);
    EXPECT_FALSE(column(0).outdated) << "the exact plane has no block size";
    outdated += elastic.outdated ? 1U : 0U;
  }
  EXPECT_GT(outdated, 10U);
  settle();
  EXPECT_FALSE(column(1).outdated);
}

TEST_F(ControllerTest, UndoAndRedoRestoreSettingsAndColumnsStepByStep) {
  open(kMatrix);
  while (state().interface.can_undo) controller_.dispatch(action::Undo{});
  const auto settings = [this] { return to_json_text(session_of(state())); };
  std::vector<std::string> passed{settings()};
  EXPECT_FALSE(state().interface.can_undo);
  const std::vector<Action> changes = {
      action::SetBlock{23},
      action::AddColumn{"density-map"},
      action::SetSettings{[this] {
        Settings rows = state().settings;
        rows.grid_form = GridForm::rows;
        return rows;
      }()},
      action::SetKeepAspect{!state().settings.square_units},
      action::SetColumnBlock{column(1).id, 5},
      action::SetScale{[this] {
        ScaleSettings scale = state().scale;
        scale.fill = Fill::nearest;
        return scale;
      }()},
      action::RemoveColumn{column(1).id},
      action::SelectRegion{PlaneRect{0, 0, 50, 60}},
  };
  for (const Action& change : changes) {
    act(change);
    passed.push_back(settings());
    EXPECT_NE(passed.back(), passed[passed.size() - 2]);
  }
  for (std::size_t k = passed.size() - 1; k-- > 0;) {
    EXPECT_TRUE(state().interface.can_undo);
    act(action::Undo{});
    EXPECT_EQ(settings(), passed[k]) << "step " << k;
  }
  EXPECT_FALSE(state().interface.can_undo);
  for (std::size_t k = 1; k < passed.size(); ++k) {
    act(action::Redo{});
    EXPECT_EQ(settings(), passed[k]) << "step " << k;
  }
  EXPECT_FALSE(state().interface.can_redo);
  controller_.dispatch(action::Undo{});
  controller_.dispatch(action::SetBlock{9});
  EXPECT_FALSE(state().interface.can_redo) << "a new change leaves nothing to make again";
}

TEST_F(ControllerTest, ADragOfTheSliderIsOneStepAndKeepsItsColumns) {
  open(kMatrix);
  const ColumnId elastic = column(1).id;
  for (std::uint32_t block = 17; block < 60; ++block) controller_.dispatch(action::SetBlock{block});
  controller_.dispatch(action::Undo{});
  EXPECT_EQ(state().block, 16U);
  EXPECT_EQ(column(1).id, elastic);
}

TEST_F(ControllerTest, ADragIsOneStepHoweverLongTheButtonIsHeld) {
  open(kMatrix);
  const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(600)); };
  controller_.dispatch(action::BeginChange{.held = true});
  for (const std::uint32_t block : {20U, 30U, 40U}) {
    controller_.dispatch(action::SetBlock{block});
    rest();
  }
  controller_.dispatch(action::EndChange{});
  controller_.dispatch(action::SetBlock{41});  // in the frame of the release
  rest();
  controller_.dispatch(action::SetBlock{50});
  controller_.dispatch(action::Undo{});
  EXPECT_EQ(state().block, 41U) << "control: what comes later is a step of its own";
  controller_.dispatch(action::Undo{});
  EXPECT_EQ(state().block, 16U);
}

TEST_F(ControllerTest, WhatAnotherPressChangesIsAnotherStep) {
  open(kMatrix);
  for (const std::uint32_t block : {17U, 18U}) {
    controller_.dispatch(action::BeginChange{});
    controller_.dispatch(action::SetBlock{block});
  }
  controller_.dispatch(action::Undo{});
  EXPECT_EQ(state().block, 17U);
  controller_.dispatch(action::Undo{});
  EXPECT_EQ(state().block, 16U);
}

TEST_F(ControllerTest, AColumnHasTheColourOfItsMethodUnlessOneBeforeItHasIt) {
  open(kMatrix);
  ASSERT_EQ(column(2).method, "density-map");
  const ColumnId map = column(2).id;
  const std::uint32_t color = column(2).style.color;
  EXPECT_EQ(color, method_style("density-map").color);
  // As a session does that has this method in an earlier column.
  act(action::SetColumnMethod{column(1).id, "density-map"});
  EXPECT_NE(column(1).style.color, column(2).style.color) << "control: two columns of one method differ";
  act(action::RemoveColumn{map});
  EXPECT_EQ(column(1).style.color, color);
}

TEST_F(ControllerTest, BlocksAreClampedAndAColumnMayHaveItsOwn) {
  open(kMatrix);
  controller_.dispatch(action::SetColumnBlock{column(1).id, 7});
  act(action::SetBlock{5000});
  EXPECT_EQ(state().block, 5000U);
  EXPECT_EQ(column(1).spectrum->block, 7U);
  act(action::SetColumnBlock{column(1).id, std::nullopt});
  EXPECT_EQ(column(1).spectrum->block, 5000U);
  controller_.dispatch(action::SetBlock{0});
  EXPECT_EQ(state().block, 1U);
  controller_.dispatch(action::SetBlock{4'000'000'000U});
  EXPECT_EQ(state().block, kLargestBlock);
  EXPECT_EQ(largest_block(state()), 300U) << "what the panels offer";
}

TEST_F(ControllerTest, AFailedLoadReportsTheReasonAndKeepsTheOpenMatrix) {
  open(kMatrix);
  const auto pattern = state().matrix()->matrix.pattern;
  const auto shown = column(0).picture(Row::spectrum).shown;
  const std::string broken =
      scratch_.write("broken.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 1\n");
  controller_.dispatch(action::OpenFile{broken});
  controller_.dispatch(action::OpenFile{scratch_.file("missing.mtx")});
  EXPECT_EQ(state().loading.size(), 2U);
  settle();
  EXPECT_TRUE(state().loading.empty());
  ASSERT_EQ(controller_.load_failures().size(), 2U);
  EXPECT_EQ(controller_.load_failures()[0].second.code, ErrorCode::bad_input);
  EXPECT_TRUE(log_has("broken.mtx"));
  EXPECT_EQ(state().toasts.size(), 2U);
  ASSERT_EQ(state().matrices.size(), 1U);
  EXPECT_EQ(state().matrix()->matrix.pattern, pattern);
  EXPECT_EQ(column(0).picture(Row::spectrum).shown, shown);
  // The same file, corrected, is read.
  (void)scratch_.write("broken.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 1\n2 2\n");
  act(action::OpenFile{broken});
  EXPECT_EQ(state().matrix()->matrix.pattern->nonzeros(), 2);
  EXPECT_TRUE(column(0).spectrum);
}

TEST_F(ControllerTest, DegenerateMatricesAreShownLikeAnyOther) {
  const std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
  for (const std::string body : {"1 1 1\n1 1\n", "1 1 0\n", "5 7 0\n", "1 9 2\n1 1\n1 5\n", "9 1 1\n4 1\n",
                                 "2 2 4\n1 1\n1 2\n2 1\n2 2\n"}) {
    const std::string file =
        scratch_.write("m" + std::to_string(std::hash<std::string>{}(body)) + ".mtx", head + body);
    act(action::OpenFile{file});
    ASSERT_EQ(state().matrix()->source, file) << body;
    for (const Column& each : state().columns) {
      EXPECT_FALSE(each.busy) << body;
      EXPECT_TRUE(each.spectrum || each.error) << each.label << '\n' << body;
      EXPECT_TRUE(each.picture(Row::pattern).shown) << body;
    }
    EXPECT_TRUE(column(0).spectrum) << body;
    EXPECT_TRUE(column(0).picture(Row::spectrum).shown) << body;
  }
}

TEST_F(ControllerTest, ACancelledRunLeavesTheColumnUsable) {
  open(kMatrix);
  controller_.dispatch(action::OpenFile{"gen:random:n=6000,nnz=120000"});
  while (!(state().selected == 1U && column(0).busy)) {
    ASSERT_FALSE(controller_.idle());
    controller_.poll();
    std::this_thread::yield();
  }
  JobId stream = 0;
  for (const JobView& job : state().jobs) {
    if (job.column == column(0).id) stream = job.id;
  }
  ASSERT_NE(stream, 0U);
  act(action::CancelJob{stream});
  EXPECT_FALSE(column(0).busy);
  ASSERT_TRUE(column(0).error);
  EXPECT_EQ(column(0).error->code, ErrorCode::cancelled);
  EXPECT_FALSE(column(0).spectrum);
  EXPECT_TRUE(column(0).picture(Row::spectrum).shown);
  EXPECT_TRUE(state().toasts.empty());
  controller_.dispatch(action::RunColumn{column(0).id});
  EXPECT_TRUE(column(0).busy);
  settle();
  EXPECT_TRUE(column(0).spectrum);
  EXPECT_FALSE(column(0).error);
}

TEST_F(ControllerTest, EscapeCancelsTheNewestJobFirstAndThenClosesTheOverlay) {
  controller_.dispatch(action::OpenFile{"gen:random:n=20000,nnz=4000000"});
  controller_.dispatch(action::SetOverlay{Overlay::help});
  controller_.dispatch(action::CancelNewest{});
  EXPECT_EQ(state().interface.overlay, Overlay::help);
  settle();
  EXPECT_TRUE(state().matrices.empty());
  EXPECT_TRUE(log_has("cancelled"));
  controller_.dispatch(action::CancelNewest{});
  EXPECT_EQ(state().interface.overlay, Overlay::none);
}

TEST_F(ControllerTest, EscapeClosesAnOverlayBeforeItCancelsWorkInTheBackground) {
  open("gen:random:n=2000,nnz=20000");
  controller_.dispatch(action::StartSweep{});
  controller_.dispatch(action::SetOverlay{Overlay::help});
  while (std::ranges::none_of(state().jobs, &JobView::background)) {
    ASSERT_FALSE(controller_.idle());
    controller_.poll();
    std::this_thread::yield();
  }
  ASSERT_TRUE(std::ranges::all_of(state().jobs, &JobView::background));
  controller_.dispatch(action::CancelNewest{});
  EXPECT_EQ(state().interface.overlay, Overlay::none);
  EXPECT_TRUE(std::ranges::none_of(state().jobs, &JobView::stopping));
  settle();
}

TEST_F(ControllerTest, AFillThatIsNotPossibleGivesWayToTheNextOne) {
  ASSERT_EQ(state().scale.fill, Fill::best);
  controller_.dispatch(action::AddColumn{"fps-sft"});  // scattered samples
  open(kMatrix);
  const Column& scattered = state().columns.back();
  ASSERT_EQ(scattered.method, "fps-sft");
  EXPECT_FALSE(scattered.picture(Row::reconstruction).error);
  EXPECT_TRUE(scattered.picture(Row::reconstruction).shown);
}

TEST_F(ControllerTest, ColumnsAreAddedChangedMovedAndRemoved) {
  open(kMatrix);
  controller_.dispatch(action::RemoveColumn{column(2).id});
  controller_.dispatch(action::AddColumn{"density-map"});
  ASSERT_EQ(state().columns.size(), 3U);
  EXPECT_TRUE(column(2).own_range);
  EXPECT_NE(column(2).style.color, column(0).style.color);
  settle();
  EXPECT_TRUE(column(2).feature_errors);
  EXPECT_TRUE(column(2).picture(Row::reconstruction).shown);
  EXPECT_NE(column(2).picture(Row::pattern).shown, column(0).picture(Row::pattern).shown);
  EXPECT_EQ(column(1).picture(Row::pattern).shown, column(0).picture(Row::pattern).shown);
  const ColumnId density = column(2).id;
  controller_.dispatch(action::MoveColumn{density, 0});
  EXPECT_EQ(column(0).id, density);
  act(action::SetColumnMethod{density, "elastic"});
  EXPECT_EQ(column(0).spectrum->provenance.method, "elastic");
  controller_.dispatch(action::RemoveColumn{density});
  controller_.dispatch(action::AddColumn{"no-such-method"});
  EXPECT_EQ(state().columns.size(), 2U);
  // Without an exact column there is no reference, and nothing breaks.
  act(action::RemoveColumn{column(0).id});
  EXPECT_EQ(state().reference(), nullptr);
  EXPECT_FALSE(column(0).feature_errors);
  controller_.dispatch(action::RemoveColumn{column(0).id});
  EXPECT_TRUE(state().columns.empty());
  act(action::AddColumn{"bs-fft"});
  EXPECT_TRUE(column(0).reference);
  EXPECT_TRUE(column(0).spectrum);
}

TEST_F(ControllerTest, AWrongParameterIsRefusedWithAToast) {
  open(kMatrix);
  controller_.dispatch(action::SetColumnParameter{column(1).id, "block", "many"});
  controller_.dispatch(action::SetColumnParameter{column(1).id, "no-such", "1"});
  EXPECT_EQ(state().toasts.size(), 2U);
  settle();
  EXPECT_EQ(column(1).block, 16U);
  EXPECT_FALSE(column(1).error);
}

TEST_F(ControllerTest, ZoomToOneCoefficientShowsTheCoefficientItself) {
  open(kMatrix);
  act(action::SetView{Plane::spectrum, {2.5, -8.5, 3.5, -7.5}});
  const Picture& picture = column(0).picture(Row::spectrum);
  const double power = std::norm(coefficient_at(*state().matrix()->matrix.pattern, 3, -8));
  for (const std::size_t cell :
       {std::size_t{0}, picture.shown->cells.size() / 4, picture.shown->cells.size() / 2 - 1}) {
    EXPECT_NEAR(picture.shown->cells[2 * cell], power, 1e-3 * power + 1e-2);
  }
  EXPECT_EQ(picture.shown->exactness, Exactness::exact);
  controller_.dispatch(action::ViewBack{Plane::spectrum});
  EXPECT_EQ(state().view(Plane::spectrum).rect, state().view(Plane::spectrum).full);
  controller_.dispatch(action::ViewForward{Plane::spectrum});
  EXPECT_DOUBLE_EQ(state().view(Plane::spectrum).rect.top, 2.5);
  controller_.dispatch(action::ResetViews{});
  EXPECT_EQ(state().view(Plane::spectrum).rect, state().view(Plane::spectrum).full);
  EXPECT_TRUE(state().view(Plane::spectrum).back.empty());
}

TEST_F(ControllerTest, ViewsStayNearThePlaneAndInvalidRectanglesAreRejected) {
  open(kMatrix);
  const PlaneRect full = state().view(Plane::spectrum).full;
  controller_.dispatch(action::SetView{Plane::spectrum, {5, 5, 4, 4}});
  controller_.dispatch(action::SetView{Plane::spectrum, {std::nan(""), 0, 1, 1}});
  EXPECT_EQ(state().view(Plane::spectrum).rect, full);
  controller_.dispatch(action::SetView{Plane::spectrum, {1e9, 1e9, 1e9 + 10, 1e9 + 10}});
  const PlaneRect rect = state().view(Plane::spectrum).rect;
  EXPECT_LE(rect.top, full.bottom);
  EXPECT_LE(rect.left, full.right);
  controller_.dispatch(action::SetView{Plane::spectrum, {-1e12, -1e12, 1e12, 1e12}});
  EXPECT_LE(state().view(Plane::spectrum).rect.height(), 2 * full.height());
  settle();
}

TEST_F(ControllerTest, TheCrosshairShowsTheExactValueAndThatOfEachColumn) {
  open(kMatrix);
  controller_.dispatch(action::SetCrosshair{Plane::spectrum, 5.2, -3.9});
  EXPECT_EQ(state().crosshair.u, 5);
  EXPECT_EQ(state().crosshair.v, -4);
  EXPECT_DOUBLE_EQ(state().crosshair.period_rows, 60);
  settle();
  const auto exact = coefficient_at(*state().matrix()->matrix.pattern, 5, -4);
  ASSERT_TRUE(state().crosshair.coefficient);
  EXPECT_NEAR(std::abs(*state().crosshair.coefficient - exact), 0, 1e-9);
  ASSERT_EQ(state().crosshair.columns.size(), 3U);
  const ColumnProbe& elastic = state().crosshair.columns[1];
  ASSERT_TRUE(elastic.sample);
  const auto there = coefficient_at(*state().matrix()->matrix.pattern, std::llround(elastic.sample_u),
                                    std::llround(elastic.sample_v));
  EXPECT_NEAR(std::abs(*elastic.sample - there), 0, 1e-3 * std::sqrt(2500.0));
  ASSERT_TRUE(elastic.reconstruction && elastic.difference);
  EXPECT_NEAR(*elastic.difference, *elastic.reconstruction - std::abs(exact), 1e-6);
  controller_.dispatch(action::SetCrosshair{Plane::pattern, 2.5, 3.5});
  ASSERT_TRUE(state().crosshair.stored);
  EXPECT_EQ(*state().crosshair.stored, state().matrix()->matrix.pattern->contains(2, 3));
  controller_.dispatch(action::SetCrosshair{Plane::pattern, -2.5, 3.5});
  EXPECT_FALSE(state().crosshair.stored);
}

TEST_F(ControllerTest, ThePixelOfDcReadsDcWhereItsLeftEdgeIsThatOfACoefficient) {
  open("gen:band:n=512,bandwidth=5");
  const PlaneRect full = state().view(Plane::spectrum).full;
  for (const int pixels :
       {256, 128, 64}) {  // an even number of coefficients a pixel: DC is the first of them
    const double wide = full.width() / pixels;
    controller_.dispatch(
        action::SetCrosshair{Plane::spectrum, full.top + pixels / 2 * wide, full.left + pixels / 2 * wide});
    EXPECT_EQ(state().crosshair.u, 0) << pixels;
    EXPECT_EQ(state().crosshair.v, 0) << pixels;
    controller_.dispatch(action::SetCrosshair{Plane::spectrum, full.top, full.left + wide});
    EXPECT_EQ(state().crosshair.u, -256) << pixels;
    EXPECT_EQ(state().crosshair.v, -256 + 512 / pixels) << "the first coefficient of the pixel";
  }
}

TEST_F(ControllerTest, TheErrorRowPairsPicturesOfOneRectangleAndSize) {
  open(kMatrix);
  CompareSettings compare = state().compare;
  compare.rows = {true, true, true, true};
  controller_.dispatch(action::SetCompare{compare});
  controller_.dispatch(action::SetView{Plane::spectrum, {-50, -50, 40, 60}});
  act(action::SetPictureSize{Plane::spectrum, {70, 50}});
  const Picture& error = column(1).picture(Row::error);
  ASSERT_TRUE(error.shown && error.against);
  EXPECT_EQ(error.shown->rect, error.against->rect);
  EXPECT_EQ(error.shown->width, error.against->width);
  EXPECT_EQ(error.shown->height, 50U);
  EXPECT_FLOAT_EQ(error.range.low, -error.range.high);
  const Picture& other = column(2).picture(Row::error);
  EXPECT_NE(other.own_range, error.own_range);
  EXPECT_EQ(other.range, error.range) << "errors of all columns have one range";
  EXPECT_FLOAT_EQ(error.range.high, std::max(error.own_range.high, other.own_range.high));
  EXPECT_FALSE(error.busy);
  EXPECT_FALSE(column(0).picture(Row::error).empty_reason.empty());
  ScaleSettings scale = state().scale;
  scale.shared = false;
  controller_.dispatch(action::SetScale{scale});
  EXPECT_EQ(other.range, other.own_range) << "control: each column for itself";
}

TEST_F(ControllerTest, ARegionHasItsSpectrumInAColumnOfItsOwn) {
  open(kMatrix);
  const auto whole = column(1).spectrum;
  const std::size_t before = state().columns.size();
  act(action::SelectRegion{PlaneRect{10, 20, 150, 160}});
  ASSERT_EQ(state().columns.size(), before + 1);
  const Column& region = state().columns.back();
  EXPECT_EQ(region.arrangement.kind, Arrangement::Kind::region);
  EXPECT_FALSE(region.reference);
  ASSERT_TRUE(region.spectrum);
  EXPECT_EQ(region.spectrum->nonzeros,
            state().matrix()->matrix.pattern->restricted_to(10, 20, 140, 140).nonzeros());
  EXPECT_EQ(column(1).spectrum, whole) << "the others are of the whole matrix";
  controller_.dispatch(action::SelectRegion{PlaneRect{1e6, 1e6, 2e6, 2e6}});
  EXPECT_FALSE(state().region);
  EXPECT_EQ(state().columns.size(), before);
}

TEST_F(ControllerTest, SeveralMatricesAreOpenAndClosingOneShowsAnother) {
  open(kMatrix);
  controller_.dispatch(action::SetView{Plane::pattern, {0, 0, 50, 50}});
  open(kOther);
  EXPECT_EQ(column(0).spectrum->m, 210U);
  EXPECT_EQ(state().view(Plane::pattern).rect, state().view(Plane::pattern).full);
  act(action::SelectMatrix{0});
  EXPECT_EQ(column(0).spectrum->m, 300U);
  EXPECT_DOUBLE_EQ(state().view(Plane::pattern).rect.bottom, 50);
  act(action::CloseMatrix{0});
  ASSERT_EQ(state().matrices.size(), 1U);
  EXPECT_EQ(column(0).spectrum->m, 210U);
  act(action::CloseMatrix{0});
  EXPECT_EQ(state().matrix(), nullptr);
  EXPECT_FALSE(column(0).spectrum);
  EXPECT_FALSE(column(0).picture(Row::spectrum).shown);
}

TEST_F(ControllerTest, ASweepMeasuresEveryBlockMethodOverTheLadder) {
  open(kMatrix);
  controller_.dispatch(action::StartSweep{});
  EXPECT_TRUE(state().sweep_busy);
  settle();
  EXPECT_FALSE(state().sweep_busy);
  std::size_t elastic = 0;
  for (const SweepPoint& point : state().sweep) elastic += point.method == "elastic" ? 1 : 0;
  EXPECT_GE(elastic, 6U);
}

TEST(Sweep, SkipsRunsThatTakeLongerThanAllOthersTogether) {
  const auto blocks = [](const std::vector<SweepRun>& runs) {
    std::vector<std::uint32_t> of;
    for (const SweepRun& run : runs) of.push_back(run.block);
    return of;
  };
  std::vector<SweepRun> runs{
      {"elastic", 4, 4e10}, {"elastic", 2, 9e11}, {"elastic", 3, 2e11}, {"nufft", 2, 3e10}};
  EXPECT_EQ(blocks(take_dominating(runs)), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(runs.size(), 2U);
  std::vector<SweepRun> even{{"elastic", 4, 4e10}, {"elastic", 2, 5e10}, {"nufft", 2, 3e10}};
  EXPECT_TRUE(take_dominating(even).empty()) << "control: none takes longer than the others";
  std::vector<SweepRun> few{{"elastic", 4, 1e6}, {"elastic", 2, 1e9}};
  EXPECT_TRUE(take_dominating(few).empty()) << "control: what takes seconds is run";
}

TEST_F(ControllerTest, ASweepShowsTheProgressOfTheWholeAndContinuesAfterTheAdvisor) {
  open("gen:random:rows=700,cols=700,nnz=7000");
  controller_.dispatch(action::StartSweep{});
  const std::size_t runs = state().sweep_runs;
  ASSERT_GT(runs, 20U);
  double most = 0;
  const auto sweeps = [&] {
    std::vector<JobView> list = state().jobs;
    std::erase_if(list, [](const JobView& job) { return !job.title.starts_with("Sweep"); });
    return list;
  };
  const auto poll_until = [&](const auto& reached) {
    for (int k = 0; k < 100000 && !reached(); ++k) {
      test::wait_until_idle(controller_, 0.002);
      for (const JobView& job : sweeps()) {
        const double share = static_cast<double>(job.progress.done) / static_cast<double>(job.progress.total);
        EXPECT_GE(share, most - 1e-6) << "progress of the whole never falls";
        most = std::max(most, share);
        EXPECT_NE(job.title.find(" of " + std::to_string(runs)), std::string::npos) << job.title;
      }
    }
    return reached();
  };
  ASSERT_TRUE(poll_until([&] { return state().sweep_ended >= 3; }));
  controller_.dispatch(action::AskAdvisor{});
  const std::size_t ended = state().sweep_ended;
  most = 0;  // what was done of the run that is interrupted is lost
  std::size_t ended_meanwhile = ended;
  ASSERT_TRUE(poll_until([&] {
    EXPECT_TRUE(!state().advisor.busy || sweeps().empty()) << "the sweep pauses";
    if (state().advisor.busy) ended_meanwhile = state().sweep_ended;
    return !state().advisor.busy;
  }));
  EXPECT_LE(ended_meanwhile, ended + 1) << "the advisor did not wait for the sweep";
  EXPECT_FALSE(state().advisor.known.prospects.empty());
  most = 0;
  settle();
  EXPECT_EQ(state().sweep_ended, runs);
  const std::size_t points = state().sweep.size();
  act(action::StartSweep{});
  EXPECT_EQ(points, state().sweep.size()) << "also the run that was interrupted";
}

TEST_F(ControllerTest, ASessionReproducesTheView) {
  open(kMatrix);
  controller_.dispatch(action::SetBlock{9});
  controller_.dispatch(action::SetColumnBlock{column(2).id, 12});
  Settings settings = state().settings;
  settings.grid_form = GridForm::rows_large;
  controller_.dispatch(action::SetSettings{settings});
  controller_.dispatch(action::SetView{Plane::spectrum, {-20, -10, 20, 30}});
  ScaleSettings scale = state().scale;
  scale.curve = Curve::decibel;
  scale.low_percent = 2;
  scale.reduced = ReducedPlacement::centre;
  act(action::SetScale{scale});
  const std::string file = scratch_.file("view.json");
  act(action::SaveSession{file});
  ASSERT_TRUE(fs::exists(file));

  Controller other(with_figures());
  other.dispatch(action::SetPictureSize{Plane::spectrum, {96, 64}});
  other.dispatch(action::LoadSession{file});
  ASSERT_TRUE(test::wait_until_idle(other, test::kPatience));
  const AppState& again = other.state();
  ASSERT_NE(again.matrix(), nullptr);
  EXPECT_EQ(again.matrix()->matrix.pattern->fingerprint(), state().matrix()->matrix.pattern->fingerprint());
  EXPECT_EQ(to_json_text(session_of(again)), to_json_text(session_of(state())));
  ASSERT_EQ(again.columns.size(), 3U);
  EXPECT_EQ(again.columns[2].block, 12U);
  EXPECT_EQ(again.settings.grid_form, GridForm::rows_large);
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_TRUE(again.columns[k].picture(Row::spectrum).shown) << k;
    const auto& a = again.columns[k].picture(Row::spectrum).shown->cells;
    const auto& b = column(k).picture(Row::spectrum).shown->cells;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t cell = 0; cell < a.size(); ++cell) {
      if (!std::isfinite(b[cell])) continue;
      ASSERT_NEAR(a[cell], b[cell], 1e-3F * std::abs(b[cell]) + 1e-2F) << k << ' ' << cell;
    }
  }
}

TEST_F(ControllerTest, ASessionThatCannotBeUsedChangesNothing) {
  open(kMatrix);
  const std::string before = to_json_text(session_of(state()));
  for (const char* text : {"{", "[]", R"({"format":"spyctrum-session","version":99})",
                           R"({"format":"spyctrum-session","version":1,"scale":{"curve":"wavy"}})"}) {
    act(action::LoadSession{scratch_.write("bad.json", text)});
    EXPECT_EQ(to_json_text(session_of(state())), before) << text;
  }
  EXPECT_EQ(controller_.load_failures().size(), 4U);
}

TEST_F(ControllerTest, SettingsAndRecentFilesAreRemembered) {
  Controller::Options options = with_figures();
  options.folders = {scratch_.file("config"), scratch_.file("state")};
  {
    Controller first(options);
    Settings settings = first.state().settings;
    settings.ui_scale = 1.5;
    settings.theme = Theme::light;
    settings.grid_form = GridForm::columns_large;
    EXPECT_TRUE(settings.square_units) << "square units are the default";
    first.dispatch(action::SetSettings{settings});
    first.dispatch(action::SetKeepAspect{false});
    first.dispatch(action::OpenFile{kOther});
    ASSERT_TRUE(test::wait_until_idle(first, test::kPatience));
  }
  const Controller second(options);
  EXPECT_EQ(second.state().settings.ui_scale, 1.5);
  EXPECT_EQ(second.state().settings.theme, Theme::light);
  EXPECT_EQ(second.state().settings.grid_form, GridForm::columns_large);
  EXPECT_FALSE(second.state().settings.square_units);
  ASSERT_EQ(second.state().recent.size(), 1U);
  EXPECT_EQ(second.state().recent[0], kOther);
}

TEST_F(ControllerTest, ADamagedSettingsFileGivesTheDefaultsAndAMessage) {
  fs::create_directories(scratch_.file("config"));
  std::ofstream(scratch_.file("config") + "/settings.json") << "{ \"ui_scale\": ";
  Controller::Options options = with_figures();
  options.folders = {scratch_.file("config"), scratch_.file("state")};
  const Controller controller(options);
  EXPECT_EQ(controller.state().settings.ui_scale, 0);
  ASSERT_FALSE(controller.state().log.empty());
  EXPECT_NE(controller.state().log[0].text.find("settings.json"), std::string::npos);
}

TEST_F(ControllerTest, FilesWhoseNamesAreNoUtf8AreKeptInRecentFilesAndSessions) {
  const std::string file = scratch_.file("b 100%\xE9.mtx");
  std::ofstream(file) << "%%MatrixMarket matrix coordinate pattern general\n6 5 2\n1 1\n2 3\n";
  const Folders folders{scratch_.file("config"), scratch_.file("state"), {}};
  ASSERT_TRUE(keep(folders, {}, {file, kMatrix}));
  EXPECT_EQ(remember(folders).recent, (std::vector<std::string>{file, kMatrix}));
  open(file);
  EXPECT_EQ(state().matrix()->matrix.name, "b 100%\\xE9");
  act(action::SaveSession{scratch_.file("session.json")});
  act(action::CloseMatrix{0});
  act(action::LoadSession{scratch_.file("session.json")});
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_EQ(state().matrix()->source, file);
}

TEST_F(ControllerTest, ExportsAreWrittenAndFailuresNameTheFile) {
  open(kMatrix);
  controller_.dispatch(action::ExportFeatures{scratch_.file("features.csv")});
  controller_.dispatch(action::ExportFeatures{scratch_.file("features.json")});
  controller_.dispatch(action::ExportValues{column(1).id, scratch_.file("values.npz")});
  controller_.dispatch(action::ExportPicture{column(0).id, Row::spectrum, scratch_.file("picture.png")});
  controller_.dispatch(action::ExportFigure{{}, scratch_.file("figure.svg")});
  controller_.dispatch(action::ExportFigure{{}, scratch_.file("figure.pdf"), true});
  act(action::ExportFigure{action::ExportFigure::One{column(0).id, Row::spectrum}, scratch_.file("one.png")});
  for (const char* name : {"features.csv", "features.json", "values.npz", "picture.png", "figure.svg",
                           "figure.pdf", "one.png"}) {
    EXPECT_TRUE(fs::exists(scratch_.file(name)) && fs::file_size(scratch_.file(name)) > 20) << name;
  }
  std::ifstream figure(scratch_.file("figure.pdf"));
  const std::string said(std::istreambuf_iterator<char>(figure), {});
  EXPECT_NE(said.find("K = "), std::string::npos) << said;
  EXPECT_NE(said.find("b = 16"), std::string::npos) << said;
  EXPECT_NE(said.find(", exact"), std::string::npos) << said;
  EXPECT_NE(said.find("dark"), std::string::npos) << said;
  act(action::ExportFeatures{scratch_.file("no/such/folder/features.csv")});
  EXPECT_TRUE(log_has("no/such/folder"));
}

TEST_F(ControllerTest, PatternsOfAFigureHaveTheBarsAndTheWordsOfWhatTheyShow) {
  std::optional<ComparisonFigure> figure;
  Controller::Options options = with_figures();
  options.write_figure = [&](const std::string&, const ComparisonFigure& written, double) -> Result<void> {
    figure = written;
    return {};
  };
  Controller controller(options);
  controller.dispatch(action::SetPictureSize{Plane::pattern, {60, 60}});
  controller.dispatch(action::SetPictureSize{Plane::spectrum, {60, 60}});
  const auto draw = [&](const std::string& source, Weights weights) {
    controller.dispatch(action::OpenFile{source, true, Reading{{}, weights}});
    EXPECT_TRUE(test::wait_until_idle(controller, test::kPatience));
    controller.dispatch(action::ExportFigure{{}, scratch_.file("figure.pdf")});
    EXPECT_TRUE(test::wait_until_idle(controller, test::kPatience));
  };
  const auto range = [&](std::size_t k) {
    return controller.state().columns.at(k).picture(Row::pattern).range;
  };
  draw("gen:random:n=300,nnz=3000", Weights::pattern);
  ASSERT_TRUE(figure && figure->headings.size() == 3);
  const std::vector<std::optional<FigurePicture>>& patterns = figure->rows.front().pictures;
  ASSERT_NE(range(2), range(0)) << "control: blocks are emptier than their fullest places";
  EXPECT_EQ(figure->rows.front().range, range(0));
  EXPECT_EQ(patterns[1]->own_map, nullptr) << "Elastic has the same pattern";
  ASSERT_NE(patterns[2]->own_map, nullptr);
  EXPECT_EQ(patterns[2]->own_range, range(2));
  EXPECT_EQ(patterns[0]->caption, "pattern");
  EXPECT_EQ(patterns[2]->caption, "counts per 16 × 16 block, own range");
  draw("gen:contact-map:n=200", Weights::value);
  EXPECT_EQ(figure->rows.front().unit, "sum of values") << "of counts, none of which is negative";
  EXPECT_TRUE(patterns[2]->caption.starts_with("sums per 16 × 16 block")) << patterns[2]->caption;
}

TEST_F(ControllerTest, APinnedToastStaysAndRequestsNoFrame) {
  controller_.dispatch(action::Notify{Level::info, "kept"});
  ASSERT_EQ(state().toasts.size(), 1U);
  EXPECT_GE(controller_.next_change_in(), 0) << "control: it will expire";
  controller_.dispatch(action::PinToast{state().toasts.front().id});
  EXPECT_TRUE(state().toasts.front().pinned);
  EXPECT_LT(controller_.next_change_in(), 0);
}

TEST(MakePicture, AveragesFewSamplesOfThePlaneOverSquaresBesideTheAxes) {
  JobContext context(test::pool());
  const auto matrix = generate("gen:random:rows=3000,cols=3000,nnz=20000", context);
  ASSERT_TRUE(matrix);
  PictureSpec spec;
  spec.source = PictureSpec::Source::coefficients;
  spec.pattern = matrix->pattern;
  spec.area = {full_spectrum_rect(3000, 3000), 128, 128};
  spec.budget = 1U << 18U;
  const ImagePtr single = make_picture(spec, {}, nullptr, context).image;
  spec.samples_per_cell = kSamplesPerCell;
  const ImagePtr mean = make_picture(spec, {}, nullptr, context).image;
  EXPECT_GT(single->relative_error, 0.2);
  EXPECT_LE(mean->relative_error, 0.125);
  const auto at = [](const CellImage& image, std::size_t row, std::size_t col) {
    return image.cells[2 * (row * image.width + col)];
  };
  EXPECT_EQ(at(*mean, 10, 10), at(*mean, 11, 11));
  EXPECT_NE(at(*single, 10, 10), at(*single, 11, 11)) << "control";
  double of_single = 0, of_mean = 0;
  for (std::size_t row = 0; row < 60; ++row)
    for (std::size_t col = 0; col < 60; ++col) {
      of_single += static_cast<double>(at(*single, row, col));
      of_mean += static_cast<double>(at(*mean, row, col));
    }
  EXPECT_NEAR(of_mean / of_single, 1, 1e-4) << "no power is lost";
  EXPECT_EQ(at(*mean, 10, 64), at(*single, 10, 64)) << "on v = 0";
}

TEST(MakePicture, OnlyTheCellsThatShowFrequencyZeroAreOnTheAxes) {
  // Edges at −4.25, −0.25, 3.75: the index 0, which covers −½ … ½, reaches into two cells and is shown by
  // one.
  CellImage image;
  image.rect = {-8.25, -8.25, 7.75, 7.75};
  image.height = image.width = 4;
  for (std::size_t cell = 0; cell < 16; ++cell) {
    const float value = cell / 4 == 2 || cell % 4 == 2 ? 1000.0F : 1.0F;
    image.cells.insert(image.cells.end(), {value, value});
  }
  RangeSpec spec;
  spec.skip_axes = true;
  const ImageRange measured = measure(image, spec, test::pool());
  std::uint64_t counted = 0;
  for (const std::uint32_t count : measured.histogram.counts) counted += count;
  EXPECT_EQ(counted, 9U);
  EXPECT_LT(measured.range.high, 1) << "the range omits the same cells";

  JobContext context(test::pool());
  const auto matrix = generate("gen:random:rows=3000,cols=3000,nnz=20000", context);
  ASSERT_TRUE(matrix);
  PictureSpec picture;
  picture.source = PictureSpec::Source::coefficients;
  picture.pattern = matrix->pattern;
  picture.area = {{-1300.25, -1300.25, 1259.75, 1259.75}, 128, 128};  // 20 indices in a cell; cell 65 shows 0
  picture.budget = 1U << 18U;
  picture.samples_per_cell = kSamplesPerCell;
  const ImagePtr mean = make_picture(picture, {}, nullptr, context).image;
  const auto at = [&](std::size_t row, std::size_t col) {
    return mean->cells[2 * (row * mean->width + col)];
  };
  EXPECT_EQ(at(10, 64), at(11, 64)) << "the cells beside v = 0 are averaged as all others";
  EXPECT_NE(at(10, 65), at(11, 65)) << "control: v = 0";
}

TEST(ExportedPicture, OfAPatternIsColouredByEntriesPerPositionAsOnTheScreen) {
  CellImage image;
  image.height = 1;
  image.width = 3;
  image.cells = {100, 0.01F, 100, 1, 50, 1};  // counts and entries per position
  PictureRecord record;
  record.image = std::make_shared<const CellImage>(image);
  record.range = {-2, 0};
  record.row = Row::pattern;
  record.scale.curve = Curve::log;
  const std::vector<std::uint32_t> colors = colors_of(record);
  EXPECT_NE(colors[0], colors[1]) << "as many entries in a larger cell";
  EXPECT_EQ(colors[1], colors[2]) << "two full cells";
}

TEST(ExportedPicture, OfAPatternShowsTheSmallestShareBesideAPlaceWithoutEntries) {
  CellImage image;
  image.height = 1;
  image.width = 3;
  image.cells = {1, 1e-6F, 0, 0, 1, 1e-5F};
  PictureRecord record;
  record.image = std::make_shared<const CellImage>(image);
  record.range = {-6, 0};
  record.row = Row::pattern;
  for (const Curve curve : {Curve::log, Curve::linear}) {
    record.scale.curve = curve;
    const std::vector<std::uint32_t> colors = colors_of(record);
    EXPECT_EQ(colors[1], 0U);
    EXPECT_GT(colors[0] >> 16U, 60U) << "seen beside black";
  }
  record.scale.curve = Curve::log;
  const std::vector<std::uint32_t> colors = colors_of(record);
  EXPECT_NE(colors[0], colors[2]) << "small shares keep colours of their own";
  const auto& least = map_of(record).rgb[0];
  EXPECT_EQ(colors[0], static_cast<std::uint32_t>(least[0] << 16U | least[1] << 8U | least[2]))
      << "the bar begins with the smallest share";
}

TEST_F(ControllerTest, WorkersWakeTheInterface) {
  std::atomic<int> woken{0};
  Controller::Options options = with_figures();
  options.wake = [&] { ++woken; };
  Controller controller(options);
  controller.dispatch(action::OpenFile{kOther});
  ASSERT_TRUE(test::wait_until_idle(controller, test::kPatience));
  EXPECT_GT(woken.load(), 0);
  EXPECT_FALSE(controller.poll());
}

TEST_F(ControllerTest, ARunBeyondTheMemoryAllowanceIsRefusedAndTheOthersContinue) {
  Settings settings = state().settings;
  settings.memory_bytes = 300'000;
  controller_.dispatch(action::SetSettings{settings});
  controller_.dispatch(action::OpenFile{"gen:random:n=3000,nnz=20000"});
  act(action::SetBlock{1});
  ASSERT_TRUE(column(1).error || state().matrices.empty());
  if (column(1).error) {
    EXPECT_EQ(column(1).error->code, ErrorCode::out_of_memory);
  }
  settings.memory_bytes = 0;
  controller_.dispatch(action::SetSettings{settings});
  act(action::OpenFile{kOther});
  EXPECT_TRUE(column(0).spectrum);
}

/// Random actions, and the controller destroyed at a random moment: no data race, no hang, no unfinished
/// column.
TEST_F(ControllerTest, RandomSequencesOfActionsEndInAConsistentState) {
  std::mt19937 random(20240711);
  const auto below = [&](std::size_t count) { return static_cast<std::uint32_t>(random() % count); };
  const std::array<const char*, 4> sources{kMatrix, kOther, "gen:arrow:n=150,head=4",
                                           "gen:random:n=900,nnz=9000"};
  const std::array<const char*, 4> kinds{"elastic", "density-map", "bs-fft", "exact"};
  for (int round = 0; round < 3; ++round) {
    Controller controller(with_figures());
    controller.dispatch(action::SetPictureSize{Plane::pattern, {64, 48}});
    controller.dispatch(action::SetPictureSize{Plane::spectrum, {64, 48}});
    for (int step = 0; step < 120; ++step) {
      const AppState& state = controller.state();
      const ColumnId some = state.columns.empty() ? 0 : state.columns[below(state.columns.size())].id;
      const double place = static_cast<double>(below(200)) - 100;
      switch (below(14)) {
        case 0:
          controller.dispatch(action::OpenFile{sources[below(4)]});
          break;
        case 1:
          if (state.columns.size() < 5) controller.dispatch(action::AddColumn{kinds[below(4)]});
          break;
        case 2:
          if (state.columns.size() > 1) controller.dispatch(action::RemoveColumn{some});
          break;
        case 3:
          if (!state.matrices.empty())
            controller.dispatch(action::SelectMatrix{below(state.matrices.size())});
          break;
        case 4:
          if (state.matrices.size() > 2) controller.dispatch(action::CloseMatrix{0});
          break;
        case 5:
          if (!state.jobs.empty())
            controller.dispatch(action::CancelJob{state.jobs[below(state.jobs.size())].id});
          break;
        case 6:
          controller.dispatch(action::SetCrosshair{Plane::spectrum, place, -place});
          break;
        case 7:
          controller.dispatch(action::SetView{Plane::spectrum, {place, place, place + 40, place + 30}});
          break;
        case 8:
          controller.dispatch(action::CancelNewest{});
          break;
        case 9:
          controller.dispatch(action::StartSweep{});
          break;
        case 10:
          controller.dispatch(action::RunColumn{some});
          break;
        case 11:
          controller.dispatch(
              action::SelectRegion{below(2) == 0 ? std::optional(PlaneRect{0, 0, 70, 70}) : std::nullopt});
          break;
        default:
          controller.dispatch(action::SetBlock{1 + below(128)});
          break;
      }
      if (below(3) == 0) controller.poll();
      if (below(10) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(below(15)));
    }
    if (round == 1) continue;  // destroyed while jobs run
    // A file that is still being read would be selected once it is complete.
    ASSERT_TRUE(test::wait_until_idle(controller, test::kPatience));
    controller.dispatch(action::SetBlock{16});
    controller.dispatch(action::OpenFile{kMatrix});
    ASSERT_TRUE(test::wait_until_idle(controller, test::kPatience));
    // A run of this matrix that was cancelled begins again on request only.
    for (std::size_t k = 0; k < controller.state().columns.size(); ++k)
      if (const Column& column = controller.state().columns[k];
          column.error && column.error->code == ErrorCode::cancelled)
        controller.dispatch(action::RunColumn{column.id});
    ASSERT_TRUE(test::wait_until_idle(controller, test::kPatience));
    for (const Column& column : controller.state().columns) {
      EXPECT_FALSE(column.busy);
      ASSERT_TRUE(column.spectrum) << column.label << (column.error ? column.error->message() : "");
      EXPECT_EQ(column.spectrum->m, 300U);
      if (column.uses_block) {
        EXPECT_EQ(column.spectrum->block, 16U);
      }
    }
    EXPECT_TRUE(controller.state().jobs.empty());
  }
}

TEST_F(ControllerTest, ThePatternReadSoFarIsShownBeforeTheFileEnds) {
  const std::string path = scratch_.file("slow.mtx");
  SlowFile file(path);
  controller_.dispatch(action::OpenFile{path});
  // More than one block of text: the reader has parsed a part of it while it waits for the rest.
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n1000 1000 400000\n";
  std::thread writer([&] {
    for (int k = 0; k < 200000; ++k) text += "7 9\n1000 1000\n";
    file.write(text.substr(0, text.size() - 10));
  });
  const auto count = [&](std::size_t row, std::size_t col) {
    const CellImage& image = *state().loading.front().preview;
    return image.cells[2 * (row * image.width + col)];
  };
  // Cells are counted while others are read: the two agree once the reader waits for the rest of the file.
  const auto is_settled = [&] {
    return !state().loading.empty() && state().loading.front().preview != nullptr &&
           count(6 * 512 / 1000, 8 * 512 / 1000) > 0 &&
           std::abs(count(511, 511) - count(6 * 512 / 1000, 8 * 512 / 1000)) <= 1;
  };
  for (int i = 0; i < 60000 && !is_settled(); ++i) {
    controller_.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_TRUE(is_settled());
  EXPECT_EQ(state().matrix(), nullptr);
  const LoadingMatrix& loading = state().loading.front();
  EXPECT_EQ(loading.declared_entries, 400000U);
  EXPECT_GT(loading.entries, 0U);
  EXPECT_LT(loading.entries, 400000U);
  const CellImage& image = *loading.preview;
  EXPECT_EQ(image.height, 512U);
  EXPECT_EQ(image.width, 512U);
  EXPECT_EQ(image.rect, full_pattern_rect(1000, 1000));
  EXPECT_EQ(count(0, 0), 0);
  writer.join();
  file.write("1000 1000\n");
  file.finish();
  settle();
  ASSERT_NE(state().matrix(), nullptr);
  EXPECT_TRUE(state().loading.empty());
  EXPECT_EQ(state().matrix()->matrix.pattern->nonzeros(), 2);
}

}  // namespace
}  // namespace spyctrum
