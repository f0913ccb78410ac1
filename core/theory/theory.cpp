// SPDX-License-Identifier: Apache-2.0
// Evaluates the bounds, and streams the plane for the measured values.
#include "core/theory/theory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/features/feature_consumer.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "core/theory/bounds.hpp"

namespace spyctrum {

namespace {

constexpr unsigned kShift = 16;                                        // 23 − 7 bits of the fraction
constexpr std::size_t kBins = std::size_t{0x7F800000U >> kShift} + 1;  // up to infinity

void add_values(std::span<const std::complex<float>> values, double weight,
                std::vector<EnergyDistribution::Bin>& bins) {
  for (const std::complex<float> value : values) {
    const float power = std::norm(value);
    EnergyDistribution::Bin& bin = bins[std::bit_cast<std::uint32_t>(power) >> kShift];
    bin.count += weight;
    bin.power += weight * static_cast<double>(power);
  }
}

/// Σa per block of one strip of b columns; only occupied blocks are visited and reset.
class StripSums {
 public:
  explicit StripSums(std::uint64_t block_rows) : sums_(block_rows), counts_(block_rows) {}
  void add(std::uint64_t block_row, double weight) {
    if (counts_[block_row]++ == 0) touched_.push_back(block_row);
    sums_[block_row] += weight;
  }
  /// Returns Σ (Σa)²/area over the strip, area = height(block row)·width the cells of a block, and resets the
  /// sums.
  template <class Height>
  double take(Height&& height, double width) {
    double sum = 0;
    for (const std::uint64_t p : touched_) {
      sum += sums_[p] * sums_[p] / (height(p) * width);
      sums_[p] = 0;
      counts_[p] = 0;
    }
    occupied_ += touched_.size();
    touched_.clear();
    return sum;
  }
  [[nodiscard]] std::uint64_t occupied() const { return occupied_; }

