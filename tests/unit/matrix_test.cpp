// SPDX-License-Identifier: Apache-2.0
// SparsePattern against a std::set of pairs, on shapes for which sorting, compressing and counting use
// different code: many or few rows and columns for the number of entries.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>

#include "core/base/job_context.hpp"
#include "core/matrix/packed_entries.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "tests/support/test_pool.hpp"

namespace spyctrum {
namespace {

using Places = std::set<std::pair<std::uint64_t, std::uint64_t>>;  // (column, row): column-major order

struct Coordinates {
  std::vector<Index> row;
  std::vector<Index> col;
};

Coordinates coordinates_of(const Places& places) {
  Coordinates coordinates;
  for (const auto& [col, row] : places) {
    coordinates.row.push_back(static_cast<Index>(row));
    coordinates.col.push_back(static_cast<Index>(col));
  }
  return coordinates;
}

SparsePattern pattern_of(std::uint64_t rows, std::uint64_t cols, const Places& places) {
  Coordinates coordinates = coordinates_of(places);
  return SparsePattern::from_coordinates(rows, cols, coordinates.row, coordinates.col).value();
}

Places places_of(const SparsePattern& pattern) {
  Places places;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    for (std::int64_t t = pattern.column_starts()[k]; t < pattern.column_starts()[k + 1]; ++t)
      places.emplace(pattern.column_ids()[k], pattern.row_indices()[static_cast<std::size_t>(t)]);
  }
  return places;
}

AxisCounts counts_of(const Places& places, bool of_rows) {
  std::map<Index, std::int64_t> counts;
  for (const auto& [col, row] : places) ++counts[static_cast<Index>(of_rows ? row : col)];
  AxisCounts result;
  for (const auto& [id, count] : counts) {
    result.ids.push_back(id);
    result.counts.push_back(count);
  }
  return result;
}

void expect_sound(const SparsePattern& pattern, const Places& places) {
  ASSERT_EQ(pattern.nonzeros(), static_cast<std::int64_t>(places.size()));
  EXPECT_EQ(places_of(pattern), places);
  ASSERT_EQ(pattern.column_starts().size(), pattern.column_ids().size() + 1);
  EXPECT_EQ(pattern.column_starts().front(), 0);
  EXPECT_EQ(pattern.column_starts().back(), pattern.nonzeros());
  EXPECT_TRUE(std::is_sorted(pattern.column_ids().begin(), pattern.column_ids().end()));
  for (const bool of_rows : {true, false}) {
    const AxisCounts expected = counts_of(places, of_rows);
    const AxisCounts& found = of_rows ? pattern.row_counts() : pattern.column_counts();
    EXPECT_EQ(found.ids, expected.ids);
    EXPECT_EQ(found.counts, expected.counts);
  }
  const bool symmetric =
      pattern.rows() == pattern.cols() && std::all_of(places.begin(), places.end(), [&](const auto& one) {
        return places.contains({one.second, one.first});
      });
  EXPECT_EQ(pattern.symmetric(), symmetric);
}

Places random_places(std::uint64_t rows, std::uint64_t cols, std::size_t count, unsigned seed) {
  std::mt19937_64 engine(seed);
  Places places;
  for (std::size_t t = 0; t < count; ++t) places.emplace(engine() % cols, engine() % rows);
  return places;
}

struct Shape {
  std::uint64_t rows;
  std::uint64_t cols;
  std::size_t count;
};

class Shapes : public ::testing::TestWithParam<Shape> {};

TEST_P(Shapes, HoldExactlyTheGivenEntriesInAnyOrderAndWithAnyRepetition) {
  const auto [rows, cols, count] = GetParam();
  const Places places = random_places(rows, cols, count, 5);
  Coordinates given = coordinates_of(places);
  const std::size_t once = given.row.size();
  for (std::size_t t = 0; t < once; t += 3) {
    given.row.push_back(given.row[t]);
    given.col.push_back(given.col[t]);
  }
  const auto repeated = static_cast<std::int64_t>(given.row.size() - once);
  std::vector<std::size_t> order(given.row.size());
  for (std::size_t t = 0; t < order.size(); ++t) order[t] = t;
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  Coordinates shuffled;
  EntryChunks chunks(7);
  for (const std::size_t t : order) {
    shuffled.row.push_back(given.row[t]);
    shuffled.col.push_back(given.col[t]);
    chunks[t % chunks.size()].push_back(pack_entry(given.row[t], given.col[t]));
  }
  std::int64_t duplicates = -1;
  const auto pattern = SparsePattern::from_coordinates(rows, cols, shuffled.row, shuffled.col, &duplicates);
  ASSERT_TRUE(pattern.has_value()) << pattern.error().message();
  EXPECT_EQ(duplicates, repeated);
  expect_sound(*pattern, places);
  EXPECT_TRUE(pattern_of(rows, cols, places) == *pattern) << "sorted input must give the same pattern";
  for (const unsigned threads : {1U, 4U}) {
    ThreadPool pool(threads);
    JobContext context(pool);
    duplicates = -1;
    const SparsePattern packed = SparsePattern::from_packed(rows, cols, chunks, context, &duplicates);
    EXPECT_EQ(duplicates, repeated);
    EXPECT_TRUE(packed == *pattern);
    EXPECT_EQ(context.memory().current(), 0U);
  }
}

TEST_P(Shapes, TransposedSymmetrisedAndMaskedAgreeWithTheirDefinitions) {
  const auto [rows, cols, count] = GetParam();
  const Places places = random_places(rows, cols, count, 6);
  const SparsePattern pattern = pattern_of(rows, cols, places);
  Places mirrored;
  for (const auto& [col, row] : places) mirrored.emplace(row, col);
  const SparsePattern transposed = pattern.transposed();
  EXPECT_EQ(transposed.rows(), cols);
  EXPECT_EQ(transposed.cols(), rows);
  expect_sound(transposed, mirrored);
  EXPECT_TRUE(transposed == pattern_of(cols, rows, mirrored));
  EXPECT_TRUE(transposed.transposed() == pattern);
  JobContext context(test::pool());
  EXPECT_TRUE(pattern.transposed(&context) == transposed);
  if (rows == cols) {
    Places both = places;
    both.insert(mirrored.begin(), mirrored.end());
    const SparsePattern symmetrised = pattern.symmetrised();
    expect_sound(symmetrised, both);
    EXPECT_TRUE(symmetrised.symmetric());
    EXPECT_TRUE(symmetrised == pattern_of(rows, cols, both))
        << "fingerprints must not depend on the constructor";
  }
  const std::uint64_t row0 = rows / 3;
  const std::uint64_t col0 = cols / 4;
  Places inside;
  for (const auto& [col, row] : places) {
    if (row >= row0 && row < row0 + rows / 2 && col >= col0 && col < col0 + cols / 2)
      inside.emplace(col, row);
  }
  const SparsePattern restricted = pattern.restricted_to(row0, col0, rows / 2, cols / 2);
  EXPECT_EQ(restricted.rows(), rows);
  expect_sound(restricted, inside);
  EXPECT_TRUE(restricted == pattern_of(rows, cols, inside));
  constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
  EXPECT_TRUE(pattern.restricted_to(0, 0, kAll, kAll) == pattern);
  EXPECT_EQ(pattern.restricted_to(rows, 0, kAll, kAll).nonzeros(), 0);
}

TEST_P(Shapes, StatisticsAgreeWithTheirDefinitions) {
  const auto [rows, cols, count] = GetParam();
  const Places places = random_places(rows, cols, count, 7);
  const SparsePattern pattern = pattern_of(rows, cols, places);
  const PatternStatistics statistics = statistics_of(pattern);
  std::uint64_t bandwidth = 0;
  for (const auto& [col, row] : places) bandwidth = std::max(bandwidth, row > col ? row - col : col - row);
  const AxisCounts row_counts = counts_of(places, true);
  EXPECT_EQ(statistics.bandwidth, bandwidth);
  EXPECT_EQ(statistics.empty_rows, rows - row_counts.ids.size());
  EXPECT_EQ(statistics.empty_cols, cols - counts_of(places, false).ids.size());
  EXPECT_EQ(statistics.max_row,
            places.empty() ? 0 : *std::max_element(row_counts.counts.begin(), row_counts.counts.end()));
  EXPECT_DOUBLE_EQ(statistics.density, static_cast<double>(places.size()) / static_cast<double>(rows) /
                                           static_cast<double>(cols));
}

INSTANTIATE_TEST_SUITE_P(Matrix, Shapes,
                         ::testing::Values(Shape{1, 1, 0}, Shape{1, 1, 1}, Shape{1, 50, 9}, Shape{50, 1, 9},
                                           Shape{7, 5, 200}, Shape{40, 40, 900}, Shape{1000, 1000, 20000},
                                           Shape{3, 100000, 40000}, Shape{100000, 3, 40000},
                                           Shape{4294967295, 4294967295, 3000}, Shape{5, 4294967295, 3000},
                                           Shape{4294967295, 5, 3000}));

TEST(SparsePattern, RefusesSidesOfZeroOrTooLargeAndIndicesOutside) {
  const auto expect_bad = [](std::uint64_t rows, std::uint64_t cols, std::vector<Index> row,
                             std::vector<Index> col, const std::string& word) {
    const auto pattern = SparsePattern::from_coordinates(rows, cols, std::move(row), std::move(col));
    ASSERT_FALSE(pattern.has_value());
    EXPECT_EQ(pattern.error().code, ErrorCode::bad_input);
    EXPECT_NE(pattern.error().what.find(word), std::string::npos) << pattern.error().what;
  };
  expect_bad(0, 5, {}, {}, "0 rows");
  expect_bad(5, 0, {}, {}, "0 columns");
  expect_bad(std::uint64_t{1} << 32U, 5, {}, {}, "4,294,967,296 rows");
  expect_bad(3, 4, {0, 3}, {0, 0}, "row 3");
  expect_bad(3, 4, {0, 2}, {0, 4}, "column 4");
}

TEST(SparsePattern, SymmetryComparesEntriesAndNotOnlyCounts) {
  // A directed cycle has equal row and column counts and is not symmetric.
  const SparsePattern cycle = pattern_of(3, 3, {{1, 0}, {2, 1}, {0, 2}});
  EXPECT_EQ(cycle.row_counts().counts, cycle.column_counts().counts);
  EXPECT_FALSE(cycle.symmetric());
  EXPECT_TRUE(pattern_of(3, 3, {{1, 0}, {0, 1}, {2, 2}}).symmetric());
  EXPECT_FALSE(pattern_of(3, 4, {{0, 0}}).symmetric());
  EXPECT_TRUE(pattern_of(4, 4, {}).symmetric());
}

TEST(SparsePattern, ThreadsThatAskForPropertiesAtOnceGetTheSame) {
  Places places;
  std::mt19937 random(3);
  for (int k = 0; k < 30000; ++k) {
    const auto row = random() % 3000, col = random() % 3000;
    places.insert({{col, row}, {row, col}});
  }
  const SparsePattern one = pattern_of(3000, 3000, places);
  const SparsePattern copy = one;
  using Asked = std::tuple<bool, std::uint64_t, std::vector<std::int64_t>>;
  const auto ask = [](const SparsePattern& pattern) {
    return Asked{pattern.symmetric(), pattern.fingerprint(), pattern.row_counts().counts};
  };
  std::vector<Asked> answers(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < answers.size(); ++k)
      threads.emplace_back([&, k] { answers[k] = ask(k % 2 == 0 ? one : copy); });
  }
  const SparsePattern again = pattern_of(3000, 3000, places);
  std::stop_source stop;
  stop.request_stop();
  JobContext::Options options;
  options.stop = stop.get_token();
  JobContext stopped(test::pool(), options);
  EXPECT_THROW(again.determine_properties(stopped), Failure);
  JobContext context(test::pool());
  again.determine_properties(context);
  for (const Asked& answer : answers)
    EXPECT_EQ(answer, ask(again)) << "what a stopped job left undone is done";
}

