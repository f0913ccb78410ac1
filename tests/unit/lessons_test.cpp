// SPDX-License-Identifier: Apache-2.0
// Lessons: the parser with good and bad files, and the controller with lessons, without a window.
#include "app/controller/lessons/lesson.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "app/controller/controller.hpp"
#include "core/matrix/drawing.hpp"
#include "core/matrix/random.hpp"
#include "tests/support/wait_until_idle.hpp"

namespace spyctrum {
namespace {

namespace fs = std::filesystem;

const std::string kHead = "spyctrum lesson 1\ntitle: T\n";
const std::string kStep = "step: S\ntext: words\nmatrix: gen:diagonal:n=8\n";

std::string message_of(const std::string& text) {
  const auto lesson = parse_lesson(text, "/tmp/bad.lesson");
  return lesson ? "no error" : lesson.error().message();
}

std::vector<fs::path> own_lessons() {
  std::vector<fs::path> files;
  for (const auto& one : fs::directory_iterator(SPYCTRUM_SOURCE_DIR "/assets/lessons"))
    if (is_lesson_file(one.path().string())) files.push_back(one.path());
  std::ranges::sort(files);
  return files;
}

std::string content_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Drawing drawing_of(const SparsePattern& pattern) {
  Drawing drawing(static_cast<std::uint32_t>(pattern.rows()), static_cast<std::uint32_t>(pattern.cols()));
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k)
    for (const Index row : pattern.column(k)) drawing.at(row, pattern.column_ids()[k]) = 1;
  return drawing;
}

TEST(Drawings, TextAndBackIsTheSameDrawing) {
  const CounterRandom random(7, 0);
  for (std::uint64_t t = 0; t < 60; ++t) {
    Drawing drawing(1 + static_cast<std::uint32_t>(random.bits(3 * t) % 128),
                    1 + static_cast<std::uint32_t>(random.bits(3 * t + 1) % 128));
    for (std::size_t k = 0; k < drawing.stored.size(); ++k)
      drawing.stored[k] = random.bits(1000 + t * 20000 + k) % (1 + t % 9) == 0 ? 1 : 0;
    const auto again = parse_drawing(drawing_text(drawing));
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(*again, drawing);
    EXPECT_EQ(drawing_of(*matrix_of(drawing).pattern), drawing);
  }
  EXPECT_EQ(drawing_text(parse_drawing("gen:drawing:3x3:o2b$bo$2bo").value()), "gen:drawing:3x3:o$bo$2bo");
}

TEST(Drawings, TextsThatAreNoDrawingsAreRefused) {
  for (const char* text :
       {"gen:drawing:", "gen:drawing:3", "gen:drawing:0x3:", "gen:drawing:129x3:", "gen:drawing:3x3o",
        "gen:drawing:3x3:4o", "gen:drawing:3x3:3$o", "gen:drawing:3x3:99999999999999o", "gen:drawing:3x3:x",
        "gen:drawing:3x3:3", "gen:drawing:-1x3:", "gen:band:n=3"})
    EXPECT_FALSE(parse_drawing(text)) << text;
}

TEST(Drawings, StrokesDrawWhatTheySayAndNothingOutside) {
  const auto drawn = [](Stroke stroke, std::uint32_t rows = 5, std::uint32_t cols = 6) {
    Drawing drawing(rows, cols);
    apply(stroke, drawing);
    return drawing_text(drawing).substr(std::string("gen:drawing:5x6:").size());
  };
  using Tool = Stroke::Tool;
  EXPECT_EQ(drawn({.tool = Tool::point, .from = {1, 1}, .to = {1, 3}}), "$b3o");
  EXPECT_EQ(drawn({.tool = Tool::line, .from = {0, 0}, .to = {4, 4}}), "o$bo$2bo$3bo$4bo");
  EXPECT_EQ(drawn({.tool = Tool::line, .from = {-9, 2}, .to = {99, 2}}), "2bo$2bo$2bo$2bo$2bo");
  EXPECT_EQ(drawn({.tool = Tool::diagonal, .from = {}, .to = {2, 4}}), "2bo$3bo$4bo$5bo");
  EXPECT_EQ(drawn({.tool = Tool::block, .from = {3, 9}, .to = {2, 4}}), "2$4b2o$4b2o");
  EXPECT_EQ(drawn({.tool = Tool::stamp, .from = {}, .to = {4, 5}, .period = 3}), "$2bo2bo3$2bo2bo");
  EXPECT_EQ(drawn({.tool = Tool::point, .from = {0, 3}, .to = {0, 3}, .mirrors = true}), "3bo3$o");
  EXPECT_EQ(drawn({.tool = Tool::point, .from = {-1, 0}, .to = {-1, 0}}), "");
}

TEST(Lessons, EveryFieldReachesItsStep) {
  const auto lesson = parse_lesson(
      kHead +
          "about: A\nstep: S\ntext: one\n  two\nmatrix:\n  #..\n  .#.\ncolumns: exact, elastic block=4, "
          "exact "
          "order=rcm\nblock: 8\nrows: pattern, error\nspectrum: -2..3, 0..1\npattern: 0..1, 1..2\nregion: "
          "0..0, "
          "0..1\nwave: -1, 2\nscale: curve=linear skip_dc=no\ntry: T\nask: Q\nchoice: a\nanswer: b\nbefore: "
          "spectrum\nreveal: R\n\n# comment\nstep: S2\ntext: x\nweights: value\n",
      "/tmp/some.lesson");
  ASSERT_TRUE(lesson) << lesson.error().message();
  ASSERT_EQ(lesson->steps.size(), 2U);
  const LessonStep& step = lesson->steps[0];
  EXPECT_EQ(step.text, "one two");
  EXPECT_EQ(step.session.matrices.front().source, "gen:drawing:2x3:o$bo");
  ASSERT_EQ(step.session.columns.size(), 3U);
  EXPECT_EQ(step.session.columns[1].block, 4U);
  EXPECT_EQ(step.session.columns[2].arrangement.order, "rcm");
  EXPECT_EQ(step.session.block, 8U);
  EXPECT_EQ(step.session.rows, (std::array{true, false, false, true}));
  EXPECT_EQ(step.views[1], (PlaneRect{-2.5, -0.5, 3.5, 1.5}));
  EXPECT_EQ(step.views[0], (PlaneRect{0, 1, 2, 3}));
  EXPECT_EQ(step.session.region, (PlaneRect{0, 0, 1, 2}));
  EXPECT_EQ(step.session.wave, std::pair(std::int64_t{-1}, std::int64_t{2}));
  EXPECT_EQ(step.session.scale.curve, Curve::linear);
  EXPECT_FALSE(step.session.scale.skip_dc);
  EXPECT_EQ(step.answer, 1U);
  EXPECT_EQ(step.rows_before, (std::array{false, true, false, false}));
  const LessonStep& next = lesson->steps[1];
  EXPECT_EQ(next.session.columns.size(), 3U) << "columns stay";
  EXPECT_FALSE(next.session.wave) << "a wave does not stay";
  EXPECT_EQ(next.session.matrices.front().reading.weights, Weights::value);
  EXPECT_TRUE(next.question.empty());
}

TEST(Lessons, ADrawnMatrixMayHaveAllTheRowsThatADrawingHas) {
  std::string text = kHead + "step: S\ntext: words\nfolding: yes\nmatrix:\n";
  for (std::uint32_t k = 0; k < kLargestDrawing; ++k) text += "  " + std::string(kLargestDrawing, '#') + "\n";
  const auto lesson = parse_lesson(text, "/tmp/drawn.lesson");
  ASSERT_TRUE(lesson) << lesson.error().message();
  EXPECT_TRUE(lesson->steps[0].folding);
  const auto drawing = parse_drawing(lesson->steps[0].session.matrices[0].source);
  ASSERT_TRUE(drawing);
  EXPECT_EQ(drawing->rows, kLargestDrawing);
  EXPECT_EQ(std::ranges::count(drawing->stored, 1), 128 * 128);
}

TEST(Lessons, MessagesNameTheLine) {
  const std::pair<std::string, std::string> kBad[] = {
      {"", "line 0: the file is empty"},
      {"hello\n", "line 1: a lesson begins with"},
      {kHead, "line 2: the lesson has no step"},
      {kHead + kStep + "colour: red\n", "line 6: there is no field \"colour\""},
      {kHead + "text: x\n", "line 3: there is no field \"text\""},
      {kHead + kStep + "columns: exact, fourier\n", "line 6: \"fourier\" is no method"},
      {kHead + kStep + "columns: elastic block=0\n", "line 6: "},
      {kHead + kStep + "columns: exact order=best\n", "line 6: \"best\" is no order"},
      {kHead + kStep + "block: many\n", "line 6: \"many\" is not a whole number"},
      {kHead + kStep + "block: 99999999999999999999\n", "line 6: "},
      {kHead + kStep + "rows: picture\n", "line 6: \"picture\" is no row"},
      {kHead + kStep + "spectrum: 3..1, 0..2\n", "line 6: \"3..1\" ends before it begins"},
      {kHead + kStep + "wave: 3\n", "line 6: \"3\" is no frequency"},
      {kHead + kStep + "folding: often\n", "line 6: folding: is yes or no"},
      {kHead + kStep + "scale: curve=round\n", "line 6: the scale cannot be used"},
      {kHead + kStep + "scale: sound=on\n", "line 6: \"sound\" is no setting"},
      {kHead + kStep + "weights: heavy\n", "line 6: "},
      {kHead + kStep + "ask: Q\nchoice: a\n", "line 7: step \"S\" asks, but has no two choices"},
      {kHead + kStep + "reveal: R\n", "line 6: step \"S\" has an answer but no ask"},
      {kHead + "step: S\ntext: x\n", "line 4: step \"S\" has no matrix"},
      {kHead + "step: S\nmatrix: gen:bandd:n=3\n", R"(line 4: "bandd" is not a kind of matrix)"},
      {kHead + "step: S\nmatrix:\n  #.\n  .x\n", "line 4: 'x' stands in the drawn matrix"},
      {kHead + "step: S\nmatrix: gen:drawing:200x200:\n", "line 4: gen:drawing:200x200:: its sides"},
      {kHead + "  more\nno colon\n", R"(line 4: "no colon" is not "field: value")"},
      {kHead + std::string("step: \x01\n"), "line 3: a control character"},
      {kHead + kStep + "text: " + std::string(3000, 'x') + "\n", "line 6: text: is longer than 2000 bytes"},
  };
  for (const auto& [text, expected] : kBad)
    EXPECT_NE(message_of(text).find("bad.lesson, " + expected), std::string::npos)
        << expected << "\n  but: " << message_of(text);
  EXPECT_NE(read_lesson("/nowhere/x.lesson").error().message().find("/nowhere/x.lesson"), std::string::npos);
}

TEST(Lessons, DamagedFilesAreReadOrRefusedWithALine) {
  const CounterRandom random(3, 0);
  std::uint64_t draw = 0;
  for (const fs::path& file : own_lessons()) {
    const std::string whole = content_of(file);
    for (int t = 0; t < 150; ++t) {
      std::string damaged = whole.substr(0, random.below(++draw, whole.size() + 1));
      for (int k = 0; k < t % 4 && !damaged.empty(); ++k) {
        const auto letter = static_cast<char>(random.bits(++draw));
        damaged[random.below(++draw, damaged.size())] = letter;
      }
      const auto lesson = parse_lesson(damaged, file.string());
      EXPECT_TRUE(lesson || lesson.error().message().find(", line ") != std::string::npos);
    }
  }
}

TEST(Lessons, TenComeWithTheProgramAndAllCanBeRead) {
  const std::vector<fs::path> files = own_lessons();
  EXPECT_EQ(files.size(), 10U);
  for (const fs::path& file : files) {
    const auto lesson = read_lesson(file.string());
    ASSERT_TRUE(lesson) << lesson.error().message();
    EXPECT_FALSE(lesson->about.empty()) << file;
    EXPECT_GE(lesson->steps.size(), 3U) << file;
  }
}

class LessonFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    Controller::Options options;
    options.lessons = {folder_.string(), "/nowhere"};
    write(kHead + kStep + "wave: 1, 1\nstep: Two\ntext: x\nmatrix: gen:band:n=9,bandwidth=1\n");
    controller_ = std::make_unique<Controller>(options);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& text) {
    std::ofstream(file()) << text;
    // A time of its own, also where the clock of the file system is coarse.
    fs::last_write_time(file(), fs::file_time_type::clock::now() + std::chrono::seconds(++writes_));
  }
  [[nodiscard]] std::string file() const { return (folder_ / "one.lesson").string(); }
  void act(const Action& action) {
    controller_->dispatch(action);
    EXPECT_TRUE(test::wait_until_idle(*controller_, 60));
  }
  [[nodiscard]] const AppState& state() const { return controller_->state(); }

  fs::path folder_ = fs::path(::testing::TempDir()) / "spyctrum_lessons";
  int writes_ = 0;
  std::unique_ptr<Controller> controller_;
};

