// SPDX-License-Identifier: Apache-2.0
// Reads PNG through libpng's simplified interface, compares, and writes the drawn picture where the
// comparison fails.
#include "tests/golden/stored_picture.hpp"

#include <png.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace spyctrum::testing {
namespace {

::testing::AssertionResult failed_with_evidence(const render::Picture& drawn, const std::string& name,
                                                const std::string& why) {
  const std::string left = name + ".drawn.png";
  const auto saved = render::save_picture(left, drawn);
  return ::testing::AssertionFailure()
         << why << (saved ? "; drawn: " + std::filesystem::absolute(left).string() : saved.error().message());
}

}  // namespace

render::Picture read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0)
    throw std::runtime_error(path + ": " + image.message);
  image.format = PNG_FORMAT_RGB;
  render::Picture picture{image.height, image.width, {}};
  picture.rgb.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr) == 0)
    throw std::runtime_error(path + ": " + image.message);
  return picture;
}

::testing::AssertionResult like_stored(const render::Picture& drawn, const std::string& name,
                                       const Likeness& least) {
  const std::string path = std::string(SPYCTRUM_SOURCE_DIR) + "/tests/golden/pictures/" + name + ".png";
  const char* store = std::getenv("SPYCTRUM_STORE_PICTURES");
  if (store != nullptr && std::string(store) == "1") {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    const auto saved = render::save_picture(path, drawn);
    if (!saved) return ::testing::AssertionFailure() << saved.error().message();
  }
  if (!std::filesystem::exists(path)) return failed_with_evidence(drawn, name, path + " is missing");
  const render::Picture stored = read_png(path);
  if (stored.height != drawn.height || stored.width != drawn.width)
    return failed_with_evidence(drawn, name, path + " has another size");
  const Similarity found = structural_similarity(stored.rgb, drawn.rgb, drawn.height, drawn.width);
  if (found.mean < least.mean || found.worst_block < least.worst_block)
    return failed_with_evidence(drawn, name,
                                path + ": similarity " + std::to_string(found.mean) + ", worst block " +
                                    std::to_string(found.worst_block));
  return ::testing::AssertionSuccess() << path << ": similarity " << found.mean;
}

}  // namespace spyctrum::testing
