// SPDX-License-Identifier: Apache-2.0
// A candidate is built for given sizes of its pictures; bisection finds the largest sizes that fit the room.
#include "app/panels/comparison/picture_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace spyctrum::panels {
namespace {

constexpr float kSmallestShare = 0.35F;      // side of a small picture / side of a large one
constexpr float kSmallestStripShare = 0.2F;  // the same in GridForm::one_large
constexpr float kTinyShare = 0.65F;          // a picture is tiny if √area is below this times least_picture
constexpr double kWorthChanging = 1.05;      // a later candidate is taken if its area is so many times larger

struct Sizes {
  GridExtent large, small;
};

/// An arrangement of the pictures, before their sizes are known.
struct Candidate {
  GridForm form = GridForm::columns;
  /// The small pictures of a card lie in a strip along the large one; else all lie in one line.
  bool strip = false;
  std::size_t across = 1;  ///< cards in a line; for one_large: cards of the small methods in a line
  bool down = true;  ///< a card's pictures lie below each other; for one_large: those of the small methods
  bool large_down = true;    ///< one_large: the pictures of the large method lie below each other
  bool large_strip = false;  ///< one_large: only the large method's spectrum is large, the rest is a strip
  bool below = false;        ///< one_large: the small methods lie below the large one, else at its right
  [[nodiscard]] bool has_one_large() const { return form == GridForm::one_large; }
  [[nodiscard]] bool is_even() const { return form == GridForm::columns || form == GridForm::rows; }
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

  /// Sizes of pictures if large ones have this width and height. Small pictures fill the strip, or have the
  /// smallest size that is allowed.
  [[nodiscard]] Sizes sizes_for(float width, float height) const {
    Sizes sizes{{width, height}, {width, height}};
    if (candidate_.is_even()) return sizes;
    float share = candidate_.has_one_large() ? kSmallestStripShare : kSmallestShare;
    const auto count = static_cast<float>(rows_.size() - 1);
    if (candidate_.strip && count > 0) {
      const GridLengths& lengths = request_.lengths;
      float bars = 0;  // of the small pictures but one, whose bar lies beside that of the large picture
      if (candidate_.down && has_bars()) bars = lengths.bar * (count - 1);
      // The strip is as long as the large picture, captions included.
      const auto along = [&](float caption) {
        return candidate_.down
                   ? (width - (count - 1) * lengths.gap - bars) / count / width
                   : (lengths.caption_of(width) + height - (count - 1) * lengths.gap - count * caption) /
                         count / height;
      };
      const float by_one_line = std::clamp(along(lengths.caption), 0.05F, 1.0F);
      share = std::clamp(along(lengths.caption_of(width * by_one_line)), 0.05F, 1.0F);
    }
    sizes.small = scaled(sizes.large, share);
    return sizes;
  }

  [[nodiscard]] PictureGrid build(const Sizes& sizes) const;

  /// The arrangement with the largest pictures that fit into the room: large pictures first, then small ones
  /// unless the strip determines their size.
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

  /// The largest whole number in low … high for which `fits` holds; `low` if there is none.
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

  [[nodiscard]] bool is_large(std::size_t index, Row row) const {
    if (candidate_.has_one_large() && index != request_.large) return false;
    const bool even = candidate_.has_one_large() ? !candidate_.large_strip : candidate_.is_even();
    return even || row == Row::spectrum;
  }
  [[nodiscard]] bool is_down(std::size_t index) const {
    return candidate_.has_one_large() && index == request_.large ? candidate_.large_down : candidate_.down;
  }

