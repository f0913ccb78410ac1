// SPDX-License-Identifier: Apache-2.0
// Pilot runs at about 2^13 and 2^17 samples, then runs of the settings that could lead.
#include "core/advisor/pilot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <set>
#include <utility>

#include "core/base/deadline.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/features/feature_consumer.hpp"
#include "core/features/feature_errors.hpp"
#include "core/fft/fft.hpp"
#include "core/matrix/generators.hpp"
#include "core/spectrum/rounding_floor.hpp"

namespace spyctrum {

namespace {

constexpr double kCoarseSamples = 0x1p13;
constexpr double kFineSamples = 0x1p17;
constexpr double kReferenceSamples = 0x1p19;
/// Largest standard error of features that serve as the reference.
constexpr double kReferenceError = 0.005;
constexpr std::uint64_t kPilotRows = 48;
/// Factor by which a setting may be faster than its measured seconds, after 0, 1 and 2 runs: a first run
/// makes plans and touches memory for the first time, and other programs may have been running. After 3 runs
/// the factor is 1.
constexpr std::array<double, 3> kFaster{3, 1.5, 1.15};
constexpr int kRunsEnough = kFaster.size();
/// For runs longer than this many seconds the factor is reduced: (factor − 1)·kShort/seconds.
constexpr double kShort = 0.1;
/// Runs of at most this many seconds are timed twice: the first run of a large lattice spends half of its
/// time on memory that was not touched before (yelp2018, Fixed Point with b = 16: 0.42 and 0.20 s).
constexpr double kTwice = 0.5;
/// Runs of at most this many seconds are timed kShortRuns times: other programs disturb single ones.
constexpr double kFiveTimes = 0.01;
constexpr int kShortRuns = 5;
/// A setting is not run for an advantage below this factor.
constexpr double kLeastGain = 1.08;
/// One round of runs: the settings that would lead if their errors were smaller than expected by a factor.
/// The first round finds a leader early, which reduces the number of settings that must be run. In the last
/// round the factor is large, since a lattice may happen to suit the periods of the matrix.
struct Optimism {
  double smaller;  ///< the factor
  double share;    ///< of the budget that may be spent by the end of the round
  double each;     ///< share of the budget that a single run may take
};
constexpr std::array<Optimism, 3> kRounds{{{1, 1.0 / 3, 0.1}, {3, 1, 1}, {30, 1, 1}}};
/// A setting is close to leading if it would lead with its seconds divided by this, after 1, 2 and more runs.
/// It is run again in turns with the leader, up to kMostRuns times, for kTurnsShare of the budget.
constexpr std::array<double, 3> kClose{1.5, 1.3, 1.15};
constexpr int kMostRuns = 6;
constexpr double kTurnsShare = 0.25;
/// The methods of the whole plane are run again if the pass took at most this share of the budget.
constexpr double kPassShare = 1.0 / 6;
constexpr double kAnyError = std::numeric_limits<double>::infinity();
// The budget is at least kPerAllowance times the allowed seconds, since the answer is used more than once;
// and, since runs on large planes are long, kPerPlane times the seconds of the plane, but for this reason at
// most kMostBudgets·options.budget.
constexpr double kPerAllowance = 5;
constexpr double kPerPlane = 5;
constexpr double kMostBudgets = 4;

/// √(mn/samples), rounded, at least 1: the block size at which about `samples` coefficients are computed.
std::uint32_t block_for(const SparsePattern& pattern, double samples) {
  const double area = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
  return static_cast<std::uint32_t>(std::clamp(std::round(std::sqrt(area / samples)), 1.0, 1048576.0));
}

/// ⌈m/b⌉·⌈n/b⌉.
double samples_of(const SparsePattern& pattern, std::uint32_t block) {
  return static_cast<double>(block_count(pattern.rows(), block)) *
         static_cast<double>(block_count(pattern.cols(), block));
}

class Pilot {
 public:
  Pilot(const PatternPtr& pattern, const PilotOptions& options, Expectations& known, JobContext& context)
      : pattern_(pattern), options_(options), known_(known), context_(context) {}

