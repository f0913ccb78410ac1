// SPDX-License-Identifier: Apache-2.0
// Pattern and spectrum lie beside each other in one texture, coloured as the pictures of the comparison are.
#include "app/panels/collection/thumbnail_textures.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "app/panels/widgets/theme.hpp"
#include "core/pictures/colormap.hpp"

namespace spyctrum::panels {

namespace {

/// Two screens of small cards.
constexpr std::size_t kMostTextures = 1024;

/// Spectra hold ln(1 + P/K)/ln(1 + K), of which a picture takes a small part: its 1 … 99.5 % quantiles, but
/// no fewer than kLeast steps, so that noise is not spread over all colours.
std::pair<int, int> range_of(std::span<const std::uint8_t> bytes) {
  constexpr int kLeast = 24;
  std::vector<std::uint8_t> sorted(bytes.begin(), bytes.end());
  std::ranges::sort(sorted);
  const auto at = [&](double quantile) {
    return int{sorted[static_cast<std::size_t>(quantile * static_cast<double>(sorted.size() - 1))]};
  };
  const int low = at(0.01);
  return {low, std::max(at(0.995), low + kLeast)};
}

using Rgb = std::array<std::uint8_t, 3>;

Rgb color_at(const ColorMap& map, std::uint8_t byte, std::pair<int, int> range) {
  const int share = 255 * (int{byte} - range.first) / (range.second - range.first);
  return map.rgb.at(static_cast<std::size_t>(std::clamp(share, 0, 255)));
}

template <class ColorOf>
void paint(std::span<const std::uint8_t> bytes, std::size_t column, std::vector<std::uint8_t>& texels,
           ColorOf color_of) {
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const Rgb color = color_of(bytes[k]);
    const std::size_t to = 4 * (k / kThumbnailSide * 2 * kThumbnailSide + column + k % kThumbnailSide);
    std::ranges::copy(color, texels.begin() + static_cast<std::ptrdiff_t>(to));
    texels[to + 3] = 255;
  }
}

}  // namespace

ThumbnailTextures::Held& ThumbnailTextures::held(const Ui& ui,
                                                 const std::shared_ptr<const Thumbnails>& pictures) {
  const ScaleSettings& scale = ui.state.scale;
  const std::pair maps{scale.pattern_color_map, scale.color_map};
  if (color_maps_ != maps) held_.clear();
  color_maps_ = maps;
  if (held_.size() >= kMostTextures && !held_.contains(pictures.get())) {
    const auto oldest = std::ranges::min_element(held_, {}, [](const auto& one) { return one.second.used; });
    held_.erase(oldest);
  }
  Held& one = held_[pictures.get()];
  one.used = ++clock_;
  if (one.pictures == pictures) return one;
  one.pictures = pictures;
  std::vector<std::uint8_t> texels(std::size_t{8} * kThumbnailSide * kThumbnailSide);
  const ColorMap& entries = entry_colors(color_map_or_default(maps.first));
  paint(pictures->pattern, 0, texels, [&](std::uint8_t byte) {
    return byte == 0 ? Rgb{} : color_at(entries, byte, {0, 255});
  });
  const ColorMap& powers = color_map_or_default(maps.second);
  paint(
      pictures->spectrum, kThumbnailSide, texels,
      [&, range = range_of(pictures->spectrum)](std::uint8_t byte) { return color_at(powers, byte, range); });
  one.texture.resize(kThumbnailSide, 2 * kThumbnailSide);
  one.texture.write_rows(0, kThumbnailSide, texels.data());
  return one;
}

void ThumbnailTextures::draw(const Ui& ui, const std::shared_ptr<const Thumbnails>& pictures, ImVec2 at,
                             float side, float gap) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Held* one = pictures != nullptr ? &held(ui, pictures) : nullptr;
  for (int k = 0; k < 2; ++k) {
    const ImVec2 from{at.x + static_cast<float>(k) * (side + gap), at.y};
    const ImVec2 to{from.x + side, from.y + side};
    if (one == nullptr) {
      list.AddRectFilled(from, to, palette().well);
      continue;
    }
    // Half a texel is left out at the edges: there the other picture is mixed in.
    constexpr float kHalf = 0.25F / kThumbnailSide;
    const float left = 0.5F * static_cast<float>(k);
    list.AddImage(static_cast<ImTextureID>(one->texture.id()), from, to, {left + kHalf, 0},
                  {left + 0.5F - kHalf, 1});
  }
}

}  // namespace spyctrum::panels
