// SPDX-License-Identifier: Apache-2.0
// Σ P, Σ f(P) of kPowerFunctions, Σ ln P. The logarithm in single precision: P = 2^e·m with m in [√½, √2),
// ln P = e ln 2 + ln m, and with x = m − 1, ln m = x − x²/2 + x³q(x), where q is the minimax polynomial of
// the Cephes library (Moshier 1992, logf); ln 2 is added in two parts.
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

/// ln p for normal positive p; f is m − 1.
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

/// Adds P, f(P) and ln P of the powers `raw`.
inline void add_terms(F& power, PowerTerms<F>& f, F& log, F raw) {
  const I is_zero = raw < kSmallestNormal;
  const F l = log_of(select(is_zero, F{} + 1.0F, raw));  // 0 for zeros
  const F p = select(is_zero, F{}, raw);
  power += p;
  f += power_terms(p, l);
  log += l;
}

}  // namespace

PowerSums power_sums(const std::complex<float>* values, std::size_t count) {
  constexpr std::size_t kBlock = 16;  // float terms added per lane before widening
  const auto* from = reinterpret_cast<const float*>(values);
  D power{};
  PowerTerms<D> f;
  D log{};
  std::size_t k = 0;
  while (k + kF <= count) {
    F power_part{};
    PowerTerms<F> f_part;
    F log_part{};
    for (std::size_t b = 0; b < kBlock && k + kF <= count; ++b, k += kF)
      add_terms(power_part, f_part, log_part, powers(from + 2 * k));
    power += widened_sum(power_part);
    for (std::size_t t = 0; t < kPowerSums; ++t) f.of[t] += widened_sum(f_part.of[t]);
    log += widened_sum(log_part);
  }
  PowerSums sums;
  for (std::size_t lane = 0; lane < kLanes<D, double>; ++lane) {
    sums.power += power[lane];
    for (std::size_t t = 0; t < kPowerSums; ++t) sums.f.of[t] += f.of[t][lane];
    sums.log_power += log[lane];
  }
  if (k < count) {  // the last, partial vector, padded with zeros
    float tail[2 * kF] = {};
    std::memcpy(tail, from + 2 * k, (count - k) * sizeof(std::complex<float>));
    F power_part{};
    PowerTerms<F> f_part;
    F log_part{};
    add_terms(power_part, f_part, log_part, powers(tail));
    sums.power += total(power_part);
    for (std::size_t t = 0; t < kPowerSums; ++t) sums.f.of[t] += total(f_part.of[t]);
    sums.log_power += total(log_part);
  }
  return sums;
}

void single_power_sums(const std::complex<float>* values, std::size_t count, float* terms) {
  const auto* from = reinterpret_cast<const float*>(values);
  const auto write = [&](std::size_t k, F raw, auto put) {
    F power{};
    PowerTerms<F> f;
    F log{};
    add_terms(power, f, log, raw);
    put(terms + k, power);
    for (std::size_t t = 0; t < kPowerSums; ++t) put(terms + (1 + t) * count + k, f.of[t]);
    put(terms + (kPowerRows - 1) * count + k, log);
  };
  std::size_t k = 0;
  for (; k + kF <= count; k += kF)
    write(k, powers(from + 2 * k), [](float* to, const F& of) { store(to, of); });
  if (k == count) return;
  const std::size_t left = count - k;  // the last, partial vector, padded with zeros
  float tail[2 * kF] = {};
  std::memcpy(tail, from + 2 * k, left * sizeof(std::complex<float>));
  write(k, powers(tail), [&](float* to, const F& of) { std::memcpy(to, &of, left * sizeof(float)); });
}

}  // namespace spyctrum::kernels