  /// Whether the picture has a colour bar: as in the request; also the last picture of each range in every
  /// line of cards (methods as columns), and all pictures of the large method.
  [[nodiscard]] bool has_bar(std::size_t index, std::size_t row) const {
    const GridMethod& method = request_.methods[index];
    const bool any =
        std::ranges::any_of(request_.methods, [&](const GridMethod& one) { return one.bars[row]; });
    if (method.bars[row] || !method.shows[row] || !any) return method.bars[row];
    if (candidate_.has_one_large()) return index == request_.large;
    if (!candidate_.down) return false;
    const std::size_t end =
        std::min((index / candidate_.across + 1) * candidate_.across, request_.methods.size());
    for (std::size_t later = index + 1; later < end; ++later) {
      const GridMethod& other = request_.methods[later];
      if (other.shows[row] && other.range[row] == method.range[row]) return false;
    }
    return end < request_.methods.size();
  }

  /// Width kept free for a colour bar beside a picture. It is the same for all pictures that lie below each
  /// other, so that they are aligned.
  [[nodiscard]] float bar_room(std::size_t index, std::size_t row) const {
    bool is_needed = false;
    if (is_down(index) || (candidate_.has_one_large() && index == request_.large))
      for (std::size_t i = 0; i < kRows; ++i) is_needed |= has_bar(index, i);
    else
      for (std::size_t i = index % candidate_.across; i < request_.methods.size(); i += candidate_.across)
        is_needed |= has_bar(i, row);
    return is_needed ? request_.lengths.bar : 0;
  }

  struct Card {
    std::size_t method = 0;
    std::vector<GridPicture> pictures;
    GridExtent content;
  };
  [[nodiscard]] Card build_card(std::size_t index, const Sizes& sizes) const;
  GridExtent place_cards(PictureGrid& grid, std::span<Card> cards, std::size_t across,
                         const GridRect& room) const;
  [[nodiscard]] float width_of(const Card& card) const {
    return card.content.width + 2 * request_.lengths.padding;
  }

