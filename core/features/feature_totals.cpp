// SPDX-License-Identifier: Apache-2.0
// Sums over segments of constant class; the logarithms are in core/kernels.
#include "core/features/feature_totals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/kernels/kernel_table.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

using Complex = std::complex<float>;

constexpr int kFloorBits = 41;
/// Non-DC power below this share of the total is rounding: the plane has no power beside DC.
const double kNothing = std::ldexp(1.0, -36);
/// Estimated numbers of zeros and of coefficients that differ by less are equal.
constexpr double kSameCount = 1e-6;

bool any_tiny(std::span<const Complex> values) {
  int found = 0;
  for (const Complex value : values) found |= std::norm(value) < kTinyPower ? 1 : 0;
  return found != 0;
}

}  // namespace

double noise_floor(double mean_power) {
  if (!(mean_power > 0)) return std::numeric_limits<float>::min();
  return std::ldexp(mean_power, -kFloorBits);
}

double zero_floor_of_plane(std::uint64_t m, std::uint64_t n, double mean_power, double dc_power) {
  if (!(mean_power > 0)) return 0;
  const double shorter = static_cast<double>(std::max<std::uint64_t>(1, std::min(m, n)));
  return rounding_floor(m, n, mean_power, std::max(1.0, dc_power / shorter / mean_power));
}

double FeatureTotals::zero_count(double zero_floor) const {
  double found = zeros;
  for (std::size_t k = 0; k < kTinyBins; ++k) {
    const double lower = std::ldexp(1.0, -3 - static_cast<int>(k));
    if (lower < zero_floor || k + 1 == kTinyBins) found += tiny_count[k];
  }
  return found;
}

double FeatureTotals::non_dc_power() const { return std::accumulate(radial.begin(), radial.end(), 0.0); }

double FeatureTotals::floored_log_sum(double floor) const {
  double sum = log_power;
  for (std::size_t k = 0; k < kTinyBins; ++k) {
    const double lower = std::ldexp(1.0, -3 - static_cast<int>(k));
    const bool is_last = k + 1 == kTinyBins;
    if (lower < floor || is_last) sum += tiny_count[k] * std::log(floor) - tiny_log[k];
  }
  return sum;
}

void FeatureTotals::add(const FeatureTotals& other) {
  for (std::size_t k = 0; k < kRadialBins; ++k) radial[k] += other.radial[k];
  for (std::size_t k = 0; k < kSectors; ++k) sectors[k] += other.sectors[k];
  for (std::size_t k = 0; k < kTinyBins; ++k) {
    tiny_count[k] += other.tiny_count[k];
    tiny_log[k] += other.tiny_log[k];
  }
  f += other.f;
  low += other.low;
  log_power += other.log_power;
  count += other.count;
  zeros += other.zeros;
  dc_power += other.dc_power;
}

FeatureTotals FeatureTotals::scaled(double area, double gain) const {
  FeatureTotals result = *this;
  for (double& share : result.radial) share *= area * gain;
  for (double& share : result.sectors) share *= area * gain;
  for (double& number : result.tiny_count) number *= area;
  for (double& sum : result.tiny_log) sum *= area;
  result.low *= area * gain;
  for (std::size_t k = 0; k < kPowerSums; ++k) {  // f(gP) = g^power·f(P), of P ln P with gP ln g besides
    const PowerFunction function = kPowerFunctions[k];
    if (function.logarithm == 1 && gain > 0) result.f.of[k] += std::log(gain) * non_dc_power();
    result.f.of[k] *= area * std::pow(gain, function.power);
  }
  if (gain > 0) result.log_power = area * (log_power + std::log(gain) * count);
  result.count *= area;
  result.zeros *= area;
  return result;
}

void FeatureTotals::add_segment(std::span<const Complex> values, const FrequencyClass& where, double weight) {
  const kernels::PowerSums sums = kernels::kernels().power_sums(values.data(), values.size());
  radial[where.radial] += weight * sums.power;
  sectors[where.sector] += weight * sums.power;
  if (where.low) low += weight * sums.power;
  for (std::size_t k = 0; k < kPowerSums; ++k) f.of[k] += weight * sums.f.of[k];
  log_power += weight * sums.log_power;
  count += weight * static_cast<double>(values.size());
  add_tiny(values, weight);
}