  void expect() {
    find_reference();
    for (const auto& method : methods()) {
      if (!options_.methods.empty() &&
          std::ranges::find(options_.methods, method->info().id) == options_.methods.end())
        continue;
      context_.check_stop();
      const Support support = method->supports(options_.backend);
      if (!support.ok) {
        known_.prospects.push_back(refused(*method, support.reason));
      } else if (method->info().uses_block) {
        add_blocks(*method);
      } else if (method->info().full_plane) {
        known_.prospects.push_back(full_plane(*method));
        Prospect& one = known_.prospects.back();
        // The pass for the reference also computed error bars and used its memory for the first time: on
        // small planes it takes up to five times as long as the method.
        if (one.basis == kPass && one.seconds <= kPassShare * options_.budget)
          run_setting(one, patience_for(one));
      }
    }
    run_cheap();
  }

  /// Optimism in the face of uncertainty (as in bandit problems): runs settings as long as one of them would
  /// lead with the best plausible seconds and error.
  std::vector<Advice> answer(const Allowance& allowance) {
    const double budget =
        std::max({options_.budget, kPerAllowance * allowance.seconds,
                  std::min(kPerPlane * known_.plane_seconds, kMostBudgets * options_.budget)});
    const Stopwatch watch;
    for (const Optimism& round : kRounds) {
      for (;;) {
        const double spent = watch.seconds();
        const auto next = most_hopeful(allowance, round.smaller,
                                       std::min(round.share * budget - spent, round.each * budget));
        if (!next.prospect) break;
        run_setting(*next.prospect, next.patience, next.most_error);
      }
    }
    repeat_close_runs(allowance, kTurnsShare * budget);
    return tried(allowance, budget);
  }

 private:
  /// If no error is required: recommend(). Otherwise the leading settings are run before they are advised,
  /// one after the other for at most `seconds`, until one fulfils its expectation.
  std::vector<Advice> tried(const Allowance& allowance, double seconds) {
    const Stopwatch watch;
    std::set<const Prospect*> seen;
    for (;;) {
      std::vector<Advice> list = recommend(known_.prospects, allowance);
      if (list.empty()) return list;
      Prospect& lead = listed(list.front().prospect);
      const bool stands = !allowance.error || !list.front().fits || lead.exact || lead.runs > 0;
      if (stands || watch.seconds() > seconds || !seen.insert(&lead).second)
        return recommend_tried(known_.prospects, allowance);
      run_setting(lead, patience_for(lead), *allowance.error);
    }
  }

  struct Candidate {
    Prospect* prospect = nullptr;
    double patience = 0;            ///< seconds after which the run is stopped: it could no longer lead
    double most_error = kAnyError;  ///< with a larger error it could not lead at any speed
  };

  /// The first setting in the ranking by best plausible seconds and errors, if it would lead those that were
  /// run; else none. `smaller`: Optimism::smaller.
  Candidate most_hopeful(const Allowance& allowance, double smaller, double seconds_left) {
    const Prospect* leader = nullptr;
    for (const Advice& one : rank(known_.prospects, allowance)) {
      if (!one.fits) break;
      if (one.prospect.runs == 0) continue;
      leader = &listed(one.prospect);
      break;
    }
    std::vector<Prospect> hoped = known_.prospects;
    for (std::size_t k = 0; k < hoped.size(); ++k) {
      const Prospect& one = known_.prospects[k];
      if (&one == leader || one.runs >= kRunsEnough) continue;
      hoped[k].seconds = kLeastGain * hoped_seconds(one);
      hoped[k].error *= one.runs == 0 ? kLeastGain / smaller : kLeastGain;
    }
    // If an error is required, or if the leader is exact, only a faster setting can lead.
    double bound = allowance.seconds > 0 ? allowance.seconds : std::numeric_limits<double>::infinity();
    if (allowance.error) bound = std::min(bound, pass_seconds(allowance));
    if (leader != nullptr && (allowance.error || leader->exact)) bound = std::min(bound, leader->seconds);
    for (const Advice& one : rank(hoped, allowance)) {
      if (!one.fits) break;
      Prospect& candidate = listed(one.prospect);
      if (&candidate == leader) break;
      if (candidate.runs >= kRunsEnough || candidate.seconds > seconds_left) continue;
      constexpr double kLeast = 0.05;
      return {&candidate, std::min({2 * bound + kLeast, seconds_left + kLeast, patience_for(candidate)}),
              allowance.error     ? *allowance.error
              : leader != nullptr ? leader->error
                                  : kAnyError};
    }
    return {};
  }

