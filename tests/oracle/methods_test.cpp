// SPDX-License-Identifier: Apache-2.0
// Every registered method against direct sums in double precision, on tiny, odd, prime, rectangular, empty,
// one-element and full patterns; Density Map against its definition. The tests iterate the registry: a new
// method is tested as soon as it is registered.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/frequency/frequency_grid.hpp"
#include "core/methods/method.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

constexpr RequestedOutputs kValuesOnly{true, false, false, 1024};
const std::vector<std::int64_t> kBlocks{1, 2, 3, 4, 5, 7, 8, 16, 31, 1000, 1048576};

bool computes_coefficients(const Method& method) { return method.info().exactness != Exactness::estimate; }

ParameterValues with_block(const Method& method, std::int64_t block) {
  return method.info().uses_block ? ParameterValues{{"block", std::to_string(block)}} : ParameterValues{};
}

/// Caches direct sums, since the tests use those at the same frequencies of a pattern many times.
class DirectSums {
 public:
  explicit DirectSums(const SparsePattern& pattern) : pattern_(pattern) {}
  std::complex<double> at(std::int64_t u, std::int64_t v) {
    const std::pair key(dft_index(u, static_cast<std::int64_t>(pattern_.rows())),
                        dft_index(v, static_cast<std::int64_t>(pattern_.cols())));
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    return known_[key] = direct_coefficient(pattern_, key.first, key.second);
  }

 private:
  const SparsePattern& pattern_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::complex<double>> known_;
};

void expect_coefficients(const Spectrum& spectrum, const SparsePattern& pattern, DirectSums& direct) {
  ASSERT_EQ(spectrum.values.size(), spectrum.grid.count());
  const double tolerance = coefficient_tolerance(pattern);
  for (std::uint64_t p = 0; p < spectrum.grid.rows.count(); ++p) {
    for (std::uint64_t q = 0; q < spectrum.grid.cols.count(); ++q) {
      const std::complex<double> value(spectrum.values[p * spectrum.grid.cols.count() + q]);
      const std::int64_t u = spectrum.grid.rows.at(p);
      const std::int64_t v = spectrum.grid.cols.at(q);
      ASSERT_LE(std::abs(value - direct.at(u, v)), tolerance) << "at u = " << u << ", v = " << v;
    }
  }
}

std::vector<FrequencyGrid> windows_of(std::uint64_t m, std::uint64_t n) {
  const auto rows = static_cast<std::int64_t>(m);
  const auto cols = static_cast<std::int64_t>(n);
  using Axis = FrequencyAxis;
  return {
      {Axis::progression(m, 0, 1, 1), Axis::progression(n, 0, 1, 1)},  // DC alone
      {Axis::progression(m, -2, 1, 5),
       Axis::progression(n, -3, 1, 7)},  // across both axes; wraps around if the plane is small
      {Axis::progression(m, rows / 2, -1, m), Axis::progression(n, 1, 2, 4)},  // negative steps
      {Axis::progression(m, 5 * rows + 1, 3, 6), Axis::progression(n, -7 * cols - 2, -2, 3)},  // far outside
      {Axis::full(m), Axis::full(n)},
      {Axis::list(m, {0, -1, rows / 2, -1, 3}), Axis::list(n, {1, 0, -1, cols - 1})},  // any order, repeated
      {Axis::list(m, {3, 5, 4, 6}),
       Axis::progression(n, 0, 1, n)},  // not evenly spaced, though its ends are 3 apart
  };
}

TEST(EveryExactMethod, StoresTheHalfSpectrumThatDirectSumsGive) {
  for (const NamedPattern& named : awkward_patterns()) {
    DirectSums direct(*named.pattern);
    for (const Method* method : runnable_methods()) {
      if (!method->info().full_plane) continue;
      SCOPED_TRACE(method->info().id + " on " + named.name);
      const SpectrumPtr spectrum = succeed(*method, request_of(named.pattern, {}, kValuesOnly));
      ASSERT_TRUE(spectrum);
      EXPECT_TRUE(spectrum->hermitian_half);
      EXPECT_EQ(spectrum->exactness, Exactness::exact);
      ASSERT_EQ(spectrum->grid.rows.count(), named.pattern->rows() / 2 + 1);
      ASSERT_EQ(spectrum->grid.cols.count(), named.pattern->cols());
      expect_coefficients(*spectrum, *named.pattern, direct);
    }
  }
}

