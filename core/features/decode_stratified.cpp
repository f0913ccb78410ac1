// SPDX-License-Identifier: Apache-2.0
// Features of the full plane from a lattice of samples, in three strata.
//   chosen lines  whole lines (chosen_lines.hpp), exactly;
//   above         coefficients off these lines with |F|² > kThresholdPower·K, which form narrow ridges. A
//                 lattice of block size b has b times too many samples on a ridge, or none, but whole rows
//                 cross each ridge in proportion. So they are estimated from a sample of rows, weighted by
//                 the inverse sampling rate (Horvitz & Thompson, J. Am. Stat. Assoc. 47, 1952);
//   bulk          all other coefficients, from the lattice and those rows together.
// The total power is known, mnK (Parseval). Its difference to the estimated power adjusts the other sums by
// regression over the rows (Cochran, Sampling Techniques, 1977, ch. 7). Sums are over P ln P of coefficients,
// not over shares p of a sample: no correction for the sample size is needed. If the sampled rows differ
// much, more rows are computed: on planes of a few thousand rows that may be all of them.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/features/decode_stratified.hpp"
#include "core/features/decoders.hpp"
#include "core/features/feature_totals.hpp"

namespace spyctrum {

namespace {

using Complex = std::complex<float>;

/// Number of pairs of rows ±u that are sampled at first. It is doubled while the predicted errors of radial
/// and directional energy (Hellinger distance) or of entropy (relative) exceed these limits, up to this share
/// of the rows; beyond it all rows are computed. On the patterns of bench_coverage the largest errors were
/// 2.5 times the first limit and 1.6 times the second.
constexpr std::size_t kFewestPairs = 64;
constexpr double kMostDistance = 0.003;
constexpr double kMostEntropyError = 1.25e-4;
constexpr double kMostRows = 0.5;
/// Threshold in units of K. Powers of a flat plane are exponentially distributed: 0.3 % of its power is
/// above.
constexpr double kThresholdPower = 8;
/// Bytes per entry that the sort of a re-indexed pattern books itself, without and with weights.
constexpr std::uint64_t kSortedBytes = 8;
constexpr std::uint64_t kSortedWithWeights = 20;
constexpr std::size_t kRowGrain = 16;
/// 2/d in agreement() if the rows are all equal and the lattice differs from them.
constexpr double kLeastAgreement = 1e-3;
/// Largest relative rounding error of a sum of powers.
constexpr double kSumRounding = 1e-5;

/// Sums the coefficients of a row off the chosen lines, those above the threshold and the bulk.
class RowSplitter {
 public:
  RowSplitter(const ChosenLines& lines, const PowerLimits& limits)
      : lines_(lines), floors_(limits.floors), threshold_(limits.threshold) {}

  /// `positions[v]`: index of the coefficient v in `values`, or kNowhere; null: index v. Overwrites `values`.
  SampledRowMoments split(std::int64_t signed_u, bool mirrored, std::span<Complex> values,
                          const ColumnOrder& order, const FrequencyAxis& axis,
                          const std::vector<std::uint32_t>* positions) {
    const double weight = mirrored ? 2 : 1;
    double zeroed = 0;
    lines_.crossings(dft_index(signed_u, lines_.m), crossings_);
    for (const std::uint64_t v : crossings_) {
      const std::uint64_t at = positions != nullptr ? (*positions)[v] : v;
      if (at == kNowhere) continue;
      values[at] = 0;
      zeroed += weight;
    }
    FeatureTotals above;
    for (std::size_t q = 0; q < values.size(); ++q) {
      if (std::norm(values[q]) <= threshold_) continue;
      above.add_segment(values.subspan(q, 1), classify(signed_u, axis.signed_at(q), lines_.m, lines_.n),
                        weight);
      values[q] = 0;
      zeroed += weight;
    }
    FeatureRows below(lines_.m, lines_.n);
    below.add(signed_u, mirrored, values, order);
    FeatureTotals totals = below.totals();
    totals.discount_zeros(zeroed);
    return {moments_of(totals, floors_), moments_of(above, floors_)};
  }
  static constexpr std::uint32_t kNowhere = ~0U;

