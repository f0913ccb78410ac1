// SPDX-License-Identifier: Apache-2.0
// Counts by PatternHierarchy equal counts over all entries, cell by cell, for many patterns, tiles and views.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <random>

#include "core/matrix/pattern_hierarchy.hpp"
#include "core/matrix/range_lookup.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {
namespace {

using Entries = std::pair<std::vector<Index>, std::vector<Index>>;

PatternPtr pattern_of(std::uint64_t m, std::uint64_t n, Entries entries) {
  return std::make_shared<const SparsePattern>(
      SparsePattern::from_coordinates(m, n, std::move(entries.first), std::move(entries.second)).value());
}

Entries spread(std::uint64_t m, std::uint64_t n, std::size_t count, std::mt19937_64& random) {
  Entries entries;
  for (std::size_t t = 0; t < count; ++t) {
    entries.first.push_back(static_cast<Index>(random() % m));
    entries.second.push_back(static_cast<Index>(random() % n));
  }
  return entries;
}

/// Most entries in a few rows and columns and in one corner.
Entries skewed(std::uint64_t m, std::uint64_t n, std::size_t count, std::mt19937_64& random) {
  Entries entries = spread(m, n, count / 4, random);
  for (std::size_t t = 0; t < count / 4; ++t) {
    entries.first.push_back(static_cast<Index>(random() % m));
    entries.second.push_back(static_cast<Index>(n / 3 + random() % 2));
    entries.first.push_back(static_cast<Index>(m - 1));
    entries.second.push_back(static_cast<Index>(random() % n));
    entries.first.push_back(static_cast<Index>(random() % (m / 20 + 1)));
    entries.second.push_back(static_cast<Index>(random() % (n / 20 + 1)));
  }
  return entries;
}

Entries mirrored(Entries entries) {
  const std::size_t count = entries.first.size();
  for (std::size_t t = 0; t < count; ++t) {
    const Index row = entries.first[t];
    entries.first.push_back(entries.second[t]);
    entries.second.push_back(row);
  }
  return entries;
}

struct Case {
  const char* name;
  PatternPtr pattern;
};

std::vector<Case> cases() {
  std::mt19937_64 random(5);
  constexpr std::uint64_t kHuge = 4294967295U;
  std::vector<Case> all;
  all.push_back({"odd", pattern_of(1001, 2503, spread(1001, 2503, 30000, random))});
  all.push_back({"prime, skewed", pattern_of(1009, 1013, skewed(1009, 1013, 30000, random))});
  all.push_back({"symmetric", pattern_of(1500, 1500, mirrored(skewed(1500, 1500, 20000, random)))});
  all.push_back({"huge", pattern_of(kHuge, kHuge, spread(kHuge, kHuge, 20000, random))});
  all.push_back({"huge, skewed", pattern_of(kHuge, 70001, skewed(kHuge, 70001, 20000, random))});
  all.push_back({"one row", pattern_of(1, 5000, spread(1, 5000, 3000, random))});
  all.push_back({"full", pattern_of(97, 89, spread(97, 89, 100000, random))});
  all.push_back({"empty", pattern_of(50, 60, {})});
  all.push_back({"one entry", pattern_of(kHuge, kHuge, {{4294967294U}, {0}})});
  return all;
}

class Hierarchy : public testing::Test {
 protected:
  /// Views from twice the matrix down to less than an entry, with bounds that are not tile edges.
  std::vector<PlaneRect> views(const SparsePattern& pattern) {
    const auto m = static_cast<double>(pattern.rows()), n = static_cast<double>(pattern.cols());
    std::vector<PlaneRect> all{full_pattern_rect(pattern.rows(), pattern.cols()),
                               {-m / 3, -n / 7, 1.5 * m, 1.2 * n},
                               {0, n / 3, m, n / 3 + 3},
                               {m - 4, 0, m, n}};
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int k = 0; k < 24; ++k) {
      const double height = m * std::pow(0.6, k % 12 + uniform(random_));
      const double width = n * std::pow(0.6, k % 7 + uniform(random_));
      const double top = (m - height) * uniform(random_), left = (n - width) * uniform(random_);
      all.push_back({top, left, top + height, left + width});
    }
    return all;
  }
  static void expect_same(const CellImage& found, const CellImage& counted, const std::string& what) {
    ASSERT_EQ(found.cells.size(), counted.cells.size());
    // Compared as bits, so that NaN equals NaN.
    EXPECT_EQ(std::memcmp(found.cells.data(), counted.cells.data(), sizeof(float) * found.cells.size()), 0)
        << what;
  }
  std::mt19937_64 random_{11};
  ThreadPool pool_{2};
  JobContext context_{pool_};
};