TEST(EverySamplingMethod, ReturnsExactCoefficientsAtItsFrequenciesForEveryBlock) {
  for (const NamedPattern& named : awkward_patterns()) {
    DirectSums direct(*named.pattern);
    for (const Method* method : runnable_methods()) {
      if (method->info().exactness != Exactness::exact_samples) continue;
      for (const std::int64_t block : kBlocks) {
        SCOPED_TRACE(method->info().id + " on " + named.name + ", block " + std::to_string(block));
        const SpectrumPtr spectrum =
            succeed(*method, request_of(named.pattern, with_block(*method, block), kValuesOnly));
        ASSERT_TRUE(spectrum);
        EXPECT_EQ(spectrum->block, block);
        EXPECT_EQ(spectrum->exactness, block == 1 || named.pattern->rows() * named.pattern->cols() == 1
                                           ? Exactness::exact
                                           : Exactness::exact_samples);
        expect_coefficients(*spectrum, *named.pattern, direct);
      }
    }
  }
}

TEST(EveryMethodWithCoefficientsOfThePlane, ReturnsAnyWindowAtAnySignedFrequenciesAndSteps) {
  for (const NamedPattern& named : awkward_patterns()) {
    DirectSums direct(*named.pattern);
    const auto windows = windows_of(named.pattern->rows(), named.pattern->cols());
    for (const Method* method : runnable_methods()) {
      if (!computes_coefficients(*method)) continue;
      for (std::size_t k = 0; k < windows.size(); ++k) {
        SCOPED_TRACE(method->info().id + " on " + named.name + ", window " + std::to_string(k));
        Request request = request_of(named.pattern);
        request.window = windows[k];
        const SpectrumPtr spectrum = succeed(*method, std::move(request));
        ASSERT_TRUE(spectrum);
        ASSERT_EQ(spectrum->grid.rows.count(), windows[k].rows.count());
        ASSERT_EQ(spectrum->grid.cols.count(), windows[k].cols.count());
        for (std::uint64_t p = 0; p < windows[k].rows.count(); ++p)
          EXPECT_EQ(spectrum->grid.rows.at(p), windows[k].rows.at(p));
        expect_coefficients(*spectrum, *named.pattern, direct);
      }
    }
  }
}

TEST(EveryMethod, GivesTheSameValuesForEveryTileHeight) {
  const PatternPtr pattern = random_pattern(61, 83, 300, 9);
  DirectSums direct(*pattern);
  for (const Method* method : runnable_methods()) {
    const auto& schema = method->parameters();
    if (std::none_of(schema.begin(), schema.end(), [](const Parameter& p) { return p.name == "tile"; }))
      continue;
    for (const char* tile : {"1", "2", "5", "16", "60000"}) {
      SCOPED_TRACE(method->info().id + ", tile " + tile);
      ParameterValues parameters = with_block(*method, 3);
      parameters["tile"] = tile;
      const SpectrumPtr spectrum = succeed(*method, request_of(pattern, parameters, kValuesOnly));
      ASSERT_TRUE(spectrum);
      expect_coefficients(*spectrum, *pattern, direct);
    }
  }
}

TEST(Elastic, LatticeAndRowsEnginesGiveTheSameExactSamples) {
  const PatternPtr pattern = random_pattern(90, 128, 500, 10);
  DirectSums direct(*pattern);
  for (const char* engine : {"auto", "lattice", "rows"}) {
    for (const std::int64_t block : {2, 3, 8}) {
      SCOPED_TRACE(std::string(engine) + ", block " + std::to_string(block));
      const SpectrumPtr spectrum =
          succeed(*find_method("elastic"),
                  request_of(pattern, {{"engine", engine}, {"block", std::to_string(block)}}, kValuesOnly));
      ASSERT_TRUE(spectrum);
      expect_coefficients(*spectrum, *pattern, direct);
    }
  }
}

