// SPDX-License-Identifier: Apache-2.0
// Spectra of weights against direct sums in double precision over the values as they were given: every method
// that takes weights, with random signed weights, and with weights of every range; features against the plane
// of the direct sums. What cannot take weights refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "core/collection/fingerprint.hpp"
#include "core/device/backends.hpp"
#include "core/device/device_module.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/features/feature_table.hpp"
#include "core/fft/axis_values.hpp"
#include "core/fft/lattice.hpp"
#include "core/matrix/reordering.hpp"
#include "core/matrix/weights.hpp"
#include "core/methods/method.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "tests/support/method_runs.hpp"

namespace spyctrum::test {
namespace {

constexpr RequestedOutputs kValuesOnly{true, false, false, 1024};

/// Entries with their values, which the oracle reads; the pattern is made of them.
struct Weighted {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::map<std::pair<Index, Index>, double> values;

  [[nodiscard]] PatternPtr pattern() const {
    std::vector<std::pair<Index, Index>> places;
    for (const auto& [place, value] : values) places.push_back(place);
    const PatternPtr plain = make_pattern(m, n, places);
    std::vector<float> weights;
    for (std::size_t k = 0; k < plain->column_ids().size(); ++k)
      for (const Index row : plain->column(k))
        weights.push_back(static_cast<float>(values.at({row, plain->column_ids()[k]})));
    return std::make_shared<const SparsePattern>(plain->with_weights(std::move(weights)));
  }
  /// Σ a e^{−2πi(ui/m + vj/n)}, indices reduced in integers.
  [[nodiscard]] std::complex<double> coefficient(std::int64_t u, std::int64_t v) const {
    const auto turn = [](std::int64_t frequency, Index index, std::uint64_t size) {
      const auto side = static_cast<std::int64_t>(size);
      const std::int64_t reduced = ((frequency % side) + side) % side;
      return static_cast<double>(reduced * static_cast<std::int64_t>(index) % side) /
             static_cast<double>(side);
    };
    std::complex<double> sum = 0;
    for (const auto& [place, value] : values)
      sum += value *
             std::polar(1.0, -2 * std::numbers::pi * (turn(u, place.first, m) + turn(v, place.second, n)));
    return sum;
  }
  [[nodiscard]] double root_mean_square() const {  // of the coefficients
    double squares = 0;
    for (const auto& [place, value] : values) squares += value * value;
    return std::sqrt(squares);
  }
};

/// `entries` places, values by draw(random).
template <class Draw>
Weighted random_weighted(std::uint64_t m, std::uint64_t n, std::size_t entries, unsigned seed, Draw&& draw) {
  std::mt19937_64 random(seed);
  Weighted made{m, n, {}};
  for (std::size_t t = 0; t < entries; ++t) {
    const std::pair<Index, Index> place(random() % m, random() % n);
    made.values[place] = static_cast<double>(static_cast<float>(draw(random)));
  }
  return made;
}

double signed_normal(std::mt19937_64& random) { return std::normal_distribution<double>()(random); }

std::vector<std::pair<std::string, Weighted>> signed_matrices() {
  std::vector<std::pair<std::string, Weighted>> list;
  list.emplace_back("1x1", random_weighted(1, 1, 1, 1, signed_normal));
  list.emplace_back("1x9", random_weighted(1, 9, 5, 2, signed_normal));
  list.emplace_back("9x1", random_weighted(9, 1, 5, 3, signed_normal));
  list.emplace_back("16x16", random_weighted(16, 16, 60, 4, signed_normal));
  list.emplace_back("17x31", random_weighted(17, 31, 90, 5, signed_normal));
  list.emplace_back("30x12", random_weighted(30, 12, 80, 6, signed_normal));
  list.emplace_back("5x47", random_weighted(5, 47, 40, 7, signed_normal));
  list.emplace_back("64x3", random_weighted(64, 3, 50, 8, signed_normal));
  list.emplace_back("80x72", random_weighted(80, 72, 900, 9, signed_normal));
  Weighted symmetric{24, 24, {}};
  for (const auto& [place, value] : random_weighted(24, 24, 60, 10, signed_normal).values)
    symmetric.values[place] = symmetric.values[{place.second, place.first}] = value;
  list.emplace_back("symmetric", symmetric);
  Weighted skew{25, 25, {}};
  for (const auto& [place, value] : random_weighted(25, 25, 60, 11, signed_normal).values) {
    if (place.first == place.second) continue;
    skew.values[place] = value;
    skew.values[{place.second, place.first}] = -value;
  }
  list.emplace_back("skew-symmetric", skew);
  return list;
}

/// The coefficient in the units of the values.
std::complex<double> scaled(const Spectrum& spectrum, std::complex<float> value) {
  return {std::ldexp(static_cast<double>(value.real()), spectrum.exponent()),
          std::ldexp(static_cast<double>(value.imag()), spectrum.exponent())};
}

/// coefficient_tolerance() with √Σa² in place of √K.
double tolerance_of(const Weighted& matrix) {
  const double points = static_cast<double>(matrix.m) * static_cast<double>(matrix.n);
  return 1e-6 * (4.0 + std::log2(points)) * matrix.root_mean_square();
}

void expect_coefficients(const Spectrum& spectrum, const Weighted& matrix) {
  const double tolerance = tolerance_of(matrix);
  if (spectrum.placement == Placement::scattered) {
    for (std::size_t k = 0; k < spectrum.values.size(); ++k)
      ASSERT_LE(std::abs(scaled(spectrum, spectrum.values[k]) -
                         matrix.coefficient(spectrum.points.u[k], spectrum.points.v[k])),
                tolerance);
    return;
  }
  ASSERT_EQ(spectrum.values.size(), spectrum.grid.count());
  for (std::uint64_t p = 0; p < spectrum.grid.rows.count(); ++p)
    for (std::uint64_t q = 0; q < spectrum.grid.cols.count(); ++q) {
      const std::int64_t u = spectrum.grid.rows.at(p);
      const std::int64_t v = spectrum.grid.cols.at(q);
      const auto value = scaled(spectrum, spectrum.values[p * spectrum.grid.cols.count() + q]);
      ASSERT_LE(std::abs(value - matrix.coefficient(u, v)), tolerance) << "at u = " << u << ", v = " << v;
    }
}

bool is_reduced(const Method& method) {
  return method.info().id == "density-map" || method.info().id == "fixed-point";
}

/// The requests by which a method computes coefficients of the plane.
std::vector<Request> requests_for(const Method& method, const PatternPtr& pattern) {
  std::vector<Request> requests;
  const auto add = [&](ParameterValues parameters, std::optional<FrequencyGrid> window = {}) {
    Request request = request_of(pattern, std::move(parameters), kValuesOnly);
    request.window = std::move(window);
    requests.push_back(std::move(request));
  };
  if (method.info().uses_block) {
    add({{"block", "1"}});
    if (is_reduced(method)) return requests;
    add({{"block", "3"}});
    add({{"block", "4"}});
  } else {
    add({});
  }
  if (method.info().id == "elastic")
    for (const char* engine : {"lattice", "rows"}) add({{"block", "3"}, {"engine", engine}});
  using Axis = FrequencyAxis;
  const std::uint64_t m = pattern->rows();
  const std::uint64_t n = pattern->cols();
  add({}, FrequencyGrid{Axis::progression(m, -2, 1, 5), Axis::progression(n, -3, 1, 7)});
  add({}, FrequencyGrid{Axis::progression(m, 5, 3, 6), Axis::progression(n, -2, -2, 3)});
  add({}, FrequencyGrid{Axis::list(m, {0, -1, 3}), Axis::list(n, {1, 0, -1})});
  return requests;
}

TEST(EveryMethodThatTakesWeights, GivesTheCoefficientsOfDirectSums) {
  int tested = 0;
  for (const auto& [name, matrix] : signed_matrices()) {
    const PatternPtr pattern = matrix.pattern();
    for (const Method* method : runnable_methods()) {
      if (!method->info().takes_weights) continue;
      for (const Request& request : requests_for(*method, pattern)) {
        SCOPED_TRACE(method->info().id + " on " + name);
        if (method->info().scattered && std::min(matrix.m, matrix.n) < 5) continue;
        const SpectrumPtr spectrum = succeed(*method, request);
        ASSERT_TRUE(spectrum);
        if (spectrum->exactness != Exactness::estimate) expect_coefficients(*spectrum, matrix);
        ++tested;
      }
    }
  }
  EXPECT_GT(tested, 300);
}

/// The sums of long columns whose weights have one sign are far above √Σa² near u = 0; their rounding must
/// not reach the coefficients where columns cancel. Of three columns rows are faster than the lattice.
TEST(WindowsByRows, KeepTheirErrorWhereLongColumnsHaveOneSign) {
  const auto positive = [](std::mt19937_64& random) { return std::abs(signed_normal(random)); };
  const Weighted matrix = random_weighted(40'009, 3, 30'000, 71, positive);
  Request request = request_of(matrix.pattern(), {}, kValuesOnly);
  request.window = FrequencyGrid{FrequencyAxis::progression(matrix.m, -2, 1, 5),
                                 FrequencyAxis::progression(matrix.n, -1, 1, 3)};
  for (const char* id : {"exact", "bs-fft"}) {
    const SpectrumPtr spectrum = succeed(*find_method(id), request);
    ASSERT_TRUE(spectrum);
    for (std::uint64_t p = 0; p < 5; ++p)
      for (std::uint64_t q = 0; q < 3; ++q) {
        const auto expected = matrix.coefficient(spectrum->grid.rows.at(p), spectrum->grid.cols.at(q));
        EXPECT_LE(std::abs(scaled(*spectrum, spectrum->values[p * 3 + q]) - expected),
                  5e-6 * matrix.root_mean_square() + 6e-8 * std::abs(expected))
            << id << ", row " << p << ", column " << q;
      }
  }
}

TEST(EveryMethod, RefusesWeightsThatItCannotTake) {
  const Weighted matrix = random_weighted(20, 20, 60, 1, signed_normal);
  int refused = 0;
  for (const auto& method : methods()) {
    if (!method->supports({}).ok) continue;
    const auto result = run_job(*method, request_of(matrix.pattern()), pool());
    EXPECT_EQ(result.has_value(), method->info().takes_weights) << method->info().id;
    if (result) continue;
    EXPECT_EQ(result.error().code, ErrorCode::wrong_use);
    EXPECT_NE(result.error().what.find("pattern only"), std::string::npos) << result.error().what;
    ++refused;
  }
  EXPECT_EQ(refused, 2) << "bs-fft-paper and elastic-paper";
}

TEST(Devices, GetTheWeightsAndAutoTakesTheCpuWithoutADevice) {
  const PatternPtr pattern = random_weighted(20, 20, 60, 1, signed_normal).pattern();
  EXPECT_EQ(view_of(*pattern).weights, pattern->weights().data());
  EXPECT_EQ(view_of(pattern->without_weights()).weights, nullptr);
  if (cuda_unavailable_reason().empty()) GTEST_SKIP() << "a device is here: see tests/parity";
  for (const auto& method : methods()) {
    Request request = request_of(pattern);
    request.backend = {.kind = BackendKind::cuda};
    const auto refused = run_job(*method, request, pool());
    EXPECT_FALSE(refused.has_value()) << method->info().id;
    if (!method->info().takes_weights || !method->supports({}).ok) continue;
    request.backend.automatic = true;
    const auto ran = run_job(*method, request, pool());
    ASSERT_TRUE(ran.has_value()) << method->info().id;
    EXPECT_EQ((*ran)->provenance.backend, "cpu") << method->info().id;
  }
}

TEST(Fingerprints, OfACollectionRefuseWeights) {
  JobContext context(pool());
  const auto made = fingerprint_of(random_weighted(20, 20, 60, 1, signed_normal).pattern(), {}, context);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, ErrorCode::wrong_use);
}

TEST(Weights, OfOneGiveTheBitsOfThePattern) {
  const PatternPtr pattern = random_pattern(61, 83, 600, 9);
  const auto ones = std::make_shared<const SparsePattern>(
      pattern->with_weights(std::vector<float>(static_cast<std::size_t>(pattern->nonzeros()), 1.0F)));
  EXPECT_NE(ones->fingerprint(), pattern->fingerprint());
  for (const char* id : {"dense", "bs-fft", "exact", "elastic", "pruned", "fixed-point"}) {
    const Method& method = *find_method(id);
    ParameterValues parameters;
    if (method.info().uses_block) parameters["block"] = "4";
    const SpectrumPtr plain = succeed(method, request_of(pattern, parameters, kValuesOnly));
    const SpectrumPtr weighted = succeed(method, request_of(ones, parameters, kValuesOnly));
    ASSERT_TRUE(plain && weighted) << id;
    EXPECT_EQ(plain->values, weighted->values) << id;
    EXPECT_EQ(plain->rounding_floor, weighted->rounding_floor) << id;
  }
}

TEST(Spectra, OfWeightsAreLinearAndDoNotDependOnTheScale) {
  const Weighted matrix = random_weighted(48, 36, 400, 3, signed_normal);
  for (const double factor : {0x1p-96, 0x1p-20, 0x1p+60, -1.0}) {
    Weighted other = matrix;
    for (auto& [place, value] : other.values) value *= factor;
    for (const char* id : {"dense", "exact", "elastic", "density-map", "fixed-point"}) {
      const Method& method = *find_method(id);
      ParameterValues parameters;
      if (method.info().uses_block) parameters["block"] = "4";
      const SpectrumPtr one = succeed(method, request_of(matrix.pattern(), parameters));
      const SpectrumPtr two = succeed(method, request_of(other.pattern(), parameters));
      ASSERT_TRUE(one && two) << id;
      ASSERT_EQ(one->values.size(), two->values.size());
      for (std::size_t k = 0; k < one->values.size(); ++k)
        ASSERT_EQ(factor * scaled(*one, one->values[k]), scaled(*two, two->values[k])) << id;
      for (std::size_t k = 0; k < kFeatureCount; ++k)
        for (std::size_t c = 0; c < kFeatureTable[k].of(*one->features).size(); ++c)
          EXPECT_EQ(kFeatureTable[k].of(*one->features)[c], kFeatureTable[k].of(*two->features)[c]) << id;
      EXPECT_DOUBLE_EQ(factor * factor * one->features->total_power, two->features->total_power) << id;
    }
  }
}

/// Every method that takes weights, whatever the registry holds: what it computes of a matrix that is moved
/// cyclically by (s, t) is what it computes of the matrix times e^{−2πi(us/m + vt/n)}.
TEST(Spectra, OfWeightsThatAreMovedCyclicallyDifferByAPhase) {
  constexpr std::int64_t s = 5, t = 11;
  const Weighted matrix = random_weighted(48, 36, 400, 5, signed_normal);
  Weighted moved{48, 36, {}};
  for (const auto& [place, value] : matrix.values)
    moved.values[{static_cast<Index>((place.first + s) % 48), static_cast<Index>((place.second + t) % 36)}] =
        value;
  int tested = 0;
  for (const Method* method : runnable_methods()) {
    const MethodInfo& info = method->info();
    // Reduced planes and the largest slices of FPS-SFT are not those of the moved matrix.
    if (!info.takes_weights || is_reduced(*method) || info.scattered) continue;
    SCOPED_TRACE(info.id);
    const std::vector<Request> of_matrix = requests_for(*method, matrix.pattern());
    const std::vector<Request> of_moved = requests_for(*method, moved.pattern());
    for (std::size_t k = 0; k < of_matrix.size(); ++k) {
      const SpectrumPtr one = succeed(*method, of_matrix[k]);
      const SpectrumPtr two = succeed(*method, of_moved[k]);
      ASSERT_TRUE(one && two);
      ASSERT_EQ(one->values.size(), two->values.size());
      const std::uint64_t width = one->grid.cols.count();
      for (std::size_t at = 0; at < one->values.size(); ++at) {
        const auto u = static_cast<double>(one->grid.rows.at(at / width));
        const auto v = static_cast<double>(one->grid.cols.at(at % width));
        const auto phase = std::polar(1.0, -2 * std::numbers::pi * (u * s / 48 + v * t / 36));
        ASSERT_LE(std::abs(scaled(*two, two->values[at]) - phase * scaled(*one, one->values[at])),
                  2 * tolerance_of(matrix))
            << "at u = " << u << ", v = " << v;
      }
    }
    ++tested;
  }
  EXPECT_GE(tested, 5);
}

/// Σ|F|² = mn·Σa² from the coefficients themselves, and as the features state it.
TEST(Parseval, HoldsForEveryMethodThatComputesAllCoefficientsOfWeights) {
  int tested = 0;
  for (const auto& [name, matrix] : signed_matrices()) {
    const double points = static_cast<double>(matrix.m) * static_cast<double>(matrix.n);
    const double power = points * std::pow(matrix.root_mean_square(), 2);
    for (const Method* method : runnable_methods()) {
      if (!method->info().takes_weights || !method->info().full_plane) continue;
      SCOPED_TRACE(method->info().id + " on " + name);
      const SpectrumPtr spectrum =
          succeed(*method, request_of(matrix.pattern(), {}, {true, true, false, 64}));
      ASSERT_TRUE(spectrum && spectrum->features);
      EXPECT_NEAR(spectrum->features->total_power, power, 1e-5 * power);
      if (spectrum->values.empty()) continue;
      // Rows u = 0 … ⌊m/2⌋ stand for their mirrors.
      double sum = 0;
      const std::uint64_t width = spectrum->grid.cols.count();
      for (std::size_t at = 0; at < spectrum->values.size(); ++at) {
        const std::uint64_t u = at / width;
        const bool is_own = spectrum->values.size() == matrix.m * matrix.n || u == 0 || 2 * u == matrix.m;
        sum += (is_own ? 1 : 2) * std::norm(scaled(*spectrum, spectrum->values[at]));
      }
      EXPECT_NEAR(sum, power, 1e-5 * power);
      ++tested;
    }
  }
  EXPECT_GT(tested, 10);
}

/// Features of a plane of direct sums in double precision, by the definitions in core/features/README.md.
struct OracleFeatures {
  double entropy = 0;
  double total = 0;
  std::array<double, 16> radial{};
  std::array<double, 8> sectors{};
  double flatness = 0;  ///< 0 where more than a thousandth of the others are zero
  double zero_share = 0;
};
OracleFeatures oracle_features(const Weighted& matrix) {
  OracleFeatures found;
  const auto m = static_cast<std::int64_t>(matrix.m);
  const auto n = static_cast<std::int64_t>(matrix.n);
  double power_log = 0;
  double logs = 0;
  double others = 0;
  double zeros = 0;
  const double mean = std::pow(matrix.root_mean_square(), 2);
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t column = 0; column < n; ++column) {
      std::int64_t u = signed_index(row, m);
      std::int64_t v = signed_index(column, n);
      const double power = std::norm(matrix.coefficient(u, v));
      found.total += power;
      if (power > 0) power_log += power * std::log(power);
      // The member of the conjugate pair with u = 0 … ⌊m/2⌋.
      if (2 * u == -m) u = -u;
      if (u < 0) {
        u = -u;
        v = -v;
        if (2 * v == n) v = -v;
      }
      if (2 * v == -n) u = std::abs(u);
      const std::int64_t squares = u * u * n * n + v * v * m * m;
      std::size_t ring = 15;
      while (ring > 0 && 512 * squares < static_cast<std::int64_t>(ring * ring) * m * m * n * n) --ring;
      found.radial[ring] += power;
      if (u == 0 && v == 0) continue;
      others += power;
      if (power < 1e-20 * mean)
        ++zeros;
      else
        logs += std::log(power);
      const double y = static_cast<double>(u) / static_cast<double>(m);
      const double x = static_cast<double>(v) / static_cast<double>(n);
      const double turned =
          std::fmod(std::atan2(y, x) + std::numbers::pi / 16 + std::numbers::pi, std::numbers::pi);
      found.sectors[static_cast<std::size_t>(turned / (std::numbers::pi / 8)) % 8] += power;
    }
  const auto cells = static_cast<double>(m * n);
  found.entropy = (std::log(found.total) - power_log / found.total) / std::log(cells);
  for (double& share : found.radial) share /= found.total;
  for (double& share : found.sectors) share /= others;
  found.zero_share = zeros / (cells - 1);
  if (found.zero_share <= 1e-3) found.flatness = std::exp(logs / (cells - 1)) / (others / (cells - 1));
  return found;
}

