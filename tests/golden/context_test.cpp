// SPDX-License-Identifier: Apache-2.0
// OpenGL contexts: without a display, waiting and waking, loss and replacement, and errors where OpenGL is
// not available.
#include "render/context.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

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

TEST_F(ContextTest, OffscreenContextIsOpenGl45AndHasNoWindow) {
  EXPECT_TRUE(context_->is_offscreen());
  EXPECT_EQ(context_->window(), nullptr);
  GLint major = 0;
  GLint minor = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  EXPECT_GE(10 * major + minor, 45);
  EXPECT_NE(context_->renderer().find("OpenGL"), std::string::npos);
}

TEST_F(ContextTest, FrameReadsBackWithItsTopRowFirst) {
  context_->begin_frame();
  // OpenGL's y axis points upwards: this strip is at the bottom of the frame.
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

TEST_F(ContextTest, ResizeChangesTheFrameAndRefusesImpossibleSizes) {
  ASSERT_TRUE(context_->resize(100, 30).has_value());
  EXPECT_EQ(context_->framebuffer_size(), (render::PixelSize{30, 100}));
  const auto refused = context_->resize(0, 30);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::wrong_use);
  EXPECT_FALSE(context_->resize(10'000'000, 30).has_value());
  EXPECT_EQ(context_->framebuffer_size(), (render::PixelSize{30, 100}));
}

TEST_F(ContextTest, WakeFromAnotherThreadEndsAWaitWithoutLimit) {
  std::thread worker([&] { context_->wake(); });
  context_->wait_events(-1);
  worker.join();
}

TEST_F(ContextTest, WakeBeforeTheWaitIsNotLostAndCountsOnce) {
  context_->wake();
  context_->wait_events(-1);
  // No second wake(): only the time limit ends this wait.
  const auto begin = std::chrono::steady_clock::now();
  context_->wait_events(0.05);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50));
}

TEST_F(ContextTest, ReportsARequestToClose) {
  EXPECT_FALSE(context_->should_close());
  context_->request_close(true);
  EXPECT_TRUE(context_->should_close());
  context_->request_close(false);
  EXPECT_FALSE(context_->should_close());
}

TEST_F(ContextTest, CanBeOpenedAgainAfterItWasClosed) {
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
  /// Replaces the context as the program does, after its owners are destroyed.
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

TEST_F(LostContextTest, IsReportedOnlyOnceItIsLost) {
  EXPECT_EQ(context_->loss(), "");
  test::lose_context();
  EXPECT_NE(context_->loss().find("another program"), std::string::npos) << context_->loss();
  EXPECT_NE(context_->loss(), "") << "though the driver reports it once";
  recover();
  EXPECT_EQ(context_->loss(), "");
}

TEST_F(LostContextTest, IsReplacedByOneThatDrawsTheSamePicture) {
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

TEST_F(LostContextTest, ObjectsOfALostContextAreDeletedNeitherInItNorInTheNext) {
  auto kept = shown(image_of(9, 7, {0, 0, 9, 7}, [](auto, auto) { return 5.0F; }));
  render::RenderTarget target;
  target.resize(8, 8);
  (void)picture();  // buffers with fences, programs
  test::lose_context();
  ASSERT_NE(context_->loss(), "");
  kept.reset();
  recover();
  EXPECT_EQ(test::deleted_names, 0);
  // The new context assigns the same names again.
  render::RenderTarget fresh;
  fresh.resize(8, 8);
  target = render::RenderTarget{};
  EXPECT_EQ(glIsTexture(fresh.texture()), GL_TRUE);
  EXPECT_EQ(glIsFramebuffer(fresh.framebuffer()), GL_TRUE);
}

TEST_F(LostContextTest, CanBeLostAndReplacedAgain) {
  const render::Picture before = picture();
  for (int k = 0; k < 3; ++k) {
    test::lose_context();
    ASSERT_NE(context_->loss(), "");
    recover();
    EXPECT_TRUE(picture().rgb == before.rgb) << k;
  }
}

TEST(OpenWindow, WithoutASizeFitsTheScreen) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr)
    GTEST_SKIP() << "NOT TESTED: there is no display here";
  const auto context = render::open_window();
  ASSERT_TRUE(context) << context.error().message();
  (*context)->poll_events();
  int x = 0, y = 0, width = 0, height = 0;
  glfwGetMonitorWorkarea(glfwGetPrimaryMonitor(), &x, &y, &width, &height);
  const render::PixelSize size = (*context)->framebuffer_size();
  EXPECT_GT(size.width, 300U);
  EXPECT_LE(size.width, static_cast<std::uint32_t>(width)) << "tell only on a screen smaller than 1600 × 900";
  EXPECT_LE(size.height, static_cast<std::uint32_t>(height));
}

/// The context of a window; needs a display (Xvfb suffices).
TEST(LostWindow, OpensAnotherWindowOfTheSameSizeAndTitle) {
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

TEST_F(ContextTest, OpenGlFromAnotherThreadIsRefused) {
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

TEST_F(ContextTest, OpenGlErrorBecomesAFailureWithItsCodeAndIsGone) {
  glBindTexture(0x1234, 1);
  try {
    render::check_gl("binding nonsense");
    FAIL() << "no failure";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().native, GL_INVALID_ENUM);
    EXPECT_NE(failure.error().what.find("binding nonsense"), std::string::npos);
  }
  EXPECT_NO_THROW(render::check_gl("nothing"));
  messages_.clear();  // a debug context reported the invalid call too
}

TEST_F(ContextTest, ShaderThatDoesNotCompileIsNamedWithItsLine) {
  const std::string source = "#version 450 core\n\nout vec4 color;\nvoid main() { color = nothing; }\n";
  try {
    (void)render::link_program({{"broken.frag", source}});
    FAIL() << "it linked";
  } catch (const Failure& failure) {
    EXPECT_NE(failure.error().what.find("broken.frag:4:"), std::string::npos) << failure.error().what;
  }
  messages_.clear();
}

TEST(ShaderLog, LinesOfBothKindsOfDriverGetTheFilesName) {
  EXPECT_EQ(render::name_lines("0:12(5): error: x\n0:13(1): warning: y\n", "a.frag"),
            "a.frag:12: error: x\na.frag:13: warning: y\n");
  EXPECT_EQ(render::name_lines("0(7) : error C1008: z\n", "b.vert"), "b.vert:7: error C1008: z\n");
  EXPECT_EQ(render::name_lines("no line at all", "b.vert"), "no line at all");
}

/// Runs in a process of its own, because libraries read their environment once: prints the error and exits
/// with 0 if `opened` failed with backend_unavailable.
template <class Opened>
[[noreturn]] void leave_with_error_of(const Opened& opened) {
  if (!opened.has_value()) std::fputs(opened.error().message().c_str(), stderr);
  // Without leak checks at exit: the window system's libraries are unloaded while they hold memory.
  std::_Exit(!opened.has_value() && opened.error().code == ErrorCode::backend_unavailable ? 0 : 1);
}

TEST(NoDisplayDeathTest, WindowIsRefusedWithAdvice) {
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

TEST(NoDriverDeathTest, OffscreenIsRefusedAndNamesWhatToInstall) {
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
