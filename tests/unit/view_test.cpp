// SPDX-License-Identifier: Apache-2.0
// Every picture against a direct evaluation of its definition, at random rectangles: inside, across and
// outside the plane, zoomed in and out.
#include "core/pictures/view.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <stop_token>

#include "core/methods/method.hpp"
#include "core/pictures/picture_plan.hpp"
#include "core/pictures/pyramid_consumer.hpp"
#include "core/reconstruction/known_coefficients.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/text_request.hpp"
#include "tests/unit/naive_plane.hpp"

namespace spyctrum {
namespace {

using test::naive_plane;
using test::NaivePlane;

SparsePattern random_pattern(std::uint64_t m, std::uint64_t n, double density, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Index> rows;
  std::vector<Index> cols;
  for (std::uint64_t i = 0; i < m; ++i)
    for (std::uint64_t j = 0; j < n; ++j)
      if (uniform(random) < density) {
        rows.push_back(static_cast<Index>(i));
        cols.push_back(static_cast<Index>(j));
      }
  return SparsePattern::from_coordinates(m, n, rows, cols).value();
}

NaivePlane plane_of(const SparsePattern& pattern) {
  std::vector<double> input(pattern.rows() * pattern.cols());
  for (std::uint64_t i = 0; i < pattern.rows(); ++i)
    for (std::uint64_t j = 0; j < pattern.cols(); ++j)
      input[i * pattern.cols() + j] = pattern.contains(i, j) ? 1 : 0;
  return naive_plane(static_cast<std::int64_t>(pattern.rows()), static_cast<std::int64_t>(pattern.cols()),
                     input);
}

/// Indices of [low, high) that a cell [a, b) shows when index i covers [i+offset, i+offset+1).
std::vector<std::int64_t> naive_cell(double a, double b, std::int64_t low, std::int64_t high, double offset) {
  std::vector<std::int64_t> inside;
  bool has_centre = false;
  for (std::int64_t i = low - 200; i < high + 200; ++i) {
    const double centre = static_cast<double>(i) + offset + 0.5;
    if (a <= centre && centre < b) {
      has_centre = true;
      if (low <= i && i < high) inside.push_back(i);
    }
  }
  if (!has_centre) {
    const auto i = static_cast<std::int64_t>(std::floor((a + b) / 2 - offset));
    if (low <= i && i < high) inside.push_back(i);
  }
  return inside;
}

struct Expected {
  double first = std::numeric_limits<double>::quiet_NaN();
  double second = std::numeric_limits<double>::quiet_NaN();
};
using CellRule = std::function<Expected(const std::vector<std::int64_t>&, const std::vector<std::int64_t>&)>;

struct Range {
  std::int64_t low, high;
};

/// Compares every cell with `rule` of the indices that it shows.
void expect_cells(const CellImage& image, Range plane_rows, Range plane_cols, double offset,
                  const CellRule& rule, double tolerance) {
  ASSERT_EQ(image.cells.size(), 2U * image.height * image.width);
  const auto edge = [](double start, double end, std::uint32_t k, std::uint32_t count) {
    return start + (end - start) * k / count;
  };
  for (std::uint32_t r = 0; r < image.height; ++r) {
    const auto rows = naive_cell(edge(image.rect.top, image.rect.bottom, r, image.height),
                                 edge(image.rect.top, image.rect.bottom, r + 1, image.height), plane_rows.low,
                                 plane_rows.high, offset);
    for (std::uint32_t c = 0; c < image.width; ++c) {
      const auto cols = naive_cell(edge(image.rect.left, image.rect.right, c, image.width),
                                   edge(image.rect.left, image.rect.right, c + 1, image.width),
                                   plane_cols.low, plane_cols.high, offset);
      const Expected expected = rows.empty() || cols.empty() ? Expected{} : rule(rows, cols);
      const double expected_values[2] = {expected.first, expected.second};
      for (std::size_t channel = 0; channel < 2; ++channel) {
        const auto got = static_cast<double>(image.cells[2 * (std::size_t{r} * image.width + c) + channel]);
        if (std::isnan(expected_values[channel])) {
          EXPECT_TRUE(std::isnan(got)) << r << "," << c;
        } else {
          EXPECT_NEAR(got, expected_values[channel], tolerance * (1 + expected_values[channel]))
              << r << "," << c;
        }
      }
    }
  }
}

/// Rectangles of all kinds for a plane that begins at (top, left).
std::vector<PlaneRect> rectangles(double top, double left, double m, double n) {
  std::vector<PlaneRect> result = {{top, left, top + m, left + n},
                                   {top - 3, left - 5, top + m + 4, left + n + 2},
                                   {top + m + 1, left, top + 2 * m, left + n},
                                   {top + 2.25, left + 3.5, top + 4.75, left + 5.25},
                                   {top + 1.1, left + 1.9, top + 1.4, left + 2.05}};
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform(-0.2, 1.2);
  for (int k = 0; k < 12; ++k) {
    double a = top + m * uniform(random);
    double b = top + m * uniform(random);
    double c = left + n * uniform(random);
    double d = left + n * uniform(random);
    if (a > b) std::swap(a, b);
    if (c > d) std::swap(c, d);
    result.push_back({a, c, b, d});
  }
  return result;
}

class View : public testing::Test {
 protected:
  ThreadPool pool_{2};
  JobContext context_{pool_};
};

const std::pair<std::uint32_t, std::uint32_t> kSizes[] = {{1, 1}, {7, 5}, {33, 40}, {90, 61}};

TEST_F(View, PatternImageCountsTheEntriesOfEveryCell) {
  const SparsePattern pattern = random_pattern(31, 44, 0.2, 1);
  for (const PlaneRect& rect : rectangles(0, 0, 31, 44)) {
    for (const auto& [height, width] : kSizes) {
      const CellImage image = pattern_image(pattern, {rect, height, width}, context_);
      EXPECT_EQ(image.rect, rect);
      expect_cells(
          image, {0, 31}, {0, 44}, 0,
          [&](const auto& rows, const auto& cols) {
            double count = 0;
            for (const std::int64_t i : rows)
              for (const std::int64_t j : cols)
                count +=
                    pattern.contains(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) ? 1 : 0;
            return Expected{count, count / static_cast<double>(rows.size() * cols.size())};
          },
          1e-6);
    }
  }
}

TEST_F(View, PatternImageLosesNoEntryOfAHugeMatrix) {
  const std::uint64_t side = 4294967295U;
  const SparsePattern pattern = SparsePattern::from_coordinates(side, side, {0, 4294967294U, 2147483647U, 5},
                                                                {0, 4294967294U, 17, 4294967294U})
                                    .value();
  const CellImage image = pattern_image(pattern, {full_pattern_rect(side, side), 100, 90}, context_);
  double total = 0;
  for (std::size_t k = 0; k < image.cells.size(); k += 2) total += static_cast<double>(image.cells[k]);
  EXPECT_EQ(total, 4);
  EXPECT_EQ(image.cells[0], 1.0F);
  const CellImage corner =
      pattern_image(pattern, {{4294967290.0, 4294967290.0, 4294967295.0, 4294967295.0}, 10, 10}, context_);
  EXPECT_EQ(corner.cells[198], 1.0F);
  EXPECT_EQ(corner.cells[176], 1.0F);
  EXPECT_EQ(corner.cells[154], 0.0F);
}

TEST_F(View, DensityImageShowsTheCountOfTheBlock) {
  const SparsePattern pattern = random_pattern(31, 44, 0.3, 2);
  const std::uint32_t block = 8;
  // One cell for each index: every cell shows the block that it lies in.
  const CellImage image = density_image(pattern, block, {full_pattern_rect(31, 44), 31, 44}, context_);
  for (std::uint64_t i = 0; i < 31; ++i) {
    for (std::uint64_t j = 0; j < 44; ++j) {
      const std::uint64_t bottom = std::min<std::uint64_t>(31, (i / block + 1) * block);
      const std::uint64_t right = std::min<std::uint64_t>(44, (j / block + 1) * block);
      double count = 0;
      const std::uint64_t top = i / block * block;
      const std::uint64_t left = j / block * block;
      for (std::uint64_t a = top; a < bottom; ++a)
        for (std::uint64_t b = left; b < right; ++b) count += pattern.contains(a, b) ? 1 : 0;
      const auto area = static_cast<double>((bottom - top) * (right - left));
      const std::size_t cell = 2 * (i * 44 + j);
      EXPECT_EQ(static_cast<double>(image.cells[cell]), count) << i << "," << j;
      EXPECT_NEAR(static_cast<double>(image.cells[cell + 1]), count / area, 1e-6);
    }
  }
}

TEST_F(View, DecimatedImageShowsTheFirstEntryOfTheBlock) {
  const SparsePattern pattern = random_pattern(31, 44, 0.3, 2);
  const std::uint32_t block = 4;
  const CellImage image = decimated_image(pattern, block, {full_pattern_rect(31, 44), 31, 44}, context_);
  double kept = 0;
  for (std::uint64_t i = 0; i < 31; ++i) {
    for (std::uint64_t j = 0; j < 44; ++j) {
      const bool entry = pattern.contains(i / block * block, j / block * block);
      EXPECT_EQ(image.cells[2 * (i * 44 + j)], entry ? 1.0F : 0.0F) << i << "," << j;
      EXPECT_EQ(image.cells[2 * (i * 44 + j) + 1], entry ? 1.0F : 0.0F);
      if (entry && i % block == 0 && j % block == 0) kept += 1;
    }
  }
  const CellImage one = decimated_image(pattern, block, {full_pattern_rect(31, 44), 1, 1}, context_);
  EXPECT_NEAR(static_cast<double>(one.cells[0]), kept / (8 * 11), 1e-6);
}

TEST_F(View, DensityImageAveragesBlocksAndLosesNone) {
  const SparsePattern pattern = random_pattern(31, 44, 0.3, 2);
  for (const std::uint32_t block : {1U, 4U, 8U, 30U, 100U}) {
    const CellImage image = density_image(pattern, block, {full_pattern_rect(31, 44), 1, 1}, context_);
    const double blocks = std::ceil(31.0 / block) * std::ceil(44.0 / block);
    EXPECT_NEAR(static_cast<double>(image.cells[0]), static_cast<double>(pattern.nonzeros()) / blocks, 1e-4)
        << block;
    EXPECT_NEAR(static_cast<double>(image.cells[1]), pattern.density(), 1e-6);
  }
  const CellImage outside = density_image(pattern, 8, {{31, 44, 40, 50}, 4, 4}, context_);
  for (const float value : outside.cells) EXPECT_TRUE(std::isnan(value));
}

CellRule mean_and_maximum(const std::function<double(std::int64_t, std::int64_t)>& power) {
  return [power](const auto& rows, const auto& cols) {
    double sum = 0;
    double most = 0;
    for (const std::int64_t u : rows)
      for (const std::int64_t v : cols) {
        sum += power(u, v);
        most = std::max(most, power(u, v));
      }
    return Expected{sum / static_cast<double>(rows.size() * cols.size()), most};
  };
}

TEST_F(View, ExactImageAveragesEveryCoefficientOfACell) {
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{24, 31}, {19, 16}}) {
    const SparsePattern pattern =
        random_pattern(static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n), 0.2, 3);
    const NaivePlane plane = plane_of(pattern);
    const PlaneRect full = full_spectrum_rect(pattern.rows(), pattern.cols());
    for (const PlaneRect& rect :
         rectangles(full.top, full.left, static_cast<double>(m), static_cast<double>(n))) {
      for (const auto& [height, width] : kSizes) {
        const CellImage image = exact_image(pattern, nullptr, {rect, height, width}, 100000, context_);
        EXPECT_EQ(image.exactness, Exactness::exact);
        EXPECT_FALSE(image.sampled);
        expect_cells(image, {-(m / 2), (m + 1) / 2}, {-(n / 2), (n + 1) / 2}, -0.5,
                     mean_and_maximum([&](std::int64_t u, std::int64_t v) { return plane.power(u, v); }),
                     2e-4);
      }
    }
  }
}