TEST(Elastic, ExcludesFrequencyZeroUnlessEveryFrequencyIsTaken) {
  for (std::uint64_t size = 1; size <= 70; ++size) {
    for (std::uint64_t block = 1; block <= 80; ++block) {
      const FrequencyAxis axis = off_axis_progression(size, block);
      if (axis.is_full()) {
        EXPECT_TRUE(block == 1 || size == 1);
        continue;
      }
      EXPECT_GE(axis.count(), size / std::min(block, size));
      EXPECT_LE(axis.count(), (size + block - 1) / block);
      std::map<std::int64_t, int> seen;
      for (std::uint64_t k = 0; k < axis.count(); ++k) {
        EXPECT_NE(axis.signed_at(k), 0) << "size " << size << ", block " << block;
        EXPECT_EQ(axis.signed_at(k), axis.at(k)) << "ascending within the signed range";
        EXPECT_EQ(++seen[axis.signed_at(k)], 1);
      }
      if (block > 2 && block < size) {
        for (std::uint64_t k = 0; k < axis.count(); ++k)
          EXPECT_EQ(seen.count(-axis.at(k)), 0U) << "a conjugate node tells nothing new";
      }
    }
  }
}

TEST(ElasticPaper, SamplesRoundedEvenPositionsOfTheShiftedAxis) {
  const FrequencyAxis axis = paper_axis(10, 3);  // 4 positions: 0, 3, 6, 9
  ASSERT_EQ(axis.count(), 4U);
  EXPECT_EQ(axis.at(0), -5);
  EXPECT_EQ(axis.at(1), -2);
  EXPECT_EQ(axis.at(2), 1);
  EXPECT_EQ(axis.at(3), 4);
  const FrequencyAxis half_way = paper_axis(6, 2);  // shifted positions 0, 2.5, 5: 2.5 goes up
  EXPECT_EQ(half_way.at(1), 0);
  for (std::uint64_t size = 1; size <= 60; ++size) {
    for (std::uint64_t block = 1; block <= 64; ++block) {
      const FrequencyAxis sampled = paper_axis(size, block);
      ASSERT_EQ(sampled.count(), (size + block - 1) / block);
      for (std::uint64_t p = 1; p < sampled.count(); ++p) ASSERT_LT(sampled.at(p - 1), sampled.at(p));
      ASSERT_EQ(sampled.at(0), -static_cast<std::int64_t>(size / 2));
      if (sampled.count() > 1) {
        ASSERT_EQ(sampled.at(sampled.count() - 1), static_cast<std::int64_t>((size - 1) - size / 2));
      }
    }
  }
}

/// eq. 12 of the paper, then a direct DFT of the m0×n0 map.
std::complex<double> density_coefficient(const SparsePattern& pattern, std::int64_t block, std::int64_t u,
                                         std::int64_t v) {
  const auto m = static_cast<std::int64_t>(pattern.rows());
  const auto n = static_cast<std::int64_t>(pattern.cols());
  const std::int64_t m0 = (m + block - 1) / block;
  const std::int64_t n0 = (n + block - 1) / block;
  std::vector<double> density(static_cast<std::size_t>(m0 * n0));
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    for (std::int64_t t = pattern.column_starts()[k]; t < pattern.column_starts()[k + 1]; ++t) {
      const std::int64_t p = pattern.row_indices()[static_cast<std::size_t>(t)] / block;
      const std::int64_t q = pattern.column_ids()[k] / block;
      const double cells = static_cast<double>(std::min(block, m - p * block)) *
                           static_cast<double>(std::min(block, n - q * block));
      density[static_cast<std::size_t>(p * n0 + q)] += 1.0 / cells;
    }
  }
  double sum = 0;
  for (const double value : density) sum += value;
  const double gamma = sum > 0 ? static_cast<double>(pattern.nonzeros()) / sum : 0.0;
  std::complex<double> coefficient = 0;
  for (std::int64_t p = 0; p < m0; ++p) {
    for (std::int64_t q = 0; q < n0; ++q) {
      const double turn = static_cast<double>(dft_index(u * p, m0)) / static_cast<double>(m0) +
                          static_cast<double>(dft_index(v * q, n0)) / static_cast<double>(n0);
      coefficient += gamma * density[static_cast<std::size_t>(p * n0 + q)] *
                     std::polar(1.0, -2 * std::numbers::pi * turn);
    }
  }
  return coefficient;
}

