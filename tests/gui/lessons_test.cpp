// SPDX-License-Identifier: Apache-2.0
// The lessons that come with the program, step by step: every step shows what its file describes, and its
// pictures are those that were looked at.
#include <imgui_internal.h>

#include <filesystem>
#include <optional>

#include "app/controller/lessons/lesson.hpp"
#include "tests/golden/stored_picture.hpp"
#include "tests/gui/gui_fixture.hpp"

namespace spyctrum::testing {
namespace {

/// The pictures of a lesson, made so small that rounding and drivers do not matter: a row for each step, a
/// cell of kCell² pixels for each column.
class SmallPictures {
 public:
  explicit SmallPictures(std::size_t steps)
      : sheet_{
            static_cast<std::uint32_t>(kCell * steps), static_cast<std::uint32_t>(kCell * kMostColumns), {}} {
    sheet_.rgb.resize(std::size_t{3} * sheet_.height * sheet_.width);
  }

  /// Means over equal parts of `pixels`.
  void add(std::size_t step, std::size_t column, const Pixels& pixels) {
    ASSERT_LT(column, kMostColumns);
    ASSERT_TRUE(pixels.height >= kCell && pixels.width >= kCell);
    for (std::size_t y = 0; y < kCell; ++y)
      for (std::size_t x = 0; x < kCell; ++x)
        for (std::size_t channel = 0; channel < 3; ++channel)
          at(step, column, y, x, channel) = mean(pixels, y, x, channel);
  }

  void turn_over(std::size_t step, std::size_t column) {
    for (std::size_t y = 0; y < kCell; ++y)
      for (std::size_t x = 0; x < kCell / 2; ++x)
        for (std::size_t channel = 0; channel < 3; ++channel)
          std::swap(at(step, column, y, x, channel), at(step, column, y, kCell - 1 - x, channel));
  }

  [[nodiscard]] const render::Picture& sheet() const { return sheet_; }

 private:
  static constexpr std::size_t kCell = 32, kMostColumns = 4;

  std::uint8_t& at(std::size_t step, std::size_t column, std::size_t y, std::size_t x, std::size_t channel) {
    return sheet_.rgb[3 * ((step * kCell + y) * sheet_.width + column * kCell + x) + channel];
  }
  static std::uint8_t mean(const Pixels& pixels, std::size_t y, std::size_t x, std::size_t channel) {
    std::size_t sum = 0, count = 0;
    for (std::size_t i = y * pixels.height / kCell; i < (y + 1) * pixels.height / kCell; ++i)
      for (std::size_t j = x * pixels.width / kCell; j < (x + 1) * pixels.width / kCell; ++j, ++count)
        sum += pixels.rgb[3 * (i * pixels.width + j) + channel];
    return static_cast<std::uint8_t>(sum / count);
  }

  render::Picture sheet_;
};

/// Rounding changes single pixels before they are averaged; a wrong picture changes a whole cell.
constexpr Likeness kSmallLikeness{.mean = 0.98, .worst_block = 0.93};

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

