// SPDX-License-Identifier: Apache-2.0
// CUDA against the CPU for every method, and messages without CUDA. tests/oracle compares the CPU with direct
// sums in double precision. Without a usable device the comparisons are skipped with a message that gives the
// reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numbers>
#include <random>
#include <set>
#include <span>
#include <stop_token>

#include "core/device/backends.hpp"
#include "core/device/device_module.hpp"
#include "core/device/loader.hpp"
#include "core/device/row_transform_plans.hpp"
#include "core/fft/fft.hpp"
#include "core/fft/lattice.hpp"
#include "core/fft/spread_shape.hpp"
#include "core/io/reader.hpp"
#include "core/methods/method.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

constexpr Backend kCuda{BackendKind::cuda, 0, false};
constexpr RequestedOutputs kValuesOnly{true, false, false, 1024};

class CudaParity : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = cuda_unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << "NOT COMPARED, no CUDA device: " << reason;
  }
};

Request on(Backend backend, Request request) {
  request.backend = backend;
  return request;
}

double root_mean_square(std::span<const std::complex<float>> values) {
  double power = 0;
  for (const auto value : values) power += std::norm(std::complex<double>(value));
  return values.empty() ? 0 : std::sqrt(power / static_cast<double>(values.size()));
}

/// A row that is resampled onto L cells (core/fft/resampled_row.hpp) holds at v, besides F[v], images of F[(v
/// + l·L) mod n], l ≠ 0, φ̂(v + l·L)/φ̂(v) times as large. Images are not noise: the image of a coefficient
/// lies at one frequency, and that of a coefficient that holds the power of its row is far above the mean
/// error of the row. Returns max |φ̂(v ± L)|/φ̂(v) over |v| ≤ L/2σ, which bounds the images of every
/// spreading function of this width and at least this σ.
double largest_image(const SpreadShape& shape) {
  constexpr std::size_t kMost = 2000;  // v
  const auto cells = static_cast<std::size_t>(std::ceil(2 * shape.oversampling * kMost));
  const std::vector<double> transform = spread_transform(shape, cells, cells + kMost + 1);
  double largest = 0;
  for (std::size_t v = 0; v <= kMost; ++v)
    largest = std::max(
        largest, std::max(std::abs(transform[cells - v]), std::abs(transform[cells + v])) / transform[v]);
  return largest;
}

/// The largest magnitude of every stride-th value.
double strongest(std::span<const std::complex<float>> values, std::size_t stride = 1) {
  double most = 0;
  for (std::size_t k = 0; k < values.size(); k += stride)
    most = std::max(most, std::abs(std::complex<double>(values[k])));
  return most;
}

/// largest_image() of the spreading functions of a device, which have a β of their own
/// (core/device/row_transform_plans.cpp).
double largest_image_of_device(std::size_t width, double oversampling) {
  SpreadShape shape;
  shape.width = width;
  shape.oversampling = oversampling;
  shape.beta = 0.98 * std::numbers::pi * static_cast<double>(width) * (1 - 0.5 / oversampling);
  return largest_image(shape);
}

/// Images in a row, as a share of its strongest coefficient. They differ because both sides resample: the CPU
/// with w = 9 and σ ≥ 1.5, a device with w = 9 and σ ≥ 1.58 or, in one kernel, w = 7σ and σ ≥ 1.43.
double images_of_row() {
  static const double images = [] {
    const auto& shapes = spread_shapes();
    const auto cpu = std::find_if(shapes.begin(), shapes.end(), [](const SpreadShape& shape) {
      return shape.width == 9 && shape.oversampling == 1.5;
    });
    return largest_image(*cpu) +
           std::max(largest_image_of_device(9, 1.58), largest_image_of_device(10, 1.43));
  }();
  return images;
}

/// Images in a column, as a share of its strongest coefficient: a device may compute inner sums by FFTs of
/// columns (cuda::ColumnTransform).
double images_of_column() {
  static const double images =
      largest_image_of_device(cuda::kColumnTaps, static_cast<double>(cuda::kColumnCells) / cuda::kColumnRows);
  return images;
}

/// Rounding of values whose root mean square is not √K, to which coefficient_tolerance() refers: values of
/// Density Map, and rows that hold far more power than others. Twice 1e-6·(4 + log₂ mn)·RMS, since both sides
/// round.
double own_tolerance(const SparsePattern& pattern, std::span<const std::complex<float>> values) {
  const double points = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
  return 2e-6 * (4.0 + std::log2(points)) * root_mean_square(values);
}

void expect_equal(const Spectrum& actual, const Spectrum& expected, const SparsePattern& pattern) {
  ASSERT_EQ(actual.values.size(), expected.values.size());
  EXPECT_EQ(actual.hermitian_half, expected.hermitian_half);
  EXPECT_EQ(actual.exactness, expected.exactness);
  EXPECT_EQ(actual.block, expected.block);
  EXPECT_EQ(actual.grid.rows.count(), expected.grid.rows.count());
  EXPECT_EQ(actual.grid.cols.count(), expected.grid.cols.count());
  EXPECT_EQ(actual.provenance.backend, "cuda:0");
  const double anywhere =
      std::max(2 * coefficient_tolerance(pattern), own_tolerance(pattern, expected.values));
  const std::size_t width = std::max<std::uint64_t>(1, expected.grid.cols.count());
  std::vector<double> of_column(width);
  for (std::size_t k = 0; k < width && k < expected.values.size(); ++k)
    of_column[k] = images_of_column() * strongest(std::span(expected.values).subspan(k), width);
  for (std::size_t row = 0; row * width < expected.values.size(); ++row) {
    const auto values = std::span(expected.values).subspan(row * width, width);
    const double of_row =
        std::max(anywhere, own_tolerance(pattern, values)) + images_of_row() * strongest(values);
    for (std::size_t k = 0; k < width; ++k) {
      const std::complex<float> value = actual.values[row * width + k];
      ASSERT_LE(std::abs(std::complex<double>(value) - std::complex<double>(values[k])),
                of_row + of_column[k])
          << "at row " << row << ", column " << k << ": " << value << ", CPU " << values[k];
    }
  }
}

