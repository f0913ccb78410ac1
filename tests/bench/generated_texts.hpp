// SPDX-License-Identifier: Apache-2.0
// Texts of generated matrices of every kind, with parameters drawn at random, for benchmarks of collections.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace spyctrum::bench {

/// The kinds without values.
inline constexpr std::array kKinds{"diagonal",  "band",      "block-diagonal", "checkerboard",
                                   "circulant", "arrow",     "laplacian-2d",   "laplacian-3d",
                                   "random",    "power-law", "rmat",           "stochastic-blocks"};

inline std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// The text of a matrix of one of kKinds with n rows; draw(): uniform on (0, 1).
inline std::string text_of(const std::string& kind, std::uint64_t n, const std::function<double()>& draw) {
  const auto whole = [&](double low, double high) {
    return short_number(std::floor(low + draw() * (high - low + 1)));
  };
  const auto of = [&](const std::string& rest) {
    return "gen:" + kind + ":n=" + short_number(static_cast<double>(n)) + rest;
  };
  const std::string seed = ",seed=" + whole(1, 1e6);
  const auto entries = [&] { return short_number(std::floor(static_cast<double>(n) * (3 + 12 * draw()))); };
  const auto square = static_cast<std::uint64_t>(std::sqrt(n));
  const auto cube = static_cast<std::uint64_t>(std::cbrt(n));
  if (kind == "diagonal") return of(",offset=" + whole(0, static_cast<double>(n) / 3));
  if (kind == "band") return of(",lower=" + whole(1, 12) + ",upper=" + whole(1, 12));
  if (kind == "block-diagonal") return of(",block=" + whole(6, 40));
  if (kind == "checkerboard") {
    // Half of its places are entries: at most 32 million, as many as the largest of the other kinds have.
    constexpr std::uint64_t kMostRows = 8000;
    const std::uint64_t rows = n / 8 < kMostRows ? n / 8 : kMostRows / 2 + n % (kMostRows / 2);
    return "gen:checkerboard:n=" + std::to_string(rows) + ",cell=" + whole(1, 12);
  }
  if (kind == "circulant")
    return of(",degree=" + whole(2, 8) + ",stride=" + whole(1, 40) + ",offset=" + whole(0, 50));
  if (kind == "arrow") return of(",head=" + whole(1, 16));
  if (kind == "laplacian-2d")
    return "gen:laplacian-2d:nx=" + std::to_string(square) + ",ny=" + std::to_string(square) +
           (draw() < 0.5 ? ",points=5" : ",points=9");
  if (kind == "laplacian-3d")
    return "gen:laplacian-3d:nx=" + std::to_string(cube) + ",ny=" + std::to_string(cube) +
           ",nz=" + std::to_string(cube) + (draw() < 0.5 ? ",points=7" : ",points=27");
  if (kind == "random") return of(",nnz=" + entries() + seed);
  if (kind == "power-law")
    return of(",nnz=" + entries() + ",exponent=" + short_number(2.1 + 0.8 * draw()) + seed);
  if (kind == "rmat") return of(",nnz=" + entries() + ",a=" + short_number(0.45 + 0.15 * draw()) + seed);
  const double blocks = std::floor(3 + 12 * draw());
  const double inside = (4 + 10 * draw()) * blocks / static_cast<double>(n);
  return of(",blocks=" + short_number(blocks) + ",p_in=" + short_number(inside) +
            ",p_out=" + short_number(inside / 40) + seed);
}

}  // namespace spyctrum::bench