  /// Runs the leader and the settings close to it again, in turns, since a few per cent decide between them
  /// and a disturbance of the machine then slows all of them.
  void repeat_close_runs(const Allowance& allowance, double seconds) {
    const Stopwatch watch;
    for (;;) {
      const std::vector<Prospect*> close = close_to_leading(allowance);
      if (close.size() < 2) return;
      const auto least = std::ranges::min(close, {}, &Prospect::runs)->runs;
      if (least >= kMostRuns) return;
      for (Prospect* one : close) {
        if (one->runs > least) continue;
        if (watch.seconds() + one->seconds > seconds) return;
        run_setting(*one, patience_for(*one));
      }
    }
  }

  /// The leader, if it was run, and the other settings that were run and would lead by kClose; else none.
  [[nodiscard]] std::vector<Prospect*> close_to_leading(const Allowance& allowance) {
    const Advice lead = recommend(known_.prospects, allowance).front();
    if (!lead.fits || lead.prospect.runs == 0) return {};
    std::vector<Prospect*> close{&listed(lead.prospect)};
    for (Prospect& one : known_.prospects) {
      if (&one == close.front() || one.runs == 0) continue;
      const auto known = std::min(static_cast<std::size_t>(one.runs), kClose.size()) - 1;
      const double seconds = std::exchange(one.seconds, one.seconds / kClose[known]);
      if (&listed(rank(known_.prospects, allowance).front().prospect) == &one) close.push_back(&one);
      one.seconds = seconds;
    }
    return close;
  }

  /// Seconds of the first exact setting that satisfies the allowance and streams the plane as the reference
  /// did (kPass); infinite without one.
  [[nodiscard]] double pass_seconds(const Allowance& allowance) const {
    for (const Advice& one : rank(known_.prospects, allowance))
      if (one.fits && one.prospect.basis == kPass) return one.prospect.seconds;
    return std::numeric_limits<double>::infinity();
  }

  /// The least plausible seconds of a setting: by kFaster, but not less than those of a run of the same
  /// method with less work.
  [[nodiscard]] double hoped_seconds(const Prospect& prospect) const {
    if (prospect.runs >= kRunsEnough) return prospect.seconds;
    const double faster = kFaster[static_cast<std::size_t>(prospect.runs)];
    if (prospect.runs > 0)
      return prospect.seconds / (1 + (faster - 1) * std::min(1.0, kShort / prospect.seconds));
    double least = prospect.seconds / faster;
    for (const Prospect& one : known_.prospects)
      if (one.method == prospect.method && one.runs > 0 && one.work < prospect.work)
        least = std::max(least, hoped_seconds(one));
    return least;
  }

  [[nodiscard]] Prospect& listed(const Prospect& copy) {
    return *std::ranges::find_if(known_.prospects, [&](const Prospect& other) {
      return other.method == copy.method && other.block == copy.block;
    });
  }

  [[nodiscard]] double patience_for(const Prospect& prospect) const {
    return std::max(4 * options_.patience, 3 * prospect.seconds);
  }