TEST(FeaturesOfWeights, AreThoseOfTheDirectSums) {
  for (const auto& [name, matrix] : signed_matrices()) {
    if (matrix.m * matrix.n < 200) continue;
    const OracleFeatures oracle = oracle_features(matrix);
    for (const Method* method : runnable_methods()) {
      if (!method->info().takes_weights || !method->info().full_plane) continue;
      SCOPED_TRACE(method->info().id + " on " + name);
      const SpectrumPtr spectrum =
          succeed(*method, request_of(matrix.pattern(), {}, {false, true, false, 64}));
      ASSERT_TRUE(spectrum && spectrum->features);
      const Features& features = *spectrum->features;
      EXPECT_NEAR(features.entropy, oracle.entropy, 1e-6);
      EXPECT_NEAR(features.flatness, oracle.flatness, 1e-4 * oracle.flatness);
      EXPECT_NEAR(features.zero_share, oracle.zero_share, 1e-12);
      EXPECT_NEAR(features.total_power, oracle.total, 1e-5 * oracle.total);
      EXPECT_NEAR(features.total_power,
                  static_cast<double>(matrix.m * matrix.n) * std::pow(matrix.root_mean_square(), 2),
                  1e-5 * oracle.total);
      for (std::size_t k = 0; k < 16; ++k) EXPECT_NEAR(features.radial[k], oracle.radial[k], 1e-6) << k;
      for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(features.sectors[k], oracle.sectors[k], 2e-6) << k;
    }
  }
}

