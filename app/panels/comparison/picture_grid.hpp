// SPDX-License-Identifier: Apache-2.0
// Where the pictures of the comparison lie. Each method has a card: a header, and below it its pictures, each
// under a line of text and, where wanted, beside a colour bar. Of all arrangements the one is chosen in which
// the pictures cover the largest area. Pure arithmetic on sizes; no widget.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/controller/state/grid_form.hpp"
#include "app/controller/state/pictures.hpp"

namespace spyctrum::panels {

struct GridExtent {
  float width = 0, height = 0;
  friend bool operator==(const GridExtent&, const GridExtent&) = default;
};

/// Lengths in the unit of the screen.
struct GridLengths {
  float header = 50;       ///< of a card: two lines
  float wide_header = 29;  ///< of a card that is at least `wide_card` wide: one line
  float wide_card = 560;
  float caption = 17;        ///< above a picture
  float bar = 42;            ///< beside a picture: a colour bar with its numbers
  float gap = 7;             ///< between pictures
  float padding = 9;         ///< of a card
  float spacing = 8;         ///< between cards
  float least_card = 220;    ///< width
  float least_picture = 96;  ///< the longer side
};

struct GridMethod {
  std::array<bool, kRows> shows{};           ///< which pictures it has
  std::array<bool, kRows> bars{};            ///< which of these have a colour bar
  std::array<std::uint32_t, kRows> range{};  ///< pictures of a row with equal numbers have one range
};

struct GridRequest {
  GridExtent room;    ///< free space
  double aspect = 0;  ///< width / height of every picture; 0: pictures may have any shape
  GridForm form = GridForm::automatic;
  /// Lines of methods: rows of cards where methods are columns, columns of cards where they are rows. 0: the
  /// number that gives the pictures the largest area.
  unsigned lines = 0;
  std::size_t large = 0;  ///< one_large: index of the large method
  std::vector<GridMethod> methods;
  GridLengths lengths;
};

struct GridRect {
  float x = 0, y = 0, width = 0, height = 0;
};

/// A picture without its caption, which lies above, and its bar, which lies at the right.
struct GridPicture {
  std::size_t method = 0;
  Row row = Row::spectrum;
  GridRect place;  ///< relative to the corner of the method's card
  bool bar = false;
};

struct PictureGrid {
  GridForm form = GridForm::columns;
  std::vector<GridRect> cards;        ///< one for each method
  std::vector<GridPicture> pictures;  ///< by method, then by row
  float header = 0;                   ///< height of that of a card
  GridExtent extent;                  ///< larger than the room where even the smallest pictures do not fit
  /// The largest picture of each plane: all others show the same part of the plane with fewer pixels.
  std::array<GridExtent, kPlanes> largest{};
  [[nodiscard]] double area() const;  ///< of all pictures
};

/// The arrangement of request.form. For `automatic` the one with the largest area of those that fit the room
/// without tiny pictures, or an earlier one of the enumeration, or one with fewer lines of methods, whose
/// area is at most 5 % smaller. In several lines, methods follow each other as words do. Where they are
/// columns, each line has colour bars of its own.
[[nodiscard]] PictureGrid arrange_pictures(const GridRequest& request);

}  // namespace spyctrum::panels
