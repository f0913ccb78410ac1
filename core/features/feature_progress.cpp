// SPDX-License-Identifier: Apache-2.0
// From the sums of tiles to features, their errors, and a text that can be read back.
#include "core/features/feature_progress.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>
#include <utility>

#include "core/features/feature_table.hpp"
#include "core/features/feature_totals.hpp"
#include "core/matrix/index.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

constexpr const char* kMagic = "spyctrum-feature-progress-5";

double largest_of(const Features& errors, const Features& features) {
  double largest = 0;
  for (const FeatureDefinition& feature : kFeatureTable) {
    if (feature.standard_error == StandardError::unknown) continue;
    const std::span<const double> values = feature.of(features);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double error = feature.of(errors)[k];
      if (feature.standard_error == StandardError::absolute)
        largest = std::max(largest, error);
      else if (values[k] > 0)
        largest = std::max(largest, error / values[k]);
    }
  }
  return largest;
}

bool is_possible(const RowPopulation& population) {
  return population.m >= 1 && population.m <= kLargestSide && population.n >= 1 &&
         population.n <= kLargestSide && population.mean_power >= 0 && std::isfinite(population.mean_power) &&
         std::isfinite(population.dc) && population.zero_floor >= 0 && std::isfinite(population.zero_floor);
}

bool is_possible(const Moments& sums) {
  return std::ranges::all_of(sums.sums, [](double sum) { return std::isfinite(sum); }) && sums.count() >= 0 &&
         sums.sums[Moments::kZeros] >= 0;
}

}  // namespace

std::uint64_t FeatureProgress::bytes(std::uint64_t m, bool in_order) {
  // The order, strata and marks of the tiles, and a copy of the order while it is made.
  constexpr std::uint64_t kOfSample = 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t) + sizeof(char);
  return RowPopulation{.m = m}.tiles() * (kOfSample + (in_order ? 1 : 2) * sizeof(Moments));
}

void FeatureProgress::set_sample(RowSample sample) {
  sample_ = std::move(sample);
  counts_ = sample_.strata.empty() ? std::vector<Moments>() : class_counts(population_);
  done_.assign(population_.tiles(), 0);
  sums_.assign(population_.tiles(), {});
  next_ = 0;
  estimates_.assign(sample_.check_points.size(), std::nullopt);
}

EarlierSums FeatureProgress::prepare(const SparsePattern& pattern, JobContext& context, bool in_order) {
  {
    const std::lock_guard lock(mutex_);
    if (prepared_ && has_pattern(pattern)) return EarlierSums::kept;
    prepared_ = false;
  }
  const RowPopulation population{.m = pattern.rows(),
                                 .n = pattern.cols(),
                                 .mean_power = pattern.weight_squares(),
                                 .dc = pattern.weight_sum(),
                                 .symmetric_half = pattern.symmetric(),
                                 .zero_floor = rounding_floor(pattern)};
  // Unlocked, so that readers need not wait.
  RowSample sample =
      in_order ? all_rows(population) : sample_rows(pattern, population, context.seed(), context);
  const std::lock_guard lock(mutex_);
  fingerprint_ = pattern.fingerprint();
  population_ = population;
  set_sample(std::move(sample));
  prepared_ = true;
  return EarlierSums::dropped;
}

bool FeatureProgress::has_pattern(const SparsePattern& pattern) const {
  return fingerprint_ == pattern.fingerprint() && population_.m == pattern.rows() &&
         population_.n == pattern.cols();
}

bool FeatureProgress::is_prepared() const {
  const std::lock_guard lock(mutex_);
  return prepared_;
}

bool FeatureProgress::is_of(const SparsePattern& pattern) const {
  const std::lock_guard lock(mutex_);
  return prepared_ && has_pattern(pattern);
}

std::uint64_t FeatureProgress::tiles_done() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint64_t>(std::ranges::count(done_, char{1}));
}

void FeatureProgress::forget() {
  const std::lock_guard lock(mutex_);
  prepared_ = false;
}

std::uint64_t FeatureProgress::first_row(std::uint64_t tile) const { return population_.first_row(tile); }