TEST(FeaturesFromSamplesOfWeights, AgreeWithTheExactOnesWithinTheirErrors) {
  const Weighted matrix = random_weighted(300, 280, 4000, 21, signed_normal);
  const PatternPtr pattern = matrix.pattern();
  const SpectrumPtr exact =
      succeed(*find_method("bs-fft"), request_of(pattern, {}, {false, true, false, 64}));
  const SpectrumPtr sampled =
      succeed(*find_method("elastic"), request_of(pattern, {{"block", "4"}}, {false, true, false, 64}));
  ASSERT_TRUE(exact && sampled && sampled->feature_errors);
  const auto entropy_error = std::abs(exact->features->entropy - sampled->features->entropy);
  EXPECT_LE(entropy_error, 5 * sampled->feature_errors->entropy + 1e-5);
  for (std::size_t k = 0; k < 16; ++k)
    EXPECT_NEAR(sampled->features->radial[k], exact->features->radial[k],
                5 * sampled->feature_errors->radial[k] + 1e-5)
        << k;
  for (std::size_t k = 0; k < 8; ++k)
    EXPECT_NEAR(sampled->features->sectors[k], exact->features->sectors[k],
                5 * sampled->feature_errors->sectors[k] + 1e-5)
        << k;
}

TEST(StreamsOfWeights, StopEarlyWithErrorsAndEndWithTheExactFeatures) {
  const Weighted matrix = random_weighted(2200, 300, 20000, 22, signed_normal);
  const PatternPtr pattern = matrix.pattern();
  const SpectrumPtr exact =
      succeed(*find_method("bs-fft"), request_of(pattern, {}, {false, true, false, 64}));
  Request request = request_of(pattern, {{"until", "0.02"}}, {false, true, false, 64});
  request.progress = std::make_shared<PlaneProgress>();
  const SpectrumPtr stopped = succeed(*find_method("exact"), request);
  ASSERT_TRUE(exact && stopped);
  const auto estimate = request.progress->estimate();
  ASSERT_TRUE(estimate);
  for (std::size_t k = 0; k < 16; ++k)
    EXPECT_NEAR(stopped->features->radial[k], exact->features->radial[k],
                6 * estimate->errors.radial[k] + 1e-6);
  EXPECT_NEAR(stopped->features->entropy, exact->features->entropy, 6 * estimate->errors.entropy + 1e-6);
}

