// SPDX-License-Identifier: Apache-2.0
// The arrangement of the comparison over sizes of windows, shapes of matrices and numbers of methods. No
// window.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/panels/comparison/picture_grid.hpp"
#include "app/panels/comparison/scale_bar.hpp"

namespace spyctrum::panels {
namespace {

/// The reference with pattern and spectrum, and `others` with a reconstruction, too.
GridRequest request_of(std::size_t others, double aspect, GridExtent room, bool errors = false) {
  GridRequest request;
  request.room = room;
  request.aspect = aspect;
  request.methods.push_back({{true, true, false, false}, {}});
  for (std::size_t i = 0; i < others; ++i)
    request.methods.push_back({{true, true, true, errors}, {true, true, false, errors}});
  return request;
}

constexpr std::array kPinned{GridForm::columns, GridForm::columns_large, GridForm::rows,
                             GridForm::rows_large};

/// Calls `check` for many windows, shapes and numbers of methods.
template <class Check>
void for_many(Check check) {
  for (const GridExtent room : {GridExtent{630, 620}, {1250, 990}, {2500, 1980}, {900, 1500}, {2400, 700}})
    for (const double aspect : {0.25, 0.6, 1.0, 2.1, 4.0})
      for (std::size_t others = 0; others < 4; ++others)
        for (const bool errors : {false, true}) {
          SCOPED_TRACE(std::to_string(room.width) + " x " + std::to_string(room.height) + ", aspect " +
                       std::to_string(aspect) + ", " + std::to_string(others) + " others" +
                       (errors ? ", errors" : ""));
          check(request_of(others, aspect, room, errors));
        }
}

bool overlap(const GridRect& a, const GridRect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

TEST(PictureGrid, NoPinnedArrangementHasMuchLargerPicturesThanTheAutomaticOne) {
  for_many([](GridRequest request) {
    const PictureGrid chosen = arrange_pictures(request);
    const auto is_usable = [&](const PictureGrid& grid) {
      const float side = 0.65F * request.lengths.least_picture;
      return grid.extent.width <= request.room.width && grid.extent.height <= request.room.height &&
             std::ranges::all_of(grid.pictures, [&](const GridPicture& picture) {
               return picture.place.width * picture.place.height >= side * side;
             });
    };
    for (const GridForm form : kPinned) {
      request.form = form;
      const PictureGrid other = arrange_pictures(request);
      EXPECT_EQ(other.form, form);
      if (is_usable(other)) {
        EXPECT_GE(chosen.area() * 1.06, other.area()) << static_cast<int>(form);
      }
      EXPECT_TRUE(is_usable(chosen) || !is_usable(other)) << static_cast<int>(form);
    }
  });
}

TEST(PictureGrid, PicturesBarsAndCaptionsLieInTheirCardsAndNeverOnEachOther) {
  for_many([](GridRequest request) {
    for (const GridForm form :
         {GridForm::automatic, kPinned[0], kPinned[1], kPinned[2], kPinned[3], GridForm::one_large}) {
      request.form = form;
      const PictureGrid grid = arrange_pictures(request);
      const GridLengths& lengths = request.lengths;
      std::vector<GridRect> taken;
      for (const GridPicture& picture : grid.pictures) {
        const GridRect& card = grid.cards[picture.method];
        const float caption = lengths.caption_of(picture.place.width);
        const GridRect block{card.x + picture.place.x, card.y + picture.place.y - caption,
                             picture.place.width + (picture.bar ? lengths.bar : 0),
                             picture.place.height + caption};
        EXPECT_GE(block.x, card.x + lengths.padding - 1);
        EXPECT_GE(block.y, card.y + grid.header);
        EXPECT_LE(block.x + block.width, card.x + card.width - lengths.padding + 1);
        EXPECT_LE(block.y + block.height, card.y + card.height);
        for (const GridRect& other : taken) EXPECT_FALSE(overlap(block, other)) << static_cast<int>(form);
        taken.push_back(block);
      }
    }
  });
}

TEST(PictureGrid, CaptionsOfSlenderPicturesTakeFreeSpace) {
  GridRequest request = request_of(2, 0.25, {533, 700});
  request.form = GridForm::rows;
  request.lines = 1;
  const auto narrowest = [](const PictureGrid& grid) {
    float least = 1e6F;
    for (std::size_t k = 0; k < grid.pictures.size(); ++k) {
      const GridPicture& one = grid.pictures[k];
      least = std::min(least, one.caption_width);
      if (k + 1 == grid.pictures.size() || grid.pictures[k + 1].method != one.method)
        EXPECT_LE(one.place.x + one.caption_width, grid.cards[one.method].width);
      else
        EXPECT_LE(one.place.x + one.caption_width, grid.pictures[k + 1].place.x);
    }
    return least;
  };
  const PictureGrid wide = arrange_pictures(request);
  EXPECT_LT(wide.pictures.front().place.width, 50);
  EXPECT_GE(narrowest(wide), 110) << "\"reconstruction · best\"";
  request.room.width = 300;
  const float narrow = narrowest(arrange_pictures(request));
  EXPECT_LT(narrow, 110) << "control: no free space";
}

TEST(PictureGrid, PicturesOfOneRowHaveOneSizeAndTheShapeOfTheMatrix) {
  for_many([](const GridRequest& request) {
    const PictureGrid grid = arrange_pictures(request);
    for (const GridPicture& picture : grid.pictures) {
      EXPECT_NEAR(picture.place.width / picture.place.height, request.aspect, 0.06 * request.aspect);
      for (const GridPicture& other : grid.pictures) {
        if (other.row != picture.row) continue;
        EXPECT_EQ(other.place.width, picture.place.width);
        EXPECT_EQ(other.place.height, picture.place.height);
      }
    }
  });
}

TEST(PictureGrid, EveryPictureThatAMethodHasIsPlacedOnce) {
  for_many([](const GridRequest& request) {
    const PictureGrid grid = arrange_pictures(request);
    ASSERT_EQ(grid.cards.size(), request.methods.size());
    for (std::size_t method = 0; method < request.methods.size(); ++method)
      for (std::size_t row = 0; row < kRows; ++row)
        EXPECT_EQ(std::ranges::count_if(grid.pictures,
                                        [&](const GridPicture& one) {
                                          return one.method == method && one.row == static_cast<Row>(row);
                                        }),
                  request.methods[method].shows[row] ? 1 : 0);
  });
}

TEST(PictureGrid, TheSizeFoundIsTheLargestThatFits) {
  // One picture: a square of the height that is left.
  GridRequest one;
  one.room = {500, 400};
  one.aspect = 1;
  one.methods.push_back({{false, true, false, false}, {}});
  const GridLengths& lengths = one.lengths;
  EXPECT_EQ(arrange_pictures(one).pictures.front().place.height,
            400 - lengths.header - lengths.caption - lengths.padding);
  one.room = {300, 900};
  EXPECT_EQ(arrange_pictures(one).pictures.front().place.width, 300 - 2 * lengths.padding);
  // Pictures of any shape fill both sides.
  one.aspect = 0;
  const GridRect any = arrange_pictures(one).pictures.front().place;
  EXPECT_EQ(any.width, 300 - 2 * lengths.padding);
  EXPECT_EQ(any.height, 900 - lengths.header - lengths.caption - lengths.padding);
}

TEST(PictureGrid, AWideRoomHasRowsAndATallOneColumns) {
  GridRequest request = request_of(1, 1, {0, 0});
  request.methods.front().shows = request.methods.back().shows = {true, true, false, false};
  const auto is_row_form = [&](GridExtent room) {
    request.room = room;
    const GridForm form = arrange_pictures(request).form;
    return form == GridForm::rows || form == GridForm::rows_large;
  };
  EXPECT_FALSE(is_row_form({700, 800}));
  request.methods.resize(1);
  EXPECT_TRUE(is_row_form({1600, 700})) << "pattern and spectrum beside each other";
  EXPECT_FALSE(is_row_form({700, 1400})) << "above each other";
}

TEST(PictureGrid, WhatDoesNotFitScrollsAndIsNotShrunkBeyondRecognition) {
  const GridRequest request = request_of(5, 1, {500, 300});
  const PictureGrid grid = arrange_pictures(request);
  EXPECT_TRUE(grid.extent.width > 500 || grid.extent.height > 300);
  EXPECT_GE(grid.largest[1].width, request.lengths.least_picture);
}

TEST(PictureGrid, ALargeSpectrumIsLargerThanTheOthers) {
  GridRequest request = request_of(2, 1, {1250, 990});
  request.form = GridForm::columns_large;
  const PictureGrid grid = arrange_pictures(request);
  const auto width_of = [&](Row row) {
    return std::ranges::find(grid.pictures, row, &GridPicture::row)->place.width;
  };
  EXPECT_GT(width_of(Row::spectrum), 1.2 * width_of(Row::pattern));
  EXPECT_EQ(width_of(Row::reconstruction), width_of(Row::pattern));
  EXPECT_EQ(grid.largest[static_cast<std::size_t>(Plane::spectrum)].width, width_of(Row::spectrum));
  // Control: without the pin of a large spectrum all are equal.
  request.form = GridForm::columns;
  const PictureGrid even = arrange_pictures(request);
  for (const GridPicture& picture : even.pictures)
    EXPECT_EQ(picture.place.width, even.pictures.front().place.width);
}

TEST(PictureGrid, SeveralLinesOfMethodsAreTakenWhereOneLeavesTheWindowEmpty) {
  // Four methods of two pictures each, as pattern and spectrum alone.
  GridRequest request;
  request.room = {1250, 990};
  request.aspect = 1;
  for (int i = 0; i < 4; ++i) request.methods.push_back({{true, true, false, false}, {i == 3, i == 3}});
  const double share = 1250.0 * 990;
  const PictureGrid chosen = arrange_pictures(request);
  EXPECT_GT(chosen.area() / share, 0.55);
  EXPECT_LT(chosen.cards[0].y, chosen.cards[3].y);
  EXPECT_LT(std::min(chosen.cards[0].x, chosen.cards[2].x), chosen.cards[1].x) << "read as words are";
  request.form = GridForm::columns;
  request.lines = 1;
  const PictureGrid line = arrange_pictures(request);
  EXPECT_EQ(line.cards[0].y, line.cards[3].y) << "control: one line, pinned";
  EXPECT_LT(line.area() * 1.1, chosen.area());
  // Where one line is as large, it stays one.
  request.form = GridForm::automatic;
  request.lines = 0;
  request.room = {1800, 990};
  EXPECT_EQ(arrange_pictures(request).cards[0].y, arrange_pictures(request).cards[3].y);
  // In lines of columns each line has its bars.
  request.form = GridForm::columns;
  request.lines = 2;
  const PictureGrid two = arrange_pictures(request);
  EXPECT_LT(two.cards[1].y, two.cards[2].y);
  const auto bars = [&](const PictureGrid& grid) {
    return std::ranges::count(grid.pictures, true, &GridPicture::bar);
  };
  EXPECT_EQ(bars(two), 4);
  EXPECT_EQ(bars(line), 2);
}

TEST(PictureGrid, OneMethodIsLargeAndTheOthersAreStrips) {
  for_many([](GridRequest request) {
    request.form = GridForm::one_large;
    const std::size_t count = request.methods.size();
    for (request.large = 0; request.large < count; ++request.large) {
      const PictureGrid grid = arrange_pictures(request);
      EXPECT_EQ(grid.form, GridForm::one_large);
      if (count == 1 || grid.extent.width > request.room.width || grid.extent.height > request.room.height)
        continue;
      for (const GridPicture& picture : grid.pictures)
        for (const GridPicture& other : grid.pictures) {
          if (picture.method == request.large && picture.row == Row::spectrum &&
              other.method != request.large) {
            EXPECT_GE(picture.place.width, other.place.width);
          }
        }
    }
  });
  GridRequest request = request_of(2, 1, {1250, 990});
  request.form = GridForm::one_large;
  request.large = 1;
  const PictureGrid grid = arrange_pictures(request);
  const auto width_of = [&](std::size_t method) {
    const auto is_spectrum = [&](const GridPicture& one) {
      return one.method == method && one.row == Row::spectrum;
    };
    return std::ranges::find_if(grid.pictures, is_spectrum)->place.width;
  };
  EXPECT_GT(width_of(1), 1.5 * width_of(0));
  EXPECT_EQ(width_of(0), width_of(2));
}

std::string labels(const ScaleSettings& scale, Row row, DisplayRange range, int target_count = 6) {
  std::string all;
  for (const BarTick& tick : bar_ticks(scale, row, range, target_count)) all += tick.label + " ";
  return all;
}

TEST(ColourBar, TicksAreRoundNumbersOfTheUnit) {
  ScaleSettings scale;
  EXPECT_EQ(bar_unit(scale, Row::spectrum), "lg |F|²");
  EXPECT_EQ(labels(scale, Row::spectrum, {5.03F, 5.22F}), "5.05 5.10 5.15 5.20 ");
  EXPECT_EQ(labels(scale, Row::reconstruction, {-1.5F, 3.2F}), "\u22121 0 1 2 3 ");
  scale.curve = Curve::decibel;
  EXPECT_EQ(bar_unit(scale, Row::spectrum), "dB");
  EXPECT_EQ(labels(scale, Row::spectrum, {1, 3}), "10 15 20 25 30 ");
  scale.curve = Curve::linear;
  EXPECT_EQ(bar_unit(scale, Row::spectrum), "|F|");
  EXPECT_EQ(labels(scale, Row::spectrum, {2, 4}), "20 40 60 80 100 ");
  EXPECT_EQ(bar_unit(scale, Row::error), "dB");
  EXPECT_EQ(labels(scale, Row::error, {-1.2F, 1.2F}), "\u221210 \u22125 0 +5 +10 ");
  scale.error = PictureError::relative;
  EXPECT_EQ(labels(scale, Row::error, {-0.5F, 0.5F}, 4), "\u221250 0 +50 ");
  EXPECT_EQ(labels(scale, Row::error, {0.1F, 0.1004F}, 4), "+10.01 +10.02 +10.03 +10.04 ")
      << "labels tell ticks of a short range apart";
  scale.error = PictureError::phase;
  EXPECT_EQ(bar_unit(scale, Row::error), "rad");
  EXPECT_EQ(labels(scale, Row::error, {0, 3.14F}, 4), "0 1 2 3 ");
  scale.error = PictureError::squared;
  EXPECT_EQ(labels(scale, Row::error, {-4.2F, 0.1F}, 4), "\u22124 \u22122 0 ");
  scale.curve = Curve::log;
  EXPECT_EQ(labels(scale, Row::pattern, {-3, 0}, 4), "0.1 1 10 100 ");
  EXPECT_EQ(labels(scale, Row::pattern, {-0.4F, 0}, 4), "50 100 ");
  EXPECT_EQ(labels(scale, Row::pattern, {-0.9F, -0.77F}, 4), "14 16 ") << "12.6 to 17.0 %, without 1, 2 or 5";
  scale.curve = Curve::linear;
  EXPECT_EQ(labels(scale, Row::pattern, {-0.90F, -0.88F}, 4), "12.6 12.8 13.0 ");
  EXPECT_EQ(labels(scale, Row::spectrum, {2, 2}), "") << "a range without an inside has no scale";
}

TEST(ColourBar, TicksOfValuesAreShortAndOfBothSigns) {
  const auto all = [](bool is_log, PatternBar bar, DisplayRange range) {
    std::string text;
    for (const BarTick& tick : value_ticks(is_log, bar, range, 3)) text += tick.label + " ";
    return text;
  };
  EXPECT_EQ(all(false, PatternBar::magnitudes, {-3, 1}), "0 5 10 ");
  EXPECT_EQ(all(false, PatternBar::signs, {-3, 12.4F}), "\u22122e12 \u22121e12 0 +1e12 +2e12 ");
  EXPECT_EQ(all(true, PatternBar::magnitudes, {-2, 2}), "0.01 1 100 ");
  EXPECT_EQ(all(true, PatternBar::magnitudes, {-20, 10}), "1e\u221220 1e\u221210 1 1e10 ");
  EXPECT_EQ(all(true, PatternBar::signs, {-2, 2}), "\u2212100 \u22121 0 +1 +100 ");
}

TEST(ColourBar, AScaleWithoutRoomForDecadesHasOneShortTickOfEachSign) {
  const auto ticks = value_ticks(true, PatternBar::signs, {-23.9F, 12.54F}, 1);
  ASSERT_EQ(ticks.size(), 3U);
  EXPECT_EQ(ticks[0].label, "\u22123e12");
  EXPECT_EQ(ticks[1].label, "0");
  EXPECT_EQ(ticks[2].label, "+3e12");
  EXPECT_NEAR(ticks[2].place, 0.5 + (std::log10(3e12) + 23.9) / (12.54 + 23.9) / 2, 1e-6);
}

TEST(ColourBar, ALowBarOfLinearValuesHasOneTickOfEachSign) {
  const auto ticks = value_ticks(false, PatternBar::signs, {-3, std::log10(7.0F)}, 1);
  ASSERT_EQ(ticks.size(), 3U);
  EXPECT_EQ(ticks[0].label, "\u22127");
  EXPECT_EQ(ticks[2].label, "+7");
  EXPECT_NEAR(ticks[2].place, 1, 1e-6);
}

TEST(ColourBar, ATickLiesWhereTheShaderDrawsItsValue) {
  ScaleSettings scale;
  for (const BarTick& tick : bar_ticks(scale, Row::spectrum, {1, 5}, 4))
    EXPECT_NEAR(tick.place, (std::stod(tick.label) - 1) / 4, 1e-6);
  scale.curve = Curve::symlog;
  // symlog of shaders/scale.frag: log10(1 + x / threshold), the threshold at the low end.
  const double low = std::log10(2.0), high = std::log10(1 + 100.0);
  for (const BarTick& tick : bar_ticks(scale, Row::spectrum, {0, 4}, 4))
    EXPECT_NEAR(tick.place, (std::log10(1 + std::stod(tick.label)) - low) / (high - low), 1e-6);
}

}  // namespace
}  // namespace spyctrum::panels