std::vector<std::uint32_t> FeatureProgress::stratum_of_rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> strata;
  if (sample_.strata.empty()) return strata;
  strata.reserve(rows());
  for (std::uint64_t tile = 0; tile < population_.tiles(); ++tile)
    strata.insert(strata.end(), first_row(tile + 1) - first_row(tile), sample_.stratum_of[tile]);
  return strata;
}

bool FeatureProgress::is_certain(std::uint64_t tile) const {
  const std::lock_guard lock(mutex_);
  return sample_.stratum_of[tile] == RowSample::kCertain;
}

std::vector<std::uint64_t> FeatureProgress::remaining() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> tiles;
  for (const std::uint64_t t : sample_.order)
    if (done_[t] == 0) tiles.push_back(t);
  return tiles;
}

std::vector<std::uint64_t> FeatureProgress::next_round() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> tiles;
  const std::size_t round = passed();
  if (round == sample_.check_points.size()) return tiles;
  for (std::uint64_t k = next_; k < sample_.check_points[round]; ++k)
    if (done_[sample_.order[k]] == 0) tiles.push_back(sample_.order[k]);
  return tiles;
}

std::vector<std::size_t> FeatureProgress::rounds_left() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> ends;
  std::size_t left = 0;
  std::uint64_t at = 0;
  for (const std::uint64_t end : sample_.check_points) {
    for (; at < end; ++at) left += done_[sample_.order[at]] == 0 ? 1 : 0;
    ends.push_back(left);
  }
  return ends;
}

std::uint64_t FeatureProgress::rows_summed() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t rows = 0;
  for (std::uint64_t t = 0; t < done_.size(); ++t)
    if (done_[t] != 0) rows += first_row(t + 1) - first_row(t);
  return rows;
}

Moments FeatureProgress::sums_from(const FeatureTotals& totals) const {
  return moments_of(totals, {noise_floor(population_.mean_power), population_.zero_floor});
}

Moments FeatureProgress::sums_of(std::uint64_t tile) const {
  const std::lock_guard lock(mutex_);
  return sums_[tile];
}

void FeatureProgress::add_sums(std::uint64_t tile, const Moments& sums) {
  const std::lock_guard lock(mutex_);
  if (done_[tile] != 0) return;
  done_[tile] = 1;
  sums_[tile] = sums;
}

std::size_t FeatureProgress::passed() const {
  while (next_ < sample_.order.size() && done_[sample_.order[next_]] != 0) ++next_;
  const auto& points = sample_.check_points;
  return static_cast<std::size_t>(std::upper_bound(points.begin(), points.end(), next_) - points.begin());
}

std::size_t FeatureProgress::check_points_passed() const {
  const std::lock_guard lock(mutex_);
  return prepared_ ? passed() : 0;
}

const FeatureEstimate& FeatureProgress::estimate_at(std::size_t check_point) const {
  std::optional<FeatureEstimate>& estimate = estimates_[check_point];
  if (!estimate) estimate = make_estimate(sample_.check_points[check_point]);
  return *estimate;
}

std::optional<FeatureEstimate> FeatureProgress::estimate() const {
  const std::lock_guard lock(mutex_);
  const std::size_t points = prepared_ ? passed() : 0;
  if (points == 0) return std::nullopt;
  return estimate_at(points - 1);
}

std::optional<FeatureEstimate> FeatureProgress::estimate_within(double until, std::size_t from) const {
  const std::lock_guard lock(mutex_);
  const std::size_t points = prepared_ ? passed() : 0;
  if (points == 0) return std::nullopt;
  for (std::size_t k = from; k + 1 < points; ++k)
    if (estimate_at(k).reliable && estimate_at(k).largest <= until) return estimate_at(k);
  return estimate_at(points - 1);
}

