// SPDX-License-Identifier: Apache-2.0
// Pattern, exact spectrum and the samples of every sampling method of one matrix, side by side, as the paper
// shows them for CoraFull.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/page.hpp"
#include "app/study/study.hpp"
#include "core/base/job_context.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

/// A picture of a matrix or a spectrum with its title.
struct Tile {
  std::string title;
  CellImage image;
  bool is_spectrum = true;  ///< drawn by the common range and colour map; else entries per cell, in grey
  int exponent = 0;         ///< powers are in units of 4^exponent (SparsePattern::weight_exponent())
};

/// Computes the tiles: matrix, exact spectrum, and for each sampling method completed by the study at `block`
/// its samples (for Density Map and Fixed Point preceded by the reduced matrix). Throws Failure.
[[nodiscard]] std::vector<Tile> illustration_tiles(const Study& study, const StudyMatrix& matrix,
                                                   std::uint32_t block, JobContext& context);
/// Height of the page that draw_illustration() fills, for this number of tiles and a width in points.
[[nodiscard]] double illustration_height(std::size_t tiles, double width);
void draw_illustration(Page& page, double width, const std::string& title, const std::vector<Tile>& tiles);

}  // namespace spyctrum
