// SPDX-License-Identifier: Apache-2.0
// Pilot runs. Pilots at about 2^13 and 2^17 samples, errors against about 2^19.
#include "core/advisor/pilot.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>

#include "core/base/deadline.hpp"
#include "core/fft/fft.hpp"
#include "core/matrix/generators.hpp"
#include "core/spectrum/feature_sink.hpp"

namespace spyctrum {

namespace {

constexpr double kCoarseSamples = 0x1p13;
constexpr double kFineSamples = 0x1p17;
constexpr double kReferenceSamples = 0x1p19;
constexpr std::uint64_t kPilotRows = 48;
/// How much faster than expected a setting may turn out.
constexpr double kFaster = 1.5;
/// Planes up to this many coefficients are passed over exactly for the reference.
constexpr std::uint64_t kSmallPlane = std::uint64_t{1} << 24U;

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
  Pilot(const PatternPtr& pattern, const PilotOptions& options, JobContext& context)
      : pattern_(pattern), options_(options), context_(context) {}

  std::vector<Prospect> prospects() {
    find_reference();
    std::vector<Prospect> list;
    for (const auto& method : methods()) {
      if (!options_.methods.empty() &&
          std::ranges::find(options_.methods, method->info().id) == options_.methods.end())
        continue;
      context_.check_stop();
      const Support support = method->supports(options_.backend, pattern_->rows(), pattern_->cols());
      if (!support.ok) {
        list.push_back(refused(*method, support.reason));
      } else if (method->info().uses_block) {
        add_blocks(*method, list);
      } else if (method->info().full_plane) {
        list.push_back(full_plane(*method));
      }
    }
    run_cheap(list);
    return list;
  }

  /// Runs a prospect's own setting and writes down what it took and erred, or that it takes longer than was
  /// waited for; what that tells about larger ones of its method goes into `list`.
  void run_as_it_is(Prospect& prospect, std::vector<Prospect>& list) {
    const Method& method = *find_method(prospect.method);
    const double patience = 4 * options_.patience;
    const auto run = timed(method, request_for(method, prospect.block), patience);
    prospect.basis = kRunItself;
    if (run) {
      prospect.seconds = run->seconds;
      prospect.error = prospect.exact ? 0 : error_of(*run);
    } else if (run.error().code == ErrorCode::cancelled) {
      prospect.seconds = std::max(prospect.seconds, patience);
    } else {
      prospect.refusal = run.error().message();
      return;
    }
    learn_time(list, prospect);
  }

  /// Optimism in the face of what is only expected: as long as a setting that was not run would lead if it
  /// did somewhat better than expected, it is run. What leads in the end was run, or costs too much to try.
  std::vector<Advice> lead(const Allowance& allowance, std::vector<Prospect> list) {
    find_reference();
    const auto began = std::chrono::steady_clock::now();
    for (;;) {
      const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      Prospect* next = nullptr;
      for (const Advice& one : rank(hoped_for(list), allowance)) {
        if (!one.fits || one.prospect.basis == kRunItself) break;
        Prospect& candidate = *std::ranges::find_if(list, [&](const Prospect& other) {
          return other.method == one.prospect.method && other.block == one.prospect.block;
        });
        if (spent + candidate.seconds > options_.budget) continue;
        next = &candidate;
        break;
      }
      if (next == nullptr) return measured_first(rank(list, allowance));
      run_as_it_is(*next, list);
    }
  }

 private:
  /// Settings that were not run, as good as they may turn out.
  [[nodiscard]] static std::vector<Prospect> hoped_for(std::vector<Prospect> list) {
    constexpr double kBetter = 3;
    for (Prospect& one : list) {
      if (one.basis == kRunItself) continue;
      one.seconds /= kFaster;
      one.error /= kBetter;
    }
    return list;
  }

