// SPDX-License-Identifier: Apache-2.0
// Contexts: what they offer without a display, how they wait and wake, and what they say when OpenGL
// cannot be had.
#include "render/context.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "render/shader_program.hpp"
#include "tests/golden/gl_fixture.hpp"
#include "tests/support/lost_context.hpp"

namespace spyctrum::testing {
namespace {

using render::OffscreenDevice;
using render::open_offscreen;

class ContextTest : public GlTest {};

TEST_F(ContextTest, without_a_display_is_opengl_4_5_and_has_no_window) {
  EXPECT_TRUE(context_->is_offscreen());
  EXPECT_EQ(context_->window(), nullptr);
  GLint major = 0;
  GLint minor = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  EXPECT_GE(10 * major + minor, 45);
  EXPECT_NE(context_->renderer().find("OpenGL"), std::string::npos);
}

TEST_F(ContextTest, frame_reads_back_with_its_top_row_first) {
  context_->begin_frame();
  // OpenGL's y runs upwards: this strip is at the bottom of the frame.
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, 0, 64, 8);
  glClearColor(1, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
  const auto frame = render::read_frame(*context_);
  ASSERT_TRUE(frame.has_value()) << frame.error().message();
  EXPECT_EQ(frame->height, 48U);
  EXPECT_EQ(frame->width, 64U);
  EXPECT_EQ(at(*frame, 47, 5), (Rgb{255, 0, 0}));
  EXPECT_EQ(at(*frame, 40, 63), (Rgb{255, 0, 0}));
  EXPECT_EQ(at(*frame, 39, 5), (Rgb{0, 0, 0}));
  EXPECT_EQ(at(*frame, 0, 5), (Rgb{0, 0, 0}));
}

TEST_F(ContextTest, resize_changes_the_frame_and_refuses_impossible_sizes) {
  ASSERT_TRUE(context_->resize(100, 30).has_value());
  EXPECT_EQ(context_->framebuffer_size(), (render::PixelSize{30, 100}));
  const auto refused = context_->resize(0, 30);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::wrong_use);
  EXPECT_FALSE(context_->resize(10'000'000, 30).has_value());
  EXPECT_EQ(context_->framebuffer_size(), (render::PixelSize{30, 100}));
}

TEST_F(ContextTest, wake_from_another_thread_ends_a_wait_without_limit) {
  std::thread worker([&] { context_->wake(); });
  context_->wait_events(-1);
  worker.join();
}

TEST_F(ContextTest, wake_before_the_wait_is_not_lost_and_counts_once) {
  context_->wake();
  context_->wait_events(-1);
  // Nothing woke it again: only the time limit ends this one.
  const auto begin = std::chrono::steady_clock::now();
  context_->wait_events(0.05);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50));
}

TEST_F(ContextTest, asked_to_close_says_so) {
  EXPECT_FALSE(context_->should_close());
  context_->request_close(true);
  EXPECT_TRUE(context_->should_close());
  context_->request_close(false);
  EXPECT_FALSE(context_->should_close());
}

TEST_F(ContextTest, can_be_opened_again_after_it_was_closed) {
  uploader_.reset();
  context_.reset();
  auto again = open_offscreen({32, 32, 2, OffscreenDevice::any});
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ((*again)->content_scale(), 2);
  (*again)->begin_frame();
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

class LostContextTest : public PictureTest {
 protected:
  /// As the program does it: owners go, then the context is another one.
  void recover() {
    view_ = render::ImageView{};
    renderer_.reset();
    uploader_.reset();
    const auto renewed = context_->renew();
    ASSERT_TRUE(renewed) << renewed.error().message();
    uploader_ = std::move(*render::Uploader::create());
    renderer_ = std::move(*render::ImageRenderer::create(maps_));
  }
  render::Picture picture() {
    const auto image =
        image_of(9, 7, {0, 0, 9, 7}, [](auto row, auto column) { return float(1 + row * 7 + column); });
    const auto texture = shown(image);
    render::ViewRequest request;
    request.view = image->rect;
    request.first = {texture.get(), {0, 2}};
    return draw(request, 45, 63);
  }
};

TEST_F(LostContextTest, is_said_once_asked_and_never_where_nothing_was_lost) {
  EXPECT_EQ(context_->loss(), "");
  test::lose_context();
  EXPECT_NE(context_->loss().find("another program"), std::string::npos) << context_->loss();
  EXPECT_NE(context_->loss(), "") << "though the driver reports it once";
  recover();
  EXPECT_EQ(context_->loss(), "");
}

TEST_F(LostContextTest, another_one_draws_the_same_picture) {
  const render::Picture before = picture();
  test::lose_context();
  ASSERT_NE(context_->loss(), "");
  recover();
  EXPECT_TRUE(picture().rgb == before.rgb);
  EXPECT_NE(*std::max_element(before.rgb.begin(), before.rgb.end()),
            *std::min_element(before.rgb.begin(), before.rgb.end()))
      << "a picture of one colour would compare nothing";
  EXPECT_EQ(context_->framebuffer_size(), (render::PixelSize{48, 64}));
}

TEST_F(LostContextTest, no_name_of_it_is_deleted_there_or_in_the_next) {
  auto kept = shown(image_of(9, 7, {0, 0, 9, 7}, [](auto, auto) { return 5.0F; }));
  render::RenderTarget target;
  target.resize(8, 8);
  (void)picture();  // buffers with fences, programs
  test::lose_context();
  ASSERT_NE(context_->loss(), "");
  kept.reset();
  recover();
  EXPECT_EQ(test::deleted_names, 0);
  // The new context hands out the old names again.
  render::RenderTarget fresh;
  fresh.resize(8, 8);
  target = render::RenderTarget{};
  EXPECT_EQ(glIsTexture(fresh.texture()), GL_TRUE);
  EXPECT_EQ(glIsFramebuffer(fresh.framebuffer()), GL_TRUE);
}

TEST_F(LostContextTest, can_be_lost_again) {
  const render::Picture before = picture();
  for (int k = 0; k < 3; ++k) {
    test::lose_context();
    ASSERT_NE(context_->loss(), "");
    recover();
    EXPECT_TRUE(picture().rgb == before.rgb) << k;
  }
}

/// The other kind of context, where there is a display (Xvfb will do).
TEST(LostWindow, opens_another_window_of_the_same_size_and_title) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr)
    GTEST_SKIP() << "NOT TESTED: there is no display here";
  render::WindowOptions options;
  options.width = 320;
  options.height = 240;
  auto context = render::open_window(options);
  ASSERT_TRUE(context) << context.error().message();
  const render::PixelSize size = (*context)->framebuffer_size();
  GLFWwindow* old = (*context)->window();
  test::lose_context();
  ASSERT_NE((*context)->loss(), "");
  const auto renewed = (*context)->renew();
  ASSERT_TRUE(renewed) << renewed.error().message();
  EXPECT_EQ((*context)->loss(), "");
  EXPECT_NE((*context)->window(), old);
  (*context)->poll_events();
  EXPECT_EQ((*context)->framebuffer_size(), size);
  (*context)->begin_frame();
  glClearColor(0, 1, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  const auto frame = render::read_frame(**context);
  ASSERT_TRUE(frame) << frame.error().message();
  EXPECT_EQ(at(*frame, 10, 10), (Rgb{0, 255, 0}));
  (*context)->swap();
}

