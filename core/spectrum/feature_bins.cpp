// SPDX-License-Identifier: Apache-2.0
// Edges of the radial bins are circles |v|/n = √(r² − (u/m)²), edges of the
// sectors rays |v|/n = |u|/m · tan((2k+1)π/16). tan of these angles is
// irrational, so no coefficient lies on a ray; on circles some do.
#include "core/spectrum/feature_bins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace spyctrum {

namespace {

constexpr double kPi = std::numbers::pi;
const double kMaxRadius = std::sqrt(0.5);
const double kLowRadius = kMaxRadius / 8;
constexpr std::int64_t kHalfSectors = kSectors / 2;

double radius(std::int64_t u, std::int64_t v, double m, double n) {
  return std::hypot(static_cast<double>(u) / m, static_cast<double>(v) / n);
}

std::int64_t radial_bin(double r) {
  return std::min<std::int64_t>(static_cast<std::int64_t>(kRadialBins * r / kMaxRadius), kRadialBins - 1);
}

std::int64_t sector_of(std::int64_t u, std::int64_t v, double m, double n) {
  const double angle = std::atan2(static_cast<double>(u) / m, static_cast<double>(v) / n);
  double turned = std::fmod(angle + kPi / (2 * kSectors), kPi);
  if (turned < 0) turned += kPi;
  const auto sector = static_cast<std::int64_t>(turned / (kPi / kSectors));
  return sector % static_cast<std::int64_t>(kSectors);
}

/// The smallest t in [low, high] with reached(t), else high+1; `guess` is where it is expected.
template <class Reached>
std::int64_t settle(double guess, std::int64_t low, std::int64_t high, Reached&& reached) {
  std::int64_t t = high + 1;
  if (guess < static_cast<double>(high + 1)) {
    t = std::max(low, static_cast<std::int64_t>(std::ceil(std::max(guess, -1.0))));
  }
  while (t > low && reached(t - 1)) --t;
  while (t <= high && !reached(t)) ++t;
  return t;
}

/// Edges on one side of v = 0: values of |v| at which the class changes.
struct Edges {
  std::array<std::int64_t, kRadialBins + kHalfSectors> at{};
  std::size_t count = 0;
  void add(std::int64_t t) { at[count++] = t; }
};

void add_radial_edges(std::int64_t u, double m, double n, std::int64_t high, Edges& edges) {
  const double y = static_cast<double>(u) / m;
  const auto guess = [&](double r) {
    const double square = r * r - y * y;
    return square > 0 ? n * std::sqrt(square) : 0.0;
  };
  std::int64_t low = 0;
  const std::int64_t first_bin = radial_bin(std::abs(y)) + 1;
  for (std::int64_t bin = first_bin; bin < static_cast<std::int64_t>(kRadialBins); ++bin) {
    const double r = static_cast<double>(bin) * kMaxRadius / kRadialBins;
    low = settle(guess(r), low, high, [&](std::int64_t t) { return radial_bin(radius(u, t, m, n)) >= bin; });
    if (low > high) break;
    edges.add(low);
  }
  edges.add(
      settle(guess(kLowRadius), 0, high, [&](std::int64_t t) { return radius(u, t, m, n) > kLowRadius; }));
}

/// How many sectors lie between θ = π/2 and the angle of (u, ±t), on that side.
std::int64_t sectors_from_vertical(std::int64_t u, std::int64_t v, double m, double n) {
  const std::int64_t sector = sector_of(u, v, m, n);
  const bool right = (u > 0) == (v > 0);
  return right ? kHalfSectors - sector : (sector == 0 ? kHalfSectors : sector - kHalfSectors);
}

void add_sector_edges(std::int64_t u, std::int64_t sign, double m, double n, std::int64_t high,
                      Edges& edges) {
  if (u == 0) return;
  const double slope = n * std::abs(static_cast<double>(u)) / m;
  std::int64_t low = 1;
  for (std::int64_t k = 1; k <= kHalfSectors; ++k) {
    const double tangent = std::tan(static_cast<double>(2 * k - 1) * kPi / (2 * kSectors));
    low = settle(slope * tangent, low, high,
                 [&](std::int64_t t) { return sectors_from_vertical(u, sign * t, m, n) >= k; });
    if (low > high) break;
    edges.add(low);
  }
}

/// Segments of |v| = low … high on one side, ascending in |v|.
template <class Emit>
void walk_side(Edges edges, std::int64_t low, std::int64_t high, Emit&& emit) {
  std::sort(edges.at.begin(), edges.at.begin() + static_cast<std::ptrdiff_t>(edges.count));
  std::int64_t begin = low;
  for (std::size_t k = 0; k <= edges.count; ++k) {
    const std::int64_t end = k < edges.count ? std::min(edges.at[k], high + 1) : high + 1;
    if (end > begin) {
      emit(begin, end);
      begin = end;
    }
  }
}

}  // namespace

FrequencyClass classify(std::int64_t signed_u, std::int64_t signed_v, std::uint64_t m, std::uint64_t n) {
  const auto md = static_cast<double>(m);
  const auto nd = static_cast<double>(n);
  const double r = radius(signed_u, signed_v, md, nd);
  return {static_cast<std::uint8_t>(radial_bin(r)),
          static_cast<std::uint8_t>(sector_of(signed_u, signed_v, md, nd)), r <= kLowRadius};
}

void class_segments(std::int64_t signed_u, std::uint64_t m, std::uint64_t n,
                    std::vector<ClassSegment>& segments) {
  segments.clear();
  const auto md = static_cast<double>(m);
  const auto nd = static_cast<double>(n);
  const auto negatives = static_cast<std::int64_t>(n / 2);
  const std::int64_t last_positive = static_cast<std::int64_t>((n + 1) / 2) - 1;

  Edges radial;
  add_radial_edges(signed_u, md, nd, std::max(negatives, last_positive), radial);
  Edges left = radial;
  add_sector_edges(signed_u, -1, md, nd, negatives, left);
  walk_side(left, 1, negatives, [&](std::int64_t begin, std::int64_t end) {
    segments.push_back({1 - end, 1 - begin, classify(signed_u, -begin, m, n)});
  });
  std::reverse(segments.begin(), segments.end());
  Edges right = radial;
  add_sector_edges(signed_u, 1, md, nd, last_positive, right);
  walk_side(right, 0, last_positive, [&](std::int64_t begin, std::int64_t end) {
    segments.push_back({begin, end, classify(signed_u, begin, m, n)});
  });
}

}  // namespace spyctrum
