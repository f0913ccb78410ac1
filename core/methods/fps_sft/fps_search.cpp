// SPDX-License-Identifier: Apache-2.0
// The search runs in rounds of a few lines each, which are computed in parallel and merged in their order, so
// that the result does not depend on the number of threads. Three stages: rounds with all tests until they
// find almost nothing; rounds that decode the bins of smallest variation without the projection check; a
// pseudo-random walk over the plane for the coefficients that are still missing.
#include "core/methods/fps_sft/fps_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "core/engine/exact_points.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/random.hpp"
#include "core/methods/fps_sft/fps_known.hpp"
#include "core/methods/fps_sft/fps_slices.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kLinesAtOnce = 8;
constexpr std::uint64_t kBinsAtOnce = std::uint64_t{1} << 20U;
constexpr std::uint64_t kPieceBins = std::uint64_t{1} << 14U;  // bins that one thread tests at a time
constexpr std::uint64_t kFewestIterations = 24;
// accepts every bin: above √2, the largest possible variation of three magnitudes
constexpr double kEveryVariation = 1.5;
constexpr double kNoise = 1e-4;  // in units of a bin's root mean square; smaller values are rounding
constexpr std::uint64_t kPeeledPerBin = 16;   // known coefficients that are subtracted, at most
constexpr std::uint64_t kUncheckedShare = 4;  // 1/4 of the bins: those of smallest variation
constexpr std::size_t kPointsBetweenStops = std::size_t{1} << 16U;
constexpr std::size_t kAhead = 16;  // candidates whose table elements are prefetched

std::uint64_t lines_at_once(std::uint64_t length) {
  return std::clamp<std::uint64_t>(kBinsAtOnce / length, 1, kLinesAtOnce);
}

struct Candidate {
  std::uint64_t bin = 0;
  std::uint32_t u = 0;
  std::uint32_t v = 0;
  float variation = 0;
  std::complex<float> value;  ///< F by the bin
};

/// The result of testing a piece of a line's bins.
struct PieceResult {
  std::vector<Candidate> candidates;
  std::uint64_t bins_above_noise = 0;  ///< bins above the noise after known coefficients were subtracted
};

class Search {
 public:
  Search(const SparsePattern& pattern, const FpsOptions& options, Backend backend, JobContext& context)
      : pattern_(pattern),
        plane_(static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols())),
        options_(options),
        context_(context),
        slices_(pattern, context),
        known_(options.points, context),
        lines_(lines_at_once(slices_.length())),
        bins_(context, 3 * slices_.length() * lines_, "slices"),
        candidates_(context.memory(), candidate_bytes(slices_.length()), "candidates"),
        pieces_((slices_.length() + kPieceBins - 1) / kPieceBins),
        results_(lines_ * pieces_) {
    if (backend.kind == BackendKind::cuda)
      device_.emplace(pattern, slices_, backend, lines_, most_peeled(options, slices_.length()), context);
  }

  static std::uint64_t candidate_bytes(std::uint64_t length) {
    return saturating_product(sizeof(Candidate) * lines_at_once(length), length);
  }
  static std::uint64_t most_peeled(const FpsOptions& options, std::uint64_t length) {
    return std::min(options.points, saturating_product(kPeeledPerBin, length));
  }
  void run();
  FpsFound sorted();

 private:
  enum class Tests { all, variation_only };
  void round(Tests tests, double variation);
  void test_bins(const FpsLine& line, Tests tests, double variation, const std::complex<float>* bins,
                 std::uint64_t piece, PieceResult& result) const;
  void peel(const FpsLine& line, std::complex<float>* bins);
  bool decode(const FpsLine& line, const std::complex<float>* bins, Tests tests, Candidate& candidate) const;
  std::uint64_t merge(bool accumulate);
  void evaluate_new(std::uint64_t from);
  void search_verified();
  void search_unchecked();
  void walk();
  /// Number of known coefficients that are subtracted from the bins.
  [[nodiscard]] std::uint64_t peeled() const { return std::min(verified_, kPeeledPerBin * slices_.length()); }
  /// Whether the known coefficients explain every slice of the last round: then no bin is left to decode.
  [[nodiscard]] bool are_slices_explained() const {
    return std::ranges::all_of(results_, [](const PieceResult& one) { return one.bins_above_noise == 0; });
  }
  /// The phase of coefficient (u, v) in the slice one row below the line, and one column beside it.
  [[nodiscard]] std::complex<double> phase_below(std::uint64_t u) const {
    return slices_.row_phase(u, 1 % pattern_.rows());
  }
  [[nodiscard]] std::complex<double> phase_beside(std::uint64_t v) const {
    return slices_.col_phase(v, 1 % pattern_.cols());
  }
  [[nodiscard]] std::uint32_t mirrored(std::uint32_t k, std::uint64_t size) const {
    return k == 0 ? 0 : static_cast<std::uint32_t>(size - k);
  }

  const SparsePattern& pattern_;
  const double plane_;  ///< mn
  const FpsOptions& options_;
  JobContext& context_;
  FpsSlices slices_;
  FpsKnown known_;
  std::uint64_t lines_;
  BookedVector<std::complex<float>> bins_;
  Booking candidates_;
  std::uint64_t pieces_;              // per line
  std::vector<PieceResult> results_;  // by line and piece
  std::optional<FpsCuda> device_;
  std::uint32_t rounds_ = 0;
  std::uint64_t iterations_ = 0;
  std::uint64_t verified_ = 0;
  std::uint64_t unchecked_ = 0;
  std::uint64_t walked_ = 0;
};

