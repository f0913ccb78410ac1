// SPDX-License-Identifier: Apache-2.0
// An offscreen context for a test suite, an image to draw, and colour maps whose entries encode their index.
// Without EGL the tests fail and name what to install; they are never skipped.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/pictures/colormap.hpp"
#include "core/pictures/view.hpp"
#include "render/context.hpp"
#include "render/image_view.hpp"
#include "tests/support/read_panel.hpp"

namespace spyctrum::testing {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Map "counting": entry k is (k, 255-k, 7); "signed": (k, 9, 255-k); so a pixel shows its place on the map.
inline std::vector<ColorMap> counting_maps() {
  ColorMap counting{"counting", ColorMap::Kind::sequential, {}};
  ColorMap diverging{"signed", ColorMap::Kind::diverging, {}};
  for (std::size_t k = 0; k < 256; ++k) {
    const auto entry = static_cast<std::uint8_t>(k);
    const auto rest = static_cast<std::uint8_t>(255 - k);
    counting.rgb[k] = {entry, rest, 7};
    diverging.rgb[k] = {entry, 9, rest};
  }
  return {counting, diverging};
}

/// An image whose cell (row, column) holds `value(row, column)` in channel 0 and 3 times that in 1.
inline std::shared_ptr<CellImage> image_of(std::uint32_t height, std::uint32_t width, const PlaneRect& rect,
                                           const std::function<float(std::uint32_t, std::uint32_t)>& value) {
  auto image = std::make_shared<CellImage>();
  image->rect = rect;
  image->height = height;
  image->width = width;
  for (std::uint32_t row = 0; row < height; ++row)
    for (std::uint32_t column = 0; column < width; ++column) {
      const float v = value(row, column);
      image->cells.push_back(v);
      image->cells.push_back(3 * v);
    }
  return image;
}

class GlTest : public ::testing::Test {
  static void GLAD_API_PTR keep_message(GLenum, GLenum type, GLuint, GLenum severity, GLsizei,
                                        const GLchar* text, const void* messages) {
    if (type == GL_DEBUG_TYPE_ERROR || type == GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR ||
        severity == GL_DEBUG_SEVERITY_HIGH)
      static_cast<std::vector<std::string>*>(const_cast<void*>(messages))->emplace_back(text);
  }

 protected:
  std::vector<std::string> messages_;  ///< errors and undefined behaviour that a debug context reported

  void SetUp() override {
    auto opened = render::open_offscreen({64, 48, 1, render::OffscreenDevice::any});
    ASSERT_TRUE(opened.has_value()) << opened.error().message();
    context_ = std::move(*opened);
    auto uploader = render::Uploader::create();
    ASSERT_TRUE(uploader.has_value()) << uploader.error().message();
    uploader_ = std::move(*uploader);
    // Has an effect in debug contexts alone.
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(&keep_message, &messages_);
  }
  void TearDown() override {
    for (const std::string& message : messages_) ADD_FAILURE() << "OpenGL: " << message;
    uploader_.reset();
    context_.reset();
  }

  std::unique_ptr<render::ImageTexture> shown(const std::shared_ptr<const CellImage>& image) {
    auto texture = std::make_unique<render::ImageTexture>(*uploader_);
    const auto requested = texture->upload(image);
    EXPECT_TRUE(requested.has_value()) << requested.error().message();
    const auto done = uploader_->finish();
    EXPECT_TRUE(done.has_value()) << done.error().message();
    return texture;
  }

  std::unique_ptr<render::Context> context_;
  std::unique_ptr<render::Uploader> uploader_;
};

/// Adds a renderer with these maps.
class PictureTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (HasFatalFailure()) return;
    auto renderer = render::ImageRenderer::create(maps_);
    ASSERT_TRUE(renderer.has_value()) << renderer.error().message();
    renderer_ = std::move(*renderer);
  }
  void TearDown() override {
    view_ = render::ImageView{};
    renderer_.reset();
    GlTest::TearDown();
  }

  render::Picture draw(const render::ViewRequest& request, std::uint32_t height, std::uint32_t width) {
    const auto texture = view_.draw(*renderer_, request, height, width);
    EXPECT_TRUE(texture.has_value()) << texture.error().message();
    if (!texture) return {};
    return test::read_panel(*view_.target());
  }

  std::vector<ColorMap> maps_ = counting_maps();
  std::unique_ptr<render::ImageRenderer> renderer_;
  render::ImageView view_;
};

struct Rgb {
  int r = 0, g = 0, b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Rgb& rgb) {
    return out << "(" << rgb.r << ", " << rgb.g << ", " << rgb.b << ")";
  }
};

inline Rgb at(const render::Picture& picture, std::uint32_t row, std::uint32_t column) {
  const std::size_t i = 3 * (std::size_t{row} * picture.width + column);
  return {picture.rgb.at(i), picture.rgb.at(i + 1), picture.rgb.at(i + 2)};
}

inline Rgb rgb_of(const render::Color& color) {
  const auto byte = [](float value) { return static_cast<int>(std::lround(value * 255)); };
  return {byte(color[0]), byte(color[1]), byte(color[2])};
}

}  // namespace spyctrum::testing