TEST(SparsePattern, FingerprintSeparatesNeighbouringPatterns) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t row = 0; row < 20; ++row) {
    for (std::uint64_t col = 0; col < 20; ++col) seen.insert(pattern_of(20, 20, {{col, row}}).fingerprint());
  }
  EXPECT_EQ(seen.size(), 400U);
  EXPECT_NE(pattern_of(20, 21, {}).fingerprint(), pattern_of(21, 20, {}).fingerprint());
  EXPECT_NE(pattern_of(2, 2, {}).fingerprint(), pattern_of(2, 2, {{0, 0}}).fingerprint());
}

TEST(SparsePattern, ContainsAgreesWithTheSetForEveryPlace) {
  const Places places = random_places(30, 20, 150, 9);
  const SparsePattern pattern = pattern_of(30, 20, places);
  for (std::uint64_t row = 0; row < 32; ++row) {
    for (std::uint64_t col = 0; col < 22; ++col)
      EXPECT_EQ(pattern.contains(row, col), places.contains({col, row})) << row << ' ' << col;
  }
  EXPECT_FALSE(pattern.contains(std::uint64_t{1} << 32U, 0));
}

TEST(SparsePattern, FromLinesAgreesWithFromCoordinates) {
  std::mt19937_64 engine(5);
  ThreadPool pool(3);
  JobContext context(pool);
  for (const auto& [by_rows, sorted, is_wide] : {std::tuple{false, false, false},
                                                 {false, true, false},
                                                 {true, false, false},
                                                 {true, true, false},
                                                 {true, false, true},
                                                 {false, false, true}}) {
    // If is_wide, a table of all columns would be larger than the list of entries.
    const std::uint64_t lines = 9000, others = is_wide ? 4'000'000 : 700;
    std::vector<std::uint64_t> ends;
    IndexList ids;
    std::vector<Index> rows, cols;
    for (std::uint64_t line = 0; line + 10 < lines; ++line) {  // the last ones are empty
      std::vector<Index> own(engine() % 5);
      for (Index& id : own) id = static_cast<Index>(engine() % 700 * (others / 700));
      if (sorted) own.erase(own.begin(), own.empty() ? own.end() : own.begin() + 1);
      if (sorted) std::sort(own.begin(), own.end());
      for (const Index id : own) {
        rows.push_back(by_rows ? static_cast<Index>(line) : id);
        cols.push_back(by_rows ? id : static_cast<Index>(line));
      }
      ids.insert(ids.end(), own.begin(), own.end());
      ends.push_back(ids.size());
    }
    const std::uint64_t height = by_rows ? lines : others, width = by_rows ? others : lines;
    std::int64_t expected_duplicates = 0, duplicates = 0;
    const SparsePattern expected =
        or_throw(SparsePattern::from_coordinates(height, width, rows, cols, &expected_duplicates));
    const SparsePattern made =
        SparsePattern::from_lines(height, width, by_rows, ends, ids, context, &duplicates);
    EXPECT_EQ(made, expected) << by_rows << sorted;
    EXPECT_EQ(made.fingerprint(), expected.fingerprint());
    EXPECT_EQ(made.row_counts().counts, expected.row_counts().counts);
    EXPECT_EQ(made.column_counts().ids, expected.column_counts().ids);
    EXPECT_EQ(duplicates, expected_duplicates);
    EXPECT_GT(duplicates, 0);
    EXPECT_THROW(
        SparsePattern::from_lines(by_rows ? lines : 600, by_rows ? 600 : lines, by_rows, ends, ids, context),
        Failure)
        << "an id lies outside";
  }
  EXPECT_THROW(SparsePattern::from_lines(5, 1, false, std::vector<std::uint64_t>{1, 2}, {0, 1}, context),
               Failure)
      << "more lines than columns";
}

