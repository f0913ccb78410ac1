// SPDX-License-Identifier: Apache-2.0
// A stream of the whole plane that is read while it runs, paused and resumed: its pyramid, its strongest
// coefficients, and pictures of an unfinished pyramid.
#include "core/engine/plane_progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <stop_token>

#include "core/engine/refining_stream.hpp"
#include "core/matrix/random.hpp"
#include "core/methods/method.hpp"
#include "core/pictures/partial_pyramid.hpp"
#include "core/pictures/picture_plan.hpp"
#include "core/pictures/pyramid_consumer.hpp"
#include "core/pictures/view.hpp"
#include "core/spectrum/row_consumer.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/text_request.hpp"
#include "tests/unit/naive_plane.hpp"

namespace spyctrum {
namespace {

using test::generated;

using test::NaivePlane;

constexpr std::uint32_t kCells = 64;
/// So many that some rows of cells hold no row of the first round.
constexpr std::uint32_t kFineCells = 600;
constexpr std::int64_t kTileRows = 32;

class PlaneStream : public testing::Test {
 protected:
  Result<SpectrumPtr> run(const PatternPtr& pattern, const std::shared_ptr<PlaneProgress>& progress,
                          const char* method = "bs-fft") {
    Request request;
    request.pattern = pattern;
    request.outputs = {false, true, true, kCells};
    request.progress = progress;
    return run_method(*find_method(method), request, context_);
  }
  /// Runs until the next tile is finished; threads that work on other tiles are stopped within them.
  void run_a_little(const SparsePattern& pattern, PlaneProgress& progress) {
    std::stop_source stop;
    JobContext::Options options;
    options.stop = stop.get_token();
    options.on_progress = [&](const Progress& now) {
      if (now.stage == "transform" && now.done > 0) stop.request_stop();
    };
    JobContext stopped(pool_, options);
    const auto ended = run_guarded([&] { stream_refining(pattern, 1, kCells, progress, stopped); });
    EXPECT_TRUE(ended || ended.error().code == ErrorCode::cancelled);
  }
  void expect_equal(const DisplayPyramid& got, const DisplayPyramid& expected) {
    ASSERT_EQ(got.mean_power.size(), expected.mean_power.size());
    EXPECT_TRUE(got.streamed_share.empty());
    for (std::size_t k = 0; k < got.mean_power.size(); ++k) {
      ASSERT_NEAR(got.mean_power[k], expected.mean_power[k],
                  2e-5 * static_cast<double>(expected.mean_power[k]) + 1e-4)
          << k;
      ASSERT_NEAR(got.max_power[k], expected.max_power[k],
                  2e-5 * static_cast<double>(expected.max_power[k]) + 1e-4);
    }
  }
  ThreadPool pool_{2};
  JobContext context_{pool_};
};

NaivePlane naive(const SparsePattern& pattern) {
  std::vector<double> input(pattern.rows() * pattern.cols());
  for (std::uint64_t i = 0; i < pattern.rows(); ++i)
    for (std::uint64_t j = 0; j < pattern.cols(); ++j)
      input[i * pattern.cols() + j] = pattern.contains(i, j) ? 1 : 0;
  return test::naive_plane(static_cast<std::int64_t>(pattern.rows()),
                           static_cast<std::int64_t>(pattern.cols()), input);
}

TEST_F(PlaneStream, MergedCellsAndOfferedCoefficientsEqualThoseOfTheRows) {
  const std::uint64_t m = 7;
  const std::uint64_t n = 9;
  PyramidConsumer by_rows(4);
  PyramidConsumer by_cells(4);
  StrongestConsumer strong_by_rows(5);
  StrongestConsumer strong_by_offers(5);
  for (RowConsumer* consumer :
       std::initializer_list<RowConsumer*>{&by_rows, &by_cells, &strong_by_rows, &strong_by_offers})
    consumer->begin(m, n, 1);
  EXPECT_EQ(by_cells.raster_size(), (std::pair{4U, 4U}));
  EXPECT_EQ(strong_by_offers.weakest_offered(), 0.0F);
  std::vector<std::complex<float>> row(n);
  for (std::size_t v = 0; v < n; ++v) row[v] = {static_cast<float>(v) + 1, 0.5F};
  strong_by_rows.consume({2, true, row, false}, 0);
  std::vector<StrongCoefficient> found;
  for (std::int64_t v = 0; v < static_cast<std::int64_t>(n); ++v)
    found.push_back({2, signed_index(v, static_cast<std::int64_t>(n)), row[static_cast<std::size_t>(v)]});
  strong_by_offers.offer(found);
  EXPECT_EQ(strong_by_offers.weakest_offered(), std::norm(row[4])) << "the fifth of nine";
  const auto expected = strong_by_rows.strongest();
  const auto actual = strong_by_offers.strongest();
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(actual[k].value, expected[k].value);

  // Shifted row 5 of 7 and its mirror, row 1, are in rows 3 and 1 of four; columns begin at 0, 2, 4 and 6.
  by_rows.consume({2, true, row, false}, 0);
  by_rows.finish();
  const auto cells_of = [&](bool mirror) {
    std::vector<cuda::CellSum> cells(4);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t v = (k + n - n / 2) % n;
      const float power = std::norm(row[mirror && v != 0 ? n - v : v]);
      cuda::CellSum& cell = cells[std::min<std::size_t>(3, k / 2)];
      cell.power += power;
      cell.maximum = std::max(cell.maximum, power);
    }
    return cells;
  };
  const std::uint32_t u[] = {2};
  by_cells.add_cells({u, false, false}, cells_of(false));
  by_cells.add_cells({u, true, false}, cells_of(true));
  const DisplayPyramid one = by_rows.snapshot(pool_);
  const DisplayPyramid other = by_cells.snapshot(pool_);
  EXPECT_EQ(other.streamed_share, one.streamed_share);
  for (std::size_t k = 0; k < one.mean_power.size(); ++k) {
    EXPECT_NEAR(other.mean_power[k], one.mean_power[k], 1e-4F) << k;
    EXPECT_EQ(other.max_power[k], one.max_power[k]) << k;
  }
}

TEST_F(PlaneStream, ACompleteStreamGivesThePyramidOfAPlainPass) {
  for (const char* text : {"gen:random:rows=333,cols=200,nnz=1500", "gen:power-law:n=401,nnz=3000",
                           "gen:random:rows=40,cols=300,nnz=500", "gen:random:rows=2,cols=9,nnz=4"}) {
    const PatternPtr pattern = generated(text);
    const auto plain = run(pattern, nullptr);
    for (const bool in_order : {false, true}) {
      const auto progress = std::make_shared<PlaneProgress>();
      progress->take_rows_in_order(in_order);
      const auto stream = run(pattern, progress);
      ASSERT_TRUE(plain && stream) << text;
      expect_equal(*(*stream)->pyramid, *(*plain)->pyramid);
      EXPECT_EQ((*stream)->exactness, Exactness::exact);
      EXPECT_NEAR((*stream)->features->entropy, (*plain)->features->entropy, 1e-9);
      EXPECT_NEAR((*stream)->features->flatness, (*plain)->features->flatness, 1e-7);
      EXPECT_FALSE(progress->pyramid(pool_)) << "it was taken, not copied";
    }
  }
}

TEST_F(PlaneStream, ARunInOrderHasNoEstimateBeforeItsEndAndResumesWhatWasBegun) {
  const PatternPtr pattern = generated("gen:power-law:n=3000,nnz=9000");
  for (const bool begins_in_order : {true, false}) {
    const auto progress = std::make_shared<PlaneProgress>();
    progress->take_rows_in_order(begins_in_order);
    for (int stop = 0; stop < 6; ++stop) run_a_little(*pattern, *progress);
    ASSERT_FALSE(progress->features().remaining().empty()) << "nothing was left to resume";
    EXPECT_FALSE(begins_in_order && progress->estimate());
    progress->take_rows_in_order(true);
    const auto stream = run(pattern, progress);
    const auto plain = run(pattern, nullptr);
    ASSERT_TRUE(plain && stream);
    expect_equal(*(*stream)->pyramid, *(*plain)->pyramid);
    EXPECT_NEAR((*stream)->features->entropy, (*plain)->features->entropy, 1e-9);
  }
}

TEST_F(PlaneStream, StoppingWithinATileNeitherLosesNorRepeatsARow) {
  const PatternPtr pattern = generated("gen:power-law:n=3000,nnz=9000");
  const auto progress = std::make_shared<PlaneProgress>();
  for (int stop = 0; stop < 6; ++stop) run_a_little(*pattern, *progress);
  const auto left = progress->features().remaining();
  ASSERT_FALSE(left.empty()) << "every stop came after the last row, so that nothing was tested";
  const auto stream = run(pattern, progress);
  const auto plain = run(pattern, nullptr);
  ASSERT_TRUE(plain && stream);
  expect_equal(*(*stream)->pyramid, *(*plain)->pyramid);
  EXPECT_NEAR((*stream)->features->entropy, (*plain)->features->entropy, 1e-9);
}

/// Mean powers of the 4 × 4 parts of a plane.
std::vector<double> coarse(const DisplayPyramid& pyramid) {
  constexpr std::size_t kParts = 4;
  std::vector<double> sums(kParts * kParts);
  std::vector<double> areas(kParts * kParts);
  for (std::uint32_t r = 0; r < pyramid.rows; ++r)
    for (std::uint32_t c = 0; c < pyramid.cols; ++c) {
      const auto size = [](std::uint64_t k, std::uint64_t of, std::uint64_t cells) {
        return (k + 1) * of / cells - k * of / cells;
      };
      const std::size_t part = r * kParts / pyramid.rows * kParts + c * kParts / pyramid.cols;
      const auto area =
          static_cast<double>(size(r, pyramid.m, pyramid.rows) * size(c, pyramid.n, pyramid.cols));
      sums[part] += area * static_cast<double>(pyramid.mean_power[std::size_t{r} * pyramid.cols + c]);
      areas[part] += area;
    }
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] /= areas[k];
  return sums;
}