 private:
  const ChosenLines& lines_;
  PowerFloors floors_;
  float threshold_;
  std::vector<std::uint64_t> crossings_;
};

/// Sums over the sampled pairs of rows ±u, without the chosen lines.
struct RowsOfRest {
  LineSample sample;  // all coefficients
  LineSample below;   // the bulk
  Moments above;
  double population = 0;  // number of pairs in the plane
};

/// Adds in the order of the rows: the same bits on any number of threads.
RowsOfRest rows_of_rest(const std::vector<SampledRowMoments>& parts, double population) {
  RowsOfRest result;
  result.population = population;
  for (const SampledRowMoments& part : parts) {
    Moments both = part.below;
    both += part.above;
    result.sample.add(both);
    result.below.add(part.below);
    result.above += part.above;
  }
  return result;
}

std::vector<SampledRowMoments> split_rows(const SparsePattern& pattern, const ChosenLines& lines,
                                          const std::vector<std::int64_t>& rows, const PowerLimits& limits,
                                          JobContext& context) {
  const FrequencyAxis axis = FrequencyAxis::progression(lines.n, 0, 1, lines.n);
  const ColumnOrder order = ColumnOrder::dft(lines.n);
  std::vector<RowSplitter> splitters(context.pool().threads(), RowSplitter(lines, limits));
  std::vector<SampledRowMoments> parts(rows.size());
  for_each_row_of(pattern, rows, context, [&](std::size_t k, std::span<Complex> values, unsigned worker) {
    parts[k] = splitters[worker].split(rows[k], true, values, order, axis, nullptr);
  });
  return parts;
}

Moments bulk_of_lattice(const ChosenLines& lines, const FrequencyGrid& grid, std::span<const Complex> values,
                        const PowerLimits& limits, JobContext& context) {
  std::vector<std::uint32_t> positions(lines.n, RowSplitter::kNowhere);
  for (std::uint64_t q = 0; q < grid.cols.count(); ++q)
    positions[grid.cols.index_at(q)] = static_cast<std::uint32_t>(q);
  const ColumnOrder order = ColumnOrder::of(grid.cols);
  std::vector<Moments> rows(grid.rows.count());
  ThreadPool& pool = context.pool();
  std::vector<RowSplitter> splitters(pool.threads(), RowSplitter(lines, limits));
  std::vector<std::vector<Complex>> scratch(pool.threads());
  pool.parallel_for(rows.size(), kRowGrain, [&](std::size_t begin, std::size_t end, unsigned worker) {
    context.check_stop();
    for (std::size_t p = begin; p < end; ++p) {
      const std::int64_t u = grid.rows.signed_at(p);
      if (lines.rows.holds(dft_index(u, lines.m))) continue;
      const auto row = values.subspan(p * grid.cols.count(), grid.cols.count());
      scratch[worker].assign(row.begin(), row.end());
      rows[p] = splitters[worker].split(u, false, scratch[worker], order, grid.cols, &positions).below;
    }
  });
  Moments below;
  for (const Moments& row : rows) below += row;
  return below;
}

/// PlaneSums on the CPU, from the values of a lattice.
class HostSums : public PlaneSums {
 public:
  HostSums(const SparsePattern& pattern, const FrequencyGrid& grid, std::span<const Complex> values,
           JobContext& context)
      : pattern_(pattern), grid_(grid), values_(values), context_(context) {}
  [[nodiscard]] std::uint64_t bytes() const override {
    return line_bytes(pattern_, context_.pool().threads());
  }
  [[nodiscard]] std::vector<float> powers(LineDirection direction) override {
    return line_powers(pattern_, direction, context_);
  }
  [[nodiscard]] Lines lines(const ChosenLines& lines, const std::vector<std::int64_t>& rows,
                            const PowerLimits& limits) override {
    return {moments_of(totals_of(lines, pattern_, context_), limits.floors),
            split_rows(pattern_, lines, rows, limits, context_)};
  }
  [[nodiscard]] std::vector<SampledRowMoments> rows(const ChosenLines& lines,
                                                    const std::vector<std::int64_t>& rows,
                                                    const PowerLimits& limits) override {
    return split_rows(pattern_, lines, rows, limits, context_);
  }
  [[nodiscard]] Moments bulk(const ChosenLines& lines, const PowerLimits& limits) override {
    return bulk_of_lattice(lines, grid_, values_, limits, context_);
  }

