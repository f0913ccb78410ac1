// SPDX-License-Identifier: Apache-2.0
// Reads the PNGs in the program's folder help when they are first shown.
#include "app/panels/dialogs/help_pictures.hpp"

#include <png.h>

#include <cstdint>
#include <vector>

#include "core/base/own_files.hpp"

namespace spyctrum::panels {

namespace {

std::unique_ptr<render::Texture2D> read_picture(const std::string& name) {
  const OwnFile folder = own_file("help");
  if (!folder.missing.empty()) return nullptr;
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, (folder.path / (name + ".png")).c_str()) == 0) return nullptr;
  image.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> texels(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, texels.data(), 0, nullptr) == 0) return nullptr;
  auto texture = std::make_unique<render::Texture2D>(render::TexelFormat::rgba8, render::Sampling::linear);
  texture->resize(image.height, image.width);
  texture->write_rows(0, image.height, texels.data());
  return texture;
}

}  // namespace

const render::Texture2D* HelpPictures::find(const std::string& name) {
  const auto [known, is_new] = textures_.try_emplace(name);
  if (is_new) known->second = read_picture(name);
  return known->second.get();
}

}  // namespace spyctrum::panels