/// The means over seeds, and the largest distance of any from `exact` in standard errors of that mean (at
/// least a thousandth of `exact`).
double largest_bias(const std::vector<std::vector<double>>& of_seeds, const std::vector<double>& exact) {
  double largest = 0;
  const auto count = static_cast<double>(of_seeds.size());
  for (std::size_t k = 0; k < exact.size(); ++k) {
    double sum = 0;
    double squares = 0;
    for (const auto& one : of_seeds) {
      sum += one[k];
      squares += one[k] * one[k];
    }
    const double mean = sum / count;
    const double error = std::sqrt(std::max(0.0, squares / count - mean * mean) / (count - 1));
    largest = std::max(largest, std::abs(mean - exact[k]) / std::max(error, 1e-3 * exact[k]));
  }
  return largest;
}

/// Random entries in every step-th row, and for symmetric patterns in every step-th column: the plane has
/// peaks of the power of DC at multiples of u = m/step.
PatternPtr comb(Index side, Index step, bool symmetric) {
  const CounterRandom random(17, 1);
  std::vector<Index> rows;
  std::vector<Index> cols;
  for (std::uint64_t k = 0; k < 4000; ++k) {
    const auto i = static_cast<Index>(step * random.below(2 * k, side / step));
    const auto j = static_cast<Index>(random.below(2 * k + 1, side));
    rows.push_back(i);
    cols.push_back(symmetric ? j / step * step : j);
    if (!symmetric) continue;
    rows.push_back(cols.back());
    cols.push_back(i);
  }
  return std::make_shared<const SparsePattern>(
      or_throw(SparsePattern::from_coordinates(side, side, rows, cols)));
}