TEST(DensityMap, IsTheTransformOfItsDefinitionForEveryBlock) {
  for (const NamedPattern& named : awkward_patterns()) {
    for (const std::int64_t block : kBlocks) {
      SCOPED_TRACE(named.name + ", block " + std::to_string(block));
      const SpectrumPtr spectrum =
          succeed(*find_method("density-map"),
                  request_of(named.pattern, {{"block", std::to_string(block)}}, kValuesOnly));
      ASSERT_TRUE(spectrum);
      EXPECT_EQ(spectrum->placement, block == 1 ? Placement::true_frequencies : Placement::reduced_plane);
      EXPECT_EQ(spectrum->exactness, block == 1 ? Exactness::exact : Exactness::estimate);
      const FrequencyGrid& grid = spectrum->grid;
      ASSERT_EQ(spectrum->values.size(), grid.count());
      ASSERT_EQ(grid.rows.count(), block_count(named.pattern->rows(), static_cast<std::uint64_t>(block)));
      const double tolerance = 1e-6 * (4.0 + std::log2(static_cast<double>(grid.count()))) *
                               static_cast<double>(named.pattern->nonzeros());
      for (std::uint64_t p = 0; p < grid.rows.count(); ++p)
        for (std::uint64_t q = 0; q < grid.cols.count(); ++q)
          ASSERT_LE(std::abs(std::complex<double>(spectrum->values[p * grid.cols.count() + q]) -
                             density_coefficient(*named.pattern, block, grid.rows.at(p), grid.cols.at(q))),
                    tolerance);
    }
  }
}

/// √(K/K')·DFT of A'[p, q] = A[step·p, step·q], by its definition; constant if no entry is kept.
std::complex<double> fixed_point_coefficient(const SparsePattern& pattern, std::int64_t block,
                                             std::int64_t step, std::int64_t u, std::int64_t v) {
  const auto m0 = (static_cast<std::int64_t>(pattern.rows()) + block - 1) / block;
  const auto n0 = (static_cast<std::int64_t>(pattern.cols()) + block - 1) / block;
  std::complex<double> sum = 0;
  double kept = 0;
  for (std::int64_t p = 0; p < m0; ++p) {
    for (std::int64_t q = 0; q < n0; ++q) {
      if (!pattern.contains(static_cast<std::uint64_t>(step * p), static_cast<std::uint64_t>(step * q)))
        continue;
      kept += 1;
      const double turn = static_cast<double>(dft_index(u * p, m0)) / static_cast<double>(m0) +
                          static_cast<double>(dft_index(v * q, n0)) / static_cast<double>(n0);
      sum += std::polar(1.0, -2 * std::numbers::pi * turn);
    }
  }
  const auto nonzeros = static_cast<double>(pattern.nonzeros());
  return kept > 0 ? sum * std::sqrt(nonzeros / kept) : std::complex<double>(std::sqrt(nonzeros));
}

