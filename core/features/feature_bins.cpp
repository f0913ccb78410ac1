// SPDX-License-Identifier: Apache-2.0
// Edges of the radial bins are ellipses s(v)²m² = begin[k] − s(u)²n²
// (core/device/interface/radial_edges.hpp), decided in integers, edges of the sectors rays |v|/n = |u|/m ·
// tan((2k+1)π/16). tan of these angles is irrational, so no coefficient lies on a ray; on ellipses some do.
#include "core/features/feature_bins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/device/interface/radial_edges.hpp"

namespace spyctrum {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::int64_t kHalfSectors = kSectors / 2;

using cuda::RadialEdges;
using Square = cuda::WideInteger;

/// The bin of A = `square`: the root gives a guess, near an edge integers decide.
std::int64_t radial_bin(const RadialEdges& edges, Square square, double m, double n) {
  constexpr auto kLast = static_cast<std::int64_t>(kRadialBins) - 1;
  const double guess =
      static_cast<double>(kRadialBins) * std::sqrt(2 * static_cast<double>(square)) / (m * n);
  auto bin = std::min<std::int64_t>(static_cast<std::int64_t>(guess), kLast);
  while (bin > 0 && square < edges.begin[bin]) --bin;
  while (bin < kLast && square >= edges.begin[bin + 1]) ++bin;
  return bin;
}

std::int64_t sector_of(std::int64_t u, std::int64_t v, double m, double n) {
  const double angle = std::atan2(static_cast<double>(u) / m, static_cast<double>(v) / n);
  double shifted = std::fmod(angle + kPi / (2 * kSectors), kPi);
  if (shifted < 0) shifted += kPi;
  const auto sector = static_cast<std::int64_t>(shifted / (kPi / kSectors));
  return sector % static_cast<std::int64_t>(kSectors);
}

/// The smallest t in [low, high] with reached(t), else high + 1, by single steps from `near`.
template <class Reached>
std::int64_t first_reached(std::int64_t near, std::int64_t low, std::int64_t high, Reached&& reached) {
  std::int64_t t = near;
  while (t > low && reached(t - 1)) --t;
  while (t <= high && !reached(t)) ++t;
  return t;
}

/// first_reached(), if that is ⌈guess⌉ wherever `guess` is not within `error` of an integer: only there
/// reached() is called.
template <class Reached>
std::int64_t first_from_guess(double guess, double error, std::int64_t low, std::int64_t high,
                              Reached&& reached) {
  if (guess - error > static_cast<double>(high)) return high + 1;
  const std::int64_t t = std::max(low, static_cast<std::int64_t>(std::ceil(guess)));
  if (std::abs(guess - std::round(guess)) > error) return t;
  return first_reached(t, low, high, std::forward<Reached>(reached));
}

enum class Step : std::uint8_t { radial, low, sector };

/// A value of |v| at which the class changes on one side of v = 0.
struct Edge {
  std::int64_t at = 0;
  Step step = Step::radial;
};

struct Edges {
  std::array<Edge, kRadialBins + kHalfSectors> edge{};
  std::size_t count = 0;
  void add(std::int64_t at, Step step) { edge[count++] = {at, step}; }
};

/// The smallest t in [0, high] with (t·m)² ≥ least, else high + 1.
std::int64_t first_beyond(Square least, std::uint64_t m, std::int64_t high) {
  const auto reached = [&](std::int64_t t) {
    const Square side = static_cast<Square>(static_cast<std::uint64_t>(t)) * m;
    return side * side >= least;
  };
  const double guess = std::ceil(std::sqrt(static_cast<double>(least)) / static_cast<double>(m));
  if (guess > static_cast<double>(high) + 2) return high + 1;
  return first_reached(std::min(static_cast<std::int64_t>(guess), high + 1), 0, high, reached);
}

void add_radial_edges(std::int64_t u, std::uint64_t m, std::uint64_t n, std::int64_t high, Edges& edges) {
  const RadialEdges bins = cuda::radial_edges(m, n);
  const Square at_axis = cuda::radius_square(u, 0, m, n);
  const std::int64_t first = radial_bin(bins, at_axis, static_cast<double>(m), static_cast<double>(n));
  for (auto bin = static_cast<std::size_t>(first) + 1; bin < kRadialBins; ++bin) {
    const std::int64_t at = first_beyond(bins.begin[bin] - at_axis, m, high);
    if (at > high) break;
    edges.add(at, Step::radial);
  }
  if (at_axis <= bins.low) edges.add(first_beyond(bins.low + 1 - at_axis, m, high), Step::low);
}

/// Number of sectors between θ = π/2 and the angle of (u, v), on its side of v = 0.
std::int64_t sectors_from_vertical(std::int64_t u, std::int64_t v, double m, double n) {
  const std::int64_t sector = sector_of(u, v, m, n);
  const bool right = (u > 0) == (v > 0);
  return right ? kHalfSectors - sector : (sector == 0 ? kHalfSectors : sector - kHalfSectors);
}

void add_sector_edges(std::int64_t u, std::int64_t sign, double m, double n, std::int64_t high,
                      Edges& edges) {
  static const std::array<double, kHalfSectors> tangents = [] {
    std::array<double, kHalfSectors> result{};
    for (std::size_t k = 0; k < kHalfSectors; ++k)
      result[k] = std::tan(static_cast<double>(2 * k + 1) * kPi / (2 * kSectors));
    return result;
  }();
  if (u == 0) return;
  const double slope = n * std::abs(static_cast<double>(u)) / m;
  std::int64_t low = 1;
  for (std::int64_t k = 1; k <= kHalfSectors; ++k) {
    const double guess = slope * tangents[static_cast<std::size_t>(k - 1)];
    low = first_from_guess(guess, 1e-14 * guess + 1e-14, low, high,
                           [&](std::int64_t t) { return sectors_from_vertical(u, sign * t, m, n) >= k; });
    if (low > high) break;
    edges.add(low, Step::sector);
  }
}

/// The class beyond an edge. `turn` is −1 where θ falls from π/2 with |v|, +1 where it rises.
FrequencyClass beyond(FrequencyClass from, Step step, int turn) {
  if (step == Step::radial) ++from.radial;
  if (step == Step::low) from.low = false;
  if (step == Step::sector) from.sector = static_cast<std::uint8_t>((from.sector + turn + 8) % 8);
  return from;
}

/// Segments of |v| = low … high on one side, ascending in |v|; `at_axis` is the class of (u, 0).
template <class Emit>
void walk_side(Edges edges, std::int64_t low, std::int64_t high, FrequencyClass at_axis, int turn,
               Emit&& emit) {
  std::sort(edges.edge.begin(), edges.edge.begin() + static_cast<std::ptrdiff_t>(edges.count),
            [](const Edge& a, const Edge& b) { return a.at < b.at; });
  std::int64_t begin = low;
  FrequencyClass current = at_axis;
  for (std::size_t k = 0; k <= edges.count; ++k) {
    const std::int64_t end = k < edges.count ? std::min(edges.edge[k].at, high + 1) : high + 1;
    if (end > begin) {
      emit(begin, end, current);
      begin = end;
    }
    if (k < edges.count) current = beyond(current, edges.edge[k].step, turn);
  }
}

/// Of a row u < 0 the coefficient (u, −n/2) has the class of its conjugate, (−u, −n/2).
void split_nyquist(std::int64_t u, std::uint64_t m, std::uint64_t n, std::vector<ClassSegment>& segments) {
  ClassSegment& first = segments.front();
  const ClassSegment nyquist{first.first, first.first + 1, classify(u, first.first, m, n)};
  if (++first.first == first.last) {
    first = nyquist;
  } else {
    segments.insert(segments.begin(), nyquist);
  }
}

/// The row by whose frequency u is classified: +m/2 for −m/2, otherwise u.
std::int64_t row_of_pair(std::int64_t u, std::uint64_t m) {
  return 2 * u == -static_cast<std::int64_t>(m) ? -u : u;
}

}  // namespace

