// SPDX-License-Identifier: Apache-2.0
// A candidate is built for given sizes of its pictures; bisection finds the largest sizes that fit the room.
#include "app/panels/comparison/picture_grid.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spyctrum::panels {
namespace {

constexpr float kSmallestShare = 0.45F;  // side of a small picture / side of a large one
constexpr float kTinyShare = 0.65F;      // root of a picture's area / least_picture, below which it is tiny
constexpr double kWorthChanging = 1.05;  // by this factor the area must grow for a later form to be chosen

struct Sizes {
  GridExtent large, small;
};

/// One arrangement whose sizes are not known yet.
struct Candidate {
  GridForm form = GridForm::columns;
  /// The small pictures lie beside each other in a strip along the large one, not each in line with it.
  bool strip = false;
  [[nodiscard]] bool has_columns() const {
    return form == GridForm::columns || form == GridForm::columns_large;
  }
  [[nodiscard]] Candidate even() const { return {has_columns() ? GridForm::columns : GridForm::rows, false}; }
  [[nodiscard]] bool is_even() const { return form == GridForm::columns || form == GridForm::rows; }
  [[nodiscard]] bool is_large(Row row) const { return is_even() || row == Row::spectrum; }
};

/// The rows of which at least one method has a picture.
std::vector<Row> rows_of(const GridRequest& request) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < kRows; ++i)
    if (std::ranges::any_of(request.methods, [&](const GridMethod& one) { return one.shows[i]; }))
      rows.push_back(static_cast<Row>(i));
  return rows;
}

class Builder {
 public:
  Builder(const GridRequest& request, Candidate candidate)
      : request_(request), candidate_(candidate), rows_(rows_of(request)) {}

  /// Sizes where large pictures are `width` wide, as far as they follow from it: of the small ones the
  /// smallest that are allowed, or those that fill the strip.
  [[nodiscard]] Sizes sizes_for(float width, float height) const {
    Sizes sizes{{width, height}, {width, height}};
    if (candidate_.is_even()) return sizes;
    float share = kSmallestShare;
    const auto count = static_cast<float>(rows_.size() - 1);
    if (candidate_.strip && count > 0) {
      const GridLengths& lengths = request_.lengths;
      float bars = 0;  // of the small pictures but one, whose bar lies beside that of the large picture
      if (candidate_.has_columns() && has_bars()) bars = lengths.bar * (count - 1);
      const float along = candidate_.has_columns()
                              ? (width - (count - 1) * lengths.gap - bars) / count / width
                              : (height - (count - 1) * (lengths.gap + lengths.caption)) / count / height;
      share = std::clamp(along, 0.05F, 1.0F);
    }
    sizes.small = scaled(sizes.large, share);
    return sizes;
  }

  [[nodiscard]] PictureGrid build(const Sizes& sizes) const;

  /// The largest that fit; of the small ones only where they are not those of a strip.
  [[nodiscard]] PictureGrid largest() const {
    const float least = request_.lengths.least_picture / (candidate_.is_even() ? 1 : kSmallestShare);
    const auto aspect = static_cast<float>(request_.aspect);
    const float least_width = aspect > 0 && aspect < 1 ? std::ceil(least * aspect) : least;
    const auto shape = [&](float width) {
      return aspect > 0 ? std::max(1.0F, std::floor(width / aspect)) : least;
    };
    const auto fits = [&](const Sizes& sizes) {
      const PictureGrid grid = build(sizes);
      return grid.extent.width <= request_.room.width && grid.extent.height <= request_.room.height;
    };
    const float width =
        bisect(least_width, request_.room.width, [&](float at) { return fits(sizes_for(at, shape(at))); });
    float height = shape(width);
    if (aspect <= 0)
      height = bisect(height, request_.room.height, [&](float at) { return fits(sizes_for(width, at)); });
    Sizes sizes = sizes_for(width, height);
    if (!candidate_.is_even() && !candidate_.strip) {
      const auto with_small = [&](float small) {
        return Sizes{sizes.large, scaled(sizes.large, small / sizes.large.width)};
      };
      sizes = with_small(
          bisect(sizes.small.width, sizes.large.width, [&](float at) { return fits(with_small(at)); }));
    }
    return build(sizes);
  }