 private:
  std::vector<double> sums_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t> touched_;
  std::uint64_t occupied_ = 0;
};

/// relative error of measured values, which come from single-precision coefficients
constexpr double kRounding = 1e-5;

double cells_of(const SparsePattern& pattern) {
  return static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
}

/// The share of DC in the power: K/mn, with weights (Σw)²/(mnΣw²); 0 if there is no power.
double dc_share_of(const SparsePattern& pattern) {
  if (!(pattern.weight_squares() > 0)) return 0;
  if (!pattern.has_weights()) return static_cast<double>(pattern.nonzeros()) / cells_of(pattern);
  return pattern.weight_sum() * pattern.weight_sum() / (pattern.weight_squares() * cells_of(pattern));
}

bool contains_zero(const FrequencyAxis& axis) {
  for (std::uint64_t k = 0; k < axis.count(); ++k)
    if (axis.signed_at(k) == 0) return true;
  return false;
}

/// Q of §3.2: the number of frequencies of the grid, without (0, 0).
std::uint64_t count_beside_dc(const FrequencyGrid& grid) {
  return grid.count() - (contains_zero(grid.rows) && contains_zero(grid.cols) ? 1 : 0);
}

/// The statements, evaluated for the sizes of `theory`, its deficit and its aggregation. Eq. 9 holds for any
/// weights: the entropies of |a|²/Σ|a|², at most ln K, and of the power add up to at least ln(mn) (H.
/// Maassen, J. B. M. Uffink, Phys. Rev. Lett. 60, 1988).
std::vector<Statement> statements_of(const Theory& theory, const FrequencyGrid& grid,
                                     const TheoryMeasurements& measured) {
  const double cells = static_cast<double>(theory.m) * static_cast<double>(theory.n);
  const auto nonzeros = static_cast<double>(theory.nonzeros);
  const auto blocks = static_cast<double>(theory.aggregation.blocks);
  const auto samples = static_cast<double>(theory.grid_samples);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> top;
  std::optional<double> gap;
  std::optional<double> beside_share;
  std::optional<double> spectrum_error;
  if (measured.energy) top = measured.energy->top_share(samples);
  if (top && measured.uniform_share) gap = *top - *measured.uniform_share;
  if (measured.uniform_share && cells > 1)
    beside_share = std::abs(*measured.uniform_share - samples / (cells - 1));
  // ‖F − F(Π_b A)‖² = P·E_b² and ‖F without DC‖² = K(P − K), both by Parseval.
  const double rest = 1 - theory.dc_share;
  if (rest > 0) spectrum_error = theory.aggregation.relative / rest;
  std::vector<Statement> statements{
      {"entropy_floor", "Entropy", "eq. 9, §3.2", Relation::at_least, entropy_floor(cells, nonzeros),
       measured.entropy,
       "The least entropy that the spectrum of any pattern with K entries can have: 1 − ln K / ln(mn)."},
      {"flat_entropy", "Entropy of noise", "flat complex Gaussian field", Relation::expected,
       flat_entropy(cells), measured.entropy,
       "The entropy of a spectrum of independent Gaussian coefficients, which has no structure. The "
       "further the measured entropy is below it, the more structure the spectrum has."},
      {"retained_energy_gap", "Energy gap", "eq. 10, §3.2", Relation::at_most,
       theory.deficit ? retained_energy_gap(*theory.deficit) : kUnknown, gap,
       "By how much the share of power in the Q largest coefficients exceeds that in the Q coefficients "
       "of a uniform lattice; at most √(2δ). A bound above 1 says nothing."},
      {"uniform_energy", "Lattice energy", "Pinsker's inequality, §3.2", Relation::at_most,
       theory.deficit ? std::sqrt(*theory.deficit / 2) : kUnknown, beside_share,
       "The difference between the lattice's share R of the power and its share Q/M of the frequencies: "
       "|R − Q/M| ≤ √(δ/2)."},
      {"flat_top_energy", "Energy of the Q largest", "flat complex Gaussian field", Relation::expected,
       flat_top_energy(samples, cells - 1), top,
       "Share of power in the Q largest coefficients; for a spectrum of independent Gaussian "
       "coefficients it is (Q/M)(1 + ln(M/Q))."},
      {"coverage_radius", "Coverage radius", "eq. 11, §3.2", Relation::at_least,
       least_coverage_radius(static_cast<double>(grid.count())), coverage_radius(grid),
       "Largest distance from a frequency to the nearest sample, in cycles per sample; at least 1/√(πQ) "
       "for any Q points."},
      {"aggregation_loss", "Aggregation loss", "eq. 14 and 15, §3.3", Relation::expected,
       theory.has_weights ? kUnknown : random_aggregation_loss(cells, nonzeros, blocks),
       theory.aggregation.relative,
       "Share of ‖A‖² lost by averaging over blocks. The expected loss is (1−d)(P−Q)/(P−1) for entries "
       "at random positions, and less for clustered ones."},
      {"optimal_spectrum_error", "Spectrum error of block means", "eq. 16, §3.3", Relation::expected,
       theory.has_weights ? kUnknown : optimal_spectrum_error(cells, blocks), spectrum_error,
       "Normalised squared error of the best complex spectrum that the block counts determine; "
       "(P−Q)/(P−1) is expected for entries at random positions."}};
  if (theory.has_weights)
    for (Statement& one : statements)
      if (one.relation == Relation::expected && std::isnan(one.bound))
        one.meaning += " This expectation is of patterns; there is none for weights.";
  return statements;
}

/// The costs of every method for which the paper gives a formula: exact methods first, then methods of
/// samples, then estimates.
std::vector<CostFormula> cost_formulas(const SparsePattern& pattern, std::uint64_t block) {
  const CostSizes sizes = cost_sizes(pattern, block);
  std::vector<const MethodInfo*> stated;
  for (const auto& method : methods())
    if (method->info().paper_cost) stated.push_back(&method->info());
  std::ranges::stable_sort(stated, {}, &MethodInfo::exactness);
  std::vector<CostFormula> list;
  for (const MethodInfo* info : stated) {
    const PaperCost& cost = *info->paper_cost;
    list.push_back({info->id, cost.label, cost.work_formula, cost.work(sizes), cost.storage_formula,
                    cost.bytes(sizes), cost.source});
  }
  return list;
}

}  // namespace

double EnergyDistribution::power() const {
  return std::accumulate(bins_.begin(), bins_.end(), 0.0,
                         [](double sum, const Bin& bin) { return sum + bin.power; });
}

double EnergyDistribution::top_share(double count) const {
  const double total = power();
  if (!(total > 0)) return 0;
  double retained = 0;
  for (auto bin = bins_.rbegin(); bin != bins_.rend() && count > 0; ++bin) {
    if (!(bin->count > 0)) continue;
    retained += bin->power * std::min(1.0, count / bin->count);
    count -= bin->count;
  }
  return retained / total;
}

double EnergyDistribution::count_holding(double share) const {
  double missing = share * power();
  double count = 0;
  for (auto bin = bins_.rbegin(); bin != bins_.rend() && missing > 0; ++bin) {
    if (!(bin->power > 0)) continue;
    count += bin->count * std::min(1.0, missing / bin->power);
    missing -= bin->power;
  }
  return count;
}

void EnergyConsumer::begin(std::uint64_t /*m*/, std::uint64_t /*n*/, unsigned workers) {
  workers_.assign(workers, std::vector<EnergyDistribution::Bin>(kBins));
  distribution_ = {};
}

void EnergyConsumer::consume(const SpectrumRow& row, unsigned worker) {
  add_values(row.u == 0 ? row.values.subspan(1) : row.values, row.mirrored ? 2.0 : 1.0, workers_[worker]);
}

void EnergyConsumer::finish() {
  std::vector<EnergyDistribution::Bin> bins(kBins);
  for (const auto& worker : workers_) {
    for (std::size_t k = 0; k < kBins; ++k) {
      bins[k].count += worker[k].count;
      bins[k].power += worker[k].power;
    }
  }
  workers_.clear();
  distribution_ = EnergyDistribution(std::move(bins));
}

Aggregation aggregation_of(const SparsePattern& pattern, std::uint64_t block, JobContext& context) {
  const std::uint64_t m = pattern.rows();
  const std::uint64_t n = pattern.cols();
  const std::uint64_t block_rows = (m + block - 1) / block;
  const std::uint64_t block_cols = (n + block - 1) / block;
  Aggregation result;
  result.blocks = block_rows * block_cols;
  const Booking booked(context.memory(), 24 * block_rows, "block sums");
  StripSums strip(block_rows);
  const auto height = [&](std::uint64_t p) { return static_cast<double>(std::min(block, m - p * block)); };
  const auto columns = pattern.column_ids();
  double squares = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    context.check_stop();
    const auto rows = pattern.column(k);
    const auto weights = pattern.column_weights(k);
    for (std::size_t t = 0; t < rows.size(); ++t)
      strip.add(rows[t] / block, weights.empty() ? 1.0 : static_cast<double>(weights[t]));
    const std::uint64_t q = columns[k] / block;
    if (k + 1 < columns.size() && columns[k + 1] / block == q) continue;
    squares += strip.take(height, static_cast<double>(std::min(block, n - q * block)));
  }
  const double power = pattern.weight_squares();
  result.loss = std::max(0.0, power - squares);
  result.relative = power > 0 ? result.loss / power : 0;
  result.occupied_blocks = strip.occupied();
  return result;
}

