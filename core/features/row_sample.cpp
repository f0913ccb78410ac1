// SPDX-License-Identifier: Apache-2.0
// Choice and order of the sampled tiles. The estimates are in row_estimate.cpp.
#include "core/features/row_sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/features/feature_bins.hpp"
#include "core/features/line_family.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kMostTileRows = 32;
constexpr std::uint64_t kFewestTiles = 512;
/// For longer sides the powers of rows are not computed, and no tile is certain by its power.
constexpr std::uint64_t kLongestMeasured = std::uint64_t{1} << 20U;
/// Certain tiles at the lowest frequencies: those of the first radial bin, which covers √½/16 of the half
/// axis, but at most this share.
constexpr double kLowShare = 0.09;
constexpr std::uint64_t kMostLowTiles = 96;
/// A tile is certain if its power exceeds 1 + kPowerDeviations·σ times the mean of the plane, with σ the
/// relative standard deviation of line_powers(), ¼ for a row.
constexpr double kPowerDeviations = 2;
constexpr double kPowerSpread = 0.25;
/// If powers are exact, a tile is also certain if it lies this many deviations above the median (a deviation
/// is the distance from the median to the quantile of 84.1 %), but at most this share of the tiles.
constexpr double kOutlierDeviations = 5;
constexpr double kOneDeviation = 0.841;
constexpr double kMostOutliers = 0.1;
/// The tiles of a class are certain if fewer than this many others reach it.
constexpr std::uint64_t kFewestOthers = 24;
constexpr std::size_t kMostStrata = 48;
constexpr std::uint64_t kFewestInStratum = 4;
/// Widths of strata: these shares of the tiles' measure follow power and the rarity of radial bins.
constexpr double kByPower = 0.4;
constexpr double kByBins = 0.4;
/// There is no estimate from fewer sampled tiles, nor from more than this share of them: by then the
/// remaining power lies on a few tiles, whose distribution is unknown.
constexpr std::uint64_t kFewestSampled = 96;
constexpr double kMostSampled = 0.6;
constexpr double kRoundGrowth = 1.25;
/// Rows of a tile whose classes are counted, evenly spread; the first and the last are among them.
constexpr std::uint64_t kRowsLookedAt = 4;
constexpr std::uint64_t kOrderStream = 0x726f7773;  // of CounterRandom

void add_class(Moments& counts, const FrequencyClass& where, double sector_share, double number) {
  counts.sums[where.radial] += number;
  counts.sums[Moments::kSectorsAt + where.sector] += sector_share * number;
  counts.sums[Moments::kSectorsAt + transposed_sector(where.sector)] += (1 - sector_share) * number;
  if (where.low) counts.sums[Moments::kLow] += number;
}

/// Adds the coefficients of row u, `times` times.
void add_row(const RowPopulation& population, std::int64_t u, double times,
             std::vector<ClassSegment>& segments, Moments& counts) {
  class_segments(u, population.m, population.n, segments);
  for (const ClassSegment& segment : segments) {
    if (!population.symmetric_half) {
      const double number = 2 * times * static_cast<double>(segment.last - segment.first);
      add_class(counts, segment.frequency_class, 1, number);
      counts.sums[Moments::kCount] += number;
      continue;
    }
    // |v| ≤ u of the symmetric half: |v| = u counts half, for (u, ±u) is its own transpose or that of its
    // conjugate.
    const auto within = [&](std::int64_t bound) {
      return static_cast<double>(
          std::max<std::int64_t>(0, std::min(segment.last, bound + 1) - std::max(segment.first, -bound)));
    };
    const double number = 2 * times * (within(u) + within(u - 1));
    add_class(counts, segment.frequency_class, 0.5, number);
    counts.sums[Moments::kCount] += number;
  }
}

/// Powers of the tiles.
struct TilePowers {
  std::vector<double> sums;  ///< in units of that of a mean coefficient; empty where they are not known
  bool exact = false;        ///< by row_powers(), not by line_powers()
};

TilePowers tile_powers(const SparsePattern& pattern, const RowPopulation& population,
                       std::span<const Moments> counts, JobContext& context) {
  TilePowers powers;
  if (std::max(pattern.rows(), pattern.cols()) > kLongestMeasured || !(pattern.weight_squares() > 0))
    return powers;
  std::vector<float> rows = row_powers(pattern, context);
  powers.exact = !rows.empty();
  if (!powers.exact) rows = line_powers(pattern, LineDirection::rows, context);
  for (std::uint64_t t = 0; t < population.tiles(); ++t) {
    double sum = 0;
    for (std::uint64_t u = population.first_row(t); u < population.first_row(t + 1); ++u)
      sum += static_cast<double>(rows[u]);
    powers.sums.push_back(sum / static_cast<double>(population.first_row(t + 1) - population.first_row(t)) *
                          counts[t].count());
  }
  return powers;
}