// Range: weights of all sizes give finite results that are those of the direct sum, relative to √Σa².
std::vector<std::pair<std::string, Weighted>> extreme_matrices() {
  std::vector<std::pair<std::string, Weighted>> list;
  const auto add = [&](std::string name, Weighted matrix) {
    list.emplace_back(std::move(name), std::move(matrix));
  };
  add("1e-30 to 1e30", random_weighted(40, 36, 300, 31, [](std::mt19937_64& random) {
        const double exponent = std::uniform_real_distribution<double>(-30, 30)(random);
        return (random() % 2 == 0 ? 1 : -1) * std::pow(10, exponent);
      }));
  add("all 1e-30", random_weighted(40, 36, 300, 32, [](std::mt19937_64&) { return 1e-30; }));
  add("all 1e30", random_weighted(40, 36, 300, 33, [](std::mt19937_64&) { return 1e30; }));
  add("all 3e38", random_weighted(40, 36, 300, 34, [](std::mt19937_64&) { return 3e38; }));
  add("denormal", random_weighted(40, 36, 300, 35,
                                  [](std::mt19937_64& random) { return 1e-40 * signed_normal(random); }));
  add("least denormal", random_weighted(40, 36, 300, 36, [](std::mt19937_64&) { return 1.4e-45; }));
  Weighted huge = random_weighted(40, 36, 300, 37, signed_normal);
  huge.values.begin()->second = 1e25;
  add("one huge", huge);
  Weighted zero_sum{40, 36, {}};
  const Weighted places = random_weighted(40, 36, 300, 38, signed_normal);
  double sign = 1;
  for (const auto& [place, value] : places.values) zero_sum.values[place] = sign = -sign;
  if (zero_sum.values.size() % 2 == 1) zero_sum.values.erase(zero_sum.values.begin());
  add("sum zero", zero_sum);
  Weighted laplacian{48, 48, {}};
  for (Index k = 0; k < 48; ++k) {
    laplacian.values[{k, k}] = 2;
    laplacian.values[{k, (k + 1) % 48}] = laplacian.values[{(k + 1) % 48, k}] = -1;
  }
  add("periodic Laplacian", laplacian);
  Weighted one{40, 36, {}};
  one.values[{7, 9}] = -5e-20;
  one.values[{8, 9}] = 0;
  add("one and a stored zero", one);
  return list;
}

