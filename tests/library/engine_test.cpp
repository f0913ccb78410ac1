// SPDX-License-Identifier: Apache-2.0
// The public interface of the library, linked alone: its results, and its errors as values.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <spyctrum/spyctrum.hpp>
#include <string>
#include <vector>

namespace {

using namespace spyctrum;

Engine engine(const Settings& settings = {.backend = "cpu", .threads = 2}) {
  return Engine::create(settings).value();
}

Matrix from(std::uint64_t rows, std::uint64_t cols, const std::vector<std::uint32_t>& row,
            const std::vector<std::uint32_t>& col) {
  return Matrix::from_entries(rows, cols, row, col).value();
}

const std::vector<std::uint32_t> kRows{0, 4, 2, 2, 1, 4};
const std::vector<std::uint32_t> kCols{0, 1, 5, 3, 2, 6};

std::complex<double> direct_sum(std::int64_t u, std::int64_t v, double m, double n) {
  std::complex<double> sum;
  for (std::size_t t = 0; t < kRows.size(); ++t)
    sum +=
        std::polar(1.0, -2 * std::numbers::pi *
                            (static_cast<double>(u) * kRows[t] / m + static_cast<double>(v) * kCols[t] / n));
  return sum;
}

TEST(LibraryMatrix, HoldsTheGivenEntriesByColumnsAndCountsMergedOnes) {
  const auto matrix = from(5, 7, {3, 0, 3, 4}, {2, 6, 2, 2});
  EXPECT_EQ(matrix.rows(), 5U);
  EXPECT_EQ(matrix.cols(), 7U);
  EXPECT_EQ(matrix.nonzeros(), 3);
  EXPECT_FALSE(matrix.symmetric());
  EXPECT_EQ(std::vector(matrix.column_ids().begin(), matrix.column_ids().end()),
            (std::vector<std::uint32_t>{2, 6}));
  EXPECT_EQ(std::vector(matrix.column_starts().begin(), matrix.column_starts().end()),
            (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(std::vector(matrix.row_indices().begin(), matrix.row_indices().end()),
            (std::vector<std::uint32_t>{3, 4, 0}));
  ASSERT_EQ(matrix.notes().size(), 1U);
  EXPECT_NE(matrix.notes()[0].find('1'), std::string::npos);
}

TEST(LibraryMatrix, RefusesEntriesOutsideAndListsOfDifferentLengths) {
  const std::vector<std::uint32_t> one{1};
  const std::vector<std::uint32_t> two{1, 2};
  const auto outside = Matrix::from_entries(1, 3, one, one);
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, ErrorCode::bad_input);
  const auto uneven = Matrix::from_entries(3, 3, one, two);
  ASSERT_FALSE(uneven);
  EXPECT_EQ(uneven.error().code, ErrorCode::bad_input);
}

TEST(LibraryErrors, AreValuesAndValueThrowsThem) {
  const auto missing = engine().load("/no/such/file.mtx");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::bad_input);
  EXPECT_NE(missing.error().what.find("/no/such/file.mtx"), std::string::npos);
  EXPECT_THROW((void)missing.value(), BadResult);
  EXPECT_EQ(Engine::create({.backend = "abacus"}).error().code, ErrorCode::wrong_use);
  const auto matrix = engine().load("gen:band:n=40").value();
  EXPECT_EQ(engine().run(matrix, {.method = "nonsense"}).error().code, ErrorCode::wrong_use);
  EXPECT_EQ(engine().run(matrix, {.method = "elastic", .parameters = {{"block", "0"}}}).error().code,
            ErrorCode::wrong_use);
  EXPECT_EQ(engine().window(matrix, {.step_u = 0}).error().code, ErrorCode::wrong_use);
  EXPECT_EQ(engine().window(matrix, {.height = 0}).error().code, ErrorCode::wrong_use);
}

TEST(LibraryErrors, AJobThatDoesNotFitIsRefused) {
  const auto matrix = engine().load("gen:band:n=3000").value();
  const auto refused = engine({.backend = "cpu", .memory_bytes = 1'000'000})
                           .run(matrix, {.method = "dense", .features = false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory);
  EXPECT_FALSE(refused.error().advice.empty());
  const auto picture = engine({.backend = "cpu", .memory_bytes = 1'000'000})
                           .pattern_picture(matrix, {.height = 1024, .width = 1024});
  ASSERT_FALSE(picture);
  EXPECT_EQ(picture.error().code, ErrorCode::out_of_memory);
}

TEST(LibraryJobs, CanBeStoppedAndReportTheirProgress) {
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = engine().load("gen:band:n=1000", {.stop = stop.get_token()});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  int reports = 0;
  const auto matrix = engine().load("gen:random:rows=500,cols=500,density=0.05",
                                    {.on_progress = [&](const Progress&) { ++reports; }});
  ASSERT_TRUE(matrix) << matrix.error().message();
  EXPECT_GT(reports, 0);
}

TEST(LibrarySpectrum, WindowsHoldTheDirectSum) {
  const auto matrix = from(5, 7, kRows, kCols);
  const Window window{.u0 = -6, .v0 = 9, .height = 4, .width = 5, .step_u = 3, .step_v = -2};
  const auto spectrum = engine().window(matrix, window).value();
  EXPECT_EQ(spectrum.layout(), Layout::grid);
  EXPECT_EQ(spectrum.exactness(), Exactness::exact_samples);
  EXPECT_FALSE(spectrum.features());
  ASSERT_EQ(spectrum.values().size(), 20U);
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 5; ++c) {
      EXPECT_EQ(spectrum.u()[r], -6 + 3 * static_cast<std::int64_t>(r));
      EXPECT_EQ(spectrum.v()[c], 9 - 2 * static_cast<std::int64_t>(c));
      const std::complex<double> value = spectrum.values()[5 * r + c];
      EXPECT_LT(std::abs(value - direct_sum(spectrum.u()[r], spectrum.v()[c], 5, 7)), 1e-4);
    }
}

TEST(LibrarySpectrum, EveryLayoutStoresItsCoefficientsInTheOrderOfItsFrequencies) {
  const auto matrix = from(5, 7, kRows, kCols);
  const auto half = engine().run(matrix, {.method = "dense"}).value();
  EXPECT_EQ(half.layout(), Layout::half_plane);
  ASSERT_EQ(half.values().size(), 3U * 7U);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 7; ++c) {
      const std::complex<double> value = half.values()[7 * r + c];
      EXPECT_LT(std::abs(value - direct_sum(half.u()[r], half.v()[c], 5, 7)), 1e-4);
    }
  ASSERT_TRUE(half.features());
  EXPECT_NEAR(half.features()->total_power, 5 * 7 * 6, 1e-3);  // Parseval