  /// Runs the prospect and stores its seconds and error, or at least `patience` seconds if it was stopped
  /// after these. Updates the expectations for the method's other block sizes.
  void run_setting(Prospect& prospect, double patience, double most_error = kAnyError) {
    const Method& method = *find_method(prospect.method);
    const Prospect expected = prospect;
    // An exact method differs by rounding from an exact leader, whose error counts as 0.
    const auto run =
        timed(method, request_for(method, prospect.block), patience, prospect.exact ? kAnyError : most_error);
    if (run) {
      prospect.seconds = prospect.runs > 0 ? std::min(prospect.seconds, run->seconds) : run->seconds;
      set_error(prospect, error_of(*run));
      ++prospect.runs;
      prospect.basis = kRunItself;
    } else if (run.error().code == ErrorCode::cancelled) {
      prospect.seconds = std::max(prospect.seconds, patience);
      known_.trials.push_back({prospect.method, prospect.work, samples_at(prospect.block), patience});
      if (prospect.runs > 0) prospect.runs = kRunsEnough;
    } else {
      prospect.refusal = run.error().message();
    }
    if (options_.on_run) options_.on_run(expected, prospect);
    if (prospect.block) expect_blocks(method);
  }

  struct Run {
    double seconds = 0;
    std::optional<Features> features;
  };

  [[nodiscard]] ResolvedRequest request_for(const Method& method, std::optional<std::uint32_t> block) const {
    ResolvedRequest request = default_request(method, pattern_, block);
    request.backend = options_.backend;
    request.threads = context_.pool().threads();
    return request;
  }

  [[nodiscard]] Forecast forecast_of(const Method& method, const ResolvedRequest& request) const {
    auto forecast = run_guarded([&] { return method.forecast(request); });
    return forecast ? *forecast : Forecast{};
  }

  /// Times a setting: the fastest of kShortRuns runs, or of two if they take more than kFiveTimes seconds, or
  /// a single run if that took more than kTwice seconds or if its error is above `most_error`. Errors: those
  /// of the method; cancelled if no run ended within `patience` seconds.
  Result<Run> timed(const Method& method, const ResolvedRequest& request, double patience,
                    double most_error = kAnyError) {
    Run best;
    best.seconds = std::numeric_limits<double>::infinity();
    const Deadline deadline(patience, context_.stop_token());
    const auto runs = [&] {
      return best.seconds <= kFiveTimes ? kShortRuns : best.seconds <= kTwice ? 2 : 1;
    };
    for (int k = 0; k == 0 || k < runs(); ++k) {
      JobContext inner(context_.pool(), job_until(deadline.token()));
      auto spectrum = run_method(method, request, inner);
      context_.check_stop();
      if (!spectrum) {
        if (deadline.passed() && k > 0) break;
        if (deadline.passed())
          return fail(ErrorCode::cancelled, "A pilot run took longer than the advisor waits for it.");
        return tl::unexpected<Error>(spectrum.error());
      }
      best.seconds = std::min(best.seconds, (*spectrum)->provenance.seconds);
      best.features = (*spectrum)->features;
      if (error_of(best) > most_error) break;
    }
    return best;
  }

  [[nodiscard]] JobContext::Options job_until(std::stop_token stop) const {
    JobContext::Options job;
    job.memory_bytes = context_.memory().allowance();
    job.seed = context_.seed();
    job.stop = std::move(stop);
    return job;
  }

  /// Streams the plane in refining order for options_.reference seconds and uses the features of the rows so
  /// far, or those of samples if the standard errors of the rows are above kReferenceError.
  void find_reference() {
    known_.reference = options_.exact;
    if (known_.reference) return;
    const Method& rows = usual_method(MethodRole::plane);
    ResolvedRequest request = request_for(rows, std::nullopt);
    if (!rows.supports(options_.backend).ok) request.backend = {};
    request.progress = std::make_shared<PlaneProgress>();
    const double most = kMostBudgets * options_.reference;
    std::optional<FeatureEstimate> estimate;
    double seconds = 0;
    // A stream that can end within `most` seconds is completed: features of some of the rows err as much as
    // the better settings.
    for (const double until : {options_.reference, most}) {
      const Stopwatch watch;
      {
        const Deadline deadline(until - seconds, context_.stop_token());
        JobContext inner(context_.pool(), job_until(deadline.token()));
        (void)run_method(rows, request, inner);  // its result is in request.progress, however it ended
      }
      seconds += watch.seconds();
      context_.check_stop();
      estimate = request.progress->estimate();
      const FeatureProgress& features = request.progress->features();
      const std::uint64_t rows_done = features.rows_summed();
      if (rows_done == 0) break;
      known_.plane_seconds = seconds * static_cast<double>(features.rows()) / static_cast<double>(rows_done);
      if (rows_done == features.rows() || known_.plane_seconds > most) break;
    }
    if (estimate && estimate->reliable && estimate->largest <= kReferenceError) {
      known_.reference = estimate->features;
      known_.margin = estimate->complete() ? 0 : margin_of(estimate->features, estimate->errors);
      return;
    }
    const Method& elastic = usual_method(MethodRole::samples);
    JobContext inner(context_.pool(), job_until(context_.stop_token()));
    const auto run =
        run_method(elastic, request_for(elastic, block_for(*pattern_, kReferenceSamples)), inner);
    context_.check_stop();
    if (!run) return;
    known_.reference = (*run)->features;
    const auto& errors = (*run)->feature_errors;
    known_.margin = errors ? margin_of(*known_.reference, *errors) : kAnyError;
  }

