// SPDX-License-Identifier: Apache-2.0
// A texel is a cell of a sketch, of the colour of its sign, mixed with the ground by its magnitude.
#include "app/panels/dialogs/sketch_textures.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "app/panels/widgets/theme.hpp"

namespace spyctrum::panels {

namespace {

constexpr ImU32 kGround = IM_COL32(8, 9, 12, 255);
constexpr ImU32 kPositive = IM_COL32(233, 190, 139, 255), kNegative = IM_COL32(102, 157, 236, 255);

ImU32 color_of_weight(float weight) {
  if (weight == 0) return kGround;
  return mix(kGround, weight < 0 ? kNegative : kPositive, 0.25F + 0.75F * std::abs(weight));
}

render::Texture2D make_texture(const GallerySketch& sketch) {
  const auto side = static_cast<std::size_t>(sketch.side);
  std::vector<ImU32> texels(2 * side * side);
  for (std::size_t k = 0; k < side * side; ++k) {
    ImU32* const row = texels.data() + k / side * 2 * side;
    row[k % side] = color_of_weight(sketch.matrix[k]);
    row[side + k % side] = mix(kGround, kPositive, sketch.spectrum[k]);
  }
  render::Texture2D texture(render::TexelFormat::rgba8);
  texture.resize(static_cast<std::uint32_t>(side), static_cast<std::uint32_t>(2 * side));
  texture.write_rows(0, static_cast<std::uint32_t>(side), texels.data());
  return texture;
}

}  // namespace

void SketchTextures::draw(const GallerySketch& sketch, ImVec2 at, float side, float gap) {
  if (sketch.side == 0) return;
  auto known = textures_.find(&sketch);
  if (known == textures_.end()) known = textures_.emplace(&sketch, make_texture(sketch)).first;
  const ImGuiPlatformIO& platform = ImGui::GetPlatformIO();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (int k = 0; k < 2; ++k) {
    const float x = at.x + static_cast<float>(k) * (side + gap);
    list.AddRectFilled({x, at.y}, {x + side, at.y + side}, kGround, px(3));
  }
  list.AddCallback(platform.DrawCallback_SetSamplerNearest, nullptr);
  for (int k = 0; k < 2; ++k) {
    const ImVec2 from{at.x + static_cast<float>(k) * (side + gap), at.y};
    const float edge = px(2), left = 0.5F * static_cast<float>(k);
    list.AddImage(static_cast<ImTextureID>(known->second.id()), {from.x + edge, from.y + edge},
                  {from.x + side - edge, from.y + side - edge}, {left, 0}, {left + 0.5F, 1});
  }
  list.AddCallback(platform.DrawCallback_SetSamplerLinear, nullptr);
}

}  // namespace spyctrum::panels