/// Subtracts the verified coefficients from the three slices' bins.
void Search::peel(const FpsLine& line, std::complex<float>* bins) {
  const std::uint64_t length = slices_.length();
  const std::uint64_t count = peeled();
  for (std::uint64_t k = 0; k < count; ++k) {
    if (k % kPointsBetweenStops == 0) context_.check_stop();
    const std::uint64_t u = known_.u(k);
    const std::uint64_t v = known_.v(k);
    const std::complex<double> at = std::complex<double>(known_.value(k)) / plane_ *
                                    slices_.row_phase(u, line.offset_rows) *
                                    slices_.col_phase(v, line.offset_cols);
    const std::uint64_t bin = slices_.bin_of(line, u, v);
    bins[bin] -= std::complex<float>(at);
    bins[length + bin] -= std::complex<float>(at * phase_below(u));
    bins[2 * length + bin] -= std::complex<float>(at * phase_beside(v));
  }
}

/// Sets the candidate's coordinates, from the phases between the slices, and its value, the mean of the three
/// slices. Returns false if the coordinates belong to another bin (only with Tests::all).
bool Search::decode(const FpsLine& line, const std::complex<float>* bins, Tests tests,
                    Candidate& candidate) const {
  const std::uint64_t length = slices_.length();
  const std::uint64_t bin = candidate.bin;
  const std::complex<double> first(bins[bin]);
  const std::complex<double> below(bins[length + bin]);
  const std::complex<double> beside(bins[2 * length + bin]);
  const auto index_of = [&](std::complex<double> ratio, std::uint64_t size) {
    const double turns = std::arg(ratio) / (2 * std::numbers::pi);
    return dft_index(std::llround(turns * static_cast<double>(size)), size);
  };
  const std::uint64_t u = index_of(below * std::conj(first), pattern_.rows());
  const std::uint64_t v = index_of(beside * std::conj(first), pattern_.cols());
  if (tests == Tests::all && slices_.bin_of(line, u, v) != bin) return false;
  const std::complex<double> mean =
      (first + below * std::conj(phase_below(u)) + beside * std::conj(phase_beside(v))) / 3.0;
  candidate.u = static_cast<std::uint32_t>(u);
  candidate.v = static_cast<std::uint32_t>(v);
  candidate.value = std::complex<float>(plane_ * mean * std::conj(slices_.row_phase(u, line.offset_rows)) *
                                        std::conj(slices_.col_phase(v, line.offset_cols)));
  return true;
}