const char* symbol_of(Relation relation) {
  return relation == Relation::at_least ? "≥" : relation == Relation::at_most ? "≤" : "≈";
}

std::optional<bool> Statement::holds() const {
  if (!measured || relation == Relation::expected || !std::isfinite(bound)) return std::nullopt;
  const double slack = kRounding * std::max(1e-2, std::abs(bound));
  return relation == Relation::at_least ? *measured >= bound - slack : *measured <= bound + slack;
}

std::optional<double> entropy_beside_dc(const SparsePattern& pattern, double entropy) {
  const double cells = cells_of(pattern), share = dc_share_of(pattern);
  if (pattern.has_weights() && share == 0) return entropy * std::log(cells);  // Σw = 0
  return non_dc_entropy(entropy, cells, share * cells);
}

Theory theory_of(const SparsePattern& pattern, std::uint64_t block, const TheoryMeasurements& measured,
                 JobContext& context) {
  if (block == 0) throw Failure(ErrorCode::wrong_use, "A block size is 1 or more, not 0.");
  const FrequencyGrid grid = off_axis_grid(pattern.rows(), pattern.cols(), block);
  Theory theory;
  theory.m = pattern.rows();
  theory.n = pattern.cols();
  theory.nonzeros = pattern.nonzeros();
  theory.block = block;
  theory.grid_samples = count_beside_dc(grid);
  theory.aggregation = aggregation_of(pattern, block, context);
  const double cells = static_cast<double>(theory.m) * static_cast<double>(theory.n);
  theory.sampling_rate = static_cast<double>(theory.aggregation.blocks) / cells;
  theory.has_weights = pattern.has_weights();
  theory.dc_share = dc_share_of(pattern);
  if (measured.entropy) {
    if (const auto entropy = entropy_beside_dc(pattern, *measured.entropy)) {
      theory.deficit = entropy_deficit(*entropy, cells);
      theory.effective_coefficients = std::exp(*entropy);
    }
  }
  if (measured.energy) theory.holding_90_percent = measured.energy->count_holding(0.9);
  theory.statements = statements_of(theory, grid, measured);
  theory.costs = cost_formulas(pattern, block);
  return theory;
}