TEST_F(Hierarchy, PicturesEqualThoseCountedFromAllEntries) {
  for (const auto& [name, pattern] : cases()) {
    for (const std::size_t tiles : {1U, 7U, 60U, 500U}) {
      const PatternHierarchy hierarchy(pattern, context_, tiles);
      for (const PlaneRect& rect : views(*pattern)) {
        for (const auto& [height, width] : {std::pair{1U, 1U}, {19U, 33U}, {120U, 101U}}) {
          const std::string what = std::string(name) + ", " + std::to_string(tiles) + " tiles, " +
                                   std::to_string(height) + "×" + std::to_string(width) + " cells of " +
                                   std::to_string(rect.top) + " " + std::to_string(rect.left) + " " +
                                   std::to_string(rect.bottom) + " " + std::to_string(rect.right);
          expect_same(pattern_image(*pattern, {rect, height, width}, context_, &hierarchy),
                      pattern_image(*pattern, {rect, height, width}, context_), what);
        }
        expect_same(density_image(*pattern, 13, {rect, 40, 41}, context_, &hierarchy),
                    density_image(*pattern, 13, {rect, 40, 41}, context_), std::string(name) + " by blocks");
      }
    }
  }
}

TEST_F(Hierarchy, CountsHoldEveryEntryOnce) {
  for (const auto& [name, pattern] : cases()) {
    const PatternHierarchy hierarchy(pattern, context_, 40);
    const auto m = static_cast<Index>(pattern->rows()), n = static_cast<Index>(pattern->cols());
    const std::vector<Index> rows = m > 2 ? std::vector<Index>{0, m / 2, m} : std::vector<Index>{0, m};
    const std::vector<Index> cols{0, n / 3, n / 3 + 1, n};
    std::uint64_t total = 0;
    std::mutex mutex;
    const auto take = [&](std::size_t, std::span<const std::uint32_t> counts) {
      const std::lock_guard lock(mutex);
      for (const std::uint32_t count : counts) total += count;
    };
    hierarchy.count(rows, cols, take, context_);
    EXPECT_EQ(total, static_cast<std::uint64_t>(pattern->nonzeros())) << name;
  }
}

TEST_F(Hierarchy, BytesStayBelowTheForecast) {
  for (const auto& [name, pattern] : cases()) {
    const PatternHierarchy hierarchy(pattern, context_);
    EXPECT_LE(hierarchy.bytes(), PatternHierarchy::forecast_bytes(*pattern)) << name;
  }
  // A symmetric pattern needs no transpose: little more than 9/4 bytes per entry.
  const PatternPtr symmetric = cases()[2].pattern;
  ASSERT_TRUE(symmetric->symmetric());
  const auto entries = static_cast<double>(symmetric->nonzeros());
  EXPECT_LE(static_cast<double>(PatternHierarchy(symmetric, context_).bytes()),
            2.25 * entries + 32 * std::sqrt(entries) + 64);
}

TEST_F(Hierarchy, EndsAfterAStop) {
  const PatternPtr pattern = cases()[0].pattern;
  std::stop_source stop;
  stop.request_stop();
  JobContext::Options options;
  options.stop = stop.get_token();
  JobContext stopped(pool_, options);
  EXPECT_THROW(PatternHierarchy(pattern, stopped), Failure);
  const PatternHierarchy hierarchy(pattern, context_);
  EXPECT_THROW(static_cast<void>(
                   pattern_image(*pattern, {full_pattern_rect(1001, 2503), 50, 50}, stopped, &hierarchy)),
               Failure);
}

TEST_F(Hierarchy, IsRefusedIfItDoesNotFit) {
  JobContext::Options options;
  options.memory_bytes = 1000;
  JobContext small(pool_, options);
  try {
    const PatternHierarchy hierarchy(cases()[0].pattern, small);
    FAIL() << "nothing was refused";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::out_of_memory);
  }
}

TEST(RangeLookup, FindsTheRangeOfEveryIndex) {
  std::mt19937_64 random(3);
  for (const std::uint64_t span : {1ULL, 2ULL, 63ULL, 5000ULL, 4294967295ULL}) {
    for (const std::size_t count : {1U, 2U, 50U, 1000U}) {
      std::vector<Index> bounds;
      const auto low = static_cast<Index>(random() % (4294967296ULL - span));
      for (std::size_t k = 0; k <= count; ++k)
        bounds.push_back(low + static_cast<Index>(k % 2 == 0 ? random() % (span + 1) : k * span / count));
      std::sort(bounds.begin(), bounds.end());
      bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
      if (bounds.size() < 2) continue;
      const RangeLookup lookup(bounds);
      const auto expect = [&](Index i) {
        if (i == 4294967295U) return;  // not an index: sides are at most 2^32 − 1
        const auto above = std::upper_bound(bounds.begin(), bounds.end(), i) - bounds.begin();
        const bool inside = above > 0 && above < static_cast<std::ptrdiff_t>(bounds.size());
        EXPECT_EQ(lookup(i), inside ? static_cast<std::size_t>(above - 1) : lookup.ranges()) << i;
      };
      for (const Index bound : bounds)
        for (const Index i : {bound - 1, bound, bound + 1}) expect(i);
      for (int k = 0; k < 200; ++k) expect(static_cast<Index>(random()));
    }
  }
}

}  // namespace
}  // namespace spyctrum
