// SPDX-License-Identifier: Apache-2.0
// The responses R(u) of the header as sums of geometric series in closed form.
#include "core/frequency/folding.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

namespace spyctrum {

namespace {

/// Σ exp(i·angle·r) over r = 0 … count−1.
std::complex<double> sum_of_turns(double angle, std::uint64_t count) {
  const double half = std::remainder(angle, 2 * std::numbers::pi) / 2, terms = static_cast<double>(count);
  if (std::abs(half) < 1e-12) return terms;
  return std::polar(1.0, (terms - 1) * half) * (std::sin(terms * half) / std::sin(half));
}

}  // namespace

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

double FoldedAxis::weight(double u, std::int64_t k) const {
  const auto b = static_cast<double>(block), m0 = static_cast<double>(reduced());
  const std::uint64_t full = reduced() - 1, last = size - full * block;  // blocks of b rows; rows of the last
  const double by_row = 2 * std::numbers::pi * u / static_cast<double>(size);
  const double by_block = b * by_row - 2 * std::numbers::pi * static_cast<double>(k) / m0;
  if (!averages) return std::norm(sum_of_turns(by_block, reduced())) / (b * m0 * m0);
  const auto a = static_cast<double>(last);
  const std::complex<double> response =
      sum_of_turns(by_block, full) * sum_of_turns(by_row, block) / b +
      std::polar(1.0, static_cast<double>(full) * by_block) * sum_of_turns(by_row, last) / a;
  // Σ|R|² over the places is b·Σ_t h_t², h_t the sum of 1/a over the blocks that have a row t.
  return std::norm(response) / (m0 * m0 + b / a - 1);
}

std::vector<FoldedPlace> folded_places(const FoldedAxis& rows, const FoldedAxis& cols, std::int64_t k,
                                       std::int64_t l, std::size_t most) {
  // The weights of an axis decrease with the distance from 0 (apart from the contribution of a shorter last
  // block), so that the heaviest products are among the first places of both axes.
  std::vector<double> us = rows.places(k), vs = cols.places(l);
  us.resize(std::min(us.size(), most));
  vs.resize(std::min(vs.size(), most));
  std::vector<FoldedPlace> places;
  places.reserve(us.size() * vs.size());
  for (const double u : us)
    for (const double v : vs) places.push_back({u, v, rows.weight(u, k) * cols.weight(v, l)});
  std::ranges::stable_sort(places, std::greater<>(), &FoldedPlace::weight);
  if (places.size() > most) places.resize(most);
  return places;
}

}  // namespace spyctrum