 private:
  [[nodiscard]] static GridExtent scaled(const GridExtent& extent, float share) {
    return {std::max(1.0F, std::floor(extent.width * share)),
            std::max(1.0F, std::floor(extent.height * share))};
  }

  /// The largest whole number from `low` to `high` for which `fits` holds; `low` where there is none.
  template <class Fits>
  [[nodiscard]] static float bisect(float low, float high, Fits fits) {
    auto from = static_cast<long>(low), to = static_cast<long>(std::max(low, high)) + 1;
    while (to - from > 1) {
      const long middle = from + (to - from) / 2;
      (fits(static_cast<float>(middle)) ? from : to) = middle;
    }
    return static_cast<float>(from);
  }

  [[nodiscard]] bool has_bars() const {
    return std::ranges::any_of(request_.methods, [](const GridMethod& method) {
      return std::ranges::find(method.bars, true) != method.bars.end();
    });
  }

  /// Room for a bar beside the picture of `row`: in columns equal over the rows of a card, in rows equal over
  /// the cards, so that pictures of one kind lie in a line.
  [[nodiscard]] float bar_room(const GridMethod& method, Row row) const {
    const auto at = static_cast<std::size_t>(row);
    const bool wanted =
        candidate_.has_columns()
            ? std::ranges::find(method.bars, true) != method.bars.end()
            : std::ranges::any_of(request_.methods, [&](const GridMethod& one) { return one.bars[at]; });
    return wanted ? request_.lengths.bar : 0;
  }

  struct Card {
    std::vector<GridPicture> pictures;
    GridExtent content;
  };
  [[nodiscard]] Card build_card(std::size_t index, const Sizes& sizes) const;

  const GridRequest& request_;
  Candidate candidate_;
  std::vector<Row> rows_;
};

/// Places relative to the corner of the card's content. Every row of pictures has its place in every card,
/// also where the method does not show it; what is empty at the end takes no room.
Builder::Card Builder::build_card(std::size_t index, const Sizes& sizes) const {
  const GridMethod& method = request_.methods[index];
  const GridLengths& lengths = request_.lengths;
  Card card;
  GridExtent large_block;  // of the large picture where the others lie in a strip along it
  if (candidate_.strip)
    large_block = {sizes.large.width + bar_room(method, Row::spectrum), lengths.caption + sizes.large.height};
  const bool down = candidate_.has_columns() != candidate_.strip;
  float along = 0;
  for (const Row row : rows_) {
    const bool large = candidate_.is_large(row);
    const GridExtent& size = large ? sizes.large : sizes.small;
    const float width = size.width + bar_room(method, row), height = lengths.caption + size.height;
    GridRect place{0, lengths.caption, size.width, size.height};
    if (!(candidate_.strip && large)) {
      (down ? place.y : place.x) += along;
      if (candidate_.strip)
        (down ? place.x : place.y) += lengths.gap + (down ? large_block.width : large_block.height);
      along += (down ? height : width) + lengths.gap;
    }
    const auto at = static_cast<std::size_t>(row);
    if (!method.shows[at]) continue;
    card.pictures.push_back({index, row, place, method.bars[at]});
    card.content.width = std::max(card.content.width, place.x + width);
    card.content.height = std::max(card.content.height, place.y + size.height);
  }
  return card;
}