  const GridRequest& request_;
  Candidate candidate_;
  std::vector<Row> rows_;
};

/// Arranges the pictures of one method, relative to the corner of the card's content. A picture that the
/// method lacks leaves a gap, so that equal rows are aligned between cards; gaps at the end are cut off.
Builder::Card Builder::build_card(std::size_t index, const Sizes& sizes) const {
  const GridMethod& method = request_.methods[index];
  const GridLengths& lengths = request_.lengths;
  Card card;
  card.method = index;
  const bool is_one_large = candidate_.has_one_large() && index == request_.large;
  const bool strip = candidate_.strip || (is_one_large && candidate_.large_strip);
  GridExtent large_block;  // extent of the large picture, if the others lie in a strip along it
  if (strip)
    large_block = {sizes.large.width + bar_room(index, static_cast<std::size_t>(Row::spectrum)),
                   lengths.caption_of(sizes.large.width) + sizes.large.height};
  const bool down = is_down(index) != strip;
  float along = 0;
  for (const Row row : rows_) {
    const auto at = static_cast<std::size_t>(row);
    // the large method is aligned with no other, so it needs no gaps
    if (is_one_large && !method.shows[at]) continue;
    const bool large = is_large(index, row);
    const GridExtent& size = large ? sizes.large : sizes.small;
    const float caption = lengths.caption_of(size.width);
    const float width = size.width + bar_room(index, at), height = caption + size.height;
    GridRect place{0, caption, size.width, size.height};
    if (!(strip && large)) {
      (down ? place.y : place.x) += along;
      if (strip) (down ? place.x : place.y) += lengths.gap + (down ? large_block.width : large_block.height);
      along += (down ? height : width) + lengths.gap;
    }
    if (!method.shows[at]) continue;
    card.pictures.push_back({index, row, place, has_bar(index, at), width});
    card.content.width = std::max(card.content.width, place.x + width);
    card.content.height = std::max(card.content.height, place.y + size.height);
  }
  card.content.width = std::max(card.content.width, lengths.least_card - 2 * lengths.padding);
  return card;
}

/// Places `cards` in reading order, `across` in a line, into `room`, and divides free space among them
/// equally. Returns the extent that they need at least.
GridExtent Builder::place_cards(PictureGrid& grid, std::span<Card> cards, std::size_t across,
                                const GridRect& room) const {
  const GridLengths& lengths = request_.lengths;
  const std::size_t lines = (cards.size() + across - 1) / across;
  std::vector<float> widths(across, 0), heights(lines, 0);
  for (std::size_t i = 0; i < cards.size(); ++i) {
    widths[i % across] = std::max(widths[i % across], width_of(cards[i]));
    heights[i / across] = std::max(heights[i / across], cards[i].content.height);
  }
  const auto share = [](float free, std::size_t parts) {
    return std::floor(std::max(0.0F, free) / static_cast<float>(parts));
  };
  const float between = lengths.spacing * static_cast<float>(across - 1);
  GridExtent needed{std::reduce(widths.begin(), widths.end()) + between,
                    lengths.spacing * static_cast<float>(lines - 1)};
  const float spare = share(room.width - needed.width, across);
  if (grid.header == 0) grid.header = lengths.header_of(std::ranges::min(widths) + spare);
  const float header = grid.header;
  for (float& height : heights) {
    height += header + lengths.padding;
    needed.height += height;
  }
  const float spare_height = share(room.height - needed.height, lines);
  // Pictures side by side that are narrower than their captions take free space for these; the rest of it is
  // at both sides.
  const auto slots = static_cast<float>(rows_.size());
  float apart = 0;
  if (!candidate_.down && !candidate_.strip && !candidate_.has_one_large() && rows_.size() > 1) {
    float narrowest = lengths.least_slot;
    for (const Card& card : cards)
      for (const GridPicture& picture : card.pictures) narrowest = std::min(narrowest, picture.caption_width);
    apart = std::clamp(lengths.least_slot - narrowest, 0.0F, std::floor(spare / slots));
  }
  float x = 0, y = 0;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (i % across == 0) x = 0;
    const float width = widths[i % across] + spare, height = heights[i / across] + spare_height;
    grid.cards[cards[i].method] = {room.x + x, room.y + y, width, height};
    for (GridPicture& picture : cards[i].pictures) {
      const auto slot = static_cast<float>(std::ranges::find(rows_, picture.row) - rows_.begin());
      picture.place.x += lengths.padding + std::floor((spare - apart * slots) / 2) + apart * slot;
      picture.caption_width += apart;
      picture.place.y += header;
      GridExtent& largest = grid.largest[static_cast<std::size_t>(plane_of(picture.row))];
      largest = {std::max(largest.width, picture.place.width),
                 std::max(largest.height, picture.place.height)};
      grid.pictures.push_back(picture);
    }
    x += width + lengths.spacing;
    if (i % across + 1 == across) y += height + lengths.spacing;
  }
  return needed;
}

PictureGrid Builder::build(const Sizes& sizes) const {
  PictureGrid grid;
  grid.form = candidate_.form;
  grid.cards.resize(request_.methods.size());
  std::vector<Card> cards;
  for (std::size_t i = 0; i < request_.methods.size(); ++i) cards.push_back(build_card(i, sizes));
  const GridRect room{0, 0, request_.room.width, request_.room.height};
  if (cards.empty()) return grid;
  if (!candidate_.has_one_large()) {
    grid.extent = place_cards(grid, cards, candidate_.across, room);
    return grid;
  }
  // the small methods get the extent that they need, the large one the rest
  grid.header = request_.lengths.narrow_header;
  const auto large = cards.begin() + static_cast<std::ptrdiff_t>(request_.large);
  std::rotate(large, large + 1, cards.end());
  const std::span<Card> strips = std::span(cards).first(cards.size() - 1), main = std::span(cards).last(1);
  const auto needed = [&](std::vector<Card> some, std::size_t across) {
    PictureGrid trial = grid;
    return place_cards(trial, some, across, {});
  };
  const GridExtent beside = needed({strips.begin(), strips.end()}, candidate_.across);
  const GridExtent most = needed({main.begin(), main.end()}, 1);
  const float spacing = request_.lengths.spacing;
  GridRect strip_room{0, 0, room.width, room.height}, main_room = room;
  if (candidate_.below) {
    strip_room.y = std::max(most.height + spacing, room.height - beside.height);
    strip_room.height = beside.height;
    main_room.height = strip_room.y - spacing;
    grid.extent = {std::max(most.width, beside.width), most.height + spacing + beside.height};
  } else {
    strip_room.x = std::max(most.width + spacing, room.width - beside.width);
    strip_room.width = beside.width;
    main_room.width = strip_room.x - spacing;
    grid.extent = {most.width + spacing + beside.width, std::max(most.height, beside.height)};
  }
  place_cards(grid, strips, candidate_.across, strip_room);
  place_cards(grid, main, 1, main_room);
  std::ranges::stable_sort(grid.pictures, {}, &GridPicture::method);
  return grid;
}

