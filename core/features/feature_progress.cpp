// SPDX-License-Identifier: Apache-2.0
// The sampling units are tiles: neighbouring rows are much alike, distant tiles are
// nearly independent.
#include "core/features/feature_progress.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <memory>
#include <sstream>

#include "core/features/feature_table.hpp"
#include "core/features/feature_totals.hpp"
#include "core/features/line_family.hpp"

namespace spyctrum {

namespace {

constexpr const char* kMagic = "spyctrum-feature-progress-2";
/// A tile whose power is above this multiple of the mean is a certain tile.
constexpr double kCertainTilePower = 1.5;
/// For longer sides line_powers() is not computed, and no tile is certain by its power.
constexpr std::uint64_t kLongestProjected = std::uint64_t{1} << 20U;

/// 0 … count−1 in van der Corput's order: each prefix is spread over the whole.
std::vector<std::uint64_t> spread_order(std::uint64_t count) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < count) ++bits;
  std::vector<std::uint64_t> order;
  order.reserve(count);
  for (std::uint64_t k = 0; k < (std::uint64_t{1} << bits); ++k) {
    std::uint64_t reversed = 0;
    for (unsigned b = 0; b < bits; ++b) reversed |= (k >> b & 1U) << (bits - 1 - b);
    if (reversed < count) order.push_back(reversed);
  }
  return order;
}

/// Errors of features whose sums have these variances; total power is known.
Features errors_of(const Moments& variances, const Features& features, double dc_power, double cells,
                   double count) {
  const auto deviation = [&](std::size_t k) { return std::sqrt(std::max(0.0, variances.sums[k])); };
  Features errors;
  const double total = features.total_power;
  const double non_dc = total - dc_power;
  if (!(total > 0)) return errors;
  if (cells > 1) errors.entropy = deviation(Moments::kPowerLog) / total / std::log(cells);
  for (std::size_t k = 0; k < kRadialBins; ++k) errors.radial[k] = deviation(k) / total;
  if (!(non_dc > 0) || !(count > 0)) return errors;
  for (std::size_t k = 0; k < kSectors; ++k) errors.sectors[k] = deviation(Moments::kSectorsAt + k) / non_dc;
  errors.low_frequency_ratio = deviation(Moments::kLow) / non_dc;
  errors.flatness = features.flatness * deviation(Moments::kLog) / count;
  return errors;
}

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

/// The sampled tiles, ascending; the position of each in the population; the number of tiles that each
/// represents.
struct Sample {
  std::vector<const Moments*> tiles;
  std::vector<double> positions;
  std::vector<double> weights;
  double population = 0;

  [[nodiscard]] Moments total() const {
    Moments sum;
    for (std::size_t i = 0; i < tiles.size(); ++i) sum += weights[i] * *tiles[i];
    return sum;
  }
};

void set_weights(Sample& sample) {
  const std::vector<double>& positions = sample.positions;
  double begin = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const bool is_last = i + 1 == positions.size();
    const double end = is_last ? sample.population : (positions[i] + positions[i + 1] + 1) / 2;
    sample.weights.push_back(end - begin);
    begin = end;
  }
}

/// Differences of neighbouring sampled tiles. The variance of each is twice the variance of one tile about
/// the slow trend. `second`: differences to the line through both neighbours, which cancel a linear trend;
/// needs three tiles.
std::vector<Moments> differences_of(const Sample& sample, bool second) {
  std::vector<Moments> differences;
  for (std::size_t i = 1; i < sample.tiles.size(); ++i) {
    Moments difference = *sample.tiles[i];
    if (!second) {
      difference += -1 * *sample.tiles[i - 1];
      differences.push_back(difference);
      continue;
    }
    if (i + 1 == sample.tiles.size()) break;
    // The difference to the line through the two neighbours.
    const double whole = sample.positions[i + 1] - sample.positions[i - 1];
    const double before = (sample.positions[i + 1] - sample.positions[i]) / whole;
    const double after = 1 - before;
    difference += -before * *sample.tiles[i - 1];
    difference += -after * *sample.tiles[i + 1];
    differences.push_back(std::sqrt(2 / (1 + before * before + after * after)) * difference);
  }
  return differences;
}