/// Sets `result` to the bins of a piece in which one coefficient dominates, those of smallest variation
/// first. With Tests::variation_only these are a kUncheckedShare-th of the bins.
void Search::test_bins(const FpsLine& line, Tests tests, double variation, const std::complex<float>* bins,
                       std::uint64_t piece, PieceResult& result) const {
  const std::uint64_t length = slices_.length();
  // Σ|S|² over the bins is (Σa² on the line)/L; a line has L/(mn) of Σa² on average, K without weights.
  const double noise = kNoise * std::sqrt(pattern_.weight_squares() / plane_ / static_cast<double>(length));
  const std::uint64_t begin = piece * kPieceBins;
  const std::uint64_t end = std::min(length, begin + kPieceBins);
  const auto magnitude = [&](std::uint64_t k) { return std::sqrt(std::norm(std::complex<double>(bins[k]))); };
  context_.check_stop();
  result.candidates.clear();
  result.bins_above_noise = 0;
  for (std::uint64_t k = begin; k < end; ++k) {
    const double a = magnitude(k);
    const double b = magnitude(length + k);
    const double c = magnitude(2 * length + k);
    if (std::max({a, b, c}) >= noise) ++result.bins_above_noise;
    if (std::min({a, b, c}) < noise) continue;
    const double mean = (a + b + c) / 3;
    const double spread =
        std::sqrt(((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean)) / 3);
    if (spread / mean >= variation) continue;
    Candidate candidate;
    candidate.bin = k;
    candidate.variation = static_cast<float>(spread / mean);
    if (tests == Tests::variation_only || decode(line, bins, tests, candidate))
      result.candidates.push_back(candidate);
  }
  const auto before = [](const Candidate& x, const Candidate& y) { return x.variation < y.variation; };
  if (tests == Tests::variation_only) {
    const auto kept = std::min<std::size_t>(result.candidates.size(),
                                            std::max<std::uint64_t>(1, (end - begin) / kUncheckedShare));
    std::nth_element(result.candidates.begin(), result.candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                     result.candidates.end(), before);
    result.candidates.resize(kept);
    for (Candidate& candidate : result.candidates) (void)decode(line, bins, tests, candidate);
  }
  std::sort(result.candidates.begin(), result.candidates.end(), before);
}

void Search::round(Tests tests, double variation) {
  ++rounds_;
  std::vector<FpsLine> lines(lines_);
  for (std::size_t k = 0; k < lines.size(); ++k) lines[k] = slices_.line(options_.seed, iterations_ + k);
  const auto bins_of = [&](std::size_t k) { return bins_.data.data() + 3 * slices_.length() * k; };
  if (device_) {
    device_->bins(lines, known_, peeled(), bins_.data.data());
  } else {
    context_.pool().parallel_for(lines_, 1, [&](std::size_t k, std::size_t, unsigned) {
      slices_.bins(lines[k], bins_of(k), context_);
      peel(lines[k], bins_of(k));
    });
  }
  context_.pool().parallel_for(results_.size(), 1, [&](std::size_t r, std::size_t, unsigned) {
    const std::size_t k = r / pieces_;
    test_bins(lines[k], tests, variation, bins_of(k), r % pieces_, results_[r]);
  });
  iterations_ += lines_;
  context_.checkpoint(known_.count(), options_.points);
}

/// Adds the round's candidates and their conjugates to the known coefficients; returns the number of new
/// ones. `accumulate`: the amplitude of a coefficient that is already known is added to its value, once per
/// round.
std::uint64_t Search::merge(bool accumulate) {
  const std::uint64_t before = known_.count();
  for (const PieceResult& result : results_) {
    for (std::size_t k = 0; k < result.candidates.size(); ++k) {
      if (k + kAhead < result.candidates.size()) {
        const Candidate& later = result.candidates[k + kAhead];
        known_.prefetch(later.u, later.v);
        known_.prefetch(mirrored(later.u, pattern_.rows()), mirrored(later.v, pattern_.cols()));
      }
      const Candidate& candidate = result.candidates[k];
      const std::uint32_t u = mirrored(candidate.u, pattern_.rows());
      const std::uint32_t v = mirrored(candidate.v, pattern_.cols());
      const FpsKnown::Place place = known_.add(candidate.u, candidate.v, rounds_);
      const bool counts = place.added || (accumulate && place.first_of_round);
      if (!counts) continue;
      known_.value(place.index) += candidate.value;
      if (u == candidate.u && v == candidate.v) continue;
      const FpsKnown::Place mirror = known_.add(u, v, rounds_);
      if (mirror.added || (accumulate && mirror.index < known_.count()))
        known_.value(mirror.index) += std::conj(candidate.value);
    }
  }
  return known_.count() - before;
}