/// The mean power of a coefficient above which a tile is certain.
double strong_density(const RowPopulation& population, std::span<const Moments> counts,
                      const TilePowers& powers) {
  const double spread = kPowerSpread / std::sqrt(static_cast<double>(population.tile_rows()));
  const double usual = 1 + kPowerDeviations * spread;
  if (!powers.exact) return usual;
  std::vector<double> densities;
  for (std::uint64_t t = 0; t < counts.size(); ++t)
    if (counts[t].count() > 0) densities.push_back(powers.sums[t] / counts[t].count());
  std::sort(densities.begin(), densities.end());
  const auto at = [&](double share) {
    return densities[static_cast<std::size_t>(share * static_cast<double>(densities.size() - 1))];
  };
  const double median = at(0.5);
  const double outlier = median + kOutlierDeviations * (at(kOneDeviation) - median);
  return std::min(usual, std::max(outlier, at(1 - kMostOutliers)));
}

std::vector<char> certain_tiles(const RowPopulation& population, std::span<const Moments> counts,
                                const TilePowers& powers) {
  const std::uint64_t tiles = counts.size();
  std::vector<char> strong(tiles, 0);
  strong.front() = strong.back() = 1;
  const double least = strong_density(population, counts, powers);
  for (std::uint64_t t = 0; t < powers.sums.size(); ++t)
    if (powers.sums[t] > least * counts[t].count()) strong[t] = 1;
  std::vector<char> certain = strong;
  for (std::uint64_t t = 0; t + 1 < tiles; ++t) {
    certain[t] |= strong[t + 1];
    certain[t + 1] |= strong[t];
  }
  const auto low = static_cast<std::uint64_t>(std::ceil(kLowShare * static_cast<double>(tiles)));
  std::fill_n(certain.begin(), std::min(low, kMostLowTiles), char{1});
  for (std::size_t k = 0; k <= Moments::kLow; ++k) {
    const auto is_rare = [&](std::uint64_t t) { return certain[t] == 0 && counts[t].sums[k] > 0; };
    std::uint64_t number = 0;
    for (std::uint64_t t = 0; t < tiles; ++t) number += is_rare(t) ? 1 : 0;
    if (number >= kFewestOthers) continue;
    for (std::uint64_t t = 0; t < tiles; ++t)
      if (is_rare(t)) certain[t] = 1;
  }
  return certain;
}

/// The measure of each tile by which strata of equal measure are cut.
std::vector<double> measures_of(std::span<const std::uint64_t> tiles, std::span<const Moments> counts,
                                std::span<const double> powers) {
  Moments all;
  double power = 0;
  double bins = 0;
  for (const std::uint64_t t : tiles) {
    all += counts[t];
    if (!powers.empty()) power += powers[t];
  }
  for (std::size_t k = 0; k < kRadialBins; ++k) bins += all.sums[k] > 0 ? 1 : 0;
  std::vector<double> measures;
  for (const std::uint64_t t : tiles) {
    const double equal = 1 / static_cast<double>(tiles.size());
    double rarity = 0;
    for (std::size_t k = 0; k < kRadialBins; ++k)
      if (all.sums[k] > 0) rarity += counts[t].sums[k] / all.sums[k] / bins;
    const double strong = power > 0 ? powers[t] / power : equal;
    measures.push_back(kByPower * strong + kByBins * rarity + (1 - kByPower - kByBins) * equal);
  }
  return measures;
}

/// Ends of the strata, as positions among the tiles.
std::vector<std::uint64_t> cut(std::span<const double> measures) {
  const std::uint64_t count = measures.size();
  const double all = std::accumulate(measures.begin(), measures.end(), 0.0);
  std::vector<std::uint64_t> ends;
  double sum = 0;
  std::uint64_t begin = 0;
  std::size_t next = 1;
  for (std::uint64_t k = 0; k < count; ++k) {
    sum += measures[k];
    if (sum * static_cast<double>(kMostStrata) < static_cast<double>(next) * all) continue;
    while (sum * static_cast<double>(kMostStrata) >= static_cast<double>(next) * all) ++next;
    if (k + 1 - begin < kFewestInStratum || count - (k + 1) < kFewestInStratum) continue;
    ends.push_back(begin = k + 1);
  }
  if (begin < count) ends.push_back(count);
  return ends;
}