/// Rows that hold much power are streamed in any case: without weights they would count too much.
TEST_F(PlaneStream, PicturesOfSomeOfTheRowsAreUnbiased) {
  constexpr std::uint64_t kSeeds = 16;
  for (const bool symmetric : {false, true}) {
    SCOPED_TRACE(symmetric);
    const PatternPtr pattern = comb(1200, 5, symmetric);
    ASSERT_EQ(pattern->symmetric(), symmetric);
    const std::uint64_t m = pattern->rows();
    const std::uint64_t n = pattern->cols();
    Request request;
    request.pattern = pattern;
    request.outputs = {true, false, false, 1};
    const SpectrumPtr plane = or_throw(run_method(*find_method("dense"), request, context_));
    PlaneProgress all;
    all.take_rows_in_order(true);
    stream_refining(*pattern, 0, kFineCells, all, context_);
    const DisplayPyramid exact = *all.pyramid(pool_);
    ASSERT_TRUE(exact.streamed_share.empty());
    std::vector<std::vector<double>> weighted;
    std::vector<std::vector<double>> unweighted;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      JobContext::Options options;
      options.seed = seed;
      JobContext context(pool_, options);
      PlaneProgress progress;
      progress.pause(true);
      stream_refining(*pattern, kTileRows, kFineCells, progress, context);
      const DisplayPyramid some = *progress.pyramid(pool_);
      ASSERT_FALSE(some.streamed_share.empty());
      for (const float power : some.mean_power) ASSERT_TRUE(std::isfinite(power) && power >= 0);
      weighted.push_back(coarse(some));
      // The control: all rows that were streamed count alike, whatever their stratum.
      std::vector<char> passed(m / 2 + 1, 1);
      for (const std::uint64_t tile : progress.features().remaining())
        std::fill(passed.begin() + static_cast<std::ptrdiff_t>(progress.features().first_row(tile)),
                  passed.begin() + static_cast<std::ptrdiff_t>(progress.features().first_row(tile + 1)), 0);
      PyramidConsumer alike(kFineCells);
      alike.begin(m, n, 1);
      for (std::uint64_t u = 0; u < passed.size(); ++u)
        if (passed[u] != 0)
          alike.consume(spectrum_row(static_cast<std::int64_t>(u), m,
                                     std::span(plane->values).subspan(u * n, n), pattern->symmetric()),
                        0);
      alike.finish();
      unweighted.push_back(coarse(alike.snapshot(pool_)));
    }
    EXPECT_LT(largest_bias(weighted, coarse(exact)), 4);
    EXPECT_GT(largest_bias(unweighted, coarse(exact)), 6);
  }
}