void FeatureTotals::add_each(std::span<const Complex> values, const FrequencyClass& where, double weight) {
  constexpr std::size_t kAtOnce = 256;
  std::array<float, kernels::kPowerRows * kAtOnce> terms;
  for (std::size_t first = 0; first < values.size(); first += kAtOnce) {
    const std::span<const Complex> part = values.subspan(first, std::min(kAtOnce, values.size() - first));
    kernels::kernels().single_power_sums(part.data(), part.size(), terms.data());
    const float* const power = terms.data();
    const float* const log = power + (kernels::kPowerRows - 1) * part.size();
    for (std::size_t k = 0; k < part.size(); ++k) {
      const double p = weight * static_cast<double>(power[k]);
      radial[where.radial] += p;
      sectors[where.sector] += p;
      if (where.low) low += p;
      for (std::size_t t = 0; t < kPowerSums; ++t)
        f.of[t] += weight * static_cast<double>(power[(1 + t) * part.size() + k]);
      log_power += weight * static_cast<double>(log[k]);
    }
  }
  count += weight * static_cast<double>(values.size());
  add_tiny(values, weight);
}

void FeatureTotals::add_tiny(std::span<const Complex> values, double weight) {
  if (!any_tiny(values)) return;
  for (const Complex value : values) {
    const float p = std::norm(value);
    if (p >= kTinyPower) continue;
    const bool is_normal = p >= std::numeric_limits<float>::min();
    const auto bin = is_normal ? static_cast<std::size_t>(-3 - std::ilogb(p)) : kTinyBins - 1;
    tiny_count[std::min(bin, kTinyBins - 1)] += weight;
    if (is_normal) tiny_log[std::min(bin, kTinyBins - 1)] += weight * static_cast<double>(std::log(p));
  }
}

void FeatureTotals::discount_zeros(double number) {
  count -= number;
  tiny_count[kTinyBins - 1] -= number;
}

void FeatureTotals::add_dc(Complex value) { dc_power = std::norm(std::complex<double>(value)); }

Features features_of(const FeatureTotals& totals, double log_sum, double zeros, double cells) {
  Features features;
  const bool has_power = zeros < (1 - kSameCount) * totals.count;
  const double non_dc = has_power ? totals.non_dc_power() : 0;
  if (totals.count > 0) features.zero_share = std::clamp(zeros / totals.count, 0.0, 1.0);
  const double total = non_dc + totals.dc_power;
  features.total_power = total;
  if (!(total > 0)) return features;
  const double dc_term = totals.dc_power > 0 ? totals.dc_power * std::log(totals.dc_power) : 0.0;
  const double of_others = totals.f.of[kPlaceOf<1, 1>];
  const double power_log_power = (has_power ? of_others : 0) + dc_term;
  const double entropy = std::log(total) - power_log_power / total;
  if (cells > 1) features.entropy = std::clamp(entropy / std::log(cells), 0.0, 1.0);
  for (std::size_t k = 0; k < kRadialBins; ++k) features.radial[k] = has_power ? totals.radial[k] / total : 0;
  features.radial[0] += totals.dc_power / total;
  if (non_dc <= kNothing * total || !(totals.count > 0)) return features;
  for (std::size_t k = 0; k < kSectors; ++k) features.sectors[k] = totals.sectors[k] / non_dc;
  features.low_frequency_ratio = totals.low / non_dc;
  if (features.zero_share <= kMostZeros)
    features.flatness = std::exp(log_sum / totals.count) / (non_dc / totals.count);
  const auto [least, most] = std::minmax_element(features.sectors.begin(), features.sectors.end());
  features.imbalance = (*most - *least) / (*most + *least);
  return features;
}

ColumnOrder ColumnOrder::dft(std::uint64_t n) {
  ColumnOrder order;
  order.count_ = n;
  order.first_ = -static_cast<std::int64_t>(n / 2);
  order.rotation_ = n - n / 2;
  if (order.rotation_ == n) order.rotation_ = 0;
  return order;
}

std::uint64_t ColumnOrder::lower(std::int64_t signed_v) const {
  if (nodes_.empty()) {
    return static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(signed_v - first_, 0, static_cast<std::int64_t>(count_)));
  }
  return static_cast<std::uint64_t>(std::lower_bound(nodes_.begin(), nodes_.end(), signed_v) -
                                    nodes_.begin());
}

void ColumnOrder::sort(const FrequencyAxis& axis) {
  count_ = storage_.size();
  std::stable_sort(storage_.begin(), storage_.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return axis.signed_at(a) < axis.signed_at(b); });
  nodes_.reserve(count_);
  for (const std::uint64_t q : storage_) nodes_.push_back(axis.signed_at(q));
  if (count_ == 0 || count_ != axis.count()) return;
  for (std::uint64_t k = 0; k < count_; ++k)
    if (storage_[k] != (storage_[0] + k) % count_) return;
  rotation_ = storage_[0];
  storage_.clear();
}

std::span<const Complex> ColumnOrder::arranged(std::span<const Complex> row,
                                               std::vector<Complex>& scratch) const {
  if (storage_.empty()) return row;
  scratch.resize(count_);
  for (std::uint64_t k = 0; k < count_; ++k) scratch[k] = row[storage_[k]];
  return scratch;
}