/// 0 … count−1 in random order (Fisher and Yates); `draw` counts the random numbers used.
std::vector<std::uint64_t> shuffled(std::uint64_t count, const CounterRandom& random, std::uint64_t& draw) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  for (std::uint64_t k = count; k > 1; --k) std::swap(order[k - 1], order[random.below(draw++, k)]);
  return order;
}

}  // namespace

std::uint64_t RowPopulation::tile_rows() const {
  std::uint64_t rows = 1;
  while (rows < kMostTileRows && 2 * rows * kFewestTiles <= half_rows()) rows *= 2;
  return rows;
}

std::uint64_t RowPopulation::first_row(std::uint64_t tile) const {
  return std::min(half_rows(), tile * tile_rows());
}

std::vector<Moments> class_counts(const RowPopulation& population) {
  std::vector<Moments> counts(population.tiles());
  std::vector<ClassSegment> segments;
  for (std::uint64_t t = 0; t < counts.size(); ++t) {
    const std::uint64_t first = population.first_row(t);
    const std::uint64_t end = population.first_row(t + 1);
    const std::uint64_t looked_at = std::min(kRowsLookedAt, end - first);
    const double rows = static_cast<double>(end - first) / static_cast<double>(looked_at);
    for (std::uint64_t k = 0; k < looked_at; ++k) {
      const std::uint64_t u = looked_at == 1 ? first : first + k * (end - 1 - first) / (looked_at - 1);
      add_row(population, static_cast<std::int64_t>(u), rows, segments, counts[t]);
    }
    std::fill(std::begin(counts[t].sums) + Moments::kSumsAt, std::end(counts[t].sums), counts[t].count());
  }
  return counts;
}

std::vector<std::uint64_t> check_points_of(const RowSample& sample) {
  const std::uint64_t sampled = sample.order.size() - sample.certain;
  const std::uint64_t tallest =
      sample.strata.empty() ? 0 : *std::max_element(sample.strata.begin(), sample.strata.end());
  std::vector<std::uint64_t> points;
  for (std::uint64_t round = 2; round < tallest;
       round = std::max(round + 1, static_cast<std::uint64_t>(kRoundGrowth * static_cast<double>(round)))) {
    std::uint64_t done = 0;
    for (const std::uint64_t size : sample.strata) done += std::min(round, size);
    if (static_cast<double>(done) > kMostSampled * static_cast<double>(sampled)) break;
    if (done >= kFewestSampled) points.push_back(sample.certain + done);
  }
  points.push_back(sample.order.size());
  return points;
}

RowSample all_rows(const RowPopulation& population) {
  RowSample sample;
  sample.order.resize(population.tiles());
  std::iota(sample.order.begin(), sample.order.end(), std::uint64_t{0});
  sample.certain = population.tiles();
  sample.stratum_of.assign(population.tiles(), RowSample::kCertain);
  sample.check_points = {population.tiles()};
  return sample;
}

RowSample sample_rows(const SparsePattern& pattern, const RowPopulation& population, std::uint64_t seed,
                      JobContext& context) {
  const std::vector<Moments> counts = class_counts(population);
  const TilePowers powers = tile_powers(pattern, population, counts, context);
  const std::vector<char> certain = certain_tiles(population, counts, powers);
  RowSample sample;
  std::vector<std::uint64_t> others;
  for (std::uint64_t t = 0; t < counts.size(); ++t) (certain[t] != 0 ? sample.order : others).push_back(t);
  sample.certain = sample.order.size();
  sample.stratum_of.assign(counts.size(), RowSample::kCertain);
  const CounterRandom random(seed, kOrderStream);
  std::uint64_t draw = 0;
  std::vector<std::vector<std::uint64_t>> strata;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : cut(measures_of(others, counts, powers.sums))) {
    std::vector<std::uint64_t>& stratum = strata.emplace_back();
    for (const std::uint64_t k : shuffled(end - begin, random, draw)) {
      stratum.push_back(others[begin + k]);
      sample.stratum_of[others[begin + k]] = static_cast<std::uint32_t>(strata.size() - 1);
    }
    sample.strata.push_back(end - begin);
    begin = end;
  }
  for (std::uint64_t round = 0; sample.order.size() < counts.size(); ++round)
    for (const auto& stratum : strata)
      if (round < stratum.size()) sample.order.push_back(stratum[round]);
  sample.check_points = check_points_of(sample);
  return sample;
}

}  // namespace spyctrum