  /// Where a setting leads that was only expected, for want of budget to run it, the first that was run takes
  /// its place unless it is far behind.
  [[nodiscard]] static std::vector<Advice> measured_first(std::vector<Advice> list) {
    if (list.empty() || list.front().prospect.basis == kRunItself) return list;
    const Prospect& lead = list.front().prospect;
    const auto measured = std::ranges::find_if(list, [&](const Advice& one) {
      return one.fits && one.prospect.basis == kRunItself && one.prospect.seconds <= kFaster * lead.seconds &&
             one.prospect.error <= lead.error * kFaster;
    });
    if (measured != list.end()) std::rotate(list.begin(), measured, measured + 1);
    return list;
  }

  struct Run {
    double seconds = 0;
    std::optional<Features> features;
  };

  [[nodiscard]] Request request_for(const Method& method, std::optional<std::uint32_t> block) const {
    Request request;
    request.pattern = pattern_;
    request.backend = options_.backend;
    request.threads = context_.pool().threads();
    if (block) request.parameters["block"] = std::to_string(*block);
    if (auto resolved = resolve(method, request.parameters)) request.parameters = std::move(*resolved);
    return request;
  }

  [[nodiscard]] Forecast forecast_of(const Method& method, const Request& request) const {
    auto forecast = run_guarded([&] { return method.forecast(request); });
    return forecast ? *forecast : Forecast{};
  }

  /// The faster of two runs; an error where the method refuses or is too slow to wait for.
  Result<Run> timed(const Method& method, const Request& request) {
    return timed(method, request, options_.patience);
  }
  Result<Run> timed(const Method& method, const Request& request, double patience) {
    Run best;
    best.seconds = std::numeric_limits<double>::infinity();
    const Deadline deadline(patience, context_.stop_token());
    for (int k = 0; k < 2; ++k) {
      JobContext::Options job;
      job.memory_bytes = context_.memory().allowance();
      job.seed = context_.seed();
      job.stop = deadline.token();
      JobContext inner(context_.pool(), std::move(job));
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
    }
    return best;
  }

  void find_reference() {
    if (options_.exact) {
      reference_ = options_.exact;
      return;
    }
    if (pattern_->rows() * pattern_->cols() <= kSmallPlane) {
      FeatureSink sink;
      const std::array<RowSink*, 1> sinks{&sink};
      Request request;
      request.pattern = pattern_;
      JobContext::Options job;
      job.memory_bytes = context_.memory().allowance();
      job.stop = context_.stop_token();
      JobContext inner(context_.pool(), std::move(job));
      if (stream_method(*find_method("bs-fft"), request, sinks, inner)) reference_ = sink.features();
      context_.check_stop();
      if (reference_) return;
    }
    const Method& elastic = *find_method("elastic");
    auto run = run_once(elastic, block_for(*pattern_, kReferenceSamples));
    if (run) reference_ = (*run)->features;
  }

  Result<SpectrumPtr> run_once(const Method& method, std::uint32_t block) {
    JobContext::Options job;
    job.memory_bytes = context_.memory().allowance();
    job.stop = context_.stop_token();
    JobContext inner(context_.pool(), std::move(job));
    return run_method(method, request_for(method, block), inner);
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
    if (!run.features || !reference_) return 1;
    return feature_error(feature_errors(*run.features, *reference_));
  }

  void add_blocks(const Method& method, std::vector<Prospect>& list) {
    const std::uint32_t coarse = std::max(2U, block_for(*pattern_, kCoarseSamples));
    const std::uint32_t fine = std::max(1U, block_for(*pattern_, kFineSamples));
    const auto first = timed(method, request_for(method, coarse));
    if (!first) {
      list.push_back(refused(method, first.error().message()));
      return;
    }
    const auto second = fine < coarse ? timed(method, request_for(method, fine)) : first;
    const double work1 = forecast_of(method, request_for(method, coarse)).operations;
    const double work2 = forecast_of(method, request_for(method, fine)).operations;
    const Run& last = second ? *second : *first;
    const TimeModel time =
        second ? fit_time(work1, first->seconds, work2, second->seconds, least_seconds_per_operation())
               : TimeModel{0, std::max(first->seconds, options_.patience) / work2};
    const ErrorModel error = fit_error(samples_of(*pattern_, coarse), error_of(*first),
                                       samples_of(*pattern_, second ? fine : coarse), error_of(last));
    for (const std::uint32_t block : options_.blocks) {
      Prospect prospect = named(method);
      const Forecast forecast = forecast_of(method, request_for(method, block));
      prospect.block = block;
      prospect.bytes = forecast.bytes;
      prospect.work = forecast.operations;
      prospect.seconds = time.at(forecast.operations);
      prospect.error = error.at(samples_of(*pattern_, block));
      prospect.basis = "runs at b = " + std::to_string(coarse) + " and " + std::to_string(fine);
      list.push_back(std::move(prospect));
    }
  }

