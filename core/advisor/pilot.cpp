// SPDX-License-Identifier: Apache-2.0
// Pilot runs: at about 2^13 and 2^17 samples, and wherever a question leads.
#include "core/advisor/pilot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "core/base/deadline.hpp"
#include "core/base/stopwatch.hpp"
#include "core/engine/plane_progress.hpp"
#include "core/features/feature_consumer.hpp"
#include "core/features/feature_errors.hpp"
#include "core/fft/fft.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum {

namespace {

constexpr double kCoarseSamples = 0x1p13;
constexpr double kFineSamples = 0x1p17;
constexpr double kReferenceSamples = 0x1p19;
/// A pass over a part of the plane is no reference with standard errors above this.
constexpr double kReferenceError = 0.005;
constexpr std::uint64_t kPilotRows = 48;
/// How much faster a setting may turn out that was not tried yet, or once, or twice: the first time makes
/// plans and touches memory, and the machine may have had something else to do. After three it is known.
constexpr std::array<double, 3> kFaster{2, 1.5, 1.15};
constexpr int kSettled = kFaster.size();
/// Runs of more seconds than this are disturbed by less.
constexpr double kShort = 0.1;
/// Runs of up to so many seconds are timed twice, as the first of a large lattice spends half of its time on
/// memory that was not touched before (yelp2018, Fixed Point with b = 16: 0.42 and 0.20 s).
constexpr double kTwice = 0.5;
/// What would be better by less is not worth a run.
constexpr double kWorth = 1.08;
/// How much smaller than expected the error of a setting may turn out: not at all (so that there is a leader
/// soon, before whom few need to be run), as a rule, and with a lattice that happens to suit the matrix.
struct Hope {
  double smaller;
  double share;  ///< of the budget, until then
  double each;   ///< the same of a single run
};
constexpr std::array<Hope, 3> kHopes{{{1, 1.0 / 3, 0.1}, {3, 1, 1}, {30, 1, 1}}};
/// What would lead if it took so much less, after one run, two, or more, is run so often, in turns with the
/// leader, for a part of the budget.
constexpr std::array<double, 3> kClose{1.5, 1.3, 1.15};
constexpr int kCertain = 6;
constexpr double kTurnsShare = 0.25;
constexpr double kAnyError = std::numeric_limits<double>::infinity();
/// Budget for a question, in allowed seconds: the answer is used more than once. And in passes over the
/// plane, as runs on large planes are long, up to so many times options.budget.
constexpr double kPerAllowance = 5;
constexpr double kPerPlane = 5;
constexpr double kMostBudgets = 4;

/// The block size that gives about `samples` of the plane, 1 or more.
std::uint32_t block_for(const SparsePattern& pattern, double samples) {
  const double area = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
  return static_cast<std::uint32_t>(std::clamp(std::round(std::sqrt(area / samples)), 1.0, 1048576.0));
}

/// Cells of the plane that a block method delivers.
double samples_of(const SparsePattern& pattern, std::uint32_t block) {
  const auto count = [&](std::uint64_t size) {
    const std::uint64_t blocks = (size + block - 1) / block;
    return static_cast<double>(blocks);
  };
  return count(pattern.rows()) * count(pattern.cols());
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
      const Support support = method->supports(options_.backend, pattern_->rows(), pattern_->cols());
      if (!support.ok) {
        known_.prospects.push_back(refused(*method, support.reason));
      } else if (method->info().uses_block) {
        add_blocks(*method);
      } else if (method->info().full_plane) {
        known_.prospects.push_back(full_plane(*method));
      }
    }
    run_cheap();
  }

  /// Optimism in the face of what is only expected: as long as a setting would lead if it did as well as may
  /// be hoped, it is run.
  std::vector<Advice> lead(const Allowance& allowance) {
    const double budget =
        std::max({options_.budget, kPerAllowance * allowance.seconds,
                  std::min(kPerPlane * known_.plane_seconds, kMostBudgets * options_.budget)});
    const Stopwatch watch;
    for (const Hope& hope : kHopes) {
      for (;;) {
        const double spent = watch.seconds();
        const auto next =
            most_hopeful(allowance, hope.smaller, std::min(hope.share * budget - spent, hope.each * budget));
        if (!next.prospect) break;
        run_as_it_is(*next.prospect, next.patience, next.most_error);
      }
    }
    settle(allowance, kTurnsShare * budget);
    return recommend(known_.prospects, allowance);
  }

 private:
  struct Candidate {
    Prospect* prospect = nullptr;
    double patience = 0;            ///< seconds after which it would not lead any more
    double most_error = kAnyError;  ///< above which it would not, however fast
  };

  /// The first that would lead before the best of those that were run; none where that one leads.
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
      if (&one == leader || one.runs >= kSettled) continue;
      hoped[k].seconds = kWorth * hoped_seconds(one);
      hoped[k].error *= one.runs == 0 ? kWorth / smaller : kWorth;
    }
    // What errs no more than is wished, or not at all, is beaten by what is faster and by nothing else.
    double bound = allowance.seconds > 0 ? allowance.seconds : std::numeric_limits<double>::infinity();
    if (allowance.error) bound = std::min(bound, pass_seconds(allowance));
    if (leader != nullptr && (allowance.error || leader->exact)) bound = std::min(bound, leader->seconds);
    for (const Advice& one : rank(hoped, allowance)) {
      if (!one.fits) break;
      Prospect& candidate = listed(one.prospect);
      if (&candidate == leader) break;
      if (candidate.runs >= kSettled || candidate.seconds > seconds_left) continue;
      constexpr double kLeast = 0.05;
      return {&candidate, std::min({2 * bound + kLeast, seconds_left + kLeast, patience_for(candidate)}),
              allowance.error     ? *allowance.error
              : leader != nullptr ? leader->error
                                  : kAnyError};
    }
    return {};
  }

  /// A few percent decide between neighbours, and one run that was disturbed must not: the leader and what is
  /// close to leading are run again, in turns, so that what disturbs one disturbs the others.
  void settle(const Allowance& allowance, double seconds) {
    const Stopwatch watch;
    for (;;) {
      const std::vector<Prospect*> close = close_to_leading(allowance);
      if (close.size() < 2) return;
      const auto least = std::ranges::min(close, {}, &Prospect::runs)->runs;
      if (least >= kCertain) return;
      for (Prospect* one : close) {
        if (one->runs > least) continue;
        if (watch.seconds() + one->seconds > seconds) return;
        run_as_it_is(*one, patience_for(*one));
      }
    }
  }

  /// The leader and, of what was run, whatever would lead if it took a little less.
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

  /// Of an exact method that keeps the allowance and whose rows have passed already.
  [[nodiscard]] double pass_seconds(const Allowance& allowance) const {
    for (const Advice& one : rank(known_.prospects, allowance))
      if (one.fits && one.prospect.basis == kPass) return one.prospect.seconds;
    return std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] double hoped_seconds(const Prospect& prospect) const {
    if (prospect.runs >= kSettled) return prospect.seconds;
    const double faster = kFaster[static_cast<std::size_t>(prospect.runs)];
    if (prospect.runs > 0)
      return prospect.seconds / (1 + (faster - 1) * std::min(1.0, kShort / prospect.seconds));
    // More work of the same kind is not done sooner.
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

  /// Runs a prospect's own setting and writes down what it took and erred, or that it takes longer than was
  /// waited for; what that tells about others of its method goes into their expectations.
  void run_as_it_is(Prospect& prospect, double patience, double most_error = kAnyError) {
    const Method& method = *find_method(prospect.method);
    const Prospect expected = prospect;
    // What is exact differs by rounding from a leader that is.
    const auto run =
        timed(method, request_for(method, prospect.block), patience, prospect.exact ? kAnyError : most_error);
    if (run) {
      prospect.seconds = prospect.runs > 0 ? std::min(prospect.seconds, run->seconds) : run->seconds;
      prospect.error = prospect.exact ? 0 : error_of(*run);
      ++prospect.runs;
      prospect.basis = kRunItself;
    } else if (run.error().code == ErrorCode::cancelled) {
      prospect.seconds = std::max(prospect.seconds, patience);
      known_.trials.push_back({prospect.method, prospect.work, samples_at(prospect.block), patience});
      if (prospect.runs > 0) prospect.runs = kSettled;
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
    ResolvedRequest request;
    request.pattern = pattern_;
    request.backend = options_.backend;
    request.threads = context_.pool().threads();
    request.parameters = resolve(method, {}).value();
    if (block)
      if (auto set = request.parameters.set("block", std::int64_t{*block}); !set) throw Failure(set.error());
    return request;
  }

  [[nodiscard]] Forecast forecast_of(const Method& method, const ResolvedRequest& request) const {
    auto forecast = run_guarded([&] { return method.forecast(request); });
    return forecast ? *forecast : Forecast{};
  }

  /// The faster of two runs, or one that was long or erred more than `most_error`; an error where the method
  /// refuses or is too slow to wait for.
  Result<Run> timed(const Method& method, const ResolvedRequest& request, double patience,
                    double most_error = kAnyError) {
    Run best;
    best.seconds = std::numeric_limits<double>::infinity();
    const Deadline deadline(patience, context_.stop_token());
    for (int k = 0; k < 2 && !(k > 0 && best.seconds > kTwice); ++k) {
      JobContext inner(context_.pool(), job_until(deadline.token()));
      auto spectrum = run_method(method, request, inner);
      context_.check_stop();
      if (!spectrum) {
        if (deadline.passed() && k > 0) break;
        if (deadline.passed())
          return fail(ErrorCode::cancelled, "A run at a small setting took longer than the advisor waits.");
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

  /// Passes over the plane, as far as the seconds reach: tiles of rows that refine it everywhere at once.
  void find_reference() {
    known_.reference = options_.exact;
    if (known_.reference) return;
    const Method& rows = usual_method(MethodRole::plane);
    ResolvedRequest request = request_for(rows, std::nullopt);
    if (!rows.supports(options_.backend, pattern_->rows(), pattern_->cols()).ok) request.backend = {};
    request.progress = std::make_shared<PlaneProgress>();
    const double most = kMostBudgets * options_.reference;
    std::optional<FeatureEstimate> estimate;
    double seconds = 0;
    // A pass that will be through before long is let through: a part errs as much as the better settings do.
    for (const double until : {options_.reference, most}) {
      const Stopwatch watch;
      {
        const Deadline deadline(until - seconds, context_.stop_token());
        JobContext inner(context_.pool(), job_until(deadline.token()));
        const auto passed = run_method(rows, request, inner);
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
      return;
    }
    const Method& elastic = usual_method(MethodRole::samples);
    JobContext inner(context_.pool(), job_until(context_.stop_token()));
    const auto run =
        run_method(elastic, request_for(elastic, block_for(*pattern_, kReferenceSamples)), inner);
    context_.check_stop();
    if (run) known_.reference = (*run)->features;
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

  /// 1 where nothing is known: no worse error is possible for the distances.
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
    // Large planes take longer to sample as well; but then not as long as the plane itself.
    const double patience = std::clamp(known_.plane_seconds / 2, options_.patience, 4 * options_.patience);
    const Stopwatch watch;
    const std::string failed = try_pilot(method, kCoarseSamples, patience);
    if (!failed.empty()) {
      known_.prospects.resize(first);
      known_.prospects.push_back(refused(method, failed));
      return;
    }
    // What is that slow on a coarse lattice is hardly worth a second look.
    const double spent = watch.seconds();
    if (spent <= std::max(options_.patience, known_.plane_seconds / 4))
      (void)try_pilot(method, kFineSamples, patience);
    expect_blocks(method);
  }

  /// Of the listed block sizes the one of about so many samples, or one beyond them where all are much finer.
  /// Why it could not be run, or nothing.
  std::string try_pilot(const Method& method, double samples, double patience) {
    const std::uint32_t wanted = std::max(2U, block_for(*pattern_, samples));
    const auto distance = [&](std::uint32_t block) { return std::abs(std::log(double(block) / wanted)); };
    std::uint32_t block = wanted;
    if (!options_.blocks.empty() && 2 * wanted <= 3 * std::ranges::max(options_.blocks))
      block = *std::ranges::min_element(options_.blocks, {}, distance);
    const auto listed_one = std::ranges::find_if(known_.prospects, [&](const Prospect& one) {
      return one.method == method.info().id && one.block == block;
    });
    if (listed_one != known_.prospects.end() && listed_one->runs > 0) return {};
    const auto run = timed(method, request_for(method, block), patience);
    if (!run && run.error().code != ErrorCode::cancelled) return run.error().message();
    if (run && listed_one != known_.prospects.end()) {
      listed_one->seconds = run->seconds;
      listed_one->error = error_of(*run);
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

  /// From all that was run of it.
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
      one.error = expected_error(trials, samples_at(one.block));
      one.basis = "runs at other block sizes";
    }
  }

  /// What costs next to nothing is run, the cheapest first.
  void run_cheap() {
    double spent = 0;
    while (spent <= options_.budget) {
      Prospect* next = nullptr;
      for (Prospect& one : known_.prospects)
        if (one.refusal.empty() && one.runs == 0 && one.seconds <= options_.cheap &&
            (next == nullptr || one.seconds < next->seconds))
          next = &one;
      if (next == nullptr) return;
      run_as_it_is(*next, patience_for(*next));
      spent += 2 * next->seconds;
    }
  }

  /// Half of what the machine takes for an operation of a fast Fourier transform that fits its caches (5 N
  /// log2 N of them): no method does better. Measured once.
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

  /// Seconds for one pass of the feature sums over a row of this matrix's plane.
  double reduction_seconds_per_row() {
    std::vector<std::complex<float>> row(pattern_->cols(), {1.0F, 0.5F});
    FeatureConsumer consumer;
    consumer.begin(pattern_->rows(), pattern_->cols(), 1);
    constexpr int kRows = 4;
    const Stopwatch watch;
    for (int k = 0; k < kRows; ++k)
      consumer.consume(
          {std::min<std::int64_t>(k + 1, static_cast<std::int64_t>(pattern_->rows() / 2)), true, row}, 0);
    return watch.seconds() / kRows / context_.pool().threads();
  }

  /// Rows of the method's own making: a few and twice as many.
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

  /// Seconds for each operation of its forecast, from two small random matrices of this one's row counts.
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
    // What can be resumed are passes over the same rows.
    const bool passes = method.info().resumable && known_.plane_seconds > 0;
    std::optional<double> seconds;
    if (passes) {
      seconds = known_.plane_seconds;
    } else if (method.info().row_by_row) {
      seconds = by_rows(method);
    }
    prospect.basis = passes ? kPass : seconds ? "some of its rows" : "small random matrices";
    if (!seconds) seconds = by_small_matrices(method, forecast.operations);
    if (!seconds) return refused(method, "Its time could not be found.");
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
  return Pilot(pattern, options, known, context).lead(allowance);
}

}  // namespace spyctrum