TEST(FixedPoint, IsTheScaledTransformOfTheKeptEntriesForEveryBlock) {
  for (const NamedPattern& named : awkward_patterns()) {
    for (const char* keep : {"decimation", "crop"}) {
      for (const std::int64_t block : {1, 2, 3, 4, 7, 16, 1000}) {
        SCOPED_TRACE(named.name + ", " + keep + ", block " + std::to_string(block));
        const SpectrumPtr spectrum = succeed(
            *find_method("fixed-point"),
            request_of(named.pattern, {{"block", std::to_string(block)}, {"keep", keep}}, kValuesOnly));
        ASSERT_TRUE(spectrum);
        EXPECT_EQ(spectrum->placement, block == 1 ? Placement::true_frequencies : Placement::reduced_plane);
        EXPECT_EQ(spectrum->exactness, block == 1 ? Exactness::exact : Exactness::estimate);
        const FrequencyGrid& grid = spectrum->grid;
        ASSERT_EQ(spectrum->values.size(), grid.count());
        const std::int64_t step = std::string(keep) == "crop" ? 1 : block;
        const double tolerance = 1e-6 * (4.0 + std::log2(static_cast<double>(grid.count()))) *
                                 static_cast<double>(named.pattern->nonzeros());
        for (std::uint64_t p = 0; p < grid.rows.count(); ++p)
          for (std::uint64_t q = 0; q < grid.cols.count(); ++q)
            ASSERT_LE(std::abs(std::complex<double>(spectrum->values[p * grid.cols.count() + q]) -
                               fixed_point_coefficient(*named.pattern, block, step, grid.rows.at(p),
                                                       grid.cols.at(q))),
                      tolerance);
      }
    }
  }
}

TEST(FixedPoint, ReportsThatNoEntryWasKept) {
  const PatternPtr pattern = make_pattern(8, 8, {{1, 1}, {3, 5}});
  const SpectrumPtr spectrum = succeed(*find_method("fixed-point"), request_of(pattern, {{"block", "2"}}));
  ASSERT_TRUE(spectrum);
  EXPECT_NE(spectrum->provenance.note.find("flat"), std::string::npos) << spectrum->provenance.note;
  EXPECT_NEAR(spectrum->features->entropy, 1.0, 1e-6);
}

TEST(DensityMap, ReadsAWindowAsFrequenciesOfItsReducedPlane) {
  const PatternPtr pattern = random_pattern(30, 45, 100, 11);
  Request request = request_of(pattern, {{"block", "4"}});
  request.window =
      FrequencyGrid{FrequencyAxis::progression(30, -2, 1, 4), FrequencyAxis::list(45, {3, -1, 0})};
  const SpectrumPtr spectrum = succeed(*find_method("density-map"), request);
  ASSERT_TRUE(spectrum);
  EXPECT_EQ(spectrum->exactness, Exactness::estimate);
  EXPECT_EQ(spectrum->grid.rows.size(), 8U);
  EXPECT_EQ(spectrum->grid.cols.size(), 12U);
  for (std::uint64_t p = 0; p < 4; ++p)
    for (std::uint64_t q = 0; q < 3; ++q)
      EXPECT_LE(
          std::abs(std::complex<double>(spectrum->values[p * 3 + q]) -
                   density_coefficient(*pattern, 4, request.window->rows.at(p), request.window->cols.at(q))),
          1e-5 * 10);
}

TEST(DensityMap, CountsBlocksThatHoldMoreThanSinglePrecisionCounts) {
  // A block of 5,000×5,000 full cells holds 25,000,000 > 2^24 entries.
  std::vector<Index> rows;
  std::vector<Index> cols;
  for (Index j = 0; j < 5000; ++j) {
    for (Index i = 0; i < 5000; ++i) {
      rows.push_back(i);
      cols.push_back(j);
    }
  }
  auto made = SparsePattern::from_coordinates(10000, 5000, std::move(rows), std::move(cols));
  ASSERT_TRUE(made);
  const auto pattern = std::make_shared<const SparsePattern>(std::move(*made));
  const SpectrumPtr spectrum =
      succeed(*find_method("density-map"), request_of(pattern, {{"block", "5000"}}, kValuesOnly));
  ASSERT_TRUE(spectrum);
  ASSERT_EQ(spectrum->values.size(), 2U);
  EXPECT_EQ(spectrum->values[1], std::complex<float>(25e6F, 0.0F));  // DC at shifted position 1
}

}  // namespace
}  // namespace spyctrum::test