TEST_F(ContextTest, opengl_from_another_thread_is_refused) {
  std::string said;
  std::thread stranger([&] {
    try {
      render::Texture2D texture(render::TexelFormat::rg32f);
      texture.resize(4, 4);
    } catch (const Failure& failure) {
      said = failure.error().what;
    }
  });
  stranger.join();
  EXPECT_NE(said.find("thread"), std::string::npos) << said;
}

TEST_F(ContextTest, opengl_error_becomes_a_failure_with_its_code_and_is_gone) {
  glBindTexture(0x1234, 1);
  try {
    render::check_gl("binding nonsense");
    FAIL() << "no failure";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().native, GL_INVALID_ENUM);
    EXPECT_NE(failure.error().what.find("binding nonsense"), std::string::npos);
  }
  EXPECT_NO_THROW(render::check_gl("nothing"));
  (void)render::take_debug_messages();  // a debug context reported the nonsense too
}

TEST_F(ContextTest, shader_that_does_not_compile_is_named_with_its_line) {
  const std::string source = "#version 450 core\n\nout vec4 color;\nvoid main() { color = nothing; }\n";
  try {
    (void)render::link_program({{"broken.frag", source}});
    FAIL() << "it linked";
  } catch (const Failure& failure) {
    EXPECT_NE(failure.error().what.find("broken.frag:4:"), std::string::npos) << failure.error().what;
  }
  (void)render::take_debug_messages();
}

TEST(ShaderLog, lines_of_both_kinds_of_driver_get_the_files_name) {
  EXPECT_EQ(render::name_lines("0:12(5): error: x\n0:13(1): warning: y\n", "a.frag"),
            "a.frag:12: error: x\na.frag:13: warning: y\n");
  EXPECT_EQ(render::name_lines("0(7) : error C1008: z\n", "b.vert"), "b.vert:7: error C1008: z\n");
  EXPECT_EQ(render::name_lines("no line at all", "b.vert"), "no line at all");
}

/// In a process of its own, because libraries read their environment once: says the error and leaves with 0
/// when `opened` failed for want of a backend.
template <class Opened>
[[noreturn]] void leave_with_error_of(const Opened& opened) {
  if (!opened.has_value()) std::fputs(opened.error().message().c_str(), stderr);
  // Without the checks at exit: the window system's libraries are unloaded with memory of theirs in use.
  std::_Exit(!opened.has_value() && opened.error().code == ErrorCode::backend_unavailable ? 0 : 1);
}

TEST(NoDisplayDeathTest, window_is_refused_with_advice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        unsetenv("DISPLAY");
        unsetenv("WAYLAND_DISPLAY");
        unsetenv("WAYLAND_SOCKET");
        leave_with_error_of(render::open_window());
      },
      ::testing::ExitedWithCode(0), "--offscreen");
}

TEST(NoDriverDeathTest, offscreen_is_refused_and_names_what_to_install) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent/driver.json", 1);
        leave_with_error_of(open_offscreen());
      },
      ::testing::ExitedWithCode(0), "libegl-mesa0");
}

}  // namespace
}  // namespace spyctrum::testing