TEST_F(View, ExactImageReadsAPyramidThatIsFineEnough) {
  const SparsePattern pattern = random_pattern(40, 36, 0.2, 4);
  const NaivePlane plane = plane_of(pattern);
  PyramidConsumer consumer(64);  // holds every coefficient
  test::deliver(plane, consumer);
  const DisplayPyramid pyramid = consumer.snapshot(context_.pool());
  const CellImage image = exact_image(pattern, &pyramid, {full_spectrum_rect(40, 36), 9, 7}, 10, context_);
  EXPECT_EQ(image.exactness, Exactness::exact);
  EXPECT_FALSE(image.sampled);
  expect_cells(image, {-20, 20}, {-18, 18}, -0.5,
               mean_and_maximum([&](std::int64_t u, std::int64_t v) { return plane.power(u, v); }), 1e-4);
}

TEST_F(View, ExactImageReportsACoarserPyramid) {
  const SparsePattern pattern = random_pattern(40, 36, 0.2, 4);
  PyramidConsumer consumer(10);
  test::deliver(plane_of(pattern), consumer);
  const DisplayPyramid pyramid = consumer.snapshot(context_.pool());
  const CellImage slightly =
      exact_image(pattern, &pyramid, {full_spectrum_rect(40, 36), 15, 15}, 10, context_);
  EXPECT_TRUE(slightly.sampled);
  EXPECT_EQ(slightly.exactness, Exactness::exact);
  double sum = 0;
  for (std::size_t k = 0; k < slightly.cells.size(); k += 2) sum += static_cast<double>(slightly.cells[k]);
  EXPECT_NEAR(sum / 225, static_cast<double>(pattern.nonzeros()),
              0.4 * static_cast<double>(pattern.nonzeros()));
  const CellImage far = exact_image(pattern, &pyramid, {{-3.5, -3.5, 4.5, 4.5}, 8, 8}, 10, context_);
  EXPECT_TRUE(far.sampled);
  EXPECT_EQ(far.exactness, Exactness::exact_samples);
}

TEST_F(View, SampledExactImageKeepsTheAxesAndTheTotalPower) {
  const SparsePattern pattern = random_pattern(150, 130, 0.1, 5);
  const NaivePlane plane = plane_of(pattern);
  const CellImage image =
      exact_image(pattern, nullptr, {full_spectrum_rect(150, 130), 30, 26}, 3000, context_);
  EXPECT_TRUE(image.sampled);
  EXPECT_EQ(image.exactness, Exactness::exact_samples);
  double sum = 0;
  for (std::size_t k = 0; k < image.cells.size(); k += 2) sum += static_cast<double>(image.cells[k]);
  const auto expected = static_cast<double>(pattern.nonzeros());  // mean power, by Parseval
  EXPECT_NEAR(sum / 780, expected, 0.1 * expected);
  // The cell of DC: u = −5…−1+…, as exact as the axes, whichever samples lie in it.
  const std::size_t dc = std::size_t{2} * (15 * 26 + 13);
  EXPECT_NEAR(static_cast<double>(image.cells[dc + 1]), expected * expected, 1e-3 * expected * expected);
  EXPECT_NEAR(static_cast<double>(image.cells[dc]), expected * expected / 25,
              0.05 * expected * expected / 25);
}

