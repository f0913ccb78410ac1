// SPDX-License-Identifier: Apache-2.0
// The layout of the comparison's pictures. Each method has a card: a header, and below it its pictures, each
// with a caption above and, where one is needed, a colour bar at its right. Of all arrangements, the one
// whose pictures cover the largest area is chosen. Pure arithmetic on sizes; no widget.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/controller/state/pictures.hpp"

namespace spyctrum::panels {

struct GridExtent {
  float width = 0, height = 0;
  friend bool operator==(const GridExtent&, const GridExtent&) = default;
};

/// Lengths in the unit of GridRequest::room. The defaults are points.
struct GridLengths {
  float header = 50;         ///< height of a card's header of two lines
  float wide_header = 29;    ///< the same of one line, in cards at least `wide_card` wide
  float narrow_header = 67;  ///< the same of three lines, in cards narrower than `narrow_card`
  float wide_card = 560;
  float narrow_card = 290;
  float caption = 17;         ///< height, above a picture
  float narrow_caption = 31;  ///< the same of two lines, above pictures narrower than `narrow_picture`
  float narrow_picture = 240;
  float bar = 42;            ///< width of a colour bar with its numbers
  float gap = 7;             ///< between pictures
  float padding = 9;         ///< inside a card
  float spacing = 8;         ///< between cards
  float least_card = 205;    ///< smallest width of a card
  float least_picture = 96;  ///< smallest length of a picture's longer side
  float least_slot = 124;    ///< width for each of a card's pictures side by side, where there is room

  /// Height of the header of a card.
  [[nodiscard]] float header_of(float card_width) const {
    if (card_width >= wide_card) return wide_header;
    return card_width >= narrow_card ? header : narrow_header;
  }
  /// Height of the caption of a picture.
  [[nodiscard]] float caption_of(float picture_width) const {
    return picture_width >= narrow_picture ? caption : narrow_caption;
  }
};

struct GridMethod {
  std::array<bool, kRows> shows{};           ///< the rows in which the method has a picture
  std::array<bool, kRows> bars{};            ///< those of them with a colour bar
  std::array<std::uint32_t, kRows> range{};  ///< pictures of a row with equal numbers share one range
};

struct GridRequest {
  GridExtent room;    ///< free space
  double aspect = 0;  ///< width / height of every picture; 0: pictures may have any shape
  GridForm form = GridForm::automatic;
  /// Lines of cards: rows of cards if each method is a column of pictures, columns of cards if it is a row.
  /// 0: the number with the largest area of pictures.
  unsigned lines = 0;
  std::size_t large = 0;  ///< one_large: index of the large method
  std::vector<GridMethod> methods;
  GridLengths lengths;
};

struct GridRect {
  float x = 0, y = 0, width = 0, height = 0;
};

/// The place of a picture, without its caption (above, GridLengths::caption_of() its width) and its colour
/// bar (at the right).
struct GridPicture {
  std::size_t method = 0;
  Row row = Row::spectrum;
  GridRect place;  ///< relative to the corner of the method's card
  bool bar = false;
  float caption_width = 0;  ///< free width from the picture's left edge on: for the upper line of a caption
};

struct PictureGrid {
  GridForm form = GridForm::columns;
  std::vector<GridRect> cards;        ///< one for each method
  std::vector<GridPicture> pictures;  ///< by method, then by row
  float header = 0;                   ///< height of a card's header
  GridExtent extent;                  ///< exceeds the room if not even the smallest pictures fit
  /// The largest picture of each plane: all others show the same part of the plane with fewer pixels.
  std::array<GridExtent, kPlanes> largest{};
  [[nodiscard]] double area() const;  ///< of all pictures
};

/// Computes the arrangement that request.form specifies. GridForm::automatic takes the one with the largest
/// area of pictures among those that fit into the room without tiny pictures; a form that comes earlier in
/// the enumeration, or one with fewer lines, is preferred if its area is at most 5 % smaller. Several lines
/// are filled as words fill lines of text. If methods are columns, each line has its own colour bars.
[[nodiscard]] PictureGrid arrange_pictures(const GridRequest& request);

}  // namespace spyctrum::panels
