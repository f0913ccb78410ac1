// SPDX-License-Identifier: Apache-2.0
// Structural similarity of two pictures (Wang, Bovik, Sheikh, Simoncelli 2004, doi:10.1109/TIP.2003.819861):
// luma, Gaussian window of sigma 1.5 on 11 x 11 pixels, C1 = (0.01*255)^2, C2 = (0.03*255)^2. 1 means
// equal; noise or a shift of structure lowers it, a hinting difference in a letter hardly does. The mean over
// a large picture hides a small change, so the worst block is given too.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace spyctrum::testing {

struct Similarity {
  double mean = 0;         ///< over all pixels
  double worst_block = 0;  ///< lowest mean over a block of kBlock x kBlock pixels
};

namespace ssim_detail {

inline constexpr std::size_t kBlock = 32;
inline constexpr int kReach = 5;

using Plane = std::vector<double>;

inline Plane luma(std::span<const std::uint8_t> rgb) {
  Plane plane(rgb.size() / 3);
  for (std::size_t i = 0; i < plane.size(); ++i)
    plane[i] = 0.299 * rgb[3 * i] + 0.587 * rgb[3 * i + 1] + 0.114 * rgb[3 * i + 2];
  return plane;
}

inline std::array<double, 2 * kReach + 1> window() {
  std::array<double, 2 * kReach + 1> weights{};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double distance = static_cast<double>(k) - kReach;
    weights[k] = std::exp(-distance * distance / (2 * 1.5 * 1.5));
  }
  return weights;
}

/// Gaussian mean along one axis (`step` 1: along rows), renormalised at the border.
inline Plane blurred(const Plane& plane, std::ptrdiff_t height, std::ptrdiff_t width, bool along_rows) {
  static const auto weights = window();
  Plane result(plane.size());
  for (std::ptrdiff_t y = 0; y < height; ++y)
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      double sum = 0;
      double total = 0;
      for (std::ptrdiff_t k = -kReach; k <= kReach; ++k) {
        const std::ptrdiff_t yy = along_rows ? y : y + k;
        const std::ptrdiff_t xx = along_rows ? x + k : x;
        if (yy < 0 || yy >= height || xx < 0 || xx >= width) continue;
        const double weight = weights[static_cast<std::size_t>(k + kReach)];
        sum += weight * plane[static_cast<std::size_t>(yy * width + xx)];
        total += weight;
      }
      result[static_cast<std::size_t>(y * width + x)] = sum / total;
    }
  return result;
}

inline Plane product(const Plane& a, const Plane& b) {
  Plane result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), [](double x, double y) { return x * y; });
  return result;
}

}  // namespace ssim_detail

/// Both pictures: 3*height*width bytes, row-major. Throws std::invalid_argument when a size disagrees.
inline Similarity structural_similarity(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                                        std::size_t height, std::size_t width) {
  using namespace ssim_detail;
  if (a.size() != b.size() || a.size() != 3 * height * width || a.empty())
    throw std::invalid_argument("structural_similarity: the pictures differ in size");
  const auto mean = [&](const Plane& plane) {
    const auto h = static_cast<std::ptrdiff_t>(height);
    const auto w = static_cast<std::ptrdiff_t>(width);
    return blurred(blurred(plane, h, w, true), h, w, false);
  };
  const Plane x = luma(a);
  const Plane y = luma(b);
  const Plane mx = mean(x);
  const Plane my = mean(y);
  const Plane xx = mean(product(x, x));
  const Plane yy = mean(product(y, y));
  const Plane xy = mean(product(x, y));
  constexpr double kC1 = 0.01 * 255 * 0.01 * 255;
  constexpr double kC2 = 0.03 * 255 * 0.03 * 255;

  const std::size_t block_columns = (width + kBlock - 1) / kBlock;
  const std::size_t block_rows = (height + kBlock - 1) / kBlock;
  std::vector<double> sums(block_rows * block_columns);
  std::vector<double> counts(sums.size());
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double covariance = xy[i] - mx[i] * my[i];
    const double variances = xx[i] - mx[i] * mx[i] + yy[i] - my[i] * my[i];
    const double value = (2 * mx[i] * my[i] + kC1) * (2 * covariance + kC2) /
                         ((mx[i] * mx[i] + my[i] * my[i] + kC1) * (variances + kC2));
    total += value;
    const std::size_t block = i / width / kBlock * block_columns + i % width / kBlock;
    sums[block] += value;
    counts[block] += 1;
  }
  Similarity similarity{total / static_cast<double>(x.size()), 1};
  for (std::size_t block = 0; block < sums.size(); ++block)
    similarity.worst_block = std::min(similarity.worst_block, sums[block] / counts[block]);
  return similarity;
}

}  // namespace spyctrum::testing