/// Methods that a CUDA device computes. The others must state why they do not.
std::vector<const Method*> cuda_methods() {
  std::vector<const Method*> list;
  for (const auto& method : methods()) {
    // Compared by tests of their own below: a library of others, and a search whose result depends on
    // rounding.
    if (method->info().id == "nufft" || method->info().id == "fps-sft") continue;
    const Support support = method->supports(kCuda);
    if (support.ok) list.push_back(method.get());
    EXPECT_TRUE(support.ok || !support.reason.empty()) << method->info().id;
  }
  return list;
}

/// The pattern and, for a method that takes weights, the pattern with weights.
std::vector<PatternPtr> with_and_without_weights(const Method& method, const PatternPtr& pattern) {
  std::vector<PatternPtr> list{pattern};
  if (method.info().takes_weights) list.push_back(with_signed_weights(pattern));
  return list;
}

void compare(const Method& method, Request request) {
  for (const PatternPtr& pattern : with_and_without_weights(method, request.pattern)) {
    SCOPED_TRACE(pattern->has_weights() ? "with weights" : "without weights");
    request.pattern = pattern;
    const SpectrumPtr expected = succeed(method, on({}, request));
    const SpectrumPtr actual = succeed(method, on(kCuda, request));
    ASSERT_TRUE(expected && actual);
    expect_equal(*actual, *expected, *pattern);
  }
}

/// Sizes that need every path of the kernels: several tiles, smooth and prime lengths, wide indices, columns
/// long enough to be summed in pieces, hardly any occupied column.
std::vector<NamedPattern> larger_patterns() {
  std::vector<NamedPattern> list;
  list.push_back({"1200x1000 random", random_pattern(1200, 1000, 9000, 11)});
  list.push_back({"1031x1009 random (primes)", random_pattern(1031, 1009, 7000, 12)});
  list.push_back({"70001x61 random (wide indices)", random_pattern(70001, 61, 4000, 13)});
  list.push_back({"61x70001 random (few rows)", random_pattern(61, 70001, 4000, 14)});
  list.push_back({"3000x40 with long columns", [] {
                    std::vector<std::pair<Index, Index>> places;
                    for (Index i = 0; i < 3000; ++i) places.emplace_back(i, 7);
                    for (Index i = 0; i < 3000; i += 2) places.emplace_back(i, 31);
                    for (Index i = 0; i < 513; ++i) places.emplace_back(5 * i, 32);
                    for (Index i = 0; i < 512; ++i) places.emplace_back(3 * i, 33);
                    return make_pattern(3000, 40, places);
                  }()});
  list.push_back({"2048x4096 three columns", make_pattern(2048, 4096, {{0, 0}, {2047, 4095}, {77, 2048}})});
  return list;
}

TEST_F(CudaParity, EveryMethodEqualsTheCpuOnAwkwardPatternsAtEveryBlockSize) {
  for (const NamedPattern& named : awkward_patterns()) {
    for (const Method* method : cuda_methods()) {
      const std::vector<std::int64_t> blocks = method->info().uses_block
                                                   ? std::vector<std::int64_t>{1, 2, 3, 4, 7, 16, 1000}
                                                   : std::vector<std::int64_t>{0};
      for (const std::int64_t block : blocks) {
        SCOPED_TRACE(method->info().id + " on " + named.name + ", block " + std::to_string(block));
        ParameterValues parameters;
        if (block != 0) parameters["block"] = std::to_string(block);
        compare(*method, request_of(named.pattern, parameters, kValuesOnly));
      }
    }
  }
}

TEST_F(CudaParity, EveryMethodEqualsTheCpuOnLargerPatterns) {
  for (const NamedPattern& named : larger_patterns()) {
    for (const Method* method : cuda_methods()) {
      SCOPED_TRACE(method->info().id + " on " + named.name);
      ParameterValues parameters;
      if (method->info().uses_block) parameters["block"] = "5";
      compare(*method, request_of(named.pattern, parameters, kValuesOnly));
    }
  }
}

