// SPDX-License-Identifier: Apache-2.0
// How good are the advisor's recommendations? For each matrix every method and block size is measured (the
// sweep); then the advisor recommends settings for several time allowances, largest errors and memory
// allowances, each of which is compared with the best measured setting.
//   bench_advisor [FILE…]      files or gen: texts; default: the shared matrices of up to 6,000 rows
//   SPYCTRUM_THREADS=1         threads of the methods; default: one for each processor
//   SPYCTRUM_TRACE=1           prints the sweep, each run that the advisor makes, and the time that it takes
//   SPYCTRUM_CONTROL=1         a second sweep before the questions; its best setting is judged like a
//                              recommendation and is the best that any advice can be expected to reach.
//                              Advice that is off counts as "within the spread of two sweeps" where that of
//                              the second sweep is off, too
// A recommendation for a time allowance counts as good (within 10 %) if it took at most 1.1 times the
// allowance and its error is at most 1.1 times that of the best setting within the allowance. For a largest
// error e: if its error is at most e and it took at most 1.1 times as long as the fastest setting with error
// at most e; errors above e are counted apart. For a memory allowance: if its forecast is within it and
// its error is at most 1.1 times the least of the settings whose forecasts are. The settings compared are run
// again in turns, and only these runs count, since the best of many runs at other times would depend on luck.
// The advisor starts afresh for each question.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "core/advisor/pilot.hpp"
#include "core/base/deadline.hpp"
#include "core/base/stopwatch.hpp"
#include "core/features/feature_consumer.hpp"
#include "core/features/feature_errors.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "tests/bench/bench_matrices.hpp"
#include "tests/support/text_request.hpp"

namespace {

using namespace spyctrum;

struct Measured {
  std::string method;
  std::optional<std::uint32_t> block;
  double seconds = 0;
  double error = 0;
  std::uint64_t bytes = 0;  ///< forecast
};

struct Case {
  std::string label;
  Allowance allowance;
};

/// A run without error bars, which belong to none of the times compared and would count against a deadline.
Request request_of(const PatternPtr& pattern, std::optional<std::uint32_t> block) {
  Request request;
  request.pattern = pattern;
  request.outputs.errors = false;
  if (block) request.parameters["block"] = std::to_string(*block);
  return request;
}

double run_again(const PatternPtr& pattern, const Measured& one) {
  const Request request = request_of(pattern, one.block);
  JobContext context(bench::pool());
  const auto spectrum = run_method(*find_method(one.method), request, context);
  return spectrum ? (*spectrum)->provenance.seconds : std::numeric_limits<double>::infinity();
}

/// Runs settings in turns, several times where a run is short.
void run_in_turns(const PatternPtr& pattern, const std::vector<Measured*>& contenders) {
  constexpr double kSeconds = 3;
  constexpr int kTurns = 12;
  double spent = 0;
  for (int k = 0; k < kTurns && spent < kSeconds; ++k) {
    for (Measured* one : contenders) {
      const double seconds = run_again(pattern, *one);
      one->seconds = k == 0 ? seconds : std::min(one->seconds, seconds);
      spent += seconds;
    }
  }
}

/// Measures one setting, the fastest of three runs; empty where the method refuses or takes longer than
/// `patience`.
std::optional<Measured> measure(const PatternPtr& pattern, const Method& method,
                                std::optional<std::uint32_t> block, const Features& exact, double patience) {
  double spent = 0;
  Measured one{method.info().id, block, std::numeric_limits<double>::infinity(), 0, 0};
  for (int k = 0; k < 3 && spent < 0.5; ++k) {
    const Request request = request_of(pattern, block);
    const Deadline deadline(patience, {});
    JobContext::Options job;
    job.stop = deadline.token();
    JobContext context(bench::pool(), std::move(job));
    auto spectrum = run_method(method, request, context);
    if (!spectrum && k > 0) break;
    if (!spectrum || !(*spectrum)->features) return std::nullopt;
    one.seconds = std::min(one.seconds, (*spectrum)->provenance.seconds);
    spent += (*spectrum)->provenance.seconds;
    one.bytes = (*spectrum)->provenance.bytes_forecast;
    one.error = method.info().full_plane ? 0 : mean_error(feature_errors(*(*spectrum)->features, exact));
  }
  return one;
}

/// Measures every method; one with a block size from the largest block size down. A setting that takes longer
/// than an exact method of the full plane is worse under every allowance and is left out; after two such
/// block sizes the smaller ones are skipped.
std::vector<Measured> sweep(const PatternPtr& pattern, const Features& exact, const PilotOptions& pilot) {
  std::vector<Measured> list;
  double patience = 600;
  for (const auto& method : methods()) {
    if (method->info().uses_block) continue;
    const auto one = measure(pattern, *method, std::nullopt, exact, patience);
    if (!one) continue;
    list.push_back(*one);
    patience = std::min(patience, 1.2 * one->seconds + 0.05);
  }
  for (const auto& method : methods()) {
    if (!method->info().uses_block) continue;
    std::vector<std::uint32_t> blocks = pilot.blocks;
    std::ranges::sort(blocks, std::ranges::greater{});
    int slow = 0;
    for (const std::uint32_t block : blocks) {
      const auto one = measure(pattern, *method, block, exact, patience);
      if (one) list.push_back(*one);
      if (!one && ++slow == 2) break;
    }
  }
  return list;
}

std::vector<Case> cases(const std::vector<Measured>& sweep) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t exact = fewest;
  for (const Measured& one : sweep) {
    fewest = std::min(fewest, one.bytes);
    if (one.error == 0) exact = std::min(exact, one.bytes);
    least = std::min(least, one.seconds);
    most = std::max(most, one.seconds);
  }
  std::vector<Case> list;
  for (const double factor : {4.0, 16.0, 64.0, 256.0}) {
    if (least * factor > most) break;
    char label[48];
    std::snprintf(label, sizeof label, "time %.3g ms", least * factor * 1e3);
    list.push_back({label, {.bytes = 0, .seconds = least * factor}});
  }
  for (const double error : {0.1, 0.03, 0.01, 0.003}) {
    char label[48];
    std::snprintf(label, sizeof label, "error %g", error);
    list.push_back({label, {.bytes = 0, .seconds = 0, .error = error}});
  }
  for (const std::uint64_t bytes : {4 * fewest, 16 * fewest, exact})
    if (bytes <= exact) list.push_back({"memory " + format_bytes(bytes), {.bytes = bytes, .seconds = 0}});
  return list;
}