TEST_F(LessonFiles, ClosingALessonBringsBackWhatWasThereBefore) {
  ASSERT_EQ(state().lessons.known.size(), 1U);
  EXPECT_EQ(state().lessons.known.front().title, "T");
  act(action::OpenFile{"gen:random:n=20,nnz=50"});
  act(action::SetBlock{5});
  const std::size_t columns = state().columns.size();
  act(action::OpenFile{file()});
  ASSERT_TRUE(state().lessons.lesson);
  EXPECT_EQ(state().matrix()->source, "gen:diagonal:n=8");
  EXPECT_EQ(state().columns.size(), 1U);
  EXPECT_TRUE(state().wave);
  act(action::ShowStep{1});
  EXPECT_EQ(state().matrix()->source, "gen:band:n=9,bandwidth=1");
  EXPECT_EQ(state().matrices.size(), 2U) << "the matrix of the first step was closed";
  EXPECT_FALSE(state().wave);
  act(action::ShowStep{7});
  EXPECT_EQ(state().lessons.step, 1U);
  act(action::CloseLesson{});
  EXPECT_FALSE(state().lessons.lesson);
  ASSERT_TRUE(state().matrix());
  EXPECT_EQ(state().matrix()->source, "gen:random:n=20,nnz=50");
  EXPECT_EQ(state().matrices.size(), 1U);
  EXPECT_EQ(state().block, 5U);
  EXPECT_EQ(state().columns.size(), columns);
  ASSERT_EQ(state().recent.size(), 1U) << "matrices of lessons are no recent files";
}

