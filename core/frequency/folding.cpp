// SPDX-License-Identifier: Apache-2.0
#include "core/frequency/folding.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace spyctrum {

std::int64_t FoldedAxis::folded(double u) const {
  const auto m0 = static_cast<std::int64_t>(reduced());
  const double at = u * static_cast<double>(reduced() * block) / static_cast<double>(size);
  const std::int64_t k = std::llround(at) % m0;
  if (k < -(m0 / 2)) return k + m0;
  return k >= m0 - m0 / 2 ? k - m0 : k;
}

std::vector<double> FoldedAxis::places(std::int64_t k) const {
  const auto m0 = static_cast<double>(reduced()), b = static_cast<double>(block);
  std::vector<double> found;
  found.reserve(block);
  for (std::uint64_t p = 0; p < block; ++p) {
    double f = (static_cast<double>(k) + static_cast<double>(p) * m0) / (m0 * b);
    f -= std::floor(f + 0.5);  // −½ … ½
    found.push_back(f * static_cast<double>(size));
  }
  std::ranges::stable_sort(found, {}, [](double u) { return std::abs(u); });
  return found;
}

double FoldedAxis::weight(double u) const {
  const auto b = static_cast<double>(block);
  if (!averages) return 1 / b;
  const double angle = std::numbers::pi * u / static_cast<double>(size);
  const double below = b * std::sin(angle);
  if (std::abs(below) < 1e-12) return 1;
  const double response = std::sin(b * angle) / below;
  return response * response;
}

std::vector<FoldedPlace> folded_places(const FoldedAxis& rows, const FoldedAxis& cols, std::int64_t k,
                                       std::int64_t l, std::size_t most) {
  // The weights of an axis fall with the distance from 0, so that the heaviest products are among its first.
  std::vector<double> us = rows.places(k), vs = cols.places(l);
  us.resize(std::min(us.size(), most));
  vs.resize(std::min(vs.size(), most));
  std::vector<FoldedPlace> places;
  places.reserve(us.size() * vs.size());
  for (const double u : us)
    for (const double v : vs) places.push_back({u, v, rows.weight(u) * cols.weight(v)});
  std::ranges::stable_sort(places, std::greater<>(), &FoldedPlace::weight);
  if (places.size() > most) places.resize(most);
  return places;
}

}  // namespace spyctrum
