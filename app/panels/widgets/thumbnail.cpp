// SPDX-License-Identifier: Apache-2.0
// Each kind of generator by a formula on a grid of kThumbnailCells × kThumbnailCells cells.
#include "app/panels/widgets/thumbnail.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace spyctrum::panels {
namespace {

/// A hash of a cell, uniform on 0 … 1.
double chance(int row, int col) {
  auto h = static_cast<std::uint32_t>(row) * 0x9E3779B1U ^ static_cast<std::uint32_t>(col) * 0x85EBCA6BU;
  h ^= h >> 15U;
  h *= 0x2C1B3C6DU;
  h ^= h >> 12U;
  h *= 0x297A2D39U;
  h ^= h >> 15U;
  return h / 4294967296.0;
}

/// Relative density of an R-MAT matrix with quadrant probabilities 0.57, 0.19, 0.19, 0.05.
double rmat_density(int row, int col) {
  double density = 1;
  for (int bit = kThumbnailCells / 2; bit > 0; bit /= 2) {
    const bool down = (row & bit) != 0, right = (col & bit) != 0;
    density *= down && right ? 0.2 : down || right ? 0.76 : 2.28;
  }
  return density;
}

}  // namespace

std::string_view generator_kind(std::string_view source) {
  if (!source.starts_with("gen:")) return {};
  source.remove_prefix(4);
  return source.substr(0, source.find(':'));
}

bool thumbnail_dot(std::string_view kind, int row, int col) {
  constexpr int n = kThumbnailCells;
  const int lag = std::abs(row - col);
  if (kind == "diagonal") return lag == 0;
  if (kind == "band") return lag <= 2;
  if (kind == "block-diagonal") return row / 6 == col / 6;
  if (kind == "checkerboard") return (row / 4 + col / 4) % 2 == 0;
  if (kind == "circulant") return (col - row + n) % n % 7 == 0;
  if (kind == "arrow") return lag == 0 || row < 2 || col < 2;
  if (kind == "laplacian-2d") return lag == 0 || lag == 6 || (lag == 1 && std::max(row, col) % 6 != 0);
  if (kind == "laplacian-3d")
    return lag == 0 || lag == 16 || (lag == 4 && std::max(row, col) % 16 >= 4) ||
           (lag == 1 && std::max(row, col) % 4 != 0);
  if (kind == "random") return chance(row, col) < 0.12;
  if (kind == "power-law") return chance(row, col) < 3.2 / std::sqrt((row + 1.0) * (col + 1.0) * 4);
  if (kind == "rmat") return chance(row, col) < 0.14 * rmat_density(row, col);
  if (kind == "stochastic-blocks") return chance(row, col) < (row / 8 == col / 8 ? 0.5 : 0.03);
  return chance(row, col) < 0.1;
}

}  // namespace spyctrum::panels