PictureGrid Builder::build(const Sizes& sizes) const {
  const GridLengths& lengths = request_.lengths;
  PictureGrid grid;
  grid.form = candidate_.form;
  const bool columns = candidate_.has_columns();
  std::vector<Card> cards;
  GridExtent widest;
  float together = 0;
  for (std::size_t i = 0; i < request_.methods.size(); ++i) {
    Card card = build_card(i, sizes);
    card.content.width = std::max(card.content.width, lengths.least_card - 2 * lengths.padding);
    widest = {std::max(widest.width, card.content.width), std::max(widest.height, card.content.height)};
    together += card.content.width + 2 * lengths.padding;
    cards.push_back(std::move(card));
  }
  const auto count = static_cast<float>(cards.size());
  const float between = lengths.spacing * std::max(0.0F, count - 1);
  // What the pictures leave free is shared by the cards.
  const float spare_width = columns ? std::max(0.0F, request_.room.width - together - between) / count : 0;
  float card_width = columns ? 0 : std::max(request_.room.width, widest.width + 2 * lengths.padding);
  if (columns) card_width = widest.width + 2 * lengths.padding + spare_width;
  grid.header = card_width >= lengths.wide_card ? lengths.wide_header : lengths.header;
  const float high = grid.header + widest.height + lengths.padding;
  const float spare_height =
      std::max(0.0F, columns ? request_.room.height - high : (request_.room.height - between) / count - high);
  float x = 0, y = 0;
  for (Card& card : cards) {
    const float width =
        columns ? card.content.width + 2 * lengths.padding + std::floor(spare_width) : card_width;
    grid.cards.push_back({x, y, width, std::floor(high + spare_height)});
    for (GridPicture& picture : card.pictures) {
      picture.place.x += lengths.padding;
      picture.place.y += grid.header;
      GridExtent& largest = grid.largest[static_cast<std::size_t>(plane_of(picture.row))];
      largest = {std::max(largest.width, picture.place.width),
                 std::max(largest.height, picture.place.height)};
      grid.pictures.push_back(picture);
    }
    grid.extent = {std::max(grid.extent.width, x + width), std::max(grid.extent.height, y + high)};
    if (columns)
      x += width + lengths.spacing;
    else
      y += std::floor(high + spare_height) + lengths.spacing;
  }
  return grid;
}

/// Whether all of it is on the screen without scrolling, and no picture is tiny.
bool is_usable(const PictureGrid& grid, const GridRequest& request) {
  if (grid.extent.width > request.room.width || grid.extent.height > request.room.height) return false;
  const float side = request.lengths.least_picture * kTinyShare;
  return std::ranges::all_of(grid.pictures, [&](const GridPicture& picture) {
    return picture.place.width * picture.place.height >= side * side;
  });
}

constexpr std::array<Candidate, 6> kCandidates{{{GridForm::columns, false},
                                                {GridForm::columns_large, false},
                                                {GridForm::columns_large, true},
                                                {GridForm::rows, false},
                                                {GridForm::rows_large, false},
                                                {GridForm::rows_large, true}}};

}  // namespace

double PictureGrid::area() const {
  double sum = 0;
  for (const GridPicture& picture : pictures)
    sum += static_cast<double>(picture.place.width) * static_cast<double>(picture.place.height);
  return sum;
}

PictureGrid arrange_pictures(const GridRequest& request) {
  PictureGrid best;
  bool found = false;
  for (const Candidate& candidate : kCandidates) {
    if (request.form != GridForm::automatic && candidate.form != request.form) continue;
    const std::vector<Row> rows = rows_of(request);
    const bool has_small = std::ranges::find(rows, Row::spectrum) != rows.end() && rows.size() > 1;
    // Without a spectrum beside other pictures nothing is small; a strip of one picture is no strip.
    if (found && ((!candidate.is_even() && !has_small) || (candidate.strip && rows.size() < 3))) continue;
    PictureGrid grid = Builder(request, has_small ? candidate : candidate.even()).largest();
    grid.form = candidate.form;
    // Where nothing is usable, the one that needs the least scrolling.
    const auto overflow = [&](const PictureGrid& one) {
      return std::max(0.0F, one.extent.width - request.room.width) +
             std::max(0.0F, one.extent.height - request.room.height);
    };
    const bool usable = is_usable(grid, request), best_usable = is_usable(best, request);
    const bool better = usable != best_usable ? usable
                        : usable              ? grid.area() > best.area() * kWorthChanging
                                              : overflow(grid) < overflow(best);
    if (found && !better) continue;
    best = std::move(grid);
    found = true;
  }
  return best;
}

}  // namespace spyctrum::panels