/// Small enough for the sanitizers, but every kernel of rows runs in all its variants: narrow and wide
/// indices, one, few and many rows to a lane, long columns, direct lengths, Bluestein's, resampling onto few
/// and many cells with every split.
TEST_F(CudaParity, EveryKernelEqualsTheCpuOnSmallPatterns) {
  std::vector<std::pair<Index, Index>> places;
  for (Index i = 0; i < 300; ++i) places.emplace_back(i, 7);
  for (Index i = 0; i < 300; ++i) places.emplace_back(i, (i * 37) % 83);
  for (const Method* method : cuda_methods()) {
    SCOPED_TRACE(method->info().id);
    ParameterValues parameters;
    if (method->info().uses_block) parameters["block"] = "3";
    compare(*method, request_of(make_pattern(300, 83, places), parameters, kValuesOnly));
    compare(*method, request_of(random_pattern(41, 90, 300, 41), parameters, kValuesOnly));
  }
  for (const auto& [m, n] : {std::pair{2000U, 90U}, {2003U, 97U}, {66000U, 48U}, {66001U, 53U}}) {
    const PatternPtr pattern = random_pattern(m, n, 500, 42);
    for (const char* id : {"bs-fft", "bs-fft-paper"}) {
      for (const std::uint64_t rows : {20U, 100U, 300U}) {
        SCOPED_TRACE(std::string(id) + " on " + std::to_string(m) + "x" + std::to_string(n) + ", rows " +
                     std::to_string(rows));
        Request request = request_of(pattern, {}, kValuesOnly);
        request.window =
            FrequencyGrid{FrequencyAxis::progression(m, 5, 1, rows), FrequencyAxis::progression(n, 0, 1, n)};
        compare(*find_method(id), request);
      }
    }
  }
  std::set<std::uint64_t> splits;
  for (std::uint64_t n = 11; n < 140000; n += 1001) {
    const std::uint64_t split =
        row_transform_plans(n, cuda::RowAlgorithm::optimized, kCuda, false).back().split;
    if (!splits.insert(split).second) continue;
    SCOPED_TRACE("n = " + std::to_string(n) + ", split " + std::to_string(split));
    Request request = request_of(random_pattern(40, n, 900, 43), {}, kValuesOnly);
    request.window =
        FrequencyGrid{FrequencyAxis::progression(40, 1, 1, 3), FrequencyAxis::progression(n, 0, 1, n)};
    compare(*find_method("bs-fft"), request);
  }
  EXPECT_GE(splits.size(), 4U);
}

/// Rows that one kernel computes: of every length that it has, rows as short and nearly as long as it takes.
/// Few, for the sanitizers.
TEST_F(CudaParity, RowsByOneKernelEqualThoseOfTheCpu) {
  std::map<int, std::set<std::uint64_t>> lengths;
  for (std::uint64_t n = 9000; n < 73000; n += 331) {
    const int length =
        row_transform_plans(n, cuda::RowAlgorithm::optimized, kCuda, false).back().kernel_length;
    if (length >= 0) lengths[length].insert(n);
  }
  for (const auto& [length, sides] : lengths) {
    for (const std::uint64_t n : {*sides.begin(), *sides.rbegin()}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", length " + std::to_string(length));
      Request request = request_of(random_pattern(40, n, 3 * n, 47), {}, kValuesOnly);
      request.window =
          FrequencyGrid{FrequencyAxis::progression(40, 0, 1, 2), FrequencyAxis::progression(n, 0, 1, n)};
      compare(*find_method("bs-fft"), request);
    }
  }
  const bool has_kernel = cuda_module().facts(0).row_kernel_bytes > 0;
  EXPECT_EQ(lengths.size(), has_kernel ? std::size(cuda::kKernelLengths) : 0U);
}

/// Inner sums by FFTs of the columns: with one and several FFTs for the rows of a tile, narrow and wide
/// indices, empty columns, long ones that are divided into pieces, crowded ones (neighbouring rows), and rows
/// with a halo for the kernel of whole rows. Few, for the sanitizers.
TEST_F(CudaParity, EveryKernelOfTransformedColumnsEqualsTheCpu) {
  const auto places = [](Index m, Index n, Index each) {
    std::mt19937 random(53);
    std::vector<std::pair<Index, Index>> of;
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < each && j % 11 != 3; ++k)
        of.emplace_back(static_cast<Index>(random() % static_cast<unsigned>(m)), j);
    for (Index i = 0; i < m; ++i) of.emplace_back(i, n / 2);
    for (Index i = 0; i < std::min<Index>(m, 700); ++i) of.emplace_back(i, n / 3);
    return of;
  };
  struct Case {
    Index m;
    Index n;
    Index each;
    std::uint64_t first;
    std::uint64_t rows;
  };
  for (const Case& one : {Case{1000, 83, 40, 0, 480},
                          {2003, 97, 40, 0, 960},
                          {70001, 53, 40, 34000, 470},
                          {1000, 9001, 30, 3, 450}}) {
    SCOPED_TRACE(std::to_string(one.m) + "x" + std::to_string(one.n));
    const auto m = static_cast<std::uint64_t>(one.m);
    const auto n = static_cast<std::uint64_t>(one.n);
    Request request = request_of(make_pattern(one.m, one.n, places(one.m, one.n, one.each)), {}, kValuesOnly);
    ASSERT_TRUE(
        cuda::transforms_columns(n, static_cast<std::uint64_t>(request.pattern->nonzeros()), one.rows));
    request.window =
        FrequencyGrid{FrequencyAxis::progression(m, static_cast<std::int64_t>(one.first), 1, one.rows),
                      FrequencyAxis::progression(n, 0, 1, n)};
    compare(*find_method("bs-fft"), request);
  }
}