  /// Expectations::margin of features with these standard errors: deviations σ of shares p cause a Hellinger
  /// distance of √(Σ σ²/8p).
  static double margin_of(const Features& features, const Features& errors) {
    constexpr double kStandardErrors = 2;
    FeatureErrors distances;
    for (std::size_t k = 0; k < kFeatureCount; ++k) {
      const auto values = kFeatureTable[k].of(features);
      const auto deviations = kFeatureTable[k].of(errors);
      double sum = 0;
      for (std::size_t j = 0; j < values.size(); ++j)
        if (values[j] > 0) sum += deviations[j] * deviations[j] / values[j];
      distances[FeatureKey(k)] =
          kFeatureTable[k].is_distribution() ? std::sqrt(sum / 8) : deviations[0] / std::abs(values[0]);
    }
    return kStandardErrors * mean_error(distances);
  }

  void set_error(Prospect& prospect, double error) const {
    prospect.error = prospect.exact ? 0 : error;
    prospect.margin = prospect.exact ? 0 : known_.margin;
  }

  [[nodiscard]] static Prospect named(const Method& method) {
    Prospect prospect;
    prospect.method = method.info().id;
    prospect.label = method.info().label;
    prospect.exact = method.info().exactness == Exactness::exact && method.info().full_plane;
    return prospect;
  }
  [[nodiscard]] static Prospect refused(const Method& method, const std::string& reason) {
    Prospect prospect = named(method);
    prospect.refusal = reason;
    return prospect;
  }

  /// The error of the run; 1, the largest possible distance, if the run or the reference has no features.
  [[nodiscard]] double error_of(const Run& run) const {
    if (!run.features || !known_.reference) return 1;
    return mean_error(feature_errors(*run.features, *known_.reference));
  }

  [[nodiscard]] double samples_at(std::optional<std::uint32_t> block) const {
    return samples_of(*pattern_, block.value_or(1));
  }

  void add_blocks(const Method& method) {
    const std::size_t first = known_.prospects.size();
    for (const std::uint32_t block : options_.blocks) {
      Prospect prospect = named(method);
      const Forecast forecast = forecast_of(method, request_for(method, block));
      prospect.block = block;
      prospect.bytes = forecast.bytes;
      prospect.work = forecast.operations;
      known_.prospects.push_back(std::move(prospect));
    }
    // Sampling a large plane takes longer; a pilot run may take half the time of the whole plane.
    const double patience = std::clamp(known_.plane_seconds / 2, options_.patience, 4 * options_.patience);
    const Stopwatch watch;
    const std::string failed = try_pilot(method, kCoarseSamples, patience);
    if (!failed.empty()) {
      known_.prospects.resize(first);
      known_.prospects.push_back(refused(method, failed));
      return;
    }
    // A method that is this slow at a large block size is unlikely to lead at a smaller one.
    const double spent = watch.seconds();
    if (spent <= std::max(options_.patience, known_.plane_seconds / 4))
      (void)try_pilot(method, kFineSamples, patience);
    expect_blocks(method);
  }