Spectrum full_spectrum(const NaivePlane& plane, bool half) {
  Spectrum spectrum;
  spectrum.m = static_cast<std::uint64_t>(plane.m);
  spectrum.n = static_cast<std::uint64_t>(plane.n);
  spectrum.nonzeros = std::llround(plane.at(0, 0).real());
  spectrum.hermitian_half = half;
  spectrum.grid.rows = half ? FrequencyAxis::progression(spectrum.m, 0, 1, spectrum.m / 2 + 1)
                            : FrequencyAxis::full(spectrum.m);
  spectrum.grid.cols =
      half ? FrequencyAxis::progression(spectrum.n, 0, 1, spectrum.n) : FrequencyAxis::full(spectrum.n);
  for (std::uint64_t p = 0; p < spectrum.grid.rows.count(); ++p)
    for (std::uint64_t q = 0; q < spectrum.grid.cols.count(); ++q)
      spectrum.values.emplace_back(plane.at(spectrum.grid.rows.at(p), spectrum.grid.cols.at(q)));
  return spectrum;
}

// All power of a diagonal is on the line u = -v, that of an antidiagonal on u = v.
TEST_F(View, SampledExactImageHasTheDiagonalsOfASquarePlaneExactly) {
  for (const std::uint64_t n : {997U, 996U, 1009U})
    for (const bool is_anti : {false, true}) {
      std::vector<Index> rows(n);
      std::iota(rows.begin(), rows.end(), Index{0});
      std::vector<Index> cols = rows;
      if (is_anti) std::reverse(cols.begin(), cols.end());
      const SparsePattern pattern = SparsePattern::from_coordinates(n, n, rows, cols).value();
      for (const PlaneRect& rect : {full_spectrum_rect(n, n), PlaneRect{-300.5, -310.5, 100.5, 90.5}})
        for (const std::uint32_t width : {40U, 31U}) {  // 31: other steps along v than along u
          const CellImage exact = exact_image(pattern, nullptr, {rect, 40, width}, 1U << 22U, context_);
          const CellImage sampled = exact_image(pattern, nullptr, {rect, 40, width}, 8000, context_);
          ASSERT_EQ(sampled.exactness, Exactness::exact_samples);
          EXPECT_GE(std::ranges::count_if(exact.cells, [](float power) { return power > 0; }), 40);
          for (std::size_t k = 0; k < exact.cells.size(); ++k)
            ASSERT_NEAR(sampled.cells[k], exact.cells[k], 1e-3F + 1e-3F * exact.cells[k])
                << n << ", " << is_anti << ", " << width << " cells across, " << k;
        }
    }
}

TEST_F(View, SampleImageOfAWholePlaneIsExactAtAnyZoom) {
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{12, 15}, {13, 10}}) {
    const NaivePlane plane = test::random_plane(m, n, 6);
    for (const bool half : {false, true}) {
      const Spectrum spectrum = full_spectrum(plane, half);
      const PlaneRect full = full_spectrum_rect(spectrum.m, spectrum.n);
      for (const PlaneRect& rect :
           rectangles(full.top, full.left, static_cast<double>(m), static_cast<double>(n))) {
        for (const auto& [height, width] : kSizes) {
          expect_cells(sample_image(spectrum, ReducedPlacement::stretched, {rect, height, width}, context_),
                       {-(m / 2), (m + 1) / 2}, {-(n / 2), (n + 1) / 2}, -0.5,
                       mean_and_maximum([&](std::int64_t u, std::int64_t v) { return plane.power(u, v); }),
                       1e-5);
        }
      }
    }
  }
}

TEST_F(View, SampleImageOfALatticeTakesTheNearestSample) {
  const NaivePlane plane = test::random_plane(24, 24, 8);
  Spectrum spectrum;
  spectrum.m = spectrum.n = 24;
  spectrum.exactness = Exactness::exact_samples;
  spectrum.grid = {FrequencyAxis::progression(24, 1, 4, 6), FrequencyAxis::progression(24, 1, 4, 6)};
  for (std::uint64_t p = 0; p < 6; ++p)
    for (std::uint64_t q = 0; q < 6; ++q)
      spectrum.values.emplace_back(plane.at(spectrum.grid.rows.at(p), spectrum.grid.cols.at(q)));
  const CellImage image =
      sample_image(spectrum, ReducedPlacement::stretched, {full_spectrum_rect(24, 24), 24, 24}, context_);
  EXPECT_TRUE(image.sampled);
  EXPECT_EQ(image.exactness, Exactness::exact_samples);
  const auto nearest = [](std::int64_t u) {  // …, −7, −3, 1, 5, …, periodic; halfway goes up
    return 1 + 4 * static_cast<std::int64_t>(std::floor(static_cast<double>(u + 1) / 4));
  };
  for (std::int64_t u = -12; u < 12; ++u)
    for (std::int64_t v = -12; v < 12; ++v)
      EXPECT_NEAR(static_cast<double>(image.cells[static_cast<std::size_t>(2 * ((u + 12) * 24 + v + 12))]),
                  plane.power(nearest(u), nearest(v)), 1e-4 * plane.power(nearest(u), nearest(v)))
          << u << "," << v;
}

TEST_F(View, SampleImageOfAWindowIsBlankBesideIt) {
  Spectrum spectrum;
  spectrum.m = spectrum.n = 50;
  spectrum.grid = {FrequencyAxis::progression(50, 3, 1, 2), FrequencyAxis::progression(50, -4, 1, 3)};
  spectrum.values.assign(6, {2, 0});
  const CellImage image =
      sample_image(spectrum, ReducedPlacement::stretched, {full_spectrum_rect(50, 50), 50, 50}, context_);
  int shown = 0;
  for (std::size_t k = 0; k < image.cells.size(); k += 2) shown += std::isnan(image.cells[k]) ? 0 : 1;
  EXPECT_EQ(shown, 6);
  EXPECT_EQ(image.cells[std::size_t{2} * ((25 + 3) * 50 + 25 - 4)], 4.0F);
}

TEST_F(View, ReducedPlaneIsStretchedOrCentred) {
  Spectrum spectrum = full_spectrum(test::random_plane(5, 5, 9), false);
  spectrum.m = spectrum.n = 21;
  spectrum.placement = Placement::reduced_plane;
  const CellImage middle =
      sample_image(spectrum, ReducedPlacement::centre, {full_spectrum_rect(21, 21), 21, 21}, context_);
  const CellImage stretched =
      sample_image(spectrum, ReducedPlacement::stretched, {full_spectrum_rect(21, 21), 21, 21}, context_);
  for (std::int64_t u = -10; u <= 10; ++u) {
    for (std::int64_t v = -10; v <= 10; ++v) {
      const auto cell = static_cast<std::size_t>(2 * ((u + 10) * 21 + v + 10));
      const bool inside = std::abs(u) <= 2 && std::abs(v) <= 2;
      EXPECT_EQ(!std::isnan(middle.cells[cell]), inside);
      if (inside) {
        const float power = std::norm(spectrum.values[static_cast<std::size_t>((u + 2) * 5 + v + 2)]);
        EXPECT_FLOAT_EQ(middle.cells[cell], power);
        EXPECT_FLOAT_EQ(stretched.cells[static_cast<std::size_t>(2 * ((5 * u + 10) * 21 + 5 * v + 10))],
                        power);
      }
      EXPECT_FALSE(std::isnan(stretched.cells[cell]));
    }
  }
}