/// Evaluates the known coefficients number `from` and later exactly; the next round subtracts them.
void Search::evaluate_new(std::uint64_t from) {
  const std::size_t count = known_.count() - from;
  if (count == 0 || known_.missing() == 0) return;  // evaluated at the end with all others
  std::vector<std::int32_t> u(count);
  std::vector<std::int32_t> v(count);
  for (std::size_t k = 0; k < count; ++k) {
    u[k] = static_cast<std::int32_t>(signed_index(known_.u(from + k), pattern_.rows()));
    v[k] = static_cast<std::int32_t>(signed_index(known_.v(from + k), pattern_.cols()));
  }
  exact_points_within_job(pattern_, u, v, std::span(&known_.value(from), count), context_);
  context_.begin_stage("slices");
}

void Search::search_verified() {
  const std::uint64_t length = slices_.length();
  const std::uint64_t most = options_.iterations != 0
                                 ? options_.iterations
                                 : std::max(kFewestIterations, 10 * (options_.points / length));
  double variation = options_.variation;
  while (known_.missing() > 0 && iterations_ < most) {
    const std::uint64_t missing = known_.missing();
    const std::uint64_t from = known_.count();
    round(Tests::all, variation);
    const std::uint64_t found = merge(!options_.exact_values);
    if (options_.exact_values) evaluate_new(from);
    verified_ = known_.count();
    if (are_slices_explained()) break;
    if (found * 100 >= missing) continue;
    if (variation >= kEveryVariation) break;
    variation = std::min(kEveryVariation, 2 * variation);
  }
}

void Search::search_unchecked() {
  const std::uint64_t expected = std::max<std::uint64_t>(1, slices_.length() / kUncheckedShare) * lines_;
  constexpr std::uint64_t kPoorRound = 64;  // the last round finds less than 1/64 of what it decodes
  while (known_.missing() > 0) {
    round(Tests::variation_only, kEveryVariation);
    const std::uint64_t found = merge(false);
    unchecked_ += found;
    if (found * kPoorRound < expected) break;
  }
}

/// Adds frequencies in the order start + k·stride mod mn, stride coprime to mn and near 0.618·mn, until none
/// is missing.
void Search::walk() {
  const std::uint64_t n = pattern_.cols();
  const std::uint64_t plane = pattern_.rows() * n;  // < 2^64
  auto stride = static_cast<std::uint64_t>(static_cast<double>(plane) * 0.6180339887498949);
  stride = std::clamp<std::uint64_t>(stride, 1, plane);
  while (std::gcd(stride, plane) != 1) --stride;
  std::uint64_t at = CounterRandom(options_.seed, ~std::uint64_t{0}).below(0, plane);
  ++rounds_;
  for (std::uint64_t step = 0; known_.missing() > 0; ++step) {
    if (step % kPointsBetweenStops == 0) context_.checkpoint(known_.count(), options_.points);
    const auto place =
        known_.add(static_cast<std::uint32_t>(at / n), static_cast<std::uint32_t>(at % n), rounds_);
    if (place.added) ++walked_;
    at = at >= plane - stride ? at - (plane - stride) : at + stride;
  }
}

void Search::run() {
  context_.begin_stage("slices");
  search_verified();
  if (!are_slices_explained()) search_unchecked();
  walk();
}