  /// Runs the listed block size whose number of samples is nearest to `samples`, or a larger one if all
  /// listed ones are much smaller. Returns the reason why it could not be run; empty if it was.
  std::string try_pilot(const Method& method, double samples, double patience) {
    const std::uint32_t ideal = std::max(2U, block_for(*pattern_, samples));
    const auto distance = [&](std::uint32_t block) { return std::abs(std::log(double(block) / ideal)); };
    std::uint32_t block = ideal;
    if (!options_.blocks.empty() && 2 * ideal <= 3 * std::ranges::max(options_.blocks))
      block = *std::ranges::min_element(options_.blocks, {}, distance);
    const auto listed_one = std::ranges::find_if(known_.prospects, [&](const Prospect& one) {
      return one.method == method.info().id && one.block == block;
    });
    if (listed_one != known_.prospects.end() && listed_one->runs > 0) return {};
    const auto run = timed(method, request_for(method, block), patience);
    if (!run && run.error().code != ErrorCode::cancelled) return run.error().message();
    if (run && listed_one != known_.prospects.end()) {
      listed_one->seconds = run->seconds;
      set_error(*listed_one, error_of(*run));
      listed_one->runs = 1;
      listed_one->basis = kRunItself;
      return {};
    }
    Trial trial{method.info().id, forecast_of(method, request_for(method, block)).operations,
                samples_at(block), run ? run->seconds : patience};
    if (run) trial.error = error_of(*run);
    known_.trials.push_back(trial);
    return run ? std::string() : run.error().message();
  }

  /// Extrapolates seconds and errors of the method's settings that were not run from those that were.
  void expect_blocks(const Method& method) {
    std::vector<Trial> trials;
    for (const Trial& trial : known_.trials)
      if (trial.method == method.info().id) trials.push_back(trial);
    for (const Prospect& one : known_.prospects)
      if (one.method == method.info().id && one.runs > 0)
        trials.push_back({one.method, one.work, samples_at(one.block), one.seconds, one.error});
    const double least = least_seconds_per_operation();
    for (Prospect& one : known_.prospects) {
      if (one.method != method.info().id || one.runs > 0) continue;
      one.seconds = expected_seconds(trials, one.work, least);
      set_error(one, expected_error(trials, samples_at(one.block)));
      one.basis = "runs at other block sizes";
    }
  }

  /// Runs the settings expected to take at most options_.cheap seconds, the cheapest first.
  void run_cheap() {
    double spent = 0;
    while (spent <= options_.budget) {
      Prospect* next = nullptr;
      for (Prospect& one : known_.prospects)
        if (one.refusal.empty() && one.runs == 0 && one.seconds <= options_.cheap &&
            (next == nullptr || one.seconds < next->seconds))
          next = &one;
      if (next == nullptr) return;
      run_setting(*next, patience_for(*next));
      spent += 2 * next->seconds;
    }
  }

  /// A lower bound for every method: half the time per operation of an FFT of N = 512² points, which fits the
  /// caches, counted as 5·N·log2 N operations. Measured once.
  double least_seconds_per_operation() {
    if (least_per_operation_ > 0) return least_per_operation_;
    constexpr std::size_t kSide = 512;
    std::vector<std::complex<float>> plane(kSide * kSide, {1.0F, 0.0F});
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
      const Stopwatch watch;
      fft_2d(plane.data(), kSide, kSide, context_);
      best = std::min(best, watch.seconds());
    }
    const auto points = static_cast<double>(kSide * kSide);
    least_per_operation_ = 0.5 * best / (5 * points * std::log2(points));
    return least_per_operation_;
  }

  /// Seconds for adding one row of this matrix's plane to the feature sums, on all threads.
  double reduction_seconds_per_row() {
    std::vector<std::complex<float>> row(pattern_->cols(), {1.0F, 0.5F});
    FeatureConsumer consumer(rounding_floor(*pattern_));
    consumer.begin(pattern_->rows(), pattern_->cols(), 1);
    constexpr int kRows = 4;
    const Stopwatch watch;
    for (int k = 0; k < kRows; ++k)
      consumer.consume(
          {std::min<std::int64_t>(k + 1, static_cast<std::int64_t>(pattern_->rows() / 2)), true, row}, 0);
    return watch.seconds() / kRows / context_.pool().threads();
  }