TEST_F(LessonFiles, ASavedFileIsReadAgainAndAnErrorLeavesTheOldOne) {
  act(action::OpenLesson{file()});
  act(action::ShowStep{1});
  const auto until = [&](const auto& reached) {
    for (int k = 0; k < 600 && !reached(); ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      test::wait_until_idle(*controller_, 60);
    }
    return reached();
  };
  write(kHead + kStep + "step: Two\ntext: y\nmatrix: gen:band:n=7,bandwidth=1\n");
  EXPECT_TRUE(until(
      [&] { return state().matrix() != nullptr && state().matrix()->source == "gen:band:n=7,bandwidth=1"; }));
  EXPECT_EQ(state().lessons.step, 1U);
  write(kHead + kStep + "nonsense: 1\n");
  EXPECT_TRUE(until([&] { return !state().lessons.problem.empty(); }));
  EXPECT_NE(state().lessons.problem.find("one.lesson, line 6"), std::string::npos) << state().lessons.problem;
  EXPECT_EQ(state().lessons.lesson->steps.size(), 2U);
}

TEST_F(LessonFiles, AMatrixThatCannotBeOpenedIsReportedWithItsLineAndTheLessonContinues) {
  write(kHead + kStep +
        "step: A\ntext: x\nmatrix: missing.mtx\nstep: B\ntext: x\nmatrix: "
        "gen:random:n=4000000000,nnz=1000000000000\nstep: C\ntext: x\nmatrix: gen:diagonal:n=5\n");
  act(action::OpenLesson{file()});
  act(action::ShowStep{1});
  EXPECT_NE(state().lessons.problem.find("one.lesson, line 8"), std::string::npos) << state().lessons.problem;
  EXPECT_NE(state().lessons.problem.find("missing.mtx"), std::string::npos);
  ASSERT_TRUE(state().matrix());
  act(action::ShowStep{2});
  EXPECT_NE(state().lessons.problem.find("one.lesson, line 11"), std::string::npos)
      << state().lessons.problem;
  act(action::ShowStep{3});
  EXPECT_TRUE(state().lessons.problem.empty());
  EXPECT_EQ(state().matrix()->source, "gen:diagonal:n=5");
}

TEST_F(LessonFiles, AQuestionHidesItsPicturesUntilTheGuess) {
  write(kHead + kStep + "ask: Q\nchoice: a\nanswer: b\n");
  act(action::OpenLesson{file()});
  EXPECT_EQ(state().compare.rows, (std::array{true, false, false, false}));
  act(action::GuessAnswer{5});
  EXPECT_FALSE(state().lessons.guess);
  act(action::GuessAnswer{0});
  EXPECT_EQ(state().lessons.guess, 0U);
  EXPECT_EQ(state().compare.rows, (std::array{true, true, false, false}));
  act(action::GuessAnswer{1});
  EXPECT_EQ(state().lessons.guess, 0U) << "one guess";
}

}  // namespace
}  // namespace spyctrum