/// Regression of all sums on power over the differences: slopes, and the variance of a tile about the fit.
struct Regression {
  Moments slopes;
  Moments variances;
};
Regression regression_of(const Sample& sample, const Moments& estimate, bool grows) {
  constexpr double kSpread = 0.01;  // differences below this share of a tile's power carry little weight
  const std::vector<Moments> differences = differences_of(sample, grows && sample.tiles.size() > 2);
  const auto pairs = static_cast<double>(differences.size());
  Moments products;
  Moments squares;
  double power_squares = 0;
  for (const Moments& difference : differences) {
    const double d = difference.power();
    power_squares += d * d;
    for (std::size_t k = 0; k < Moments::kSize; ++k) {
      products.sums[k] += difference.sums[k] * d;
      squares.sums[k] += difference.sums[k] * difference.sums[k];
    }
  }
  const double spread = kSpread * estimate.power() / sample.population;
  const double prior = pairs * spread * spread;
  Regression result;
  result.slopes = LineSample().slopes(estimate);
  for (std::size_t k = 0; k < Moments::kSize; ++k) {
    double& slope = result.slopes.sums[k];
    if (k == Moments::kCount || !(power_squares + prior > 0)) continue;
    slope = (products.sums[k] + prior * slope) / (power_squares + prior);
    const double residual = squares.sums[k] - 2 * slope * products.sums[k] + slope * slope * power_squares;
    result.variances.sums[k] = std::max(0.0, residual) / (2 * pairs);
  }
  return result;
}

}  // namespace

void FeatureProgress::order_tiles(const std::vector<char>& certain) {
  order_.clear();
  for (std::uint64_t t = 0; t < certain.size(); ++t)
    if (certain[t] != 0) order_.push_back(t);
  certain_tiles_ = order_.size();
  for (const std::uint64_t t : spread_order(certain.size()))
    if (certain[t] == 0) order_.push_back(t);
}

std::vector<char> FeatureProgress::certain_tiles(const SparsePattern& pattern, JobContext& context) {
  const std::uint64_t half_rows = pattern.rows() / 2 + 1;
  std::vector<char> certain(tiles_of(half_rows), 0);
  certain.front() = certain.back() = 1;  // row u = 0, and the last tile, which may be shorter
  if (std::max(pattern.rows(), pattern.cols()) > kLongestProjected || pattern.nonzeros() == 0) return certain;
  const std::vector<float> powers = line_powers(pattern, LineDirection::rows, context);
  for (std::uint64_t t = 0; t < certain.size(); ++t) {
    const std::uint64_t begin = t * kTileRows;
    const std::uint64_t end = std::min(half_rows, begin + kTileRows);
    double sum = 0;
    for (std::uint64_t u = begin; u < end; ++u) sum += static_cast<double>(powers[u]);
    if (sum > kCertainTilePower * static_cast<double>(end - begin)) certain[t] = 1;
  }
  return certain;
}

bool FeatureProgress::prepare(const SparsePattern& pattern, JobContext& context) {
  {
    const std::lock_guard lock(mutex_);
    if (prepared_ && has_pattern(pattern)) return false;
    prepared_ = false;
  }
  const std::vector<char> certain = certain_tiles(pattern, context);  // unlocked: readers do not wait
  const std::lock_guard lock(mutex_);
  fingerprint_ = pattern.fingerprint();
  symmetric_ = pattern.symmetric();
  nonzeros_ = static_cast<double>(pattern.nonzeros());
  m_ = pattern.rows();
  n_ = pattern.cols();
  half_rows_ = m_ / 2 + 1;
  done_.assign(tiles(), 0);
  sums_.assign(tiles(), {});
  order_tiles(certain);
  prepared_ = true;
  return true;
}

bool FeatureProgress::has_pattern(const SparsePattern& pattern) const {
  return fingerprint_ == pattern.fingerprint() && m_ == pattern.rows() && n_ == pattern.cols();
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

std::uint64_t FeatureProgress::first_row(std::uint64_t tile) const {
  return std::min(half_rows_, tile * kTileRows);
}

std::vector<std::uint64_t> FeatureProgress::remaining() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> tiles;
  for (const std::uint64_t t : order_)
    if (done_[t] == 0) tiles.push_back(t);
  return tiles;
}

void FeatureProgress::add(std::uint64_t tile, const FeatureTotals& totals) {
  const Moments moments = moments_of(totals, noise_floor(nonzeros_));
  const std::lock_guard lock(mutex_);
  if (done_[tile] != 0) return;
  done_[tile] = 1;
  sums_[tile] = moments;
}