  /// Estimated seconds for the plane, from a few rows computed by the method and twice as many. Empty if the
  /// plane has fewer rows or a run fails.
  std::optional<double> by_rows(const Method& method) {
    const std::uint64_t half = pattern_->rows() / 2 + 1;
    const std::uint64_t few = kPilotRows * context_.pool().threads();
    if (half < 2 * few) return std::nullopt;
    std::array<double, 2> seconds{};
    for (std::size_t k = 0; k < 2; ++k) {
      ResolvedRequest request = request_for(method, std::nullopt);
      request.window = FrequencyGrid{FrequencyAxis::progression(pattern_->rows(), 1, 1, few * (k + 1)),
                                     FrequencyAxis::full(pattern_->cols())};
      const auto run = timed(method, request, options_.patience);
      if (!run) return std::nullopt;
      seconds[k] = run->seconds;
    }
    const auto few_rows = static_cast<double>(few);
    const TimeModel rows = fit_time(few_rows, seconds[0], 2 * few_rows, seconds[1]);
    return rows.at(static_cast<double>(half)) + reduction_seconds_per_row() * static_cast<double>(half);
  }

  /// Estimated seconds for `operations`, from runs on two small random matrices with as many entries per row
  /// (at most 64). Empty if a run fails.
  std::optional<double> by_small_matrices(const Method& method, double operations) {
    std::array<double, 2> work{};
    std::array<double, 2> seconds{};
    const double per_row = std::clamp(
        static_cast<double>(pattern_->nonzeros()) / static_cast<double>(pattern_->rows()), 1.0, 64.0);
    for (std::size_t k = 0; k < 2; ++k) {
      const std::uint64_t side = k == 0 ? 500 : 1500;
      auto matrix = generate(
          "gen:random:n=" + std::to_string(side) +
              ",nnz=" + std::to_string(static_cast<std::uint64_t>(per_row * static_cast<double>(side))),
          context_);
      if (!matrix) return std::nullopt;
      ResolvedRequest request = request_for(method, std::nullopt);
      request.pattern = matrix->pattern;
      const auto run = timed(method, request, options_.patience);
      if (!run) return std::nullopt;
      work[k] = forecast_of(method, request).operations;
      seconds[k] = run->seconds;
    }
    return fit_time(work[0], seconds[0], work[1], seconds[1]).at(operations);
  }

  Prospect full_plane(const Method& method) {
    Prospect prospect = named(method);
    const Forecast forecast = forecast_of(method, request_for(method, std::nullopt));
    prospect.bytes = forecast.bytes;
    prospect.work = forecast.operations;
    // a resumable method streams the same rows as the reference (find_reference())
    const bool as_reference = method.info().resumable && known_.plane_seconds > 0;
    std::optional<double> seconds;
    if (as_reference) {
      seconds = known_.plane_seconds;
    } else if (method.info().row_by_row) {
      seconds = by_rows(method);
    }
    prospect.basis = as_reference ? kPass : seconds ? "some of its rows" : "small random matrices";
    if (!seconds) seconds = by_small_matrices(method, forecast.operations);
    if (!seconds)
      return refused(method,
                     "Its time could not be measured: pilot runs of the method failed or took too long.");
    prospect.seconds = *seconds;
    return prospect;
  }

  const PatternPtr& pattern_;
  const PilotOptions& options_;
  Expectations& known_;
  JobContext& context_;
  double least_per_operation_ = 0;
};

}  // namespace

Expectations find_expectations(const PatternPtr& pattern, const PilotOptions& options, JobContext& context) {
  Expectations known;
  Pilot(pattern, options, known, context).expect();
  return known;
}

std::vector<Advice> advise(const PatternPtr& pattern, const PilotOptions& options, const Allowance& allowance,
                           Expectations& known, JobContext& context) {
  return Pilot(pattern, options, known, context).answer(allowance);
}

}  // namespace spyctrum
