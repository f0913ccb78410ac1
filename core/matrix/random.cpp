// SPDX-License-Identifier: Apache-2.0
// Logarithm and exponential by argument reduction and Taylor series. Compiled without fused multiply-adds
// (CMakeLists.txt), with which results would differ between processors.
#include "core/matrix/random.hpp"

#include <bit>

namespace spyctrum {

namespace {
// ln 2 in two parts: the first has 21 trailing zero bits, so that k·kLn2High is exact for |k| < 2^11.
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52U) - 1;
constexpr int kBias = 1023;

double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kBias) << 52U);
}
}  // namespace

// x = 2^k·f with f in [√½, √2); ln f = 2 artanh s, s = (f−1)/(f+1), |s| < 0.172.
double portable_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int k = static_cast<int>(bits >> 52U) - kBias;
  auto f = std::bit_cast<double>((bits & kMantissa) | (static_cast<std::uint64_t>(kBias) << 52U));
  if (f > 1.4142135623730951) {
    f *= 0.5;
    ++k;
  }
  const double s = (f - 1.0) / (f + 1.0);
  const double square = s * s;
  double series = 0.0;
  for (int term = 21; term >= 1; term -= 2) series = series * square + 1.0 / term;
  return k * kLn2High + (2.0 * s * series + k * kLn2Low);
}

// x = k ln 2 + r, |r| ≤ ½ ln 2; e^r by its series to r^15/15! < 1e-19.
double portable_exp(double x) {
  const int k = static_cast<int>(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5));
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double series = 1.0;
  for (int term = 15; term >= 1; --term) series = 1.0 + series * r / term;
  return series * power_of_two(k);
}

}  // namespace spyctrum