bool all_finite(const Features& features) {
  for (const FeatureDefinition& feature : kFeatureTable)
    for (const double value : feature.of(features))
      if (!std::isfinite(value)) return false;
  return std::isfinite(features.total_power);
}

TEST(WeightsOfAnyRange, GiveFiniteAndRightCoefficientsByEveryMethod) {
  for (const auto& [name, matrix] : extreme_matrices()) {
    const PatternPtr pattern = matrix.pattern();
    EXPECT_GE(pattern->weight_squares(), static_cast<double>(pattern->nonzeros())) << name;
    EXPECT_LT(pattern->weight_squares(), 4 * static_cast<double>(pattern->nonzeros())) << name;
    for (const Method* method : runnable_methods()) {
      if (!method->info().takes_weights) continue;
      for (const Request& request : requests_for(*method, pattern)) {
        SCOPED_TRACE(method->info().id + " on " + name);
        const SpectrumPtr spectrum = succeed(*method, request);
        ASSERT_TRUE(spectrum);
        for (const std::complex<float> value : spectrum->values)
          ASSERT_TRUE(std::isfinite(value.real()) && std::isfinite(value.imag()));
        if (spectrum->exactness != Exactness::estimate) expect_coefficients(*spectrum, matrix);
      }
      SCOPED_TRACE(method->info().id + " on " + name + ", features");
      ParameterValues parameters;
      if (method->info().uses_block) parameters["block"] = "4";
      const SpectrumPtr spectrum = succeed(*method, request_of(pattern, parameters, {true, true, false, 64}));
      ASSERT_TRUE(spectrum && spectrum->features);
      EXPECT_TRUE(all_finite(*spectrum->features));
      if (spectrum->feature_errors) {
        EXPECT_TRUE(all_finite(*spectrum->feature_errors));
      }
    }
  }
}

