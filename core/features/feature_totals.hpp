// SPDX-License-Identifier: Apache-2.0
// The sums from which Features are computed: power P = |F|² by radial bin and sector, Σ f(P) of
// kPowerFunctions (core/device/interface/power_sums.hpp), Σ ln P.
// FeatureConsumer and all decoders share them, so that all agree on these conventions:
//   entropy      −Σ p ln p = ln S − (Σ P ln P)/S   with S = ΣP, p = P/S;
//   zeros        powers below rounding_floor() (core/spectrum) are zero: if all are, there is no power
//                beside DC; if more than kMostZeros of them are, flatness is 0;
//   noise floor  otherwise zeros enter flatness with at least 2^−41·K (K is the mean power);
//   no power     where a feature would be 0/0 (no entries, a 1×1 plane, no power
//                beside DC) it is 0, never NaN.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/features/feature_bins.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/spectrum/features.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// The noise floor 2^−41·mean_power: powers in the octaves below it enter flatness with this value.
/// `mean_power` is K for a full plane (Σ|F|² = mnK).
[[nodiscard]] double noise_floor(double mean_power);

/// Estimate of rounding_floor() for a plane of which only sums are known, such as the DFT of a matrix of
/// densities: `mean_power` of its m×n coefficients replaces K, and `dc_power`/min(m, n) replaces L·K; these
/// are equal if all rows and columns of the matrix have the same sum.
[[nodiscard]] double zero_floor_of_plane(std::uint64_t m, std::uint64_t n, double mean_power,
                                         double dc_power);

struct FeatureTotals {
  std::array<double, kRadialBins> radial{};  ///< Σ P, without DC
  std::array<double, kSectors> sectors{};    ///< Σ P, without DC
  double low = 0;                            ///< Σ P with r ≤ √½/8, without DC
  PowerTerms<double> f;                      ///< Σ f(P) of kPowerFunctions, without DC
  double log_power = 0;                      ///< Σ ln P over non-zero P, without DC
  double count = 0;                          ///< coefficients, without DC
  double dc_power = 0;
  std::array<double, kTinyBins> tiny_count{};  ///< powers below kTinyPower, by exponent
  std::array<double, kTinyBins> tiny_log{};    ///< their share of log_power
  double zeros = 0;  ///< zeros outside the bins, from sums to which the floors were applied before

  [[nodiscard]] double non_dc_power() const;
  /// Σ ln max(P, floor).
  [[nodiscard]] double floored_log_sum(double floor) const;
  /// Number of coefficients below `zero_floor`, a power of two. If it is above ¼, only those below ¼ are
  /// counted.
  [[nodiscard]] double zero_count(double zero_floor) const;
  void add(const FeatureTotals& other);
  /// The totals if every coefficient but DC occurred `area` times with `gain` times its power. Call
  /// floored_log_sum() before: tiny powers do not change their bins.
  [[nodiscard]] FeatureTotals scaled(double area, double gain) const;

  /// Adds `values`, coefficients of one class without DC, each `weight` times.
  void add_segment(std::span<const std::complex<float>> values, const FrequencyClass& where, double weight);
  /// The same, with the bits of a call for each single value, if `weight` is a whole number.
  void add_each(std::span<const std::complex<float>> values, const FrequencyClass& where, double weight);
  void add_dc(std::complex<float> value);
  /// Subtracts from the counts coefficients that were set to zero before they were added.
  void discount_zeros(double number);

 private:
  /// The part of add_segment() that is of powers below kTinyPower.
  void add_tiny(std::span<const std::complex<float>> values, double weight);
};

/// Features of a plane of `cells` coefficients. `log_sum` is Σ ln max(P, floor) over the coefficients of the
/// totals, `zeros` the number of those that are zero.
[[nodiscard]] Features features_of(const FeatureTotals& totals, double log_sum, double zeros, double cells);