TEST_F(View, ReconstructionImageAgreesWithItsRows) {
  const NaivePlane plane = test::random_plane(24, 30, 8);
  Spectrum spectrum;
  spectrum.m = 24;
  spectrum.n = 30;
  spectrum.nonzeros = 77;
  spectrum.grid = {FrequencyAxis::progression(24, 1, 4, 6), FrequencyAxis::progression(30, 2, 5, 6)};
  for (std::uint64_t p = 0; p < 6; ++p)
    for (std::uint64_t q = 0; q < 6; ++q)
      spectrum.values.emplace_back(plane.at(spectrum.grid.rows.at(p), spectrum.grid.cols.at(q)));
  const auto reconstruction =
      Reconstruction::make(std::make_shared<Spectrum>(spectrum), Fill::bilinear).value();
  // Σw² of linear interpolation between nodes 1, 1 ± step, …
  const auto spread = [](std::int64_t u, std::int64_t first, std::int64_t step) {
    const double weight =
        static_cast<double>((((u - first) % step) + step) % step) / static_cast<double>(step);
    return weight * weight + (1 - weight) * (1 - weight);
  };
  const PlaneRect full = full_spectrum_rect(24, 30);
  for (const PlaneRect& rect : rectangles(full.top, full.left, 24, 30)) {
    const CellImage image = reconstruction_image(reconstruction, {rect, 9, 12}, 0, context_);
    EXPECT_EQ(image.exactness, Exactness::estimate);
    expect_cells(image, {-12, 12}, {-15, 15}, -0.5, mean_and_maximum([&](std::int64_t u, std::int64_t v) {
                   float value = 0;
                   reconstruction.row(u, v, 1, std::span(&value, 1));
                   const double power = static_cast<double>(value) * static_cast<double>(value);
                   if (u == 0 && v == 0) return power;
                   constexpr double kRayleigh = std::numbers::pi / 4;
                   return power / (kRayleigh + (1 - kRayleigh) * spread(u, 1, 4) * spread(v, 2, 5));
                 }),
                 1e-5);
  }
}

SpectrumPtr elastic(const PatternPtr& pattern, const char* block, JobContext& context) {
  Request request;
  request.pattern = pattern;
  request.parameters = {{"block", block}};
  request.outputs.values = true;
  return run_method(*find_method("elastic"), request, context).value();
}

double mean_power(const CellImage& image) {
  double sum = 0;
  double count = 0;
  for (std::size_t k = 0; k < image.cells.size(); k += 2) {
    if (std::isnan(image.cells[k])) continue;
    sum += static_cast<double>(image.cells[k]);
    ++count;
  }
  return sum / count;
}

TEST_F(View, TheReconstructionOfAFlatSpectrumIsAsBrightAsTheExactOne) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(1201, 1080, 0.01, 5));
  const SpectrumPtr samples = elastic(pattern, "4", context_);
  // Away from the axes, whose power is that of the row and column counts.
  const PlaneRect rect{20.5, 15.5, 590.5, 530.5};
  const double exact = mean_power(exact_image(*pattern, nullptr, {rect, 45, 40}, 1U << 20U, context_));
  for (const Fill fill : {Fill::bilinear, Fill::bilinear_centers, Fill::nearest, Fill::smooth, Fill::best}) {
    const auto plane = Reconstruction::make(samples, fill, *pattern, context_).value();
    for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{1} << 20U}) {
      EXPECT_NEAR(mean_power(reconstruction_image(plane, {rect, 45, 40}, budget, context_)) / exact, 1, 0.02)
          << "fill " << static_cast<int>(fill) << ", budget " << budget;
    }
  }
}

TEST_F(View, AKnownRidgeOfAReconstructionIsContinuousAtEveryZoom) {
  // A diagonal over a thin background: |F[u, −u]|² is far above the rest.
  constexpr std::int64_t kSide = 500;
  std::mt19937 random(3);
  std::vector<Index> rows;
  std::vector<Index> cols;
  for (Index i = 0; i < kSide; ++i) {
    rows.insert(rows.end(), {i, static_cast<Index>(random() % kSide)});
    cols.insert(cols.end(), {i, static_cast<Index>(random() % kSide)});
  }
  const auto pattern = std::make_shared<const SparsePattern>(
      SparsePattern::from_coordinates(kSide, kSide, rows, cols).value());
  const auto plane =
      Reconstruction::make(elastic(pattern, "16", context_), Fill::best, *pattern, context_).value();
  ASSERT_GT(plane.line_coefficients(), 0U);
  for (const double side : {500.0, 313.0, 90.0, 45.0}) {
    const PlaneRect rect{10 - side / 2, -10 - side / 2, 10 + side / 2, -10 + side / 2};
    const CellImage exact = exact_image(*pattern, nullptr, {rect, 45, 45}, 1U << 20U, context_);
    for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{1} << 20U}) {
      const CellImage shown = reconstruction_image(plane, {rect, 45, 45}, budget, context_);
      int checked = 0;
      for (std::size_t r = 0; r < 45; ++r) {
        const std::size_t cell = 2 * (r * 45 + 44 - r);
        if (std::isnan(exact.cells[cell])) continue;
        EXPECT_NEAR(shown.cells[cell] / exact.cells[cell], 1, 0.15)
            << "side " << side << ", budget " << budget << ", row " << r;
        ++checked;
      }
      EXPECT_GT(checked, 30);
    }
  }
}

TEST_F(View, AReconstructionWithinTheBudgetAveragesEveryCoefficient) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(210, 190, 0.03, 8));
  const auto plane =
      Reconstruction::make(elastic(pattern, "8", context_), Fill::best, *pattern, context_).value();
  const PlaneRect full = full_spectrum_rect(210, 190);
  const CellImage image = reconstruction_image(plane, {full, 10, 10}, std::uint64_t{210} * 190, context_);
  EXPECT_FALSE(image.sampled);
  EXPECT_TRUE(reconstruction_image(plane, {full, 10, 10}, 210 * 190 - 1, context_).sampled);
  std::vector<std::int64_t> v(190);
  std::iota(v.begin(), v.end(), std::int64_t{-95});
  const Reconstruction::Columns columns = plane.columns(v);
  std::vector<float> powers(190);
  expect_cells(image, {-105, 105}, {-95, 95}, -0.5, mean_and_maximum([&](std::int64_t u, std::int64_t w) {
                 plane.powers(u, columns, true, powers);
                 return static_cast<double>(powers[static_cast<std::size_t>(w + 95)]);
               }),
               1e-5);
}

TEST_F(View, StopsOnRequest) {
  const SparsePattern pattern = random_pattern(60, 60, 0.2, 1);
  std::stop_source source;
  source.request_stop();
  JobContext::Options options;
  options.stop = source.get_token();
  JobContext stopped(pool_, options);
  EXPECT_THROW(static_cast<void>(pattern_image(pattern, {full_pattern_rect(60, 60), 50, 50}, stopped)),
               Failure);
  EXPECT_THROW(
      static_cast<void>(exact_image(pattern, nullptr, {full_spectrum_rect(60, 60), 50, 50}, 10000, stopped)),
      Failure);
}