Result<TheoryMeasurements> measure_plane(const PatternPtr& pattern, JobContext& context) {
  FeatureConsumer features(rounding_floor(*pattern));
  EnergyConsumer energy;
  const std::array<RowConsumer*, 2> consumers{&features, &energy};
  const Method& method = usual_method(MethodRole::plane);
  auto streamed = stream_method(method, default_request(method, pattern), consumers, context);
  if (!streamed) return tl::unexpected<Error>(streamed.error());
  return TheoryMeasurements{features.features().entropy, energy.distribution(), std::nullopt};
}

Result<double> measure_uniform_share(const PatternPtr& pattern, std::uint64_t block, JobContext& context) {
  const Method& elastic = usual_method(MethodRole::samples);
  ResolvedRequest request;
  request.pattern = pattern;
  request.parameters = elastic.defaults();
  if (auto set = request.parameters.set("block", static_cast<std::int64_t>(block)); !set)
    return tl::unexpected<Error>(set.error());
  request.outputs = {.values = true, .features = false, .pyramid = false};
  auto spectrum = run_method(elastic, request, context);
  if (!spectrum) return tl::unexpected<Error>(spectrum.error());
  const FrequencyGrid& grid = (*spectrum)->grid;
  double power = 0;
  for (std::uint64_t p = 0; p < grid.rows.count(); ++p) {
    for (std::uint64_t q = 0; q < grid.cols.count(); ++q) {
      if (grid.rows.signed_at(p) == 0 && grid.cols.signed_at(q) == 0) continue;
      power += std::norm(std::complex<double>((*spectrum)->values[p * grid.cols.count() + q]));
    }
  }
  const double cells = static_cast<double>(pattern->rows()) * static_cast<double>(pattern->cols());
  const double squares = pattern->weight_squares();
  const double all =
      squares > 0 ? squares * (cells - pattern->weight_sum() * (pattern->weight_sum() / squares)) : 0;
  return all > 0 ? power / all : 0.0;
}

}  // namespace spyctrum
