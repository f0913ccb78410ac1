// SPDX-License-Identifier: Apache-2.0
// FINUFFT's own library: every mode and precision against direct sums, and refused requests. Skipped with a
// message if the library is not installed.
#include <gtest/gtest.h>

#include <cmath>

#include "core/methods/finufft/finufft_library.hpp"
#include "core/methods/method.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

class Finufft : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!finufft_library().available()) GTEST_SKIP() << "NOT TESTED: " << finufft_library().reason;
  }
};

TEST_F(Finufft, EveryModeAndPrecisionGivesTheCoefficientsOfItsGrid) {
  const PatternPtr pattern = random_pattern(211, 180, 900, 3);
  for (const char* mode : {"type3", "type1-box", "type1-lattice"}) {
    for (const char* precision : {"double", "single"}) {
      for (const char* block : {"1", "5", "16"}) {
        SCOPED_TRACE(std::string(mode) + ", " + precision + ", block " + block);
        const auto result =
            run_job(*find_method("nufft"),
                    request_of(pattern, {{"mode", mode}, {"precision", precision}, {"block", block}},
                               {true, true, false, 0}),
                    pool());
        ASSERT_TRUE(result) << result.error().message();
        const Spectrum& spectrum = **result;
        ASSERT_EQ(spectrum.values.size(), spectrum.grid.count());
        // Single precision: 6e-8·m/2 in the phases, and a tolerance that it cannot keep.
        const double tolerance =
            (std::string(precision) == "single" ? 50 : 1) * coefficient_tolerance(*pattern);
        for (std::uint64_t p = 0; p < spectrum.grid.rows.count(); p += 3)
          for (std::uint64_t q = 0; q < spectrum.grid.cols.count(); q += 7)
            ASSERT_LE(
                std::abs(std::complex<double>(spectrum.values[p * spectrum.grid.cols.count() + q]) -
                         direct_coefficient(*pattern, spectrum.grid.rows.at(p), spectrum.grid.cols.at(q))),
                tolerance);
      }
    }
  }
}

TEST_F(Finufft, TheLatticeModeTakesProgressionsOnly) {
  Request request = request_of(random_pattern(40, 40, 90, 1), {{"mode", "type1-lattice"}});
  request.window =
      FrequencyGrid{FrequencyAxis::progression(40, 3, -2, 5), FrequencyAxis::list(40, {1, 2, 5})};
  const auto refused = run_job(*find_method("nufft"), request, pool());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::wrong_use);
}

TEST_F(Finufft, ReportsWhatTheLibraryRefusesWithItsReason) {
  auto made = SparsePattern::from_coordinates(4'000'000'001U, 4'000'000'001U, {5, 2'000'000'000U},
                                              {7, 2'000'000'000U});
  ASSERT_TRUE(made);
  Request request = request_of(std::make_shared<const SparsePattern>(std::move(*made)));
  const auto axis = FrequencyAxis::list(4'000'000'001U, {-10'000'000, 10'000'000});
  request.window = FrequencyGrid{axis, axis};
  const auto refused = run_job(*find_method("nufft"), request, pool(), std::uint64_t{1} << 62U);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("FINUFFT refused"), std::string::npos) << refused.error().what;
  EXPECT_NE(refused.error().native, 0);
}

}  // namespace
}  // namespace spyctrum::test