TEST(ALaplacian, HasNoPowerAtFrequencyZeroByValueAndMostOfItByPattern) {
  Weighted laplacian{64, 64, {}};
  for (Index k = 0; k < 64; ++k) {
    laplacian.values[{k, k}] = 2;
    laplacian.values[{k, (k + 1) % 64}] = laplacian.values[{(k + 1) % 64, k}] = -1;
  }
  const PatternPtr pattern = laplacian.pattern();
  EXPECT_EQ(pattern->weight_sum(), 0);
  EXPECT_TRUE(pattern->symmetric());
  const SpectrumPtr spectrum = succeed(*find_method("dense"), request_of(pattern, {}, kValuesOnly));
  ASSERT_TRUE(spectrum);
  // F[u, −u] = 64·(2 − 2cos(2πu/64)), else 0.
  for (std::int64_t u = 0; u <= 32; ++u) {
    const double expected = 64 * (2 - 2 * std::cos(2 * std::numbers::pi * static_cast<double>(u) / 64));
    const auto at = static_cast<std::size_t>(u * 64 + (64 - u) % 64);
    EXPECT_NEAR(std::abs(scaled(*spectrum, spectrum->values[at])), expected, 1e-4) << u;
  }
}

TEST(ForecastsOfWeights, AreWithinFivePercentOfWhatIsBooked) {
  // Positive weights: of signed ones no diagonal may be chosen, which takes less than the forecast.
  const auto positive = [](std::mt19937_64& random) { return std::abs(signed_normal(random)); };
  const PatternPtr pattern = random_weighted(400, 400, 60000, 61, positive).pattern();
  for (const Method* method : runnable_methods()) {
    if (!method->info().takes_weights) continue;
    ParameterValues parameters;
    if (method->info().uses_block) parameters["block"] = "4";
    for (const RequestedOutputs outputs : {kValuesOnly, RequestedOutputs{false, true, false, 64, false}}) {
      const SpectrumPtr spectrum = succeed(*method, request_of(pattern, parameters, outputs));
      ASSERT_TRUE(spectrum) << method->info().id;
      const auto forecast = static_cast<double>(spectrum->provenance.bytes_forecast);
      EXPECT_NEAR(static_cast<double>(spectrum->provenance.bytes_peak), forecast, 0.05 * forecast)
          << method->info().id;
    }
  }
}