TEST_F(View, TheAutomaticRangeIsThatOfTheAxesWhereAllPowerIsOnThem) {
  CellImage image;
  image.rect = {-5.5, -5.5, 5.5, 5.5};
  image.height = image.width = 11;
  image.cells.assign(std::size_t{2} * 121, 0);
  for (std::size_t row = 0; row < 11; ++row) image.cells[2 * (11 * row + 5)] = 1e6F;  // v = 0
  EXPECT_EQ(automatic_range(image, 1, 99.3, true, true), (DisplayRange{5, 6}));
  image.cells.assign(image.cells.size(), 0);
  image.cells[std::size_t{2} * 60] = 1e8F;  // DC alone
  EXPECT_EQ(automatic_range(image, 1, 99.3, true, true), (DisplayRange{7, 8}));
  EXPECT_EQ(automatic_range(image, 1, 99.3, true, false), (DisplayRange{7, 8}));
}

TEST_F(View, AmongZerosTheLowestPowerOfManyCellsHasAColourOfItsOwn) {
  // |F|² of two entries in one row, a quarter of the side apart: 4, 2, 0, 2 along v.
  CellImage image;
  image.rect = {0.5, 0.5, 8.5, 8.5};
  image.height = image.width = 8;
  for (int k = 0; k < 64; ++k) {
    image.cells.push_back(k % 4 == 0 ? 4.0F : k % 2 == 0 ? 0.0F : 2.0F);
    image.cells.push_back(1);
  }
  const DisplayRange range = automatic_range(image, 1, 99.3, true, true);
  EXPECT_LT(range.low, std::log10(2.0F) - 0.1F);
  EXPECT_NEAR(range.high, std::log10(4.0F), 1e-5);
}

TEST_F(View, AutomaticRangeTakesPercentilesOfTheCellsShown) {
  CellImage image;
  image.rect = {-5.5, -5.5, 5.5, 5.5};
  image.height = image.width = 11;
  for (int k = 0; k < 121; ++k) {
    image.cells.push_back(std::pow(10.0F, static_cast<float>(k) / 10));
    image.cells.push_back(1);
  }
  const DisplayRange all = automatic_range(image, 0, 100, false, false);
  EXPECT_NEAR(all.low, 0, 1e-5);
  EXPECT_NEAR(all.high, 12, 1e-5);
  const DisplayRange middle = automatic_range(image, 25, 75, false, false);
  EXPECT_NEAR(middle.low, 3, 1e-5);
  EXPECT_NEAR(middle.high, 9, 1e-5);
  image.cells[std::size_t{2} * 60] = 1e30F;  // DC, in the middle
  EXPECT_NEAR(automatic_range(image, 0, 100, true, false).high, 12, 1e-5);
  EXPECT_NEAR(automatic_range(image, 0, 100, false, false).high, 30, 1e-4);
  image.cells[std::size_t{2} * 58] = 1e25F;  // on the axis u = 0
  EXPECT_NEAR(automatic_range(image, 0, 100, true, false).high, 25, 1e-4);
  EXPECT_NEAR(automatic_range(image, 0, 100, true, true).high, 12, 1e-5);
}

TEST_F(View, AThinRidgeDoesNotMoveTheAutomaticRangeInAnyWindow) {
  std::mt19937 random(9);
  std::normal_distribution<float> noise(0, 0.05F);
  // The ridge is two cells of each row: 0.4 % to 3 % of the cells, below and above 100 − 99.3 %.
  for (const std::uint32_t side : {60U, 120U, 200U, 450U}) {
    CellImage image;
    image.rect = {1, 1, 1.0 + side, 1.0 + side};
    image.height = image.width = side;
    for (std::uint32_t r = 0; r < side; ++r) {
      for (std::uint32_t c = 0; c < side; ++c) {
        const bool ridge = c == side - 1 - r || c + 1 == side - 1 - r;
        const float value = std::pow(10.0F, noise(random) + (ridge ? 2.0F : 0.0F));
        image.cells.insert(image.cells.end(), {value, value});
      }
    }
    const DisplayRange range = automatic_range(image, 1, 99.3, false, false);
    EXPECT_NEAR(range.high, 0.05 * 2.457, 0.02) << side;
    EXPECT_NEAR(range.low, -0.05 * 2.326, 0.02) << side;
    EXPECT_GT(automatic_range(image, 1, 100, false, false).high, 1.9) << "all pixels were requested";
  }
}

TEST_F(View, ABroadStructureCountsInTheAutomaticRange) {
  CellImage image;
  image.rect = {1, 1, 101, 101};
  image.height = image.width = 100;
  for (int r = 0; r < 100; ++r)
    for (int c = 0; c < 100; ++c) {
      const float value =
          r >= 40 && r < 52 ? 100.0F : 1.0F + 0.01F * static_cast<float>((r * 7 + c * 13) % 10);
      image.cells.insert(image.cells.end(), {value, value});
    }
  EXPECT_NEAR(automatic_range(image, 1, 99.3, false, false).high, 2, 1e-3);
}

/// Entries (i, i + stride·k mod n), k = 0 … degree − 1: F is zero off the line u + v ≡ 0.
SparsePattern circulant(Index n, Index degree, Index stride) {
  std::vector<Index> rows;
  std::vector<Index> cols;
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < degree; ++k) {
      rows.push_back(i);
      cols.push_back((i + stride * k) % n);
    }
  return SparsePattern::from_coordinates(n, n, rows, cols).value();
}

TEST_F(View, ACirculantShowsItsLineAndNothingElse) {
  const auto pattern = std::make_shared<const SparsePattern>(circulant(256, 8, 24));
  const SpectrumPtr samples = elastic(pattern, "8", context_);
  const auto plane = Reconstruction::make(samples, Fill::bilinear).value();
  const PlaneRect full = full_spectrum_rect(256, 256);
  const auto whole = exact_image(*pattern, nullptr, {full, 256, 256}, 1U << 20U, context_);
  EXPECT_TRUE(whole.has_zeros);
  int on_line = 0;
  for (std::int64_t u = -128; u < 128; ++u) {
    for (std::int64_t v = -128; v < 128; ++v) {
      const float power = whole.cells[static_cast<std::size_t>(2 * ((u + 128) * 256 + v + 128))];
      if ((u + v) % 256 != 0) {
        EXPECT_EQ(power, 0) << u << ", " << v;
      }
      on_line += (u + v) % 256 == 0 && power > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(on_line, 128) << "the line is shown";
  const CellImage drawn = sample_image(*samples, ReducedPlacement::stretched, {full, 256, 256}, context_);
  const CellImage filled = reconstruction_image(plane, {full, 256, 256}, 1U << 20U, context_);
  const double least = rounding_floor(*pattern);
  for (const CellImage* image : {&drawn, &filled})
    for (std::size_t k = 1; k < image->cells.size(); k += 2)
      EXPECT_TRUE(image->cells[k] == 0 || static_cast<double>(image->cells[k]) > least) << image->cells[k];
}

TEST_F(View, EachCellIsTheMeanOfAsManySamplesAsAreRequested) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(800, 800, 0.02, 2));
  const SpectrumPtr samples = elastic(pattern, "8", context_);
  const PlaneRect rect = full_spectrum_rect(800, 800);
  const PictureArea area = sample_area(*samples, ReducedPlacement::stretched, {rect, 200, 200}, 64);
  ASSERT_LT(area.height, 30U);
  EXPECT_NEAR(area.rect.top, -400.5, 1e-9) << "cells end with the plane";
  EXPECT_GE(area.rect.bottom, rect.bottom - 1e-9);
  const auto spread = [](const CellImage& image) {  // relative, away from the axes and the plane's ends
    double sum = 0;
    double squares = 0;
    double count = 0;
    const double size = image.rect.height() / image.height;
    for (std::uint32_t r = 0; r < image.height; ++r) {
      for (std::uint32_t c = 0; c < image.width; ++c) {
        const double u = image.rect.top + (r + 0.5) * size;
        const double v = image.rect.left + (c + 0.5) * size;
        if (std::min(std::abs(u), std::abs(v)) < size || std::max(std::abs(u), std::abs(v)) > 360) continue;
        const auto value = static_cast<double>(image.cells[2 * (std::size_t{r} * image.width + c)]);
        sum += value;
        squares += value * value;
        ++count;
      }
    }
    return std::sqrt(squares / count - sum * sum / count / count) / (sum / count);
  };
  const CellImage averaged = sample_image(*samples, ReducedPlacement::stretched, area, context_);
  EXPECT_LT(spread(averaged), 0.15);
  EXPECT_GT(spread(sample_image(*samples, ReducedPlacement::stretched, {rect, 200, 200}, context_)), 0.5)
      << "control: single samples are noise";
  // A view of single coefficients is not averaged.
  EXPECT_EQ(sample_area(*samples, ReducedPlacement::stretched, {{0.5, 0.5, 20.5, 20.5}, 200, 200}, 64).height,
            200U);
  EXPECT_EQ(sample_area(*samples, ReducedPlacement::stretched, {rect, 200, 200}, 1).height, 200U);
}