TEST_F(CudaParity, WindowsOfEveryMethodEqualThoseOfTheCpu) {
  for (const NamedPattern& named : larger_patterns()) {
    const std::uint64_t m = named.pattern->rows();
    const std::uint64_t n = named.pattern->cols();
    using Axis = FrequencyAxis;
    const std::vector<FrequencyGrid> windows{
        {Axis::progression(m, -20, 1, 41), Axis::progression(n, -30, 1, 61)},
        {Axis::progression(m, 5, -3, 100), Axis::progression(n, 1, 7, 33)},
        {Axis::list(m, {0, -1, 5, 4, 5}), Axis::list(n, {3, -2, 0})},
    };
    for (const Method* method : cuda_methods()) {
      if (method->info().exactness == Exactness::estimate) continue;
      for (std::size_t k = 0; k < windows.size(); ++k) {
        SCOPED_TRACE(method->info().id + " on " + named.name + ", window " + std::to_string(k));
        Request request = request_of(named.pattern, {}, kValuesOnly);
        request.window = windows[k];
        compare(*method, request);
      }
    }
  }
}

/// By rows, too: single precision would be off in the last digits of F[0, 0] = K and of long columns. Of the
/// 5 × 3 values, u = 0 is the third row and v = 0 the second column.
TEST_F(CudaParity, ValuesOnTheAxesOfAWindowEqualThoseOfTheCpu) {
  Request request;
  request.pattern = random_pattern(40'009, 3, 30'000, 71);
  request.outputs = kValuesOnly;
  request.window =
      FrequencyGrid{FrequencyAxis::progression(40'009, -2, 1, 5), FrequencyAxis::progression(3, -1, 1, 3)};
  for (const char* id : {"exact", "bs-fft"}) {
    const SpectrumPtr on_cpu = succeed(*find_method(id), request);
    const SpectrumPtr on_cuda = succeed(*find_method(id), on(kCuda, request));
    ASSERT_TRUE(on_cpu && on_cuda);
    for (const std::size_t k : {1, 4, 6, 7, 8, 10, 13})
      EXPECT_EQ(on_cuda->values[k], on_cpu->values[k]) << id << ", " << k;
  }
}

TEST_F(CudaParity, FeaturesOfEveryMethodEqualThoseOfTheCpu) {
  for (const Method* method : cuda_methods()) {
    for (const PatternPtr& pattern : with_and_without_weights(*method, random_pattern(600, 500, 9000, 21))) {
      SCOPED_TRACE(method->info().id + (pattern->has_weights() ? " with weights" : ""));
      const SpectrumPtr expected = succeed(*method, request_of(pattern));
      const SpectrumPtr actual = succeed(*method, on(kCuda, request_of(pattern)));
      ASSERT_TRUE(expected && actual && expected->features && actual->features);
      EXPECT_NEAR(actual->features->entropy, expected->features->entropy, 1e-6);
      EXPECT_NEAR(actual->features->total_power / expected->features->total_power, 1, 1e-5);
      for (std::size_t k = 0; k < kRadialBins; ++k)
        EXPECT_NEAR(actual->features->radial[k], expected->features->radial[k], 1e-5);
      EXPECT_NE(actual->provenance.note.find("device memory"), std::string::npos) << actual->provenance.note;
    }
  }
}

/// The library sums by atomic additions in no fixed order, so that runs differ in the last digits.
TEST_F(CudaParity, CufinufftGivesTheCoefficientsOfItsGrid) {
  const Method& method = *find_method("nufft");
  const Support support = method.supports(kCuda);
  if (!support.ok) GTEST_SKIP() << "NOT COMPARED: " << support.reason;
  const PatternPtr pattern = random_pattern(211, 340, 3000, 51);
  const FrequencyGrid window{FrequencyAxis::progression(211, -50, 3, 40),
                             FrequencyAxis::progression(340, 7, 2, 60)};
  JobContext context(pool());
  const std::vector<std::complex<double>> expected = direct_transform(*pattern, window, context);
  for (const char* mode : {"type3", "type1-box", "type1-lattice"}) {
    for (const char* precision : {"double", "single"}) {
      SCOPED_TRACE(std::string(mode) + ", " + precision);
      const bool is_single = precision == std::string("single");
      Request request = request_of(
          pattern, {{"mode", mode}, {"precision", precision}, {"tolerance", is_single ? "1e-5" : "1e-9"}},
          kValuesOnly);
      request.window = window;
      const SpectrumPtr actual = succeed(method, on(kCuda, request));
      ASSERT_TRUE(actual);
      ASSERT_EQ(actual->values.size(), expected.size());
      EXPECT_EQ(actual->provenance.backend, "cuda:0");
      EXPECT_GT(actual->provenance.device_bytes_peak, 0U);
      // The library's tolerance is relative to all strengths, of size 1 each.
      const double tolerance =
          (is_single ? 1e-3 : 1e-6) * std::sqrt(static_cast<double>(pattern->nonzeros()));
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_NEAR(std::abs(std::complex<double>(actual->values[k]) - expected[k]), 0, tolerance) << k;
    }
  }
}

/// The spectrum of a periodic pattern is sparse, and both backends find all of it. On a dense spectrum
/// rounding decides which coefficients pass the tests of the search; there the number of coefficients must
/// equal the CPU's, repeated runs must find the same ones, and the bytes must be as forecast.
TEST_F(CudaParity, FpsSftFindsTheWholeOfASparseSpectrumAsTheCpuDoes) {
  std::vector<std::pair<Index, Index>> places;
  for (Index i = 0; i < 160; ++i)
    for (Index j = 0; j < 210; ++j)
      if ((i % 8 + 3 * (j % 7)) % 5 < 2) places.emplace_back(i, j);
  const PatternPtr sparse = make_pattern(160, 210, places);
  const Method& method = *find_method("fps-sft");
  for (const char* amplitude : {"exact", "native"}) {
    SCOPED_TRACE(amplitude);
    const Request request = request_of(sparse, {{"block", "4"}, {"amplitude", amplitude}}, kValuesOnly);
    const SpectrumPtr expected = succeed(method, request);
    const SpectrumPtr actual = succeed(method, on(kCuda, request));
    ASSERT_TRUE(expected && actual);
    std::map<std::pair<std::int32_t, std::int32_t>, std::complex<float>> found;
    for (std::size_t k = 0; k < actual->values.size(); ++k)
      found[{actual->points.u[k], actual->points.v[k]}] = actual->values[k];
    std::size_t strong = 0;
    for (std::size_t k = 0; k < expected->values.size(); ++k) {
      if (std::abs(expected->values[k]) < 1) continue;
      ++strong;
      const auto at = found.find({expected->points.u[k], expected->points.v[k]});
      ASSERT_NE(at, found.end()) << expected->points.u[k] << ", " << expected->points.v[k];
      EXPECT_NEAR(std::abs(at->second - expected->values[k]), 0, 1e-4 * static_cast<double>(places.size()));
    }
    EXPECT_GT(strong, 10U);
    EXPECT_LE(strong, 56U);
  }
  const PatternPtr dense = random_pattern(1500, 1500, 9000, 52);
  const Request request = request_of(dense, {{"block", "5"}}, kValuesOnly);
  const SpectrumPtr first = succeed(method, on(kCuda, request));
  const SpectrumPtr second = succeed(method, on(kCuda, request));
  const SpectrumPtr host = succeed(method, request);
  ASSERT_TRUE(first && second && host);
  EXPECT_EQ(first->points.u, second->points.u);
  EXPECT_EQ(first->points.v, second->points.v);
  EXPECT_EQ(first->values, second->values);
  EXPECT_EQ(first->values.size(), host->values.size());
  const auto power = [](const Spectrum& spectrum) {
    double sum = 0;
    for (const auto value : spectrum.values) sum += std::norm(std::complex<double>(value));
    return sum;
  };
  EXPECT_NEAR(power(*first) / power(*host), 1, 0.02);
  const Provenance& from = first->provenance;
  EXPECT_NEAR(static_cast<double>(from.device_bytes_peak) / static_cast<double>(from.device_bytes_forecast),
              1.0, 0.05);
}

TEST_F(CudaParity, ResultsDoNotDependOnTheTileHeight) {
  for (const PatternPtr& pattern :
       {random_pattern(1500, 700, 9000, 22), random_pattern(1500, 700, 28000, 22)})
    for (const char* id : {"bs-fft", "bs-fft-paper"})
      for (const char* tile : {"1", "33", "64", "150", "512", "700", "65536"}) {
        SCOPED_TRACE(std::string(id) + ", tile " + tile);
        compare(*find_method(id), request_of(pattern, {{"tile", tile}}, kValuesOnly));
      }
}

TEST_F(CudaParity, RowsAreBitEqualFromRunToRun) {
  for (const char* id : {"bs-fft", "bs-fft-paper", "elastic-paper", "density-map", "dense"}) {
    SCOPED_TRACE(id);
    // The last columns are transformed by bs-fft, the others summed term by term.
    for (const PatternPtr& pattern :
         {larger_patterns().at(4).pattern, random_pattern(1003, 500, 20000, 23)}) {
      const auto once = succeed(*find_method(id), on(kCuda, request_of(pattern, {}, kValuesOnly)));
      const auto again = succeed(*find_method(id), on(kCuda, request_of(pattern, {}, kValuesOnly)));
      ASSERT_TRUE(once && again);
      EXPECT_TRUE(once->values == again->values);
    }
  }
}

TEST_F(CudaParity, AJobThatDoesNotFitIsRefusedAndTheNextOneRuns) {
  const PatternPtr pattern = random_pattern(600000, 600000, 1000, 23);
  Request request = on(kCuda, request_of(pattern));
  request.outputs = {false, true, false, 1024};
  const auto refused = run_job(*find_method("bs-fft-paper"), request, pool(), std::uint64_t{1} << 40);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory) << refused.error().message();
  compare(*find_method("bs-fft-paper"), request_of(random_pattern(100, 90, 300, 1), {}, kValuesOnly));
}

TEST_F(CudaParity, AStopEndsAJobAndFreesItsMemory) {
  // Large enough to last longer than 30 ms, the interval of progress reports.
  const PatternPtr pattern = random_pattern(100000, 100000, 60000, 24);
  const Method& method = *find_method("bs-fft");
  (void)succeed(*find_method("density-map"),
                on(kCuda, request_of(pattern)));  // allocates what the libraries never free
  const std::uint64_t before = cuda_module().facts(0).free_bytes;
  for (int round = 0; round < 5; ++round) {
    std::stop_source source;
    JobContext::Options options;
    options.memory_bytes = std::uint64_t{1} << 34;
    options.stop = source.get_token();
    options.on_progress = [&](const Progress& progress) {
      if (progress.done > 0) source.request_stop();
    };
    JobContext context(pool(), std::move(options));
    const auto stopped = run_method(method, on(kCuda, request_of(pattern)), context);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::cancelled) << stopped.error().message();
    EXPECT_EQ(context.memory().current(), 0U);
  }
  // The libraries keep small caches of their plans; a lost tile would be 100 MB.
  EXPECT_GE(cuda_module().facts(0).free_bytes + (std::uint64_t{32} << 20), before);
}