TEST(DensityMapOfWeights, IsTheTransformOfSumsOfBlocks) {
  const Weighted matrix = random_weighted(24, 20, 200, 41, signed_normal);
  const SpectrumPtr spectrum =
      succeed(*find_method("density-map"), request_of(matrix.pattern(), {{"block", "4"}}, kValuesOnly));
  ASSERT_TRUE(spectrum);
  Weighted blocks{6, 5, {}};
  for (const auto& [place, value] : matrix.values)
    blocks.values[{place.first / 4, place.second / 4}] += value;  // γ/a = 1: all blocks have 16 cells
  const double tolerance = 2 * tolerance_of(matrix);
  for (std::uint64_t p = 0; p < 6; ++p)
    for (std::uint64_t q = 0; q < 5; ++q)
      EXPECT_LE(std::abs(scaled(*spectrum, spectrum->values[p * 5 + q]) -
                         blocks.coefficient(spectrum->grid.rows.at(p), spectrum->grid.cols.at(q))),
                tolerance);
}

TEST(FixedPointOfWeights, TransformsTheWeightsAtFixedPositionsWithTheMeanPower) {
  const Weighted matrix = random_weighted(24, 20, 300, 42, signed_normal);
  const SpectrumPtr spectrum =
      succeed(*find_method("fixed-point"), request_of(matrix.pattern(), {{"block", "4"}}, kValuesOnly));
  ASSERT_TRUE(spectrum);
  Weighted kept{6, 5, {}};
  for (const auto& [place, value] : matrix.values)
    if (place.first % 4 == 0 && place.second % 4 == 0)
      kept.values[{place.first / 4, place.second / 4}] = value;
  const double gain = matrix.root_mean_square() / kept.root_mean_square();
  for (std::uint64_t p = 0; p < 6; ++p)
    for (std::uint64_t q = 0; q < 5; ++q)
      EXPECT_LE(std::abs(scaled(*spectrum, spectrum->values[p * 5 + q]) -
                         gain * kept.coefficient(spectrum->grid.rows.at(p), spectrum->grid.cols.at(q))),
                2 * tolerance_of(matrix));
}