/// `setting`: a Prospect or a Measured.
Measured* find(std::vector<Measured>& sweep, const auto& setting) {
  for (Measured& one : sweep)
    if (one.method == setting.method && one.block == setting.block) return &one;
  return nullptr;
}

/// The best measured setting within the allowance; nullptr if there is none.
Measured* best_of(std::vector<Measured>& sweep, const Allowance& allowance) {
  Measured* best = nullptr;
  for (Measured& one : sweep) {
    if (allowance.error) {
      if (one.error <= *allowance.error && (best == nullptr || one.seconds < best->seconds)) best = &one;
    } else if ((allowance.seconds == 0 || one.seconds <= allowance.seconds) &&
               (allowance.bytes == 0 || one.bytes <= allowance.bytes) &&
               (best == nullptr || one.error < best->error ||
                (one.error == best->error && one.seconds < best->seconds))) {
      best = &one;
    }
  }
  return best;
}

std::string name_of(const Measured& one) {
  return one.method + (one.block ? " b=" + std::to_string(*one.block) : std::string());
}

bool has_trace() { return std::getenv("SPYCTRUM_TRACE") != nullptr; }
bool has_control() { return std::getenv("SPYCTRUM_CONTROL") != nullptr; }

/// The recommended setting and the best of those compared; they may be the same.
std::pair<Measured, Measured> compare(const PatternPtr& pattern, std::vector<Measured>& measured,
                                      Measured* recommended, const Allowance& allowance) {
  constexpr std::size_t kContenders = 5;
  std::vector<Measured*> contenders{recommended};
  while (contenders.size() < kContenders) {
    Measured* const best = best_of(measured, allowance);
    if (best == nullptr || std::ranges::find(contenders, best) != contenders.end()) break;
    contenders.push_back(best);
    run_in_turns(pattern, contenders);
  }
  std::vector<Measured> compared;
  for (const Measured* one : contenders) compared.push_back(*one);
  const Measured* const best = best_of(compared, allowance);
  return {*recommended, best == nullptr ? *recommended : *best};
}

/// Numbers of recommendations within 10 %: the advisor's, and those of a second sweep.
struct Score {
  int within = 0;
  int spread = 0;  ///< within 10 %, or the control is off as well
  int control = 0;
  int above = 0;  ///< of all recommendations: errors above the requested one
  int total = 0;
};

bool is_within(const Measured& recommended, const Measured& best, const Allowance& allowance) {
  if (allowance.error)
    return recommended.error <= *allowance.error && recommended.seconds <= 1.1 * best.seconds;
  return (allowance.seconds == 0 || recommended.seconds <= 1.1 * allowance.seconds) &&
         (allowance.bytes == 0 || recommended.bytes <= allowance.bytes) &&
         recommended.error <= 1.1 * best.error;
}