 private:
  const SparsePattern& pattern_;
  const FrequencyGrid& grid_;
  std::span<const Complex> values_;
  JobContext& context_;
};

/// Features of values on the whole plane.
Features features_of_plane(const FrequencyGrid& grid, std::span<const Complex> values, double mean_power,
                           double zero_floor) {
  const std::uint64_t m = grid.rows.size();
  const std::uint64_t n = grid.cols.size();
  const ColumnOrder order = ColumnOrder::of(grid.cols);
  FeatureRows rows(m, n);
  for (std::uint64_t p = 0; p < m; ++p)
    rows.add(grid.rows.signed_at(p), false, values.subspan(p * n, n), order);
  return features_of(rows.totals(), rows.totals().floored_log_sum(noise_floor(mean_power)),
                     rows.totals().zero_count(zero_floor), static_cast<double>(m) * static_cast<double>(n));
}

/// The weight of the lattice relative to the rows: 1 if its means lie within two standard errors of those of
/// the rows, (2/d)⁴ if one of them is d standard errors away. It is nearly 0 if a period of the matrix
/// coincides with the block size, so that the lattice is not representative.
double agreement(const LineSample& rows, const Moments& lattice) {
  if (!(lattice.count() > 0) || !(rows.sums().count() > 0)) return 1;
  constexpr double kErrors = 2;
  const Moments variances = rows.residual_variances({});
  double most = kErrors;
  for (std::size_t k = 0; k < Moments::kCount; ++k) {
    const double error = std::sqrt(variances.sums[k] * rows.lines()) / rows.sums().count();
    const double apart =
        std::abs(lattice.sums[k] / lattice.count() - rows.sums().sums[k] / rows.sums().count());
    if (apart > most * error) most = error > 0 ? apart / error : kErrors / kLeastAgreement;
  }
  return std::pow(kErrors / most, 4.0);
}

/// Squared changes of the sums over `cells` coefficients that a lattice of this weight causes, less half of
/// the squares that are to be expected from the standard errors of the rows.
Moments disagreement(const LineSample& rows, const Moments& lattice, double weight, double cells,
                     const Moments& slopes) {
  Moments squares;
  const double count = rows.sums().count();
  if (!(lattice.count() > 0) || !(count > 0)) return squares;
  Moments change = (1 / lattice.count()) * lattice;
  change += (-1 / count) * rows.sums();
  change += (-change.power()) * slopes;
  const double scale = cells * weight * lattice.count() / (count + weight * lattice.count());
  const Moments variances = rows.residual_variances(slopes);
  for (std::size_t k = 0; k < Moments::kCount; ++k) {
    const double probable = variances.sums[k] * rows.lines() / (count * count);
    squares.sums[k] = scale * scale * std::max(0.0, change.sums[k] * change.sums[k] - probable / 2);
  }
  return squares;
}

struct RestEstimate {
  Moments sums;
  std::optional<StratifiedWeights> weights;  // empty if the moments are exact, or if there are no data
};

/// Estimated moments of the `cells` coefficients that are on no chosen line and have `power` in total;
/// `plane_power` is the power of the plane.
RestEstimate estimate_rest(const RowsOfRest& rows, const Moments& lattice, double cells, double power,
                           double plane_power) {
  if (cells <= 0 || rows.sample.lines() == 0) return {};
  if (rows.sample.lines() == rows.population) return {rows.sample.sums(), {}};  // all of them: exact
  const double rate = rows.population / rows.sample.lines();
  Moments rest = rate * rows.above;
  Moments below = rows.below.sums();
  const double weight = agreement(rows.below, lattice);
  below += weight * lattice;
  StratifiedWeights weights{.rate = rate, .lattice = weight * weight * lattice.count()};
  if (below.count() > 0) {
    weights.bulk = (cells - rest.count()) / below.count();
    weights.mean = (1 / below.count()) * below;
    rest += weights.bulk * below;
  }
  const bool is_zero = rows.above.count() == 0 && below.sums[Moments::kZeros] >= below.count();
  if (is_zero && power < kSumRounding * plane_power) {  // no data: all power is on the chosen lines
    Moments zeros;
    zeros.sums[Moments::kCount] = zeros.sums[Moments::kZeros] = cells;
    zeros.sums[Moments::kLog] = rest.sums[Moments::kLog];
    return {zeros, {}};
  }
  weights.slopes = rows.sample.slopes(rest);
  weights.disagreement =
      disagreement(rows.below, lattice, weight, weights.bulk * below.count(), weights.slopes);
  weights.missing_power = power - rest.power();
  rest += weights.missing_power * weights.slopes;
  return {rest, weights};
}

struct PlaneEstimate {
  EstimatedFeatures features;  // samples: without the lattice
  bool is_coarse = false;      // the errors are too large: sample more rows
};

PlaneEstimate estimate_plane(const SparsePattern& pattern, const PlaneSums::Lines& known,
                             const Moments& lattice, double population) {
  const double mean_power = pattern.weight_squares();
  const double cells = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
  const double known_count = known.chosen.count() + 1;  // of coefficients; DC is one
  const double dc_power = pattern.weight_sum() * pattern.weight_sum();
  const RowsOfRest rows = rows_of_rest(known.rows, population);
  const double power = cells * mean_power - dc_power - known.chosen.power();
  RestEstimate rest =
      estimate_rest(rows, lattice, cells - known_count, std::max(0.0, power), cells * mean_power);
  // The chosen lines are left as they are: on the Nyquist lines of an even side mirrored sectors may differ.
  if (pattern.symmetric()) average_mirrored_sectors(rest.sums);
  Moments all = known.chosen;
  all += rest.sums;
  PlaneEstimate found{{features_of(all, dc_power, cells), {}}};
  found.features.samples = static_cast<std::uint64_t>(known_count + rows.sample.sums().count());
  Moments deviations;
  if (rest.weights) {
    rest.weights->symmetric = pattern.symmetric();
    const StratifiedVariances variances = stratified_variances(known.rows, *rest.weights);
    const PredictedErrors predicted = predicted_errors(variances.sums, found.features, dc_power, cells);
    found.is_coarse = std::max(predicted.radial, predicted.sectors) > kMostDistance ||
                      predicted.entropy > kMostEntropyError;
    deviations = stratified_deviations(variances);
  }
  found.features.errors = standard_errors_of(deviations, found.features, dc_power, cells, all.count());
  return found;
}

/// Number of samples of the lattice that are neither on a chosen line, of which DC is one coefficient, nor in
/// the sampled rows ±u.
std::uint64_t samples_beside(const ChosenLines& lines, const std::vector<std::int64_t>& sampled,
                             const FrequencyGrid& grid) {
  std::vector<char> is_known = lines.rows.chosen;
  for (const std::int64_t u : sampled)
    is_known[static_cast<std::size_t>(u)] = is_known[dft_index(-u, lines.m)] = 1;
  std::vector<char> has_sample(lines.n);
  for (std::uint64_t q = 0; q < grid.cols.count(); ++q) has_sample[grid.cols.index_at(q)] = 1;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> crossings;
  for (std::uint64_t p = 0; p < grid.rows.count(); ++p) {
    const std::uint64_t u = grid.rows.index_at(p);
    if (is_known[u] != 0) continue;
    lines.crossings(u, crossings);
    count += grid.cols.count();
    for (const std::uint64_t v : crossings) count -= has_sample[v] != 0 ? 1 : 0;
  }
  return count;
}

/// The moments of the sampled rows in order; `is_new`: those that come from `added`.
std::vector<SampledRowMoments> merged(const std::vector<SampledRowMoments>& before,
                                      const std::vector<SampledRowMoments>& added,
                                      const std::vector<bool>& is_new) {
  std::vector<SampledRowMoments> rows;
  rows.reserve(is_new.size());
  auto next = before.begin();
  auto next_new = added.begin();
  for (const bool one_is_new : is_new) rows.push_back(one_is_new ? *next_new++ : *next++);
  return rows;
}

}  // namespace

std::uint64_t stratified_bytes(const SparsePattern& pattern, unsigned threads) {
  if (std::max(pattern.rows(), pattern.cols()) > kLongestWholeLine) return decode_long_lines_bytes(pattern);
  const std::uint64_t bytes = pattern.has_weights() ? kSortedWithWeights : kSortedBytes;
  const std::uint64_t sorted = pattern.rows() == pattern.cols() ? bytes : 0;  // for the diagonals
  return line_bytes(pattern, threads) + sorted * static_cast<std::uint64_t>(pattern.nonzeros());
}

std::uint64_t stratified_lines(const SparsePattern& pattern) {
  constexpr std::uint64_t kLinesNearAxes = 2 * (kNearAxis + 2);  // c = 0 … kNearAxis, Nyquist; rows, columns
  constexpr std::uint64_t kLineDirections = 4;                   // of line_powers()
  if (std::max(pattern.rows(), pattern.cols()) > kLongestWholeLine) return 0;
  return kFewestPairs + kLinesNearAxes + kLineDirections * kLineProjections;
}

bool decodes_from_sums(const SparsePattern& pattern, const FrequencyGrid& grid) {
  const bool is_full = grid.rows.is_full() && grid.cols.is_full();
  return pattern.weight_squares() > 0 && grid.count() != 0 && !is_full &&
         std::max(pattern.rows(), pattern.cols()) <= kLongestWholeLine;
}

EstimatedFeatures decode_stratified(const SparsePattern& pattern, const FrequencyGrid& grid,
                                    std::span<const Complex> values, double zero_floor, JobContext& context) {
  if (!(pattern.weight_squares() > 0) || values.empty()) return {};
  if (decodes_from_sums(pattern, grid)) {
    HostSums sums(pattern, grid, values, context);
    return decode_stratified(pattern, grid, sums, zero_floor, context);
  }
  if (std::max(pattern.rows(), pattern.cols()) > kLongestWholeLine)
    return {decode_long_lines(pattern, grid, values, zero_floor, context), {}};
  Features features = features_of_plane(grid, values, pattern.weight_squares(), zero_floor);
  features.samples = values.size();
  return {features, {}};
}

EstimatedFeatures decode_rows(const SparsePattern& pattern, double zero_floor, JobContext& context) {
  if (!(pattern.weight_squares() > 0) || std::max(pattern.rows(), pattern.cols()) > kLongestWholeLine)
    return {};
  const FrequencyGrid no_lattice;
  HostSums sums(pattern, no_lattice, {}, context);
  return decode_stratified(pattern, no_lattice, sums, zero_floor, context);
}

EstimatedFeatures decode_stratified(const SparsePattern& pattern, const FrequencyGrid& grid, PlaneSums& sums,
                                    double zero_floor, JobContext& context) {
  const double mean_power = pattern.weight_squares();
  const PowerLimits limits{static_cast<float>(kThresholdPower * mean_power),
                           {noise_floor(mean_power), zero_floor}};
  const Booking booking(context.memory(), sums.bytes(), "lines of the plane");
  const ChosenLines lines =
      choose_lines(pattern, [&](LineDirection direction) { return sums.powers(direction); });
  IntervalRows sample(lines, kFewestPairs);
  PlaneSums::Lines known = sums.lines(lines, sample.rows(), limits);
  const Moments lattice = sums.bulk(lines, limits);
  const auto population = static_cast<double>(sample.population());
  PlaneEstimate found = estimate_plane(pattern, known, lattice, population);
  while (found.is_coarse && !sample.all()) {
    if (2 * static_cast<double>(known.rows.size()) > kMostRows * population) {
      const auto added = sums.rows(lines, sample.complete(), limits);
      known.rows.insert(known.rows.end(), added.begin(), added.end());
    } else {
      std::vector<bool> is_new;
      const auto added = sums.rows(lines, sample.refine(is_new), limits);
      known.rows = merged(known.rows, added, is_new);
    }
    found = estimate_plane(pattern, known, lattice, population);
  }
  found.features.rows = sample.rows();
  found.features.samples += samples_beside(lines, found.features.rows, grid);
  return found.features;
}

}  // namespace spyctrum