/// Row u by inner sums and FFT in double precision.
std::vector<std::complex<double>> double_row(const SparsePattern& pattern, std::uint64_t u) {
  std::vector<std::complex<double>> row(pattern.cols());
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    std::complex<double>& sum = row[pattern.column_ids()[k]];
    for (std::int64_t t = pattern.column_starts()[k]; t < pattern.column_starts()[k + 1]; ++t) {
      const std::uint64_t place = u * pattern.row_indices()[static_cast<std::size_t>(t)] % pattern.rows();
      sum += std::polar(
          1.0, -2 * std::numbers::pi * static_cast<double>(place) / static_cast<double>(pattern.rows()));
    }
  }
  fft_rows(row.data(), row.size(), 1, row.size());
  return row;
}

TEST_F(CudaParity, RowErrorsAreAtMostHalfAMillionthAtEveryLength) {
  // With many entries the columns are transformed.
  for (const std::uint64_t entries : {6U, 40U})
    for (const std::uint64_t n : {2003U, 4099U, 8192U, 11701U, 13752U, 28281U, 41554U, 69716U}) {
      const PatternPtr pattern = random_pattern(n, n, entries * n, 31);
      Request request = on(kCuda, request_of(pattern, {}, kValuesOnly));
      request.window =
          FrequencyGrid{FrequencyAxis::progression(n, static_cast<std::int64_t>(n / 3), 1, cuda::kColumnRows),
                        FrequencyAxis::progression(n, 0, 1, n)};
      const SpectrumPtr actual = succeed(*find_method("bs-fft"), request);
      ASSERT_TRUE(actual);
      double wrong = 0;
      double power = 0;
      for (std::uint64_t p = 20; p < cuda::kColumnRows; p += 40) {
        const auto expected = double_row(*pattern, n / 3 + p);
        for (std::uint64_t v = 0; v < n; ++v) {
          wrong += std::norm(std::complex<double>(actual->values[p * n + v]) - expected[v]);
          power += std::norm(expected[v]);
        }
      }
      EXPECT_LE(std::sqrt(wrong / power), 5e-7) << "n = " << n << ", " << entries << " entries a column";
    }
}

