// SPDX-License-Identifier: Apache-2.0
// The lessons that come with the program, step by step: every step shows what its file describes.
#include <algorithm>

#include "app/controller/lessons/lesson.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

class Lessons : public GuiTest {
 protected:
  [[nodiscard]] Controller::Options controller_options() override {
    Controller::Options options;
    options.lessons = {SPYCTRUM_SOURCE_DIR "/assets/lessons"};
    return options;
  }
  [[nodiscard]] ScreenSize screen_size() override { return {.width = 1280, .height = 720}; }

  /// The pictures of the rows that are open have come, and no column has failed.
  void expect_pictures(const std::string& where) {
    for (const Column& column : state().columns) {
      EXPECT_FALSE(column.error) << where << ": " << column.error->message();
      for (std::size_t k = 0; k < kRows; ++k) {
        const Picture& picture = column.pictures.at(k);
        EXPECT_TRUE(!state().compare.rows.at(k) || picture.shown || !picture.empty_reason.empty())
            << where << ": " << column.label << " has no " << name_of(static_cast<Row>(k));
      }
    }
    // The exact column has no reconstruction, and alone no error.
    const Row open = state().compare.rows[1] ? Row::spectrum : Row::pattern;
    if (state().compare.rows.at(static_cast<std::size_t>(open))) {
      EXPECT_GT(contrast(pixels_of("picture " + std::string(name_of(open)) + " 1")), 0.5) << where;
    }
  }

  void expect_step(const LessonStep& step, const std::string& where) {
    const Session& session = step.session;
    ASSERT_TRUE(state().matrix()) << where;
    EXPECT_EQ(state().lessons.problem, "") << where;
    EXPECT_EQ(state().matrix()->source, session.matrices.front().source) << where;
    EXPECT_EQ(state().matrices.size(), 1U) << where << ": matrices of earlier steps are closed";
    const std::size_t more = session.region ? 1 : 0;
    ASSERT_EQ(state().columns.size(), session.columns.size() + more) << where;
    for (std::size_t k = 0; k < session.columns.size(); ++k) {
      EXPECT_EQ(state().columns[k].method, session.columns[k].method) << where;
      EXPECT_EQ(state().columns[k].arrangement, session.columns[k].arrangement) << where;
    }
    EXPECT_EQ(state().block, session.block) << where;
    EXPECT_EQ(state().wave, session.wave) << where;
    EXPECT_EQ(state().region, session.region) << where;
    EXPECT_EQ(state().scale.reduced, session.scale.reduced) << where;
    for (std::size_t k = 0; k < kPlanes; ++k)
      EXPECT_EQ(state().views.at(k).rect, step.views.at(k).value_or(state().views.at(k).full)) << where;
  }
};

TEST_F(Lessons, EveryStepOfEveryLessonShowsWhatItSays) {
  ASSERT_EQ(state().lessons.known.size(), 10U);
  for (std::size_t l = 0; l < 10; ++l) {
    act(action::OpenLesson{state().lessons.known[l].path});
    ASSERT_TRUE(state().lessons.lesson) << l;
    const Lesson lesson = *state().lessons.lesson;
    for (std::size_t k = 0; k < lesson.steps.size(); ++k) {
      const LessonStep& step = lesson.steps[k];
      const std::string where = lesson.title + ", step " + std::to_string(k + 1);
      settle();
      ASSERT_EQ(state().lessons.step, k) << where;
      expect_step(step, where);
      if (!step.question.empty()) {
        EXPECT_EQ(state().compare.rows, step.rows_before) << where;
        keep("lesson_" + std::to_string(l + 1) + "_" + std::to_string(k + 1) + "_asks");
        act(action::GuessAnswer{step.answer == 0 ? step.choices.size() - 1 : 0});
        settle();
      }
      EXPECT_EQ(state().compare.rows, step.session.rows) << where;
      expect_pictures(where);
      keep("lesson_" + std::to_string(l + 1) + "_" + std::to_string(k + 1));
      press(ImGuiKey_PageDown);
    }
    EXPECT_EQ(state().lessons.step, lesson.steps.size() - 1) << "there is no step behind the last one";
  }
}

TEST_F(Lessons, AReaderStartsWithTheFirstGuessesAndLeaves) {
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###offer 1"); });
  settle();
  ASSERT_TRUE(state().lessons.lesson);
  press(ImGuiKey_PageDown);
  settle();
  EXPECT_EQ(state().lessons.step, 1U);
  EXPECT_FALSE(exists("picture spectrum 1")) << "hidden until the guess";
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###choice 2"); });
  settle();
  EXPECT_EQ(state().lessons.guess, 1U);
  EXPECT_TRUE(exists("picture spectrum 1"));
  press(ImGuiKey_PageUp);
  settle();
  EXPECT_EQ(state().lessons.step, 0U);
  act(action::SetBlock{3});
  drive([](ImGuiTestContext* c) { c->ItemClick("**/step again"); });
  settle();
  EXPECT_EQ(state().block, 16U);
  drive([](ImGuiTestContext* c) { c->ItemClick("**/close lesson"); });
  settle();
  EXPECT_FALSE(state().lessons.lesson);
  EXPECT_FALSE(state().matrix()) << "the start screen is back";
  press(ImGuiKey_F2);
  draw(3);
  EXPECT_EQ(state().interface.overlay, Overlay::lessons);
  keep("lesson_list");
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###lesson 3"); });
  settle();
  ASSERT_TRUE(state().lessons.lesson);
  EXPECT_EQ(state().lessons.lesson->title, "A band and the Dirichlet kernel");
}

}  // namespace
}  // namespace spyctrum::testing