TEST_F(View, PicturesOfFewSamplesHaveAtLeastTheRequestedNumberOfCells) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(800, 600, 0.02, 2));
  const PlaneRect rect = full_spectrum_rect(800, 600);
  for (const char* block : {"8", "16", "32"}) {
    const SpectrumPtr samples = elastic(pattern, block, context_);
    const auto area_of = [&](std::uint32_t least) {
      return sample_area(*samples, ReducedPlacement::stretched, {rect, 400, 300}, 64, least);
    };
    const PictureArea many = area_of(256), few = area_of(0);
    EXPECT_GE(many.height * many.width, 256U) << "b = " << block;
    EXPECT_LT(many.height * many.width, 600U) << "and not many more";
    EXPECT_LT(few.height * few.width, 200U) << "control: cells of 64 samples";
    EXPECT_GE(few.samples_per_cell, 64);
    const double held = static_cast<double>(samples->grid.count()) / (many.height * many.width);
    EXPECT_NEAR(many.samples_per_cell, std::max(1.0, held), 0.5 * std::max(1.0, held))
        << "as the caption has it";
  }
  // With many samples nothing changes.
  const SpectrumPtr samples = elastic(pattern, "3", context_);
  const auto height_of = [&](std::uint32_t least) {
    return sample_area(*samples, ReducedPlacement::stretched, {rect, 400, 300}, 64, least).height;
  };
  EXPECT_EQ(height_of(256), height_of(0));
}

TEST_F(View, SamplesOfASlenderPlaneAreNotAveragedOverFewLargeCells) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(20, 5000, 0.04, 2));
  const SpectrumPtr samples = elastic(pattern, "16", context_);
  const PictureArea pixels{full_spectrum_rect(20, 5000), 130, 520};
  EXPECT_EQ(sample_area(*samples, ReducedPlacement::stretched, pixels, 64, 256), pixels);
}

/// A spectrum of Elastic with the lines and rows from which its features were computed.
struct WithRows {
  WithRows(const PatternPtr& pattern, const char* block, JobContext& context)
      : samples(spectrum_of(pattern, block, context)),
        lines(Reconstruction::make(samples, Fill::best, *pattern, context).value()),
        rows(row_values(*pattern, samples->feature_rows, context)) {}
  [[nodiscard]] std::uint64_t count() const { return rows->lines().rows.indices.size(); }
  SpectrumPtr samples;
  Reconstruction lines;
  std::shared_ptr<const LineValues> rows;

 private:
  static SpectrumPtr spectrum_of(const PatternPtr& pattern, const char* block, JobContext& context) {
    Request request;
    request.pattern = pattern;
    request.parameters = {{"block", block}};
    request.outputs.values = request.outputs.features = true;
    return run_method(*find_method("elastic"), request, context).value();
  }
};

TEST_F(View, SamplesAreThePlaneWhereAllItsRowsWereComputedForTheFeatures) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(140, 120, 0.05, 3));
  const WithRows elastic(pattern, "16", context_);
  ASSERT_TRUE(elastic.rows);
  EXPECT_EQ(elastic.samples->features->samples, 140U * 120);
  const PictureArea pixels{full_spectrum_rect(140, 120), 70, 60};
  const CellImage exact = exact_image(*pattern, nullptr, pixels, 1U << 20U, context_);
  const auto largest_error = [&](const LineValues* rows) {
    const CellImage image =
        sample_image_with_lines(*elastic.samples, elastic.lines, pixels, pixels, context_, rows);
    EXPECT_EQ(image.sampled_rows, rows != nullptr ? 140U : 0U);
    float most = 0;
    for (std::size_t k = 0; k < exact.cells.size(); ++k)
      most = std::max(most, std::abs(image.cells[k] / exact.cells[k] - 1));
    return most;
  };
  EXPECT_LT(largest_error(elastic.rows.get()), 1e-3F) << "means and maxima";
  EXPECT_GT(largest_error(nullptr), 0.2F) << "control: samples and lines alone";
  std::vector<std::int64_t> fewer = elastic.samples->feature_rows;
  fewer.pop_back();
  const CellImage image = sample_image_with_lines(*elastic.samples, elastic.lines, pixels, pixels, context_,
                                                  row_values(*pattern, fewer, context_).get());
  EXPECT_LT(image.sampled_rows, 140U) << "control: without one pair of rows it is not the plane";
}

TEST_F(View, RowsOfTheFeaturesAreBookedAndLeftOutWhereMemoryIsScarce) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(140, 120, 0.05, 3));
  const WithRows elastic(pattern, "16", context_);
  const std::uint64_t bytes = sizeof(float) * 120 * elastic.samples->feature_rows.size();
  JobContext enough(context_.pool());
  EXPECT_TRUE(row_values(*pattern, elastic.samples->feature_rows, enough));
  EXPECT_GE(enough.memory().peak(), bytes);
  EXPECT_EQ(enough.memory().current(), 0U) << "returned after the job";
  JobContext::Options options;
  options.memory_bytes = bytes;
  JobContext scarce(context_.pool(), options);
  EXPECT_FALSE(row_values(*pattern, elastic.samples->feature_rows, scarce));
  EXPECT_FALSE(row_values(*pattern, {}, enough)) << "no rows";
}