TEST(SparsePattern, AnIdOutsideRepeatedOrOutOfOrderIsFoundAtEveryPlaceOfLines) {
  // The largest ids of sides on both sides of 2^31, where the quick comparison of ids ends.
  ThreadPool pool(2);
  JobContext context(pool);
  const std::vector<std::uint64_t> ends{0, 9, 9, 10, 30, 31};
  const std::uint64_t cols = ends.size();
  for (const std::uint64_t rows : {std::uint64_t{40}, (std::uint64_t{1} << 31U) - 1, std::uint64_t{1} << 31U,
                                   (std::uint64_t{1} << 31U) + 1, kLargestSide}) {
    std::vector<Index> good;
    std::vector<Index> col;
    for (std::size_t line = 0; line < ends.size(); ++line)
      for (std::uint64_t k = line == 0 ? 0 : ends[line - 1]; k < ends[line]; ++k) {
        good.push_back(static_cast<Index>(rows - (ends[line] - k)));
        col.push_back(static_cast<Index>(line));
      }
    const auto made = [&](const std::vector<Index>& ids, std::int64_t* duplicates) {
      return SparsePattern::from_lines(rows, cols, false, ends, IndexList(ids.begin(), ids.end()), context,
                                       duplicates);
    };
    const auto expect_all = [&](const std::vector<Index>& ids) {
      std::int64_t duplicates = 0, expected = 0;
      EXPECT_EQ(made(ids, &duplicates),
                or_throw(SparsePattern::from_coordinates(rows, cols, ids, col, &expected)));
      EXPECT_EQ(duplicates, expected);
    };
    expect_all(good);
    for (std::size_t place = 0; place < good.size(); ++place) {
      std::vector<Index> ids = good;
      ids[place] = static_cast<Index>(rows);
      EXPECT_THROW(made(ids, nullptr), Failure) << rows << " " << place;
      for (const std::size_t other : {place + 1, good.size() - 1}) {
        if (other >= good.size()) continue;
        ids = good;
        std::swap(ids[place], ids[other]);
        expect_all(ids);
        ids[place] = ids[other];
        expect_all(ids);
      }
    }
  }
}