FeatureEstimate FeatureProgress::make_estimate(std::uint64_t tiles_done) const {
  const double cells = population_.cells();
  const double dc_power = population_.dc * population_.dc;
  const RowEstimate rows = estimate_rows(population_, sample_, tiles_done, sums_, counts_);
  FeatureEstimate estimate;
  estimate.rows = population_.half_rows();
  double samples = 1;  // DC
  for (std::uint64_t k = 0; k < tiles_done; ++k) {
    const std::uint64_t t = sample_.order[k];
    estimate.rows_done += first_row(t + 1) - first_row(t);
    samples += sums_[t].count();
  }
  estimate.reliable = rows.reliable;
  estimate.features = features_of(rows.totals, dc_power, cells);
  estimate.features.samples = static_cast<std::uint64_t>(samples);
  if (!estimate.complete())
    estimate.errors =
        standard_errors_of(rows.deviations, estimate.features, dc_power, cells, rows.totals.count());
  estimate.largest = largest_of(estimate.errors, estimate.features);
  return estimate;
}

std::string FeatureProgress::save() const {
  const std::lock_guard lock(mutex_);
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<double>::max_digits10);
  text << kMagic << '\n'
       << fingerprint_ << ' ' << population_.m << ' ' << population_.n << ' ' << population_.mean_power << ' '
       << population_.dc << ' ' << population_.symmetric_half << ' ' << population_.zero_floor << '\n';
  text << sample_.order.size() << ' ' << sample_.certain << ' ' << sample_.strata.size() << '\n';
  for (const std::uint64_t t : sample_.order) {
    text << t << ' ' << sample_.stratum_of[t] << ' ' << (done_[t] != 0 ? 1 : 0);
    if (done_[t] != 0)
      for (const double sum : sums_[t].sums) text << ' ' << sum;
    text << '\n';
  }
  return text.str();
}

Result<std::shared_ptr<FeatureProgress>> FeatureProgress::load(std::string_view text) {
  std::istringstream in{std::string(text)};
  auto progress = std::make_shared<FeatureProgress>();
  std::string magic;
  std::uint64_t count = 0;
  std::uint64_t strata = 0;
  RowSample sample;
  RowPopulation& population = progress->population_;
  in >> magic >> progress->fingerprint_ >> population.m >> population.n >> population.mean_power >>
      population.dc >> population.symmetric_half >> population.zero_floor >> count >> sample.certain >>
      strata;
  const auto bad = [] {
    return fail(ErrorCode::bad_input,
                "The text is not a saved state of streamed features, or was written by another version.",
                "Name another file, or delete this one to start from the first row.");
  };
  // Each tile takes at least four bytes: the announced count is checked before memory is allocated for it.
  if (!in || magic != kMagic || !is_possible(population) || count != population.tiles() ||
      sample.certain > count || strata > count || count > text.size() / 4)
    return bad();
  std::vector<Moments> sums(count);
  double coefficients = 0;
  std::vector<char> done(count, 0);
  std::vector<char> seen(count, 0);
  sample.strata.assign(strata, 0);
  sample.stratum_of.assign(count, RowSample::kCertain);
  for (std::uint64_t k = 0; k < count; ++k) {
    std::uint64_t tile = 0;
    std::uint32_t stratum = 0;
    int is_done = 0;
    in >> tile >> stratum >> is_done;
    if (!in || tile >= count || seen[tile] != 0) return bad();
    if (k < sample.certain ? stratum != RowSample::kCertain : stratum >= strata) return bad();
    seen[tile] = 1;
    sample.order.push_back(tile);
    sample.stratum_of[tile] = stratum;
    if (k >= sample.certain) ++sample.strata[stratum];
    done[tile] = is_done != 0 ? 1 : 0;
    if (is_done != 0)
      for (double& sum : sums[tile].sums) in >> sum;
    // A line of more or fewer sums was written by a version that stored other sums.
    if (in.peek() != '\n' || !is_possible(sums[tile])) return bad();
    coefficients += sums[tile].count();
  }
  if (!in || coefficients > population.cells()) return bad();
  sample.check_points = check_points_of(sample);
  progress->set_sample(std::move(sample));
  progress->sums_ = std::move(sums);
  progress->done_ = std::move(done);
  progress->prepared_ = true;
  return progress;
}

}  // namespace spyctrum