/// The known coefficients by rows in ascending order of signed frequency, then by columns: a counting sort by
/// rows, then a sort within each row.
FpsFound Search::sorted() {
  context_.begin_stage("sort");
  const auto m = static_cast<std::int64_t>(pattern_.rows());
  const auto n = static_cast<std::int64_t>(pattern_.cols());
  const std::uint64_t count = known_.count();
  FpsFound found{std::vector<std::int32_t>(count),
                 std::vector<std::int32_t>(count),
                 std::vector<std::complex<float>>(count),
                 verified_,
                 unchecked_,
                 walked_,
                 iterations_,
                 device_ ? device_->use() : DeviceUse{}};
  BookedVector<std::uint32_t> ends(context_, pattern_.rows() + 1, "points of each row");
  BookedVector<std::uint32_t> order(context_, count, "points by row");
  const auto row_of = [&](std::uint64_t k) {
    return static_cast<std::uint64_t>(signed_index(known_.u(k), m) + m / 2);
  };
  for (std::uint64_t k = 0; k < count; ++k) {
    if (k % kPointsBetweenStops == 0) context_.check_stop();
    ++ends.data[row_of(k) + 1];
  }
  for (std::size_t r = 1; r < ends.data.size(); ++r) ends.data[r] += ends.data[r - 1];
  // So far ends[r] is the beginning of row r; each point moves it on by one.
  for (std::uint64_t k = 0; k < count; ++k) {
    if (k % kPointsBetweenStops == 0) context_.check_stop();
    order.data[ends.data[row_of(k)]++] = static_cast<std::uint32_t>(k);
  }
  constexpr std::size_t kGrain = 64;  // rows
  context_.pool().parallel_for(pattern_.rows(), kGrain, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t first = r == 0 ? 0 : ends.data[r - 1];
      const auto points = std::span(order.data).subspan(first, ends.data[r] - first);
      const auto col_of = [&](std::uint32_t k) { return signed_index(known_.v(k), n); };
      std::ranges::sort(points, {}, col_of);
      for (std::size_t k = 0; k < points.size(); ++k) {
        found.u[first + k] = static_cast<std::int32_t>(static_cast<std::int64_t>(r) - m / 2);
        found.v[first + k] = static_cast<std::int32_t>(col_of(points[k]));
        found.values[first + k] = known_.value(points[k]);
      }
      context_.check_stop();
    }
  });
  return found;
}

std::uint64_t sort_bytes(const SparsePattern& pattern, const FpsOptions& options) {
  return saturating_product(4, pattern.rows() + 1 + options.points);
}

}  // namespace

std::string FpsFound::note() const {
  std::string text = std::to_string(verified) + " of " + std::to_string(u.size()) +
                     " coefficients passed the one-sparse test and the projection check";
  if (unchecked > 0) text += "; " + std::to_string(unchecked) + " were decoded without that check";
  if (walked > 0) text += "; " + std::to_string(walked) + " were chosen pseudo-randomly";
  return text + " (" + std::to_string(iterations) + " lines)";
}

ByteTerms fps_device_terms(const SparsePattern& pattern, const FpsOptions& options, Backend backend) {
  const std::uint64_t length = fps_length(pattern.rows(), pattern.cols());
  ByteTerms search =
      FpsCuda::device_terms(pattern, backend, lines_at_once(length), Search::most_peeled(options, length));
  if (!options.exact_values) return search;
  ByteTerms exact = plan_exact_points(pattern, options.points, backend, 1).device;
  return exact.total() > search.total() ? exact : search;
}

FpsFound fps_search(const SparsePattern& pattern, const FpsOptions& options, Backend backend,
                    JobContext& context) {
  const Booking result(context.memory(), 16 * options.points, "points");
  FpsFound found = [&] {
    Search search(pattern, options, backend, context);
    search.run();
    return search.sorted();
  }();
  if (options.exact_values) {
    context.begin_stage("exact values");
    exact_points(pattern, found.u, found.v, found.values, backend, context);
  }
  return found;
}

std::uint64_t fps_search_bytes(const SparsePattern& pattern, const FpsOptions& options, Backend backend,
                               unsigned threads) {
  const std::uint64_t length = fps_length(pattern.rows(), pattern.cols());
  const std::uint64_t slices = saturating_product(24 * lines_at_once(length), length);
  std::uint64_t search = saturating_sum(FpsSlices::bytes(pattern), FpsKnown::bytes(options.points));
  search = saturating_sum(search, saturating_sum(slices, Search::candidate_bytes(length)));
  search = saturating_sum(search, sort_bytes(pattern, options));
  if (!options.exact_values) return search;
  return std::max(search, plan_exact_points(pattern, options.points, backend, threads).bytes);
}

double fps_search_operations(const SparsePattern& pattern, const FpsOptions& options, unsigned threads) {
  const auto length = static_cast<double>(fps_length(pattern.rows(), pattern.cols()));
  const double line = 3 * (5 * length * std::log2(std::max(2.0, length)) + 40 * length);
  const double lines = static_cast<double>(kFewestIterations) +
                       static_cast<double>(kUncheckedShare) * static_cast<double>(options.points) / length;
  const double exact =
      options.exact_values ? plan_exact_points(pattern, options.points, Backend{}, threads).operations : 0;
  return lines * line + exact;
}

}  // namespace spyctrum
