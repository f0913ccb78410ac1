// SPDX-License-Identifier: Apache-2.0
// Interval k of n are the places ⌊kN/n⌋ … ⌊(k+1)N/n⌋−1 of N rows, so that its halves are intervals of 2n. The
// draws have the numbers n + k: none is used twice.
#include "core/features/decode_stratified.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

std::size_t begin_of(std::size_t k, std::size_t intervals, std::size_t places) {
  return k * places / intervals;
}

std::size_t draw(std::size_t k, std::size_t intervals, std::size_t places) {
  static constexpr CounterRandom kRandom(1, 0x726f7773);
  const std::size_t begin = begin_of(k, intervals, places);
  return begin + kRandom.below(intervals + k, begin_of(k + 1, intervals, places) - begin);
}

}  // namespace

IntervalRows::IntervalRows(const ChosenLines& lines, std::size_t intervals) {
  for (std::uint64_t u = 1; 2 * u < lines.m; ++u)
    if (!lines.rows.holds(u)) others_.push_back(static_cast<std::int64_t>(u));
  places_.resize(std::min(intervals, others_.size()));
  std::iota(places_.begin(), places_.end(), std::size_t{0});
  if (all()) return;
  for (std::size_t& place : places_) place = draw(place, intervals, others_.size());
}

std::vector<std::int64_t> IntervalRows::rows() const {
  std::vector<std::int64_t> rows;
  for (const std::size_t place : places_) rows.push_back(others_[place]);
  return rows;
}

std::vector<std::int64_t> IntervalRows::complete() {
  std::vector<std::int64_t> added;
  std::ranges::set_difference(others_, rows(), std::back_inserter(added));
  places_.resize(others_.size());
  std::iota(places_.begin(), places_.end(), std::size_t{0});
  return added;
}

std::vector<std::int64_t> IntervalRows::refine(std::vector<bool>& is_new) {
  const std::size_t intervals = 2 * places_.size();
  std::vector<std::int64_t> added;
  std::vector<std::size_t> finer(intervals);
  is_new.assign(intervals, true);
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const bool is_upper = places_[k] >= begin_of(2 * k + 1, intervals, others_.size());
    finer[2 * k + (is_upper ? 1 : 0)] = places_[k];
    is_new[2 * k + (is_upper ? 1 : 0)] = false;
  }
  for (std::size_t k = 0; k < intervals; ++k) {
    if (!is_new[k]) continue;
    finer[k] = draw(k, intervals, others_.size());
    added.push_back(others_[finer[k]]);
  }
  places_ = std::move(finer);
  return added;
}

}  // namespace spyctrum