/// Of noise: the blocks of the picture differ from the exact means of the same blocks by the stated error.
TEST_F(PlaneStream, BlocksOfAnUnfinishedPyramidAreWithinTheirError) {
  for (const PatternPtr& pattern :
       {generated("gen:random:rows=2200,cols=1500,nnz=9000"), comb(2500, 1, true)}) {
    SCOPED_TRACE(pattern->rows());
    PlaneProgress progress;
    progress.pause(true);
    stream_refining(*pattern, kTileRows, kFineCells, progress, context_);
    const DisplayPyramid some = *progress.pyramid(pool_);
    const BlockNoise noise = block_noise(some);
    EXPECT_GT(noise.coefficients, 64);
    EXPECT_LE(noise.relative_error, 0.125);
    progress.pause(false);
    stream_refining(*pattern, kTileRows, kFineCells, progress, context_);
    const DisplayPyramid exact = *progress.pyramid(pool_);
    ASSERT_TRUE(exact.streamed_share.empty());
    EXPECT_EQ(block_noise(exact).relative_error, 0);
    struct Block {
      double sum = 0, area = 0;
    };
    std::map<std::pair<float, float>, Block> blocks;  // by share and mean
    for (std::size_t k = 0; k < some.mean_power.size(); ++k) {
      if (some.streamed_share[k] == 1) {
        ASSERT_NEAR(some.mean_power[k], exact.mean_power[k], 1e-4 * static_cast<double>(exact.mean_power[k]));
        continue;
      }
      Block& block = blocks[{some.streamed_share[k], some.mean_power[k]}];
      block.sum += static_cast<double>(exact.mean_power[k]);
      block.area += 1;
    }
    const auto spread = [&](double factor) {  // of the blocks, in their standard errors
      double squares = 0;
      for (const auto& [values, block] : blocks) {
        const double off = factor * static_cast<double>(values.second) / (block.sum / block.area) - 1;
        squares += block.area * off * off;
      }
      double area = 0;
      for (const auto& [values, block] : blocks) area += block.area;
      return std::sqrt(squares / area) / noise.relative_error;
    };
    EXPECT_GT(blocks.size(), 100U);
    EXPECT_GT(spread(1), 0.6);
    EXPECT_LT(spread(1), 1.6);
    EXPECT_GT(spread(1.2), 1.6) << "the control: a picture that is too bright";
  }
}