/// The permutation that sorts the columns of a row by signed index.
class ColumnOrder {
 public:
  /// For v = 0 … n−1 in DFT order, as in the rows of a RowConsumer.
  static ColumnOrder dft(std::uint64_t n);
  /// For the columns of a grid's axis for which keep(signed index) holds; by default for all.
  static ColumnOrder of(
      const FrequencyAxis& axis,
      const std::function<bool(std::int64_t)>& keep = [](std::int64_t) { return true; }) {
    ColumnOrder order;
    for (std::uint64_t q = 0; q < axis.count(); ++q)
      if (keep(axis.signed_at(q))) order.storage_.push_back(q);
    order.sort(axis);
    return order;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Number of columns whose signed index is below `signed_v`.
  [[nodiscard]] std::uint64_t lower(std::int64_t signed_v) const;
  /// Calls emit(span) for the contiguous pieces, at most two, of the sorted positions [begin, end) of an
  /// arranged() row.
  template <class Emit>
  void pieces(std::span<const std::complex<float>> row, std::uint64_t begin, std::uint64_t end,
              Emit&& emit) const {
    if (begin >= end) return;
    const std::uint64_t split = count_ - rotation_;  // first position that wrapped
    if (begin < split) emit(row.subspan(begin + rotation_, std::min(end, split) - begin));
    if (end > split) {
      const std::uint64_t from = std::max(begin, split);
      emit(row.subspan(from - split, end - from));
    }
  }
  /// The values sorted up to a rotation, as pieces() needs them: `row` itself, or a copy in `scratch`.
  [[nodiscard]] std::span<const std::complex<float>> arranged(
      std::span<const std::complex<float>> row, std::vector<std::complex<float>>& scratch) const;

 private:
  void sort(const FrequencyAxis& axis);
  std::uint64_t count_ = 0;
  std::uint64_t rotation_ = 0;          // storage index of position 0
  std::int64_t first_ = 0;              // signed index of position 0, when nodes_ is empty
  std::vector<std::int64_t> nodes_;     // ascending signed indices; empty: first_, first_+1, …
  std::vector<std::uint64_t> storage_;  // by position; empty: the rotation is enough
};

/// Sums over rows (or columns) of an m×n plane, classified by class_segments(). One object per thread.
class FeatureRows {
 public:
  enum class Along { rows, columns };
  /// m×n are the sides of the plane, for columns too.
  FeatureRows(std::uint64_t m, std::uint64_t n, Along along = Along::rows) : m_(m), n_(n), along_(along) {}
  /// Adds row u = `line` (or column v = `line`), a signed index, at the frequencies of `order`. `mirrored`:
  /// the values also count for their conjugates in line −u (−v).
  void add(std::int64_t line, bool mirrored, std::span<const std::complex<float>> values,
           const ColumnOrder& order);
  /// For a symmetric pattern (m = n, `order` of whole rows): adds |v| ≤ u of row u = 0 … ⌊n/2⌋, each
  /// coefficient counted for (u, v), (−u, −v), (v, u) and (−v, −u), as far as these differ.
  void add_symmetric_half(std::int64_t u, std::span<const std::complex<float>> values,
                          const ColumnOrder& order);
  /// Adds a streamed row by one of the functions above.
  void add(const SpectrumRow& row, const ColumnOrder& order) {
    if (row.symmetric_half)
      add_symmetric_half(row.u, row.values, order);
    else
      add(row.u, row.mirrored, row.values, order);
  }
  [[nodiscard]] FeatureTotals totals() const;
  /// Returns totals() and resets them to zero.
  [[nodiscard]] FeatureTotals take();

 private:
  void find_segments(std::int64_t line);
  void add_nyquist_symmetric_half(std::span<const std::complex<float>> values, const ColumnOrder& order);
  std::uint64_t m_;
  std::uint64_t n_;
  Along along_;
  FeatureTotals totals_;
  FeatureTotals symmetric_half_;  // sums of coefficients that count for their transposes too
  std::vector<ClassSegment> segments_;
  std::vector<std::complex<float>> scratch_;
};

}  // namespace spyctrum