TEST_F(CudaParity, EveryMethodEqualsTheCpuOnSharedMatrices) {
  const char* named = std::getenv("SPYCTRUM_SHARED_DATA");  // NOLINT(concurrency-mt-unsafe): one thread
  const std::filesystem::path folder = named != nullptr ? named : SPYCTRUM_SOURCE_DIR "/../shared/data";
  int compared = 0;
  for (const char* name : {"sci_lp_e226", "sci_bwm2000", "sci_tols4000", "sci_zenios", "sci_trefethen2000",
                           "sci_bcspwr10", "sci_rajat01"}) {
    const std::filesystem::path file = folder / (std::string(name) + ".mtx.gz");
    if (!std::filesystem::exists(file)) continue;
    JobContext context(pool());
    const auto matrix = load_matrix(file.string(), {}, context);
    ASSERT_TRUE(matrix) << matrix.error().message();
    ++compared;
    for (const Method* method : cuda_methods()) {
      SCOPED_TRACE(method->info().id + " on " + name);
      ParameterValues parameters;
      if (method->info().uses_block) parameters["block"] = "4";
      compare(*method, request_of(matrix->pattern, parameters, kValuesOnly));
    }
  }
  if (compared == 0) GTEST_SKIP() << "SHARED MATRICES NOT COMPARED, none in " << folder;
}

TEST_F(CudaParity, DeviceBytesAreForecastWithinFivePerCent) {
  std::vector<PatternPtr> patterns;
  for (const std::uint64_t n : {6000U, 8192U, 10007U}) patterns.push_back(random_pattern(n, n, 10 * n, 32));
  patterns.push_back(with_signed_weights(random_pattern(6000, 6000, 600000, 32)));
  patterns.push_back(random_pattern(6000, 5000, 200000, 33));
  for (const PatternPtr& pattern : patterns) {
    for (const Method* method : cuda_methods()) {
      if (pattern->has_weights() && !method->info().takes_weights) continue;
      SCOPED_TRACE(method->info().id + " at " + std::to_string(pattern->rows()) +
                   (pattern->has_weights() ? " with weights" : ""));
      ParameterValues parameters;
      if (method->info().uses_block) parameters["block"] = "2";
      const SpectrumPtr spectrum = succeed(*method, on(kCuda, request_of(pattern, parameters, kValuesOnly)));
      ASSERT_TRUE(spectrum);
      const Provenance& from = spectrum->provenance;
      EXPECT_GT(from.device_bytes_peak, 0U);
      EXPECT_NEAR(
          static_cast<double>(from.device_bytes_peak) / static_cast<double>(from.device_bytes_forecast), 1.0,
          0.05)
          << from.device_bytes_peak << " measured, " << from.device_bytes_forecast << " forecast";
    }
    // Features of a coarse sample, whose exact lines take more memory than the sample.
    const RequestedOutputs features{false, true, false, 1};
    const SpectrumPtr sample =
        succeed(*find_method("elastic"), on(kCuda, request_of(pattern, {{"block", "64"}}, features)));
    ASSERT_TRUE(sample);
    EXPECT_NEAR(static_cast<double>(sample->provenance.device_bytes_peak) /
                    static_cast<double>(sample->provenance.device_bytes_forecast),
                1.0, 0.05)
        << sample->provenance.device_bytes_peak << " measured, " << sample->provenance.device_bytes_forecast
        << " forecast";
  }
  // The symmetric half of a symmetric pattern, with tables for rows of each width.
  for (const char* text : {"gen:power-law:n=6000,nnz=60000", "gen:power-law:n=10007,nnz=100000"}) {
    SCOPED_TRACE(text);
    JobContext context(pool());
    const auto matrix = load_matrix(text, {}, context);
    ASSERT_TRUE(matrix && matrix->pattern->symmetric());
    for (const RequestedOutputs& outputs :
         {RequestedOutputs{false, true, false, 1}, RequestedOutputs{false, true, true, 512}}) {
      const SpectrumPtr spectrum =
          succeed(*find_method("bs-fft"), on(kCuda, request_of(matrix->pattern, {}, outputs)));
      ASSERT_TRUE(spectrum);
      const Provenance& from = spectrum->provenance;
      EXPECT_NEAR(
          static_cast<double>(from.device_bytes_peak) / static_cast<double>(from.device_bytes_forecast), 1.0,
          0.05)
          << from.device_bytes_peak << " measured, " << from.device_bytes_forecast << " forecast";
      EXPECT_LE(from.bytes_peak, from.bytes_forecast);
    }
  }
}