TEST_F(PlaneStream, TheStrongestCoefficientsAreTheLargestOfThePlane) {
  for (const char* text :
       {"gen:power-law:n=120,nnz=700", "gen:power-law:n=57,nnz=300", "gen:random:rows=61,cols=40,nnz=300"}) {
    const PatternPtr pattern = generated(text);
    const auto progress = std::make_shared<PlaneProgress>();
    ASSERT_TRUE(run(pattern, progress));
    const std::vector<StrongCoefficient> strongest = progress->strongest();
    const NaivePlane plane = naive(*pattern);
    const auto m = static_cast<std::int64_t>(pattern->rows());
    const auto n = static_cast<std::int64_t>(pattern->cols());
    std::vector<double> powers;  // one of each conjugate pair
    for (std::int64_t u = 0; u <= m / 2; ++u)
      for (std::int64_t v = 0; v < n; ++v) {
        const bool own = u == 0 || 2 * u == m;
        if ((u != 0 || v != 0) && (!own || v <= n / 2)) powers.push_back(std::norm(plane.at(u, v)));
      }
    std::sort(powers.rbegin(), powers.rend());
    ASSERT_EQ(strongest.size(), std::min(powers.size(), PlaneProgress::kStrongest));
    for (std::size_t k = 0; k < strongest.size(); ++k) {
      const StrongCoefficient& one = strongest[k];
      ASSERT_NEAR(std::norm(one.value), powers[k], 1e-3 * powers[k] + 1e-3) << k;
      EXPECT_NEAR(std::abs(std::complex<double>(one.value) - plane.at(one.u, one.v)), 0, 1e-3);
      EXPECT_FALSE(one.u == 0 && one.v == 0);
    }
  }
}

TEST_F(PlaneStream, APictureUsesAnUnfinishedPyramidWhereItHasRowsAndStatesItsError) {
  const PatternPtr pattern = generated("gen:random:n=2000,nnz=9000");
  PlaneProgress progress;
  run_a_little(*pattern, progress);
  const DisplayPyramid early = *progress.pyramid(pool_);
  constexpr std::uint64_t kBudget = 1000;  // of the four million coefficients of the plane
  const PlaneRect all = full_spectrum_rect(2000, 2000);
  const CellImage sampled = exact_image(*pattern, &early, {all, 40, 40}, 1000 * kBudget, context_);
  EXPECT_EQ(sampled.exactness, Exactness::exact_samples);
  EXPECT_EQ(plan_exact_picture(*pattern, &early, {all, 40, 40}, 1000 * kBudget).source,
            ExactPlan::Source::samples)
      << "a million samples show more than a few rows";
  EXPECT_GT(sampled.relative_error, 0);
  progress.stop_below(0.05);
  stream_refining(*pattern, 0, kCells, progress, context_);
  const DisplayPyramid later = *progress.pyramid(pool_);
  ASSERT_FALSE(later.streamed_share.empty());
  const CellImage filled = exact_image(*pattern, &later, {all, 12, 12}, kBudget, context_);
  EXPECT_EQ(filled.exactness, Exactness::exact_samples);
  EXPECT_GT(filled.relative_error, 0);
  EXPECT_LT(filled.relative_error, 0.02);
  progress.stop_below(0);
  stream_refining(*pattern, 0, kCells, progress, context_);
  const DisplayPyramid whole = *progress.pyramid(pool_);
  const CellImage exact = exact_image(*pattern, &whole, {all, 12, 12}, kBudget, context_);
  EXPECT_EQ(exact.exactness, Exactness::exact);
  EXPECT_EQ(exact.relative_error, 0);
  double squares = 0;
  for (std::size_t k = 0; k < exact.cells.size(); k += 2) {
    const double off = filled.cells[k] / exact.cells[k] - 1;
    squares += k / 2 == 6 * 12 + 6 ? 0 : off * off;  // the cell of DC is not noise
  }
  EXPECT_LT(std::sqrt(squares / 144), 2 * filled.relative_error);
}

TEST_F(PlaneStream, StopsBelowALargestErrorThatMayChangeWhileItRuns) {
  const PatternPtr pattern = generated("gen:random:n=3000,nnz=12000");
  const auto progress = std::make_shared<PlaneProgress>();
  progress->stop_below(0.01);
  const auto some = run(pattern, progress, "exact");
  ASSERT_TRUE(some);
  EXPECT_EQ((*some)->exactness, Exactness::estimate);
  EXPECT_LE(progress->estimate()->largest, 0.01);
  EXPECT_FALSE((*some)->pyramid->streamed_share.empty());
  progress->stop_below(0);
  const auto all = run(pattern, progress, "exact");
  ASSERT_TRUE(all);
  EXPECT_EQ((*all)->exactness, Exactness::exact);
  EXPECT_TRUE(progress->estimate()->complete());
}

}  // namespace
}  // namespace spyctrum