  /// What costs next to nothing is run, the cheapest first.
  void run_cheap(std::vector<Prospect>& list) {
    std::vector<Prospect*> cheap;
    for (Prospect& one : list)
      if (one.refusal.empty() && one.seconds <= options_.cheap) cheap.push_back(&one);
    std::ranges::sort(cheap, {}, [](const Prospect* one) { return one->seconds; });
    double spent = 0;
    for (Prospect* one : cheap) {
      if (spent > options_.budget) return;
      run_as_it_is(*one, list);
      spent += 2 * one->seconds;
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
      const auto began = std::chrono::steady_clock::now();
      fft_2d(plane.data(), kSide, kSide, context_);
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    }
    const auto points = static_cast<double>(kSide * kSide);
    least_per_operation_ = 0.5 * best / (5 * points * std::log2(points));
    return least_per_operation_;
  }

  /// Seconds for one pass of the feature sums over a row of this matrix's plane.
  double reduction_seconds_per_row() {
    std::vector<std::complex<float>> row(pattern_->cols(), {1.0F, 0.5F});
    FeatureSink sink;
    sink.begin(pattern_->rows(), pattern_->cols(), 1);
    constexpr int kRows = 4;
    const auto began = std::chrono::steady_clock::now();
    for (int k = 0; k < kRows; ++k)
      sink.consume(
          {std::min<std::int64_t>(k + 1, static_cast<std::int64_t>(pattern_->rows() / 2)), true, row}, 0);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / kRows /
           context_.pool().threads();
  }

  /// Rows of the method's own making: a few and twice as many.
  std::optional<double> by_rows(const Method& method) {
    const std::uint64_t half = pattern_->rows() / 2 + 1;
    const std::uint64_t few = kPilotRows * context_.pool().threads();
    if (half < 2 * few) return std::nullopt;
    std::array<double, 2> seconds{};
    for (std::size_t k = 0; k < 2; ++k) {
      Request request = request_for(method, std::nullopt);
      request.window = FrequencyGrid{FrequencyAxis::progression(pattern_->rows(), 1, 1, few * (k + 1)),
                                     FrequencyAxis::full(pattern_->cols())};
      const auto run = timed(method, request);
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
      Request request = request_for(method, std::nullopt);
      request.pattern = matrix->pattern;
      const auto run = timed(method, request);
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
    const bool has_rows = method.info().id.starts_with("bs-fft");
    auto seconds = has_rows ? by_rows(method) : std::nullopt;
    prospect.basis = seconds ? "some of its rows" : "small random matrices";
    if (!seconds) seconds = by_small_matrices(method, forecast.operations);
    if (!seconds) return refused(method, "Its time could not be found.");
    prospect.seconds = *seconds;
    return prospect;
  }

  const PatternPtr& pattern_;
  const PilotOptions& options_;
  JobContext& context_;
  std::optional<Features> reference_;
  double least_per_operation_ = 0;
};

}  // namespace

std::vector<Prospect> find_prospects(const PatternPtr& pattern, const PilotOptions& options,
                                     JobContext& context) {
  return Pilot(pattern, options, context).prospects();
}

std::vector<Advice> advise(const PatternPtr& pattern, const PilotOptions& options, const Allowance& allowance,
                           std::vector<Prospect> prospects, JobContext& context) {
  return Pilot(pattern, options, context).lead(allowance, std::move(prospects));
}

}  // namespace spyctrum
