// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every platform and for any number of threads. Each draw is a function
// of (seed, stream, counter), not of earlier draws. Ranges and logarithms are computed here, because the
// distributions of the standard library differ between implementations.
#pragma once

#include <cstdint>

namespace spyctrum {

/// A 64-bit hash: the finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t split_mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// Independent 64-bit draws: split_mix64() of an arithmetic progression that starts at a hash of seed and
/// stream.
class CounterRandom {
 public:
  constexpr CounterRandom(std::uint64_t seed, std::uint64_t stream)
      : start_(split_mix64(split_mix64(seed) ^ (stream * 0xd1342543de82ef95U))) {}

  [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t counter) const {
    return split_mix64(split_mix64(start_ + counter * 0x9e3779b97f4a7c15U));
  }
  /// ⌊bits·bound/2^64⌋, uniform on 0 … bound − 1 for bound ≥ 1: of the 2^64 possible bits, the numbers that
  /// give each value differ by at most one.
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t counter, std::uint64_t bound) const {
    return high_product(bits(counter), bound);
  }
  /// Uniform on (0, 1): the 2^52 midpoints (k + ½)/2^52.
  [[nodiscard]] constexpr double unit(std::uint64_t counter) const {
    return (static_cast<double>(bits(counter) >> 12U) + 0.5) * 0x1p-52;
  }

 private:
  // Upper 64 bits of a·b from products of 32-bit halves: standard C++ has no 128-bit integer.
  static constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kLow = 0xffffffffU;
    const std::uint64_t low = (a & kLow) * (b & kLow);
    const std::uint64_t middle = (a >> 32U) * (b & kLow) + (low >> 32U);
    const std::uint64_t other = (a & kLow) * (b >> 32U) + (middle & kLow);
    return (a >> 32U) * (b >> 32U) + (middle >> 32U) + (other >> 32U);
  }

  std::uint64_t start_;
};

/// ln x for normal x > 0 and e^x for |x| < 700, with a relative error below 1e-14. Equal to the last bit on
/// every platform: they use additions, multiplications and divisions alone, which IEEE 754 defines exactly.
[[nodiscard]] double portable_log(double x);
[[nodiscard]] double portable_exp(double x);
/// x^p for x > 0.
[[nodiscard]] inline double portable_pow(double x, double p) { return portable_exp(p * portable_log(x)); }

}  // namespace spyctrum