void advise_on(const std::string& name, const PatternPtr& pattern, Score& score) {
  FeatureConsumer consumer(rounding_floor(*pattern));
  RowConsumer* const consumers[] = {&consumer};
  Request request;
  request.pattern = pattern;
  JobContext context(bench::pool());
  if (!stream_method(*find_method("bs-fft"), request, consumers, context)) return;
  PilotOptions pilot;
  const std::vector<Measured> measured = sweep(pattern, consumer.features(), pilot);
  if (has_trace()) {
    for (const Measured& one : measured)
      std::printf("  swept %-22s %9.3f ms %9.5f\n", name_of(one).c_str(), one.seconds * 1e3, one.error);
    pilot.on_run = [&](const Prospect& expected, const Prospect& run) {
      std::printf("  ran %-22s %9.3f ms %9.5f expected, %9.3f ms %9.5f found\n",
                  name_of({run.method, run.block, 0, 0, 0}).c_str(), expected.seconds * 1e3, expected.error,
                  run.seconds * 1e3, run.error);
    };
  }
  std::vector<Measured> again;
  if (has_control()) again = sweep(pattern, consumer.features(), pilot);
  const Stopwatch watch;
  const Expectations expectations = find_expectations(pattern, pilot, context);
  if (has_trace()) std::printf("  pilot runs: %.2f s\n", watch.seconds());
  for (const Case& one : cases(measured)) {
    Expectations known = expectations;
    const Stopwatch answer_watch;
    const Prospect lead = advise(pattern, pilot, one.allowance, known, context).front().prospect;
    if (has_trace()) std::printf("  %s: %.2f s\n", one.label.c_str(), answer_watch.seconds());
    std::vector<Measured> compared = measured;
    if (find(compared, lead) == nullptr) {  // the sweep did not measure it
      const auto late = measure(pattern, *find_method(lead.method), lead.block, consumer.features(), 600);
      compared.push_back(late.value_or(Measured{lead.method, lead.block, 600, 1, lead.bytes}));
    }
    const auto [recommended, best] = compare(pattern, compared, find(compared, lead), one.allowance);
    const bool good = is_within(recommended, best, one.allowance);
    ++score.total;
    score.within += good ? 1 : 0;
    score.above += one.allowance.error && recommended.error > *one.allowance.error ? 1 : 0;
    bool in_spread = good;
    if (Measured* const found = has_control() ? best_of(again, one.allowance) : nullptr) {
      compared = measured;
      Measured* twin = find(compared, *found);
      if (twin == nullptr) twin = &compared.emplace_back(*found);
      const auto [control, better] = compare(pattern, compared, twin, one.allowance);
      const bool control_good = is_within(control, better, one.allowance);
      score.control += control_good ? 1 : 0;
      in_spread = in_spread || !control_good;
    }
    score.spread += in_spread ? 1 : 0;
    std::printf("%-22s %-16s %-22s %9.3f ms %9.5f   %-22s %9.3f ms %9.5f   %s\n", name.c_str(),
                one.label.c_str(), name_of(recommended).c_str(), recommended.seconds * 1e3, recommended.error,
                name_of(best).c_str(), best.seconds * 1e3, best.error,
                good        ? "within 10 %"
                : in_spread ? "off, as the control"
                            : "off");
    std::fflush(stdout);
  }
}

std::vector<std::string> shared_matrices() {
  std::vector<std::string> files;
  std::error_code ignored;
  const auto folder = std::filesystem::path(SPYCTRUM_SOURCE_DIR) / ".." / "shared" / "data";
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().string().ends_with(".mtx.gz")) files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const bool named = argc > 1;
  const std::vector<std::string> files =
      named ? std::vector<std::string>(argv + 1, argv + argc) : shared_matrices();
  constexpr std::uint64_t kLargest = 6000;
  std::printf("%-22s %-16s %-22s %12s %9s   %-22s %12s %9s\n", "matrix", "allowance", "recommended", "took",
              "error", "best measured", "took", "error");
  Score score;
  for (const std::string& file : files) {
    JobContext context(bench::pool());
    auto matrix = load_matrix(file, {}, context);
    if (!matrix || (!named && matrix->pattern->rows() > kLargest)) continue;
    advise_on(matrix->name, matrix->pattern, score);
  }
  std::printf("%d of %d recommendations within 10 %% of the best measured setting\n", score.within,
              score.total);
  std::printf("%d recommendations err more than was requested\n", score.above);
  if (has_control())
    std::printf(
        "%d of %d of what a second sweep found best; %d of %d recommendations within 10 %% or as far off\n",
        score.control, score.total, score.spread, score.total);
  return 0;
}
