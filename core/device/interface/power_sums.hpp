// SPDX-License-Identifier: Apache-2.0
// The sums over the coefficients of a plane from which its features are computed, declared once for the CPU
// and for devices. A new sum Σ f(P), P = |F|², is one entry of kPowerFunctions: the loops over coefficients,
// the sums of rows and tiles, their estimates from samples with standard errors, and saved states follow.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#if defined(__CUDACC__)
#define SPYCTRUM_HOST_DEVICE __host__ __device__
#else
#define SPYCTRUM_HOST_DEVICE
#endif

namespace spyctrum {

inline constexpr std::size_t kRadialBins = 16;
inline constexpr std::size_t kSectors = 8;

/// Powers below kTinyPower may be rounding errors of zero. They are also counted by binary exponent: bin k
/// counts the exponent −3 − k, the last bin all smaller ones, zero included.
inline constexpr float kTinyPower = 0.25F;
inline constexpr std::size_t kTinyBins = 124;

/// The function f(P) = P^power·(ln P)^logarithm, with f(0) = 0.
struct PowerFunction {
  int power = 1;      ///< at least 1
  int logarithm = 0;  ///< 0, or 1 for P ln P
};
/// The functions that are summed over all coefficients. Σ P by class and Σ ln P, which needs a noise floor,
/// are summed beside them.
inline constexpr PowerFunction kPowerFunctions[] = {
    {1, 1},  // P ln P
};
inline constexpr std::size_t kPowerSums = std::size(kPowerFunctions);

/// Place of a function in kPowerFunctions; a function that is not there fails to compile.
template <int kPower, int kLogarithm = 0>
inline constexpr std::size_t kPlaceOf = [] {
  std::size_t place = 0;
  while (kPowerFunctions[place].power != kPower || kPowerFunctions[place].logarithm != kLogarithm) ++place;
  return place;
}();

/// A value for each of kPowerFunctions.
template <class T>
struct PowerTerms {
  T of[kPowerSums] = {};
  SPYCTRUM_HOST_DEVICE constexpr PowerTerms& operator+=(const PowerTerms& other) {
    for (std::size_t k = 0; k < kPowerSums; ++k) of[k] += other.of[k];
    return *this;
  }
};
namespace detail {
template <std::size_t kPlace, class T>
[[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr T power_term(T power, T log) {
  constexpr PowerFunction kFunction = kPowerFunctions[kPlace];
  static_assert(kFunction.power >= 1 && (kFunction.logarithm == 0 || kFunction.power == 1));
  T term = power;
  for (int k = 1; k < kFunction.power; ++k) term = term * power;
  if constexpr (kFunction.logarithm == 1) term = term * log;
  return term;
}
template <class T, std::size_t... kPlace>
[[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr PowerTerms<T> power_terms(T power, T log,
                                                                       std::index_sequence<kPlace...>) {
  return {{power_term<kPlace>(power, log)...}};
}
}  // namespace detail
/// The functions of P, a number or a vector of numbers, given ln P. If log2 P is given instead, the caller
/// multiplies each term by that of power_terms(1, ln 2).
template <class T>
[[nodiscard]] SPYCTRUM_HOST_DEVICE constexpr PowerTerms<T> power_terms(T power, T log) {
  return detail::power_terms(power, log, std::make_index_sequence<kPowerSums>());
}

/// Sums over coefficients, DC excluded, as one vector ("moments"): Σ P by radial bin and by sector, Σ P at
/// low frequencies (r ≤ √½/8), Σ f(P) of each of kPowerFunctions, Σ ln max(P, noise floor), count, number of
/// zeros (P below rounding_floor()).
struct Moments {
  static constexpr std::size_t kSectorsAt = kRadialBins;
  static constexpr std::size_t kLow = kSectorsAt + kSectors;
  static constexpr std::size_t kSumsAt = kLow + 1;
  static constexpr std::size_t kPowerLog = kSumsAt + kPlaceOf<1, 1>;
  static constexpr std::size_t kLog = kSumsAt + kPowerSums;
  static constexpr std::size_t kCount = kLog + 1;
  static constexpr std::size_t kZeros = kLog + 2;
  static constexpr std::size_t kSize = kLog + 3;
  double sums[kSize] = {};

  [[nodiscard]] double power() const {
    double sum = 0;
    for (std::size_t k = 0; k < kRadialBins; ++k) sum += sums[k];
    return sum;
  }
  [[nodiscard]] double count() const { return sums[kCount]; }
  Moments& operator+=(const Moments& other) {
    for (std::size_t k = 0; k < kSize; ++k) sums[k] += other.sums[k];
    return *this;
  }
  friend Moments operator*(double factor, Moments moments) {
    for (double& sum : moments.sums) sum *= factor;
    return moments;
  }
};

}  // namespace spyctrum