TEST_F(View, FeaturesNameTheRowsFromWhichTheyWereComputed) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(3000, 2000, 0.002, 3));
  const WithRows elastic(pattern, "64", context_);
  const std::vector<std::int64_t>& rows = elastic.samples->feature_rows;
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  const ChosenLines& lines = *elastic.lines.chosen_lines();
  // Coefficients in these rows and on the lines are fewer than the samples by those of the lattice alone.
  std::uint64_t count = 0;
  std::vector<std::uint64_t> crossings;
  for (std::uint64_t u = 0; u < 3000; ++u) {
    lines.crossings(u, crossings);
    count += elastic.rows->lines().rows.holds(u) || lines.rows.holds(u) ? 2000 : crossings.size();
  }
  EXPECT_EQ(elastic.count(), 2 * rows.size());
  EXPECT_GT(elastic.samples->features->samples, count);
  EXPECT_LE(elastic.samples->features->samples, count + elastic.samples->grid.count());
}

TEST_F(View, SamplesAreThePlaneWhereAllItsRowsAreChosenLines) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(12, 30, 0.2, 3));
  const SpectrumPtr samples = elastic(pattern, "3", context_);
  const Reconstruction lines = Reconstruction::make(samples, Fill::best, *pattern, context_).value();
  const PictureArea pixels{full_spectrum_rect(12, 30), 12, 30};
  const CellImage image = sample_image_with_lines(*samples, lines, pixels, pixels, context_);
  const CellImage exact = exact_image(*pattern, nullptr, {pixels.rect, 12, 30}, 1U << 20U, context_);
  EXPECT_EQ(image.sampled_rows, 12U);
  for (std::size_t k = 0; k < exact.cells.size(); ++k)
    EXPECT_NEAR(image.cells[k], exact.cells[k], 1e-3F * (1 + exact.cells[k])) << k;
}

TEST_F(View, RowsThatWereComputedForTheFeaturesMakeCellsSmallerAndNotLessCertain) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(3000, 2000, 0.002, 3));
  const WithRows elastic(pattern, "64", context_);
  ASSERT_TRUE(elastic.rows);
  ASSERT_LT(elastic.count(), 1000U) << "not the whole plane";
  const PictureArea pixels{full_spectrum_rect(3000, 2000), 300, 200};
  const auto area_of = [&](std::uint64_t rows) {
    return sample_area(*elastic.samples, ReducedPlacement::stretched, {pixels.rect, 300, 200}, 64, 0, rows);
  };
  const PictureArea large = area_of(0), small = area_of(elastic.count());
  EXPECT_GT(small.height * small.width, 20 * large.height * large.width);
  const double height = small.rect.height() / small.height;
  for (std::uint32_t r = 0; r < small.height; ++r) {
    const auto first = static_cast<std::int64_t>(std::ceil(small.rect.top + height * r)),
               last = static_cast<std::int64_t>(std::ceil(small.rect.top + height * (r + 1)));
    if (first < -1500 || last > 1500) continue;
    int known = 0;
    for (std::int64_t u = first; u < last; ++u) {
      const auto row = static_cast<std::uint64_t>(dft_index(u, 3000));
      known += elastic.rows->lines().rows.holds(row) || elastic.lines.chosen_lines()->rows.holds(row) ? 1 : 0;
    }
    EXPECT_GE(known, 4) << "the mean of fewer rows would be drawn as that of " << height;
  }
  const CellImage image =
      sample_image_with_lines(*elastic.samples, elastic.lines, small, pixels, context_, elastic.rows.get());
  EXPECT_EQ(image.sampled_rows, elastic.count());
  EXPECT_EQ(
      sample_image_with_lines(*elastic.samples, elastic.lines, pixels, pixels, context_, elastic.rows.get())
          .sampled_rows,
      0U)
      << "a cell of ten rows has part of one at most, whose power is not that of the cell";
  // Beside the lines near the axes all means are estimates of K.
  double squares = 0, count = 0;
  const auto nonzeros = static_cast<double>(pattern->nonzeros());
  for (std::uint32_t r = 0; r < 300; ++r)
    for (std::uint32_t c = 0; c < 200; ++c) {
      if (std::abs(r - 149.5) < 4 || std::abs(c - 99.5) < 4) continue;
      const double error = static_cast<double>(image.cells[2 * (std::size_t{r} * 200 + c)]) / nonzeros - 1;
      squares += error * error;
      ++count;
    }
  EXPECT_LT(std::sqrt(squares / count), 1.2 / std::sqrt(64.0));
}

TEST_F(View, CellsAreALittleLargerWhereTheyThenHoldRows) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(3000, 2000, 0.002, 3));
  const SpectrumPtr samples = elastic(pattern, "4", context_);
  // Pixels of 10 x 10 coefficients; 4 x 4 of them have 100 samples.
  const auto height = [&](std::uint64_t rows) {
    const PictureArea area = sample_area(*samples, ReducedPlacement::stretched,
                                         {full_spectrum_rect(3000, 2000), 300, 200}, 64, 0, rows);
    return area.rect.height() / area.height;
  };
  const double alone = height(0);
  EXPECT_NEAR(alone, 40, 2);
  EXPECT_FALSE(shows_rows(alone, 0.12));
  EXPECT_GT(height(360), alone) << "360 rows are twice as many coefficients as the samples";
  EXPECT_TRUE(shows_rows(height(360), 0.12));
  EXPECT_EQ(height(240), alone) << "cells that hold 240 rows have a larger area, but fewer samples in it";
}

/// A picture of a square plane whose pixels are a little wider than a coefficient.
PictureArea nearly_a_pixel_for_each(std::uint64_t side) {
  const auto pixels = static_cast<std::uint32_t>(side - 2);
  return {full_spectrum_rect(side, side), pixels, pixels};
}
/// The mean power of the pixel that shows (u, v).
float pixel_at(const CellImage& image, std::int64_t u, std::int64_t v) {
  const auto along = [](double at, double low, double high, std::uint32_t pixels) {
    return static_cast<std::size_t>((at - low) / (high - low) * pixels);
  };
  const std::size_t r = along(static_cast<double>(u), image.rect.top, image.rect.bottom, image.height);
  const std::size_t c = along(static_cast<double>(v), image.rect.left, image.rect.right, image.width);
  return image.cells[2 * (r * image.width + c)];
}
/// Elastic's samples with its lines and rows, averaged over the cells that a panel uses.
CellImage drawn_by_elastic(const WithRows& elastic, const PictureArea& pixels, JobContext& context) {
  const PictureArea cells = sample_area(*elastic.samples, ReducedPlacement::stretched, pixels, 64, 256,
                                        elastic.rows ? elastic.count() : 0);
  EXPECT_LT(cells.height, pixels.height) << "cells are coarser than the pixels";
  return sample_image_with_lines(*elastic.samples, elastic.lines, cells, pixels, context, elastic.rows.get());
}

TEST_F(View, LinesThatAreLikeTheirNeighbourhoodAreDrawnAsItIs) {
  const PatternPtr pattern = test::generated("gen:laplacian-2d:nx=24,ny=24");
  const WithRows elastic(pattern, "8", context_);
  ASSERT_TRUE(elastic.lines.chosen_lines()->rows.holds(5));
  ASSERT_FALSE(elastic.lines.chosen_lines()->rows.holds(15));
  const PictureArea pixels = nearly_a_pixel_for_each(576);
  const CellImage exact = exact_image(*pattern, nullptr, pixels, 1U << 20U, context_);
  const CellImage drawn = drawn_by_elastic(elastic, pixels, context_);
  // The mean of lg |F|², which sets the brightness of a picture, over the pixels of rows or columns at a
  // distance from the axis.
  const auto brightness = [&](const CellImage& image, bool are_rows, std::int64_t first, std::int64_t last) {
    double sum = 0, count = 0;
    for (std::int64_t line = first; line <= last; ++line)
      for (std::int64_t t = 40; t < 248; ++t) {
        const float power = are_rows ? pixel_at(image, line, t) : pixel_at(image, t, line);
        sum += std::log10(std::max(static_cast<double>(power), 1e-3));
        ++count;
      }
    return sum / count;
  };
  for (const bool are_rows : {true, false}) {
    const double beside = brightness(drawn, are_rows, 10, 24);
    EXPECT_NEAR(brightness(exact, are_rows, 1, 8), brightness(exact, are_rows, 10, 24), 0.2)
        << "the exact plane has no cross";
    EXPECT_NEAR(brightness(drawn, are_rows, 1, 8), beside, 0.2) << "nor has the picture of samples";
    EXPECT_LT(brightness(exact, are_rows, 1, 8), beside - 0.5) << "control: single coefficients look darker";
  }
}