void FeatureRows::find_segments(std::int64_t line) {
  if (along_ == Along::rows) {
    class_segments(line, m_, n_, segments_);
    return;
  }
  // In the transposed plane radii are the same and θ becomes π/2 − θ. At the Nyquist frequency, where
  // the other member of a conjugate pair defines θ, each coefficient is classified by itself.
  class_segments(line, n_, m_, segments_);
  for (ClassSegment& segment : segments_) {
    std::uint8_t& sector = segment.frequency_class.sector;
    sector = static_cast<std::uint8_t>(transposed_sector(sector));
  }
  if (2 * std::abs(line) == static_cast<std::int64_t>(n_)) {
    segments_.clear();
    const auto half = static_cast<std::int64_t>(m_ / 2);
    for (std::int64_t u = -half; u < static_cast<std::int64_t>(m_) - half; ++u)
      segments_.push_back({u, u + 1, classify(u, -std::abs(line), m_, n_)});
  }
}

void FeatureRows::add(std::int64_t line, bool mirrored, std::span<const Complex> values,
                      const ColumnOrder& order) {
  if (order.count() == 0) return;
  find_segments(line);
  const std::span<const Complex> row = order.arranged(values, scratch_);
  const auto add_range = [&](std::int64_t first, std::int64_t last, const FrequencyClass& where,
                             double weight) {
    order.pieces(row, order.lower(first), order.lower(last),
                 [&](std::span<const Complex> piece) { totals_.add_segment(piece, where, weight); });
  };
  const std::int64_t nyquist = -static_cast<std::int64_t>(m_ / 2);
  const bool splits = along_ == Along::columns && mirrored && m_ % 2 == 0;
  for (const ClassSegment& segment : segments_) {
    std::int64_t first = segment.first;
    if (splits && first == nyquist) {  // (−m/2, v) and its mirror (−m/2, −v) differ in angle
      add_range(first, first + 1, classify(nyquist, line, m_, n_), 1);
      add_range(first, first + 1, classify(nyquist, -line, m_, n_), 1);
      ++first;
    }
    const double weight = mirrored ? 2 : 1;
    if (line == 0 && first <= 0 && 0 < segment.last) {
      add_range(first, 0, segment.frequency_class, weight);
      order.pieces(row, order.lower(0), order.lower(1),
                   [&](std::span<const Complex> piece) { totals_.add_dc(piece.front()); });
      first = 1;
    }
    add_range(first, segment.last, segment.frequency_class, weight);
  }
}

void FeatureRows::add_symmetric_half(std::int64_t u, std::span<const Complex> values,
                                     const ColumnOrder& order) {
  const auto side = static_cast<std::int64_t>(n_);
  if (u == 0) return totals_.add_dc(values.front());
  if (2 * u == side) return add_nyquist_symmetric_half(values, order);
  find_segments(u);
  for (const ClassSegment& segment : segments_)
    order.pieces(values, order.lower(std::max(segment.first, 1 - u)), order.lower(std::min(segment.last, u)),
                 [&](std::span<const Complex> piece) {
                   symmetric_half_.add_segment(piece, segment.frequency_class, 2);
                 });
  // (u, u) is its own transpose; the transpose of (u, −u) is its conjugate (−u, u): two, not four.
  for (const std::int64_t v : {u, -u})
    totals_.add_segment(values.subspan(dft_index(v, n_), 1), classify(u, v, m_, n_), 2);
}

/// The classes of column v = −n/2 are not the transposed ones of row u = n/2 (FrequencyClass): the column is
/// added separately, with the values of the row.
void FeatureRows::add_nyquist_symmetric_half(std::span<const Complex> values, const ColumnOrder& order) {
  const auto half = static_cast<std::int64_t>(n_ / 2);
  add(half, false, values, order);
  FeatureRows columns(m_, n_, Along::columns);
  columns.add(-half, false, values,
              ColumnOrder::of(FrequencyAxis::progression(n_, 0, 1, n_),
                              [&](std::int64_t signed_u) { return signed_u != -half; }));
  totals_.add(columns.totals_);
}

FeatureTotals FeatureRows::totals() const {
  FeatureTotals sum = totals_;
  sum.add(symmetric_half_);
  FeatureTotals transpose = symmetric_half_;
  for (std::size_t k = 0; k < kSectors; ++k)
    transpose.sectors[transposed_sector(k)] = symmetric_half_.sectors[k];
  sum.add(transpose);
  return sum;
}

FeatureTotals FeatureRows::take() {
  const FeatureTotals sum = totals();
  totals_ = {};
  symmetric_half_ = {};
  return sum;
}

}  // namespace spyctrum