  /// Of the last row of pictures that is open, each column's.
  void add_pictures(SmallPictures& pictures, std::size_t step) {
    for (std::size_t column = 0; column < state().columns.size(); ++column)
      for (std::size_t row = kRows; row-- > 0;) {
        const std::string label =
            "picture " + std::string(name_of(static_cast<Row>(row))) + " " + std::to_string(column + 1);
        if (!state().compare.rows.at(row) || !exists(label)) continue;
        pictures.add(step, column, pixels_of(label));
        break;
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

  /// Goes through all steps by the key of a presenter's remote and answers every question wrongly. `look`:
  /// names the stored pictures where they differ from those of 1280 × 720 in the dark look, since they have
  /// the margins and labels of their screen; without it none are compared.
  void go_through_all(const std::optional<std::string>& look) {
    ASSERT_EQ(state().lessons.known.size(), 10U);
    for (std::size_t l = 0; l < 10; ++l) {
      act(action::OpenLesson{state().lessons.known[l].path});
      ASSERT_TRUE(state().lessons.lesson) << l;
      const Lesson lesson = *state().lessons.lesson;
      SmallPictures pictures(lesson.steps.size());
      const std::string name = "lesson_" + std::to_string(l + 1);
      for (std::size_t k = 0; k < lesson.steps.size(); ++k) {
        const LessonStep& step = lesson.steps[k];
        const std::string where = lesson.title + ", step " + std::to_string(k + 1);
        settle();
        ASSERT_EQ(state().lessons.step, k) << where;
        expect_step(step, where);
        if (!step.question.empty()) {
          EXPECT_EQ(state().compare.rows, step.rows_before) << where;
          expect_whole_text(where);
          keep(name + "_" + std::to_string(k + 1) + "_asks");
          act(action::GuessAnswer{step.answer == 0 ? step.choices.size() - 1 : 0});
          settle();
        }
        EXPECT_EQ(state().compare.rows, step.session.rows) << where;
        expect_pictures(where);
        expect_whole_text(where);
        add_pictures(pictures, k);
        keep(name + "_" + std::to_string(k + 1));
        press(ImGuiKey_PageDown);
      }
      EXPECT_EQ(state().lessons.step, lesson.steps.size() - 1) << "there is no step behind the last one";
      while (!state().toasts.empty()) act(action::DismissToast{state().toasts.front().id});  // which says so
      if (!look) continue;
      const bool differs =
          std::filesystem::exists(SPYCTRUM_SOURCE_DIR "/tests/golden/pictures/" + name + *look + ".png");
      EXPECT_TRUE(like_stored(pictures.sheet(), differs ? name + *look : name, kSmallLikeness));
      if (l != 1) continue;
      const render::Picture right = pictures.sheet();
      pictures.turn_over(1, 0);
      EXPECT_LT(structural_similarity(right.rgb, pictures.sheet().rgb, right.height, right.width).worst_block,
                kSmallLikeness.worst_block)
          << "a diagonal that lies the wrong way round is found";
    }
  }

 private:
  static void expect_whole_text(const std::string& where) {
    const ImGuiWindow* const panel = ImGui::FindWindowByName("Lesson");
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      if (window->RootWindow == panel || window->ParentWindow == panel) {
        EXPECT_EQ(window->ScrollMax.y, 0) << where << ": its text is cut";
      }
    }
  }
};

class LessonsInLightLook : public Lessons {
 protected:
  void SetUp() override {
    Lessons::SetUp();
    Settings settings = state().settings;
    settings.theme = Theme::light;
    act(action::SetSettings{settings});
  }
};

class LessonsOnALargeScreen : public Lessons {
 protected:
  [[nodiscard]] ScreenSize screen_size() override { return {.width = 1920, .height = 1080}; }
};

class LessonsInFinePixels : public Lessons {
 protected:
  [[nodiscard]] ScreenSize screen_size() override {
#ifdef SPYCTRUM_SANITIZED  // as large an interface in fewer pixels: with the thread sanitizer each takes long
    return {.width = 2400, .height = 1350, .scale = 1.25};
#else
    return {.width = 3840, .height = 2160, .scale = 2};
#endif
  }
};

TEST_F(Lessons, EveryStepOfEveryLessonShowsWhatItSays) { go_through_all(""); }
TEST_F(LessonsInLightLook, EveryStepOfEveryLessonShowsWhatItSays) { go_through_all("_light"); }
TEST_F(LessonsOnALargeScreen, EveryStepOfEveryLessonShowsWhatItSays) { go_through_all("_large"); }
TEST_F(LessonsInFinePixels, EveryStepOfEveryLessonShowsWhatItSays) { go_through_all({}); }

TEST_F(Lessons, AReaderStartsWithTheFirstGuessesAndLeaves) {
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###offer 1"); });
  settle();
  ASSERT_TRUE(state().lessons.lesson);
  press(ImGuiKey_PageDown);
  settle();
  EXPECT_EQ(state().lessons.step, 1U);
  EXPECT_FALSE(ImGui::GetIO().NavVisible) << "the key turns the page and moves no focus to a button";
  EXPECT_FALSE(exists("picture spectrum 1")) << "hidden until the guess";
  EXPECT_FALSE(exists("export features")) << "features tell where power lies";
  drive([](ImGuiTestContext* c) { c->ItemClick("**/###choice 2"); });
  settle();
  EXPECT_EQ(state().lessons.guess, 1U);
  EXPECT_TRUE(exists("picture spectrum 1"));
  EXPECT_TRUE(exists("export features"));
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

TEST_F(Lessons, EnterOpensTheFirstOfTheListAndArrowKeysAnother) {
  const auto press_in_turn = [&](const std::vector<ImGuiKey>& keys) {
    drive([&](ImGuiTestContext* c) {
      for (const ImGuiKey key : keys) {
        c->KeyPress(key);
        c->Yield(2);
      }
    });
    settle();
  };
  press_in_turn({ImGuiKey_F2, ImGuiKey_Enter});
  ASSERT_TRUE(state().lessons.lesson);
  EXPECT_EQ(state().lessons.lesson->title, state().lessons.known[0].title);
  press_in_turn({ImGuiKey_F2, ImGuiKey_DownArrow, ImGuiKey_Enter});
  ASSERT_TRUE(state().lessons.lesson);
  EXPECT_EQ(state().lessons.lesson->title, state().lessons.known[1].title);
}

TEST_F(Lessons, EveryAnswerIsSeenInAPresentationToo) {
  act(action::OpenLesson{state().lessons.known[0].path});
  settle();
  press(ImGuiKey_PageDown);
  settle();
  const auto height = [] { return ImGui::FindWindowByName("Lesson")->Rect().GetHeight(); };
  const auto is_seen = [&] {
    return ImGui::FindWindowByName("Lesson")->Rect().Contains(rect_of("###choice 3"));
  };
  const float before = height();
  EXPECT_TRUE(is_seen());
  act(action::ShowPresentation{});
  settle();
  keep("presented_question");
  EXPECT_TRUE(is_seen());
  EXPECT_GT(height(), 1.2F * before) << "as the type has grown";
  act(action::ShowPresentation{false});
  settle();
  EXPECT_NEAR(height(), before, 1);
}

TEST_F(Lessons, AReaderAnswersByKey) {
  act(action::OpenLesson{state().lessons.known[0].path});
  settle();
  press(ImGuiKey_PageDown);
  settle();
  press(ImGuiKey_4);
  settle();
  EXPECT_FALSE(state().lessons.guess) << "there are three answers";
  press(ImGuiKey_3);
  settle();
  EXPECT_EQ(state().lessons.guess, 2U);
}

TEST_F(Lessons, PatternAndSpectrumOfOneMethodAreEquallyLarge) {
  act(action::OpenLesson{state().lessons.known[0].path});
  settle();
  EXPECT_NEAR(rect_of("picture pattern 1").GetWidth(), rect_of("picture spectrum 1").GetWidth(), 1);
  act(action::CloseLesson{});
}

TEST_F(Lessons, TheKeyForTheNextStepSaysThatTheLastOneIsShown) {
  act(action::OpenLesson{state().lessons.known[0].path});
  const std::size_t last = state().lessons.lesson->steps.size() - 1;
  act(action::ShowStep{last});
  settle();
  const ImGuiID focus = ImGui::GetFocusID();
  press(ImGuiKey_PageDown);
  press(ImGuiKey_PageDown);
  settle();
  EXPECT_EQ(state().lessons.step, last);
  EXPECT_EQ(ImGui::GetFocusID(), focus) << "no button gets the keyboard";
  ASSERT_EQ(state().toasts.size(), 1U);
  EXPECT_EQ(state().toasts.front().text, "Next step: this is the last one. F2 lists the lessons.");
}

TEST_F(Lessons, ALongAnswerIsWrittenOnTwoLines) {
  act(action::OpenLesson{
      write_file("long.lesson",
                 "spyctrum lesson 1\ntitle: Long\nstep: One\ntext: Look.\n"
                 "matrix: gen:diagonal:n=8\nask: What is it?\nanswer: a diagonal\n"
                 "choice: an answer of so many words that there is no room for all of them "
                 "in a single line of the panel\n")});
  settle();
  keep("long_answer");
  EXPECT_GT(rect_of("###choice 2").GetHeight(), 1.5F * rect_of("###choice 1").GetHeight());
}

TEST_F(Lessons, AReaderDrawsWhereALessonTellsToAndTheLessonGoesOn) {
  act(action::OpenLesson{state().lessons.known[0].path});
  settle();
  EXPECT_FALSE(state().sandbox.is_drawing) << "the drawing of a lesson is looked at";
  press(ImGuiKey_F4);
  settle();
  ASSERT_TRUE(state().lessons.lesson);
  EXPECT_TRUE(state().sandbox.is_drawing);
  keep("drawing_in_a_lesson");
  drive([](ImGuiTestContext* c) { c->ItemClick("**/full block"); });
  press(ImGuiKey_PageDown);
  settle();
  EXPECT_EQ(state().lessons.step, 1U);
  EXPECT_FALSE(state().sandbox.is_drawing);
  EXPECT_EQ(state().matrix()->source, state().lessons.lesson->steps[1].session.matrices.front().source);
}

}  // namespace
}  // namespace spyctrum::testing