TEST_F(View, LinesThatStandOutAreDrawnAtTheirPixels) {
  // Twice as many entries in the left half of the columns: u = 0 is a line. A band has a ridge v = −u.
  std::mt19937 random(4);
  std::vector<Index> rows, cols;
  constexpr Index kSide = 1500;
  for (Index i = 0; i < kSide; ++i) {
    for (Index k = 0; k < 3; ++k) {
      rows.push_back(i);
      cols.push_back(static_cast<Index>((i + k) % kSide));
    }
    for (int k = 0; k < 9; ++k) {
      rows.push_back(i);
      cols.push_back(static_cast<Index>(random() % (k < 3 ? kSide : kSide / 2)));
    }
  }
  const auto pattern = std::make_shared<const SparsePattern>(
      SparsePattern::from_coordinates(kSide, kSide, rows, cols).value());
  const WithRows elastic(pattern, "16", context_);
  ASSERT_TRUE(elastic.lines.chosen_lines()->sums.holds(0));
  const PictureArea pixels = nearly_a_pixel_for_each(kSide);
  const CellImage exact = exact_image(*pattern, nullptr, pixels, 1U << 22U, context_);
  const CellImage drawn = drawn_by_elastic(elastic, pixels, context_);
  const auto is_exact = [&](std::int64_t u, std::int64_t v) {
    return std::abs(pixel_at(drawn, u, v) / pixel_at(exact, u, v) - 1) < 1e-2F;
  };
  for (std::int64_t v = 1; v < 16; v += 2) EXPECT_TRUE(is_exact(0, v)) << v;
  int on_row = 0;
  for (std::int64_t t = 100; t < 360; ++t) {
    EXPECT_TRUE(is_exact(t, -t)) << "the ridge is continuous at " << t;
    on_row += is_exact(6, t) ? 1 : 0;
  }
  EXPECT_LT(on_row, 26) << "control: row 6 is like its neighbourhood";
}

TEST_F(View, ASampledRowIsDrawnAtItsPlaceWhereAPixelIsACoefficient) {
  const auto pattern = std::make_shared<const SparsePattern>(random_pattern(3000, 2000, 0.002, 3));
  const WithRows elastic(pattern, "64", context_);
  const auto u = static_cast<double>(elastic.samples->feature_rows[20]);
  const PictureArea pixels{{u - 3.5, 100.5, u + 3.5, 140.5}, 7, 40};
  const CellImage image =
      sample_image_with_lines(*elastic.samples, elastic.lines, pixels, pixels, context_, elastic.rows.get());
  const CellImage exact = exact_image(*pattern, nullptr, {pixels.rect, 7, 40}, 1U << 20U, context_);
  EXPECT_EQ(image.sampled_rows, elastic.count());
  constexpr std::size_t kRow = std::size_t{2} * 40;  // numbers a row of the image
  for (std::size_t k = 3 * kRow; k < 4 * kRow; ++k)
    EXPECT_NEAR(image.cells[k], exact.cells[k], 1e-3F * (1 + exact.cells[k])) << k;
  EXPECT_NE(image.cells[4 * kRow], exact.cells[4 * kRow]) << "control: the next row is the nearest sample";
}

TEST_F(View, SamplesOnTheAxesCountByTheirArea) {
  const SparsePattern pattern = random_pattern(200, 200, 0.3, 4);
  Spectrum spectrum;
  spectrum.m = spectrum.n = 200;
  spectrum.nonzeros = pattern.nonzeros();
  spectrum.exactness = Exactness::exact_samples;
  spectrum.grid = {FrequencyAxis::progression(200, 0, 5, 40), FrequencyAxis::progression(200, 0, 5, 40)};
  for (std::uint64_t p = 0; p < 40; ++p)
    for (std::uint64_t q = 0; q < 40; ++q)
      spectrum.values.emplace_back(
          coefficient_at(pattern, spectrum.grid.rows.at(p), spectrum.grid.cols.at(q)));
  const PlaneRect full = full_spectrum_rect(200, 200);
  const CellImage exact = exact_image(pattern, nullptr, {full, 5, 5}, 1U << 20U, context_);
  const CellImage drawn = sample_image(spectrum, ReducedPlacement::stretched, {full, 5, 5}, context_);
  const std::size_t dc = std::size_t{2} * (2 * 5 + 2);
  EXPECT_NEAR(drawn.cells[dc] / exact.cells[dc], 1, 0.05) << "1 of 64 samples, but 1 of 1600 coefficients";
}

TEST_F(View, AutomaticRangeSurvivesBlankAndFlatPictures) {
  CellImage image;
  image.rect = {0, 0, 1, 1};
  image.height = image.width = 2;
  image.cells = {std::numeric_limits<float>::quiet_NaN(), 0, 0, 0, -1, 0,
                 std::numeric_limits<float>::infinity(),  0};
  const DisplayRange blank = automatic_range(image, 1, 99, false, false);
  EXPECT_LT(blank.low, blank.high);
  image.cells.assign(8, 100.0F);
  const DisplayRange flat = automatic_range(image, 1, 99, false, false);
  EXPECT_LT(flat.low, 2);
  EXPECT_GT(flat.high, 2);
  image.cells[0] = image.cells[1] = 0;
  const DisplayRange line = automatic_range(image, 1, 99, false, false);
  EXPECT_LT(line.low, 2);
  EXPECT_NEAR(line.high, 2, 1e-3) << "of one power on a plane of zeros, in the last colour";
}

TEST_F(View, CoefficientAtIsTheDirectSum) {
  const SparsePattern pattern = random_pattern(37, 50, 0.2, 12);
  const NaivePlane plane = plane_of(pattern);
  for (std::int64_t u = -40; u < 40; u += 7)
    for (std::int64_t v = -60; v < 60; v += 9)
      EXPECT_NEAR(std::abs(coefficient_at(pattern, u, v) - plane.at(u, v)), 0, 1e-10);
  EXPECT_EQ(coefficient_at(SparsePattern(), 1, 1), std::complex<double>());
}

TEST_F(View, CoefficientAtReducesPhasesInIntegers) {
  // One entry at (m−1, 0) of a huge matrix: F[u, v] = e^{+2πi u/m}.
  const std::uint64_t m = 4294967291U;
  const SparsePattern pattern = SparsePattern::from_coordinates(m, 3, {4294967290U}, {0}).value();
  const std::int64_t u = 2147480000;
  const std::complex<double> expected =
      std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(u) / static_cast<double>(m));
  EXPECT_NEAR(std::abs(coefficient_at(pattern, u, 1) - expected), 0, 1e-12);
}

}  // namespace
}  // namespace spyctrum