TEST(SparsePattern, SymmetryOfEveryPatternOfThreeRowsIsFound) {
  // The rows and columns 0, 1, 2 of the pattern are apart in the matrix, which has empty ones between them:
  // in the last cases too many for a table.
  for (const std::uint64_t apart : {1, 2, 1'000'000, 1'000'000'000})
    for (unsigned places = 0; places < 512; ++places) {
      std::vector<Index> rows, cols;
      bool is_symmetric = true;
      for (unsigned place = 0; place < 9; ++place) {
        const unsigned row = place % 3, col = place / 3;
        const auto has = [&](unsigned i, unsigned j) { return (places >> (3 * j + i) & 1U) != 0; };
        is_symmetric = is_symmetric && has(row, col) == has(col, row);
        if (!has(row, col)) continue;
        rows.push_back(static_cast<Index>(row * apart));
        cols.push_back(static_cast<Index>(col * apart));
      }
      const std::uint64_t side = 2 * apart + 1;
      const SparsePattern pattern = or_throw(SparsePattern::from_coordinates(side, side, rows, cols));
      EXPECT_EQ(pattern.symmetric(), is_symmetric) << places << " " << apart;
      std::map<Index, std::int64_t> counts;
      for (const Index row : rows) ++counts[row];
      std::map<Index, std::int64_t> counted;
      for (std::size_t k = 0; k < pattern.row_counts().ids.size(); ++k)
        counted[pattern.row_counts().ids[k]] = pattern.row_counts().counts[k];
      EXPECT_EQ(counted, counts) << places << " " << apart;
      EXPECT_EQ(pattern.transposed().symmetric(), is_symmetric);
    }
}

TEST(SparsePattern, OneEntryMovedMakesALargePatternUnsymmetric) {
  // Large enough for the threads to compare parts of their own.
  constexpr std::size_t kSide = 300'000;
  ThreadPool pool(4);
  JobContext context(pool);
  for (const bool is_moved : {false, true}) {
    std::vector<std::uint64_t> ends;
    IndexList ids;
    for (std::size_t col = 0; col < kSide; ++col) {
      for (const std::size_t step : {std::size_t{1}, std::size_t{7}, kSide - 1, kSide - 7})
        ids.push_back(static_cast<Index>((col + step) % kSide));
      ends.push_back(ids.size());
    }
    // The entry (7, 0) is moved to (8, 0), and (8, 1) to (7, 1): rows and columns keep their counts.
    if (is_moved) std::ranges::replace(ids.begin(), ids.begin() + 4, Index{7}, Index{8});
    if (is_moved) std::ranges::replace(ids.begin() + 4, ids.begin() + 8, Index{8}, Index{7});
    const SparsePattern pattern =
        SparsePattern::from_lines(kSide, kSide, false, ends, std::move(ids), context);
    EXPECT_EQ(pattern.nonzeros(), 4 * kSide);
    EXPECT_EQ(pattern.symmetric(), !is_moved);
  }
}

TEST(SortUnique, AgreesWithStdSortOnSkewedAndWideKeys) {
  std::mt19937_64 engine(11);
  ThreadPool pool(3);
  JobContext context(pool);
  for (int variant = 0; variant < 4; ++variant) {
    EntryChunks chunks(5);
    std::vector<PackedEntry> all;
    for (int t = 0; t < 300000; ++t) {
      PackedEntry entry = engine();
      if (variant == 1) entry &= 0x0000000f0000ffffU;                            // few columns
      if (variant == 2) entry = (engine() % 10 == 0) ? entry : entry & 0xffffU;  // most entries in one bucket
      if (variant == 3) entry = 42;                                              // a single cell
      chunks[engine() % 5].push_back(entry);
      all.push_back(entry);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::int64_t duplicates = 0;
    EXPECT_EQ(sort_unique(chunks, &context, &duplicates), all) << variant;
    EXPECT_EQ(duplicates, static_cast<std::int64_t>(300000 - all.size()));
    EXPECT_EQ(sort_unique(chunks, nullptr), all) << variant;
  }
}

TEST(SortUnique, EndsAfterAStopAndStaysWithinTheAllowance) {
  EntryChunks chunks(1);
  for (PackedEntry t = 0; t < 100000; ++t) chunks[0].push_back(t * 0x9e3779b97f4a7c15U);
  std::stop_source stop;
  stop.request_stop();
  JobContext::Options stopping;
  stopping.stop = stop.get_token();
  JobContext stopped(test::pool(), stopping);
  try {
    (void)sort_unique(chunks, &stopped);
    FAIL() << "must stop";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::cancelled);
  }
  JobContext::Options small;
  small.memory_bytes = 100000;
  JobContext tight(test::pool(), small);
  try {
    (void)sort_unique(chunks, &tight);
    FAIL() << "must not fit";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::out_of_memory);
  }
}

}  // namespace
}  // namespace spyctrum