FrequencyClass classify(std::int64_t signed_u, std::int64_t signed_v, std::uint64_t m, std::uint64_t n) {
  const bool is_nyquist = 2 * signed_v == -static_cast<std::int64_t>(n);
  signed_u = row_of_pair(signed_u, m);
  if (is_nyquist) signed_u = std::abs(signed_u);
  const auto md = static_cast<double>(m);
  const auto nd = static_cast<double>(n);
  const RadialEdges edges = cuda::radial_edges(m, n);
  const Square square = cuda::radius_square(signed_u, signed_v, m, n);
  return {static_cast<std::uint8_t>(radial_bin(edges, square, md, nd)),
          static_cast<std::uint8_t>(sector_of(signed_u, signed_v, md, nd)), square <= edges.low};
}

void class_segments(std::int64_t signed_u, std::uint64_t m, std::uint64_t n,
                    std::vector<ClassSegment>& segments) {
  segments.clear();
  signed_u = row_of_pair(signed_u, m);
  const auto md = static_cast<double>(m);
  const auto nd = static_cast<double>(n);
  const auto negatives = static_cast<std::int64_t>(n / 2);
  const std::int64_t last_positive = static_cast<std::int64_t>((n + 1) / 2) - 1;

  const FrequencyClass at_axis = classify(signed_u, 0, m, n);
  const int turn = signed_u > 0 ? 1 : -1;

  Edges radial;
  add_radial_edges(signed_u, m, n, std::max(negatives, last_positive), radial);
  Edges left = radial;
  add_sector_edges(signed_u, -1, md, nd, negatives, left);
  walk_side(left, 1, negatives, at_axis, turn,
            [&](std::int64_t begin, std::int64_t end, FrequencyClass where) {
              segments.push_back({1 - end, 1 - begin, where});
            });
  std::reverse(segments.begin(), segments.end());
  if (signed_u < 0 && n % 2 == 0) split_nyquist(signed_u, m, n, segments);
  Edges right = radial;
  add_sector_edges(signed_u, 1, md, nd, last_positive, right);
  walk_side(right, 0, last_positive, at_axis, -turn,
            [&](std::int64_t begin, std::int64_t end, FrequencyClass where) {
              segments.push_back({begin, end, where});
            });
}

}  // namespace spyctrum