  const auto band = engine().load("gen:band:n=200").value();
  const auto scattered = engine().run(band, {.method = "fps-sft"}).value();
  EXPECT_EQ(scattered.layout(), Layout::scattered);
  EXPECT_EQ(scattered.u().size(), scattered.values().size());
  EXPECT_EQ(scattered.v().size(), scattered.values().size());
  const auto reduced = engine().run(band, {.method = "density-map", .parameters = {{"block", "8"}}}).value();
  EXPECT_EQ(reduced.layout(), Layout::reduced_plane);
  EXPECT_EQ(reduced.exactness(), Exactness::estimate);
  EXPECT_EQ(reduced.u().size(), 25U);
  EXPECT_EQ(reduced.provenance().parameters.at("block"), "8");
  EXPECT_EQ(engine().run(band, {.values = false}).value().layout(), Layout::none);
}

TEST(LibraryPictures, ColourEveryPixelInsideAndNoneOutside) {
  const auto matrix = engine().load("gen:diagonal:n=8").value();
  const auto pattern =
      engine().pattern_picture(matrix, {.height = 8, .width = 16, .view = Rect{0, 0, 8, 16}}).value();
  ASSERT_EQ(pattern.values.size(), 128U);
  ASSERT_EQ(pattern.rgba.size(), 512U);
  for (std::size_t r = 0; r < 8; ++r)
    for (std::size_t c = 0; c < 16; ++c) {
      const float value = pattern.values[16 * r + c];
      if (c < 8)
        EXPECT_EQ(value, r == c ? 1.0F : 0.0F);
      else
        EXPECT_TRUE(std::isnan(value));
      EXPECT_EQ(pattern.rgba[4 * (16 * r + c) + 3], c < 8 ? 255 : 0);
    }
  // F[u,v] of the identity is n where u + v = 0 modulo n; |F|² = 64.
  const auto plane = engine().spectrum_picture(matrix, {.height = 8, .width = 8}).value();
  EXPECT_EQ(plane.exactness, Exactness::exact);
  EXPECT_NEAR(plane.values[8 * 4 + 4], 64.0F, 1e-3F);  // (0, 0)
  EXPECT_NEAR(plane.values[8 * 3 + 5], 64.0F, 1e-3F);  // (−1, 1)
  EXPECT_NEAR(plane.values[8 * 3 + 4], 0.0F, 1e-3F);
  const auto drawn =
      engine().result_picture(engine().run(matrix, {.method = "dense"}).value(), {.height = 8, .width = 8});
  ASSERT_TRUE(drawn) << drawn.error().message();
  EXPECT_NEAR(drawn->values[8 * 3 + 5], 64.0F, 1e-3F);
}

TEST(LibraryPictures, RefuseInvalidRequests) {
  const auto matrix = engine().load("gen:diagonal:n=8").value();
  EXPECT_EQ(engine().pattern_picture(matrix, {.height = 0}).error().code, ErrorCode::wrong_use);
  EXPECT_EQ(engine().pattern_picture(matrix, {.width = 40000}).error().code, ErrorCode::wrong_use);
  EXPECT_EQ(engine().pattern_picture(matrix, {.view = Rect{0, 0, 0, 1}}).error().code, ErrorCode::wrong_use);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(engine().pattern_picture(matrix, {.view = Rect{nan, 0, 1, 1}}).error().code,
            ErrorCode::wrong_use);
  EXPECT_EQ(engine().spectrum_picture(matrix, {.color_map = "nonsense"}).error().code, ErrorCode::wrong_use);
  const auto without_values = engine().run(matrix, {.values = false}).value();
  EXPECT_EQ(engine().result_picture(without_values).error().code, ErrorCode::wrong_use);
}

TEST(LibraryMethods, AreListedWithTheirParameters) {
  const auto all = methods();
  ASSERT_FALSE(all.empty());
  const auto matrix = engine().load("gen:band:n=60").value();
  bool found = false;
  for (const MethodInfo& method : all) {
    EXPECT_FALSE(method.summary.empty()) << method.id;
    found = found || method.id == Request{}.method;
    for (const MethodParameter& parameter : method.parameters)
      EXPECT_FALSE(parameter.help.empty()) << parameter.name;
  }
  EXPECT_TRUE(found);
  EXPECT_FALSE(version().empty());
}

}  // namespace