TEST(Services, OfWeightsAgreeWithTheDirectSums) {
  const Weighted matrix = random_weighted(33, 33, 200, 51, signed_normal);
  const PatternPtr pattern = matrix.pattern();
  const double tolerance = tolerance_of(matrix);
  const auto in_units = [&](std::complex<double> value) {
    return value * std::ldexp(1.0, pattern->weight_exponent());
  };
  const DirectSum direct(*pattern);
  const auto down = *whole_axis(*pattern, PlaneAxis::rows);
  const auto along = *whole_axis(*pattern, PlaneAxis::columns);
  for (std::int64_t k = 0; k < 33; ++k) {
    EXPECT_LE(std::abs(in_units(direct.at(k, 5)) - matrix.coefficient(k, 5)), tolerance);
    EXPECT_LE(std::abs(in_units(down[static_cast<std::size_t>(k)]) - matrix.coefficient(k, 0)), tolerance);
    EXPECT_LE(std::abs(in_units(along[static_cast<std::size_t>(k)]) - matrix.coefficient(0, k)), tolerance);
  }
  JobContext context(pool());
  // Transposed, restricted and permuted, the entries keep their values.
  Weighted transposed{33, 33, {}};
  Weighted part{33, 33, {}};
  Weighted permuted_values{33, 33, {}};
  const Permutation order = compute_permutation(*pattern, Order::random, 3, context);
  for (const auto& [place, value] : matrix.values) {
    transposed.values[{place.second, place.first}] = value;
    if (place.first >= 4 && place.first < 20 && place.second >= 10) part.values[place] = value;
    permuted_values.values[{order.rows[place.first], order.cols[place.second]}] = value;
  }
  const auto expect_equal = [&](const SparsePattern& found, const Weighted& expected, const char* what) {
    const DirectSum sum(found);
    for (std::int64_t u = 0; u < 33; u += 4)
      for (std::int64_t v = 0; v < 33; v += 5)
        ASSERT_LE(
            std::abs(sum.at(u, v) * std::ldexp(1.0, found.weight_exponent()) - expected.coefficient(u, v)),
            tolerance)
            << what;
  };
  expect_equal(pattern->transposed(), transposed, "transposed");
  expect_equal(pattern->restricted_to(4, 10, 16, 33), part, "restricted");
  expect_equal(permuted(*pattern, order, context), permuted_values, "permuted");
  EXPECT_FALSE(pattern->symmetric());
  EXPECT_FALSE(pattern->without_weights().has_weights());
}

TEST(SymmetryOfAMatrix, IsThatOfItsWeights) {
  const PatternPtr pattern = make_pattern(3, 3, {{0, 1}, {1, 0}, {2, 2}});
  EXPECT_TRUE(pattern->symmetric());
  EXPECT_TRUE(pattern->with_weights({2, 2, 7}).symmetric());
  EXPECT_FALSE(pattern->with_weights({2, 3, 7}).symmetric());
  EXPECT_FALSE(pattern->with_weights({2, -2, 7}).symmetric());
  EXPECT_TRUE(pattern->with_weights({2, -2, 7}).without_weights().symmetric());
}

}  // namespace
}  // namespace spyctrum::test