Result<SpectrumPtr> run_within(const Method& method, Request request, std::uint64_t device_bytes) {
  JobContext::Options options;
  options.memory_bytes = std::uint64_t{1} << 34;
  options.device_bytes = device_bytes;
  JobContext context(pool(), std::move(options));
  return run_method(method, std::move(request), context);
}

TEST_F(CudaParity, AJobBeyondTheDevicesMemoryIsRefusedWithASettingThatFits) {
  const PatternPtr pattern = random_pattern(12007, 12007, 60000, 33);
  const Request request = on(kCuda, request_of(pattern, {}, kValuesOnly));
  const auto refused = run_within(*find_method("dense"), request, std::uint64_t{500} << 20);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory);
  EXPECT_NE(refused.error().message().find("bs-fft"), std::string::npos) << refused.error().message();
  // A tile height that is not given shrinks until the job fits, and the job stays within the limit.
  const auto shrunk = run_within(*find_method("bs-fft"), request, std::uint64_t{100} << 20);
  ASSERT_TRUE(shrunk) << shrunk.error().message();
  EXPECT_LE((*shrunk)->provenance.device_bytes_peak, std::uint64_t{100} << 20);
  EXPECT_NE((*shrunk)->provenance.parameters.front().second, "0");
}

/// Starts many jobs and stops most of them at random moments; some have too little device memory for all of
/// their arrays.
TEST_F(CudaParity, AThousandJobsStoppedAnywhereFreeTheirMemory) {
  const PatternPtr pattern = random_pattern(3001, 2999, 30000, 34);
  std::mt19937 random(35);
  const auto round = [&](bool stop) {
    const std::vector<const Method*> candidates = cuda_methods();
    const Method& method = *candidates[random() % candidates.size()];
    std::stop_source source;
    JobContext::Options options;
    options.memory_bytes = std::uint64_t{1} << 33;
    options.stop = source.get_token();
    int checkpoints = static_cast<int>(random() % 4);
    options.on_progress = [&](const Progress&) {
      if (checkpoints-- == 0 && stop) source.request_stop();
    };
    Request request = on(kCuda, request_of(pattern));
    if (stop && random() % 4 == 0) {
      // The forecast is bypassed, so that an allocation in the middle of the job fails.
      JobContext::Options tight;
      tight.memory_bytes = std::uint64_t{1} << 33;
      tight.device_bytes = 1 + random() % (std::uint64_t{40} << 20);
      JobContext narrow(pool(), std::move(tight));
      const auto resolved = resolve_request(method, request);
      ASSERT_TRUE(resolved);
      (void)run_guarded([&] { return method.run(*resolved, narrow); });
      EXPECT_EQ(narrow.memory().current(), 0U);
      return;
    }
    JobContext context(pool(), std::move(options));
    const auto result = run_method(method, request, context);
    if (!result) {
      EXPECT_EQ(result.error().code, ErrorCode::cancelled) << result.error().message();
    }
    EXPECT_EQ(context.memory().current(), 0U);
  };
  for (int k = 0; k < 60; ++k) round(false);  // allocates what the libraries never free
  const std::uint64_t before = cuda_module().facts(0).free_bytes;
  for (int k = 0; k < 1000; ++k) round(true);
  EXPECT_EQ(cuda_module().facts(0).free_bytes, before);
}

TEST_F(CudaParity, AMissingDeviceIsRefused) {
  const Backend beyond{BackendKind::cuda, 63, false};
  ASSERT_FALSE(parse_backend("cuda:63"));
  EXPECT_EQ(parse_backend("cuda:63").error().code, ErrorCode::backend_unavailable);
  for (const auto& method : methods()) EXPECT_FALSE(method->supports(beyond).ok);
}

TEST(CudaModule, NamesAFileThatIsNoModule) {
  const std::string missing = (std::filesystem::temp_directory_path() / "no-such-module.so").string();
  const cuda::LoadedModule absent = cuda::load_module(missing);
  EXPECT_EQ(absent.module, nullptr);
  EXPECT_NE(absent.reason.find("no-such-module.so"), std::string::npos) << absent.reason;
  const cuda::LoadedModule foreign = cuda::load_module("libm.so.6");
  EXPECT_EQ(foreign.module, nullptr);
  EXPECT_NE(foreign.reason.find("is not a CUDA module"), std::string::npos) << foreign.reason;
}