/// Whether the arrangement fits into the room without scrolling and has no tiny picture.
bool is_usable(const PictureGrid& grid, const GridRequest& request) {
  if (grid.extent.width > request.room.width || grid.extent.height > request.room.height) return false;
  const float side = request.lengths.least_picture * kTinyShare;
  return std::ranges::all_of(grid.pictures, [&](const GridPicture& picture) {
    return picture.place.width * picture.place.height >= side * side;
  });
}

/// The candidates of request.form and request.lines, those with fewer lines first.
std::vector<Candidate> candidates_of(const GridRequest& request) {
  std::vector<Candidate> all;
  const std::size_t count = std::max<std::size_t>(request.methods.size(), 1);
  const std::vector<Row> rows = rows_of(request);
  const bool has_small = std::ranges::find(rows, Row::spectrum) != rows.end() && rows.size() > 1;
  if (request.form == GridForm::one_large && count > 1) {
    for (unsigned bits = 0; bits < (has_small ? 16U : 8U); ++bits) {
      const bool below = (bits & 1U) != 0;
      all.push_back({.form = GridForm::one_large,
                     .across = below ? count - 1 : 1,
                     .down = (bits & 2U) != 0,
                     .large_down = (bits & 4U) != 0,
                     .large_strip = (bits & 8U) != 0,
                     .below = below});
    }
    return all;
  }
  for (const GridForm form :
       {GridForm::columns, GridForm::columns_large, GridForm::rows, GridForm::rows_large}) {
    if (request.form != form && request.form != GridForm::automatic && request.form != GridForm::one_large)
      continue;
    const bool down = form == GridForm::columns || form == GridForm::columns_large;
    const bool large = form == GridForm::columns_large || form == GridForm::rows_large;
    for (std::size_t lines = 1; lines <= count; ++lines) {
      const std::size_t across = down ? (count + lines - 1) / lines : lines;
      if (down && lines > 1 && across == (count + lines - 2) / (lines - 1))
        continue;  // the same cards in fewer lines
      // Columns one below the other are rows. Rows side by side suit a low, wide space, unless rows are
      // requested.
      if (count > 1 && (down ? across == 1 : across == count && request.form == form)) continue;
      if (request.lines != 0 && lines != std::min<std::size_t>(request.lines, (count + 1) / 2)) continue;
      // only the spectrum is large, so this needs other pictures beside it; a strip needs two of them
      if (has_small || !large || request.form == form)
        all.push_back({.form = large && !has_small ? (down ? GridForm::columns : GridForm::rows) : form,
                       .across = across,
                       .down = down});
      if (large && has_small && rows.size() > 2)
        all.push_back({.form = form, .strip = true, .across = across, .down = down});
    }
  }
  return all;
}

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
  for (const Candidate& candidate : candidates_of(request)) {
    PictureGrid grid = Builder(request, candidate).largest();
    if (request.form != GridForm::automatic) grid.form = request.form;
    // If no candidate is usable, the one with the least scrolling is taken.
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
