// SPDX-License-Identifier: Apache-2.0
// The lightness of colour maps, measured in the colour space Oklab, increases along their length, in even
// steps for those that this project made.
#include "core/pictures/colormap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace spyctrum {
namespace {

double distance(const Oklab& p, const Oklab& q) { return std::hypot(p.l - q.l, p.a - q.a, p.b - q.b); }

TEST(Oklab, ConvertsBackToTheSameColor) {
  for (int r = 0; r < 256; r += 15)
    for (int g = 0; g < 256; g += 15)
      for (int b = 0; b < 256; b += 15) {
        const std::array<std::uint8_t, 3> color = {static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g),
                                                   static_cast<std::uint8_t>(b)};
        EXPECT_EQ(srgb_of(oklab_of(color)), color);
      }
  EXPECT_NEAR(oklab_of({255, 255, 255}).l, 1, 1e-6);
  EXPECT_NEAR(oklab_of({255, 0, 0}).l, 0.627955, 1e-5);  // from the publication
  EXPECT_NEAR(oklab_of({255, 0, 0}).a, 0.224863, 1e-5);
}

TEST(ColorMaps, HaveNamesOfTheirOwnAndASequentialDefault) {
  std::set<std::string_view> names;
  for (const ColorMap& map : color_maps()) {
    EXPECT_TRUE(names.insert(map.name).second);
    EXPECT_EQ(find_color_map(map.name), &map);
  }
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(color_maps().front().kind, ColorMap::Kind::sequential);
  EXPECT_EQ(find_color_map("viridis"), find_color_map("viridis-like"));
  EXPECT_NE(find_color_map("viridis"), nullptr);
  EXPECT_EQ(find_color_map("no such map"), nullptr);
}

TEST(ColorMaps, OfPublishedNamesHaveThePublishedColors) {
  using Color = std::array<std::uint8_t, 3>;
  const auto ends = [](std::string_view name) {
    const ColorMap& map = *find_color_map(name);
    return std::array<Color, 2>{map.rgb.front(), map.rgb.back()};
  };
  EXPECT_EQ(ends("viridis"), (std::array<Color, 2>{{{0x44, 0x01, 0x54}, {0xFD, 0xE7, 0x25}}}));
  EXPECT_EQ(ends("magma"), (std::array<Color, 2>{{{0x00, 0x00, 0x04}, {0xFC, 0xFD, 0xBF}}}));
  EXPECT_EQ(find_color_map("viridis")->rgb[128], (Color{0x21, 0x91, 0x8C}));
  EXPECT_EQ(find_color_map("cividis")->rgb[0], (Color{0x00, 0x22, 0x4E}));
}

TEST(ColorMaps, NeighbouringColoursDifferLittle) {
  for (const ColorMap& map : color_maps())
    for (std::size_t k = 1; k < 256; ++k)
      EXPECT_LT(distance(oklab_of(map.rgb[k]), oklab_of(map.rgb[k - 1])), 0.03) << map.name << " " << k;
}

TEST(EntryColors, DifferFromThatOfNoEntryAndReachTheEndsOfTheMap) {
  constexpr double kVisible = 0.14;
  const Oklab none = oklab_of({5, 5, 8});
  for (const ColorMap& map : color_maps()) {
    if (map.kind == ColorMap::Kind::cyclic) continue;
    const ColorMap& entries = entry_colors(map);
    double nearest = 1;
    for (const auto& color : entries.rgb) nearest = std::min(nearest, distance(oklab_of(color), none));
    EXPECT_GT(nearest, kVisible) << map.name;
    EXPECT_EQ(entries.rgb[255], map.rgb[255]) << map.name;
    const bool is_diverging = map.kind == ColorMap::Kind::diverging;
    EXPECT_EQ(entries.rgb[0] == map.rgb[0], is_diverging) << map.name;
    if (is_diverging) {
      EXPECT_NE(entries.rgb[127], entries.rgb[128]) << map.name << ": one for each sign";
    }
  }
  EXPECT_LT(distance(oklab_of(find_color_map("magma")->rgb[0]), none), kVisible) << "control";
}

TEST(ColorMaps, SequentialOnesGrowLighter) {
  for (const ColorMap& map : color_maps()) {
    if (map.kind != ColorMap::Kind::sequential || map.name == "turbo") continue;
    EXPECT_GT(oklab_of(map.rgb.back()).l - oklab_of(map.rgb.front()).l, 0.6) << map.name;
    for (std::size_t k = 1; k < 256; ++k) {
      EXPECT_GE(oklab_of(map.rgb[k]).l, oklab_of(map.rgb[k - 1]).l - 1e-3) << map.name << " " << k;
    }
  }
}

/// The published maps are even in other colour spaces (CAM02-UCS).
TEST(ColorMaps, GrayGrowsLighterEvenly) {
  const ColorMap& map = *find_color_map("gray");
  const double first = oklab_of(map.rgb.front()).l;
  const double last = oklab_of(map.rgb.back()).l;
  for (std::size_t k = 0; k < 256; ++k)
    EXPECT_NEAR(oklab_of(map.rgb[k]).l, first + (last - first) * static_cast<double>(k) / 255, 0.006) << k;
}

TEST(ColorMaps, DivergingOnesAreNeutralInTheMiddleAndAsLightOnBothSides) {
  int found = 0;
  for (const ColorMap& map : color_maps()) {
    if (map.kind != ColorMap::Kind::diverging) continue;
    ++found;
    const Oklab middle = oklab_of(map.rgb[128]);
    EXPECT_LT(std::hypot(middle.a, middle.b), 0.02) << map.name;
    for (std::size_t k = 0; k < 128; ++k)
      EXPECT_NEAR(oklab_of(map.rgb[k]).l, oklab_of(map.rgb[255 - k]).l, 0.01) << map.name << " " << k;
    EXPECT_GT(distance(oklab_of(map.rgb.front()), oklab_of(map.rgb.back())), 0.1) << map.name;
  }
  EXPECT_GE(found, 2);
}

TEST(ColorMaps, TheCyclicMapBeginsAndEndsInOneColourAndKeepsItsLightness) {
  const ColorMap* map = find_color_map("phase");
  ASSERT_NE(map, nullptr);
  EXPECT_EQ(map->kind, ColorMap::Kind::cyclic);
  EXPECT_LT(distance(oklab_of(map->rgb.front()), oklab_of(map->rgb.back())), 0.01);
  for (const auto& color : map->rgb) EXPECT_NEAR(oklab_of(color).l, 0.72, 0.01);
}

}  // namespace
}  // namespace spyctrum