bool FeatureProgress::certain_done() const {
  return std::all_of(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(certain_tiles_),
                     [&](std::uint64_t t) { return done_[t] != 0; });
}

std::optional<FeatureEstimate> FeatureProgress::estimate() const {
  const std::lock_guard lock(mutex_);
  if (!prepared_ || !certain_done()) return std::nullopt;
  FeatureEstimate estimate;
  estimate.rows = half_rows_;
  Moments all;
  std::vector<char> is_certain(done_.size(), 0);
  for (std::uint64_t k = 0; k < certain_tiles_; ++k) is_certain[order_[k]] = 1;
  Sample sample;
  for (std::uint64_t t = 0; t < done_.size(); ++t) {
    if (done_[t] != 0) {
      estimate.rows_done += first_row(t + 1) - first_row(t);
      estimate.features.samples += static_cast<std::uint64_t>(sums_[t].count());
    }
    if (is_certain[t] != 0) {
      all += sums_[t];
      continue;
    }
    if (done_[t] != 0) {
      sample.tiles.push_back(&sums_[t]);
      sample.positions.push_back(sample.population);
    }
    sample.population += 1;
  }
  const std::uint64_t samples = estimate.features.samples + 1;
  if (!estimate.complete() && sample.tiles.size() < 2) return std::nullopt;
  const double cells = static_cast<double>(m_) * static_cast<double>(n_);
  const double dc_power = nonzeros_ * nonzeros_;
  estimate.sampled_tiles = sample.tiles.size();
  set_weights(sample);
  Moments rest = sample.total();
  // The number of coefficients that the sample represents is known.
  if (rest.count() > 0) rest = ((cells - 1 - all.count()) / rest.count()) * rest;
  Moments variances;
  if (!estimate.complete()) {
    const Regression regression = regression_of(sample, rest, symmetric_);
    double squared_weights = 0;
    for (const double weight : sample.weights) squared_weights += weight * weight;
    const double left = 1 - static_cast<double>(sample.tiles.size()) / sample.population;
    variances = (squared_weights * left) * regression.variances;
    rest += (cells * nonzeros_ - dc_power - all.power() - rest.power()) * regression.slopes;
  }
  all += rest;
  estimate.features = features_of(all, dc_power, cells);
  estimate.features.samples = samples;
  estimate.errors = errors_of(variances, estimate.features, dc_power, cells, all.count());
  estimate.largest = largest_of(estimate.errors, estimate.features);
  return estimate;
}

std::string FeatureProgress::save() const {
  const std::lock_guard lock(mutex_);
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<double>::max_digits10);
  text << kMagic << '\n'
       << fingerprint_ << ' ' << m_ << ' ' << n_ << ' ' << nonzeros_ << ' ' << symmetric_ << '\n';
  text << order_.size() << ' ' << certain_tiles_ << '\n';
  for (const std::uint64_t t : order_) {
    text << t << ' ' << (done_[t] != 0 ? 1 : 0);
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
  in >> magic >> progress->fingerprint_ >> progress->m_ >> progress->n_ >> progress->nonzeros_ >>
      progress->symmetric_ >> count >> progress->certain_tiles_;
  progress->half_rows_ = progress->m_ / 2 + 1;
  const auto bad = [] {
    return fail(ErrorCode::bad_input,
                "The text is not a saved state of streamed features, or was written by another version.",
                "Name another file, or delete this one to start from the first row.");
  };
  // Each tile takes at least four bytes: the announced count is checked before it is believed.
  if (!in || magic != kMagic || count != progress->tiles() || progress->certain_tiles_ > count ||
      count > text.size() / 4)
    return bad();
  progress->done_.assign(count, 0);
  progress->sums_.assign(count, {});
  std::vector<char> seen(count, 0);
  for (std::uint64_t k = 0; k < count; ++k) {
    std::uint64_t tile = 0;
    int done = 0;
    in >> tile >> done;
    if (!in || tile >= count || seen[tile] != 0) return bad();
    seen[tile] = 1;
    progress->order_.push_back(tile);
    progress->done_[tile] = done != 0 ? 1 : 0;
    if (done != 0)
      for (double& sum : progress->sums_[tile].sums) in >> sum;
  }
  if (!in) return bad();
  progress->prepared_ = true;
  return progress;
}

}  // namespace spyctrum
