// SPDX-License-Identifier: Apache-2.0
// Σp, Σp ln p, Σln p. The logarithm is the classical single-precision one: p = 2^e·m with m in [√½, √2),
// ln p = e ln 2 + ln m, ln(1+f) = f − f²/2 + f³P(f) with the minimax polynomial of the Cephes library
// (Moshier 1992, logf), and ln 2 in two parts.
#include <utility>

#include "core/kernels/isa/kernels.hpp"
#include "core/kernels/isa/vector.hpp"

namespace spyctrum::kernels {
namespace {

using F = Vector<float>;
using I = Vector<std::int32_t>;
using D = Vector<double>;
constexpr std::size_t kF = kLanes<F, float>;

constexpr float kSmallestNormal = 1.17549435e-38F;

inline F select(I mask, F a, F b) {
  return reinterpret_cast<F>((mask & reinterpret_cast<I>(a)) | (~mask & reinterpret_cast<I>(b)));
}

/// ln p for normal positive p.
inline F log_of(F p) {
  constexpr std::int32_t kRootHalf = 0x3f3504f3;  // bits of √½
  const I bits = reinterpret_cast<I>(p) - kRootHalf;
  const I exponent = bits >> 23;
  const F m = reinterpret_cast<F>((bits & 0x007fffff) + kRootHalf);
  const F f = m - 1.0F;
  const F e = __builtin_convertvector(exponent, F);
  const F z = f * f;
  F y = f * 7.0376836292e-2F - 1.1514610310e-1F;
  y = y * f + 1.1676998740e-1F;
  y = y * f - 1.2420140846e-1F;
  y = y * f + 1.4249322787e-1F;
  y = y * f - 1.6668057665e-1F;
  y = y * f + 2.0000714765e-1F;
  y = y * f - 2.4999993993e-1F;
  y = y * f + 3.3333331174e-1F;
  y = y * f * z;
  y = y + e * -2.12194440e-4F;
  y = y - 0.5F * z;
  return f + y + e * 0.693359375F;
}

struct Sums {
  double power = 0, power_log_power = 0, log_power = 0;
};

/// Adds the lanes of `v` in double.
inline double total(F v) {
  double sum = 0;
  for (std::size_t k = 0; k < kF; ++k) sum += static_cast<double>(v[k]);
  return sum;
}

template <std::size_t... k>
inline F even_lanes(F a, F b, std::index_sequence<k...>) {
  return __builtin_shufflevector(a, b, (2 * k)...);
}
template <std::size_t... k>
inline F odd_lanes(F a, F b, std::index_sequence<k...>) {
  return __builtin_shufflevector(a, b, (2 * k + 1)...);
}

/// kF powers from kF interleaved complex values.
inline F powers(const float* values) {
  const F a = load<F>(values);
  const F b = load<F>(values + kF);
  const auto lanes = std::make_index_sequence<kF>();
  return even_lanes(a * a, b * b, lanes) + odd_lanes(a * a, b * b, lanes);
}

inline D widened_sum(F v) {
  using Half = Vector<float, kVectorBytes / 2>;
  Half low;
  Half high;
  std::memcpy(&low, &v, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof low, sizeof high);
  return __builtin_convertvector(low, D) + __builtin_convertvector(high, D);
}

}  // namespace

std::size_t power_log_sums(const std::complex<float>* values, std::size_t count, double* sum_power,
                           double* sum_power_log_power, double* sum_log_power) {
  constexpr std::size_t kBlock = 16;  // float terms added per lane before widening
  const auto* from = reinterpret_cast<const float*>(values);
  D power{};
  D power_log{};
  D log{};
  I zeros{};
  std::size_t k = 0;
  while (k + kF <= count) {
    F power_part{};
    F power_log_part{};
    F log_part{};
    for (std::size_t b = 0; b < kBlock && k + kF <= count; ++b, k += kF) {
      const F raw = powers(from + 2 * k);
      const I is_zero = raw < kSmallestNormal;
      const F p = select(is_zero, F{} + 1.0F, raw);  // ln 1 = 0 enters no log sum
      const F l = log_of(p);
      power_part += select(is_zero, F{}, raw);
      power_log_part += p * l;
      log_part += l;
      zeros -= is_zero;
    }
    power += widened_sum(power_part);
    power_log += widened_sum(power_log_part);
    log += widened_sum(log_part);
  }
  Sums sums;
  for (std::size_t lane = 0; lane < kLanes<D, double>; ++lane) {
    sums.power += power[lane];
    sums.power_log_power += power_log[lane];
    sums.log_power += log[lane];
  }
  std::size_t zero_count = 0;
  for (std::size_t lane = 0; lane < kF; ++lane) zero_count += static_cast<std::size_t>(zeros[lane]);
  if (k < count) {  // the last, partial vector, padded with zeros
    float tail[2 * kF] = {};
    std::memcpy(tail, from + 2 * k, (count - k) * sizeof(std::complex<float>));
    const F raw = powers(tail);
    const I is_zero = raw < kSmallestNormal;
    const F p = select(is_zero, F{} + 1.0F, raw);
    const F l = log_of(p);
    sums.power += total(select(is_zero, F{}, raw));
    sums.power_log_power += total(p * l);
    sums.log_power += total(l);
    for (std::size_t lane = 0; lane < count - k; ++lane) zero_count += is_zero[lane] != 0 ? 1 : 0;
  }
  *sum_power = sums.power;
  *sum_power_log_power = sums.power_log_power;
  *sum_log_power = sums.log_power;
  return zero_count;
}

}  // namespace spyctrum::kernels