TEST(CudaModule, IsLoadedOrStatesAReason) {
  const cuda::LoadedModule& loaded = cuda::loaded_module();
  EXPECT_EQ(loaded.module == nullptr, !loaded.reason.empty());
  EXPECT_EQ(cuda_unavailable_reason(), loaded.reason);
  RecordProperty("reason", loaded.reason);
}

TEST(CudaModule, WithoutADeviceMethodsRefuseCudaUnlessTheBackendWasAutomatic) {
  if (cuda_unavailable_reason().empty()) GTEST_SKIP() << "there is a CUDA device here";
  const PatternPtr pattern = random_pattern(20, 30, 50, 1);
  for (const Method* method : runnable_methods()) {
    SCOPED_TRACE(method->info().id);
    const Support support = method->supports(kCuda);
    EXPECT_FALSE(support.ok);
    EXPECT_NE(support.reason.find(cuda_unavailable_reason()), std::string::npos);
    const auto refused = run_job(*method, on(kCuda, request_of(pattern)), pool());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::backend_unavailable);
    const auto taken = run_job(*method, on({BackendKind::cuda, 0, true}, request_of(pattern)), pool());
    ASSERT_TRUE(taken) << taken.error().message();
    EXPECT_EQ((*taken)->provenance.backend, "cpu");
  }
}

TEST(CudaSizes, RowsHaveThePapersLength) {
  EXPECT_EQ(cuda::row_length(1), 1U);
  EXPECT_EQ(cuda::row_length(1000), 1000U);
  EXPECT_EQ(cuda::row_length(11), 21U);          // ≥ 2·11−1 = 21 = 3·7
  EXPECT_EQ(cuda::row_length(1009), 2025U);      // ≥ 2017: 2025 = 3^4·5^2 is the first after it
  EXPECT_EQ(cuda::tile_rows(0, 10, 1000), 10U);  // not more rows than the half plane has
  EXPECT_EQ(cuda::tile_rows(0, 10, 0), 10U);     // no columns
  EXPECT_EQ(cuda::tile_rows(0, 0, 1000), 1U);
  EXPECT_EQ(cuda::tile_rows(0, 8192, 1024), 8192U);     // 64 MiB: all at once
  EXPECT_EQ(cuda::tile_rows(0, 8193, 1024), 482U);      // 17 tiles of equal height
  EXPECT_EQ(cuda::tile_rows(0, 100000, 10000), 511U);   // 196 of at most 512
  EXPECT_EQ(cuda::tile_rows(0, 100000, 100000), 511U);  // 409 MB
  EXPECT_EQ(cuda::tile_rows(0, 100000, 200000), 256U);
  EXPECT_EQ(cuda::tile_rows(0, 1000000, 100000000), 64U);
  // Where columns are transformed: as many rows as an FFT gives, or half of 512 where these take 512 MiB.
  EXPECT_EQ(cuda::tile_rows(0, 100000, 100000, 480), 479U);
  EXPECT_EQ(cuda::tile_rows(0, 100000, 200000, 480), 256U);
  EXPECT_EQ(cuda::reduced_tile_rows(0, 20000, 20000, std::uint64_t{1} << 33, 480), 480U);
  EXPECT_EQ(cuda::reduced_tile_rows(0, 20000, 40000, std::uint64_t{1} << 33, 480), 256U);
  EXPECT_EQ(cuda::tallest_tile(1000, 10000, cuda::RowAlgorithm::optimized), 512U);  // few entries
  EXPECT_EQ(cuda::tallest_tile(1000, 40000, cuda::RowAlgorithm::optimized), 480U);
  EXPECT_EQ(cuda::tallest_tile(1000, 40000, cuda::RowAlgorithm::paper), 512U);
  EXPECT_TRUE(cuda::transforms_columns(1000, 40000, 480));
  EXPECT_FALSE(cuda::transforms_columns(1000, 40000, 512));  // two FFTs of 256 rows
  EXPECT_TRUE(cuda::transforms_columns(1000, 100000, 512));
  EXPECT_FALSE(cuda::transforms_columns(0, 0, 480));
  EXPECT_EQ(cuda::tile_rows(7, 100, 1000), 7U);
}

/// Records number the tiles that a source reaches by their distance from its first tile.
TEST(LatticeAxisSpec, ReachedTilesAreTheLargestNumberOverAllSources) {
  for (std::uint32_t taps = 1; taps <= cuda::kMostLatticeTaps; ++taps) {
    for (std::uint64_t fine = 2 * std::uint64_t{taps}; fine < 200; ++fine) {
      const std::uint64_t tiles = (fine + cuda::kTileCells - 1) / cuda::kTileCells;
      std::uint64_t most = 0;
      for (std::uint64_t start = 0; start < fine; ++start)
        for (std::uint64_t tap = 0; tap < taps; ++tap)
          most = std::max(
              most, ((start + tap) % fine / cuda::kTileCells + tiles - start / cuda::kTileCells) % tiles);
      cuda::LatticeAxisSpec axis;
      axis.fine = fine;
      axis.taps = taps;
      EXPECT_EQ(axis.reaches(), most + 1) << taps << " taps, " << fine << " cells";
    }
  }
}

}  // namespace
}  // namespace spyctrum::test
