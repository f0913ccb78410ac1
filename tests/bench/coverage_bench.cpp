// SPDX-License-Identifier: Apache-2.0
// How often is the error of a feature within its error bar? Printed for each kind of pattern and for each
// feature: how many estimates lie within one and two error bars of the exact feature (68.3 and 95.4 % if
// errors are normal), and the largest error, in bars. Arguments: "independent" or "fitted", the list of
// patterns (coverage_patterns.hpp), or "further", the second to eighth pattern of each kind of the
// independent list; then
//   exact [SEEDS]       runs of `features --method exact --until E` for three E and 20 seeds. Runs that go to
//                       the last row are exact and do not count;
//   METHOD [PATTERNS]   features of a method at block sizes 4 … 128 of three patterns of each kind, with
//                       their largest errors. A method with a bias that computed all rows reports its error
//                       in place of a bar; such a result does not count.
// "signed" as the last argument gives the entries random weights between −1 and 1 (signed_weights.hpp),
// "heavy" their inverse roots, which are positive and have infinite variance.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/features/decoders.hpp"
#include "core/features/feature_errors.hpp"
#include "core/spectrum/rounding_floor.hpp"
#include "tests/bench/bench_matrices.hpp"
#include "tests/bench/coverage_patterns.hpp"
#include "tests/support/coverage.hpp"
#include "tests/support/signed_weights.hpp"
#include "tests/support/text_request.hpp"

namespace spyctrum::bench {
namespace {

constexpr double kUntil[] = {0.01, 0.003, 0.001};

enum class EntryWeights { none, both_signs, heavy };
EntryWeights entry_weights = EntryWeights::none;

PatternPtr weighted(const PatternPtr& pattern) {
  if (entry_weights == EntryWeights::none) return pattern;
  PatternPtr made = test::with_signed_weights(pattern);
  if (entry_weights == EntryWeights::both_signs) return made;
  std::vector<float> weights(made->weights().begin(), made->weights().end());
  for (float& weight : weights) weight = 1 / std::sqrt(std::abs(weight));
  return std::make_shared<const SparsePattern>(pattern->with_weights(std::move(weights)));
}

PatternPtr pattern_of(const std::string& name) {
  JobContext context(pool());
  std::string path = name;
  if (!name.starts_with("gen:")) {
    const auto file =
        std::filesystem::path(SPYCTRUM_SOURCE_DIR) / ".." / "shared" / "data" / (name + ".mtx.gz");
    if (!std::filesystem::exists(file)) return nullptr;
    path = file.string();
  }
  const auto matrix = load_matrix(path, {}, context);
  return matrix ? weighted(matrix->pattern) : nullptr;
}

void print(const char* name, const test::Coverage& coverage) {
  const test::Coverage::Case most = coverage.farthest();
  std::printf("| %s | %d | %d | %.0f %% | %.1f %% | %.1f %% | %.1f (%s %zu) |\n", name, coverage.runs(),
              coverage.complete(), 100 * coverage.rows(), 100 * coverage.within(1), 100 * coverage.within(2),
              most.distance, kFeatureTable[most.feature].stem, most.index);
  std::fflush(stdout);
}

void print_features(const test::Coverage& all) {
  std::printf("\n| feature | within 1 bar | 2 bars |\n|---|---:|---:|\n");
  for (std::size_t k = 0; k < kFeatureCount; ++k)
    if (kFeatureTable[k].standard_error != StandardError::unknown)
      std::printf("| %s | %.1f %% | %.1f %% |\n", kFeatureTable[k].label, 100 * all.within(1, FeatureKey(k)),
                  100 * all.within(2, FeatureKey(k)));
  std::size_t beyond = 0;
  for (const test::Coverage::Case& one : all.cases()) beyond += one.distance > 5 ? 1 : 0;
  std::printf("%zu error bars, of which %zu are exceeded fivefold; %d errors known exactly\n",
              all.cases().size(), beyond, all.known());
}

void measure(int seeds, const std::vector<std::string>& names) {
  test::Coverage all;
  test::Coverage by_error[std::size(kUntil)];
  std::printf(
      "| pattern | runs that ended early | to the last row | rows | within 1 bar | 2 bars | farthest |\n"
      "|---|---:|---:|---:|---:|---:|---:|\n");
  for (const std::string& name : names) {
    const PatternPtr pattern = pattern_of(name);
    if (!pattern) continue;
    JobContext context(pool());
    const test::SummedPlane plane(pattern, context);
    test::Coverage of_pattern;
    for (std::size_t k = 0; k < std::size(kUntil); ++k) {
      test::Coverage one;
      for (int seed = 1; seed <= seeds; ++seed)
        one.add(plane.estimate(static_cast<std::uint64_t>(seed), kUntil[k], pool()), plane.exact());
      by_error[k].add(one);
      of_pattern.add(one);
    }
    print(name.c_str(), of_pattern);
    all.add(of_pattern);
  }
  for (std::size_t k = 0; k < std::size(kUntil); ++k) {
    char name[40];
    std::snprintf(name, sizeof name, "**until %g**", kUntil[k]);
    print(name, by_error[k]);
  }
  print("**all**", all);
  print_features(all);
}

/// Coverage of a kind's estimates, and the largest errors among them.
struct SampleErrors {
  test::Coverage coverage;
  double entropy = 0, radial = 0, sectors = 0;
  double share = 0;  ///< of the plane that was computed, the largest

  /// `sigma`: Coverage::add().
  void add(const Spectrum& found, const Features& exact, const Features* sigma) {
    if (!found.feature_errors) return;
    coverage.add(*found.features, *found.feature_errors, exact, sigma);
    const FeatureErrors errors = feature_errors(*found.features, exact);
    const double cells = static_cast<double>(found.m) * static_cast<double>(found.n);
    raise({errors["entropy"], errors["radial"], errors["sectors"],
           static_cast<double>(found.features->samples) / cells});
  }
  void add(const SampleErrors& other) {
    coverage.add(other.coverage);
    raise({other.entropy, other.radial, other.sectors, other.share});
  }
  void print(const char* name) const {
    const test::Coverage::Case most = coverage.farthest();
    std::printf("| %s | %d | %.1f %% | %.1f %% | %.1f (%s %zu) | %.4f %% | %.4f | %.4f | %.1f %% |\n", name,
                coverage.runs(), 100 * coverage.within(1), 100 * coverage.within(2), most.distance,
                kFeatureTable[most.feature].stem, most.index, 100 * entropy, radial, sectors, 100 * share);
    std::fflush(stdout);
  }

 private:
  void raise(const std::array<double, 4>& to) {
    entropy = std::max(entropy, to[0]);
    radial = std::max(radial, to[1]);
    sectors = std::max(sectors, to[2]);
    share = std::max(share, to[3]);
  }
};

SpectrumPtr run(const PatternPtr& pattern, const std::string& method, int block) {
  Request request;
  request.pattern = pattern;
  if (block > 0) request.parameters["block"] = std::to_string(block);
  JobContext context(pool());
  return or_throw(run_method(*find_method(method), request, context));
}

/// Block sizes 4 … 128, `patterns` of each kind.
void measure_samples(const std::string& method, const std::vector<CoverageList>& lists, int patterns) {
  SampleErrors all;
  std::printf(
      "| pattern | runs | within 1 bar | 2 bars | farthest | largest error: entropy | radial H | directional "
      "H | computed, at most |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const CoverageList& list : lists) {
    for (const Kind& kind : list.kinds) {
      SampleErrors of_kind;
      for (const std::string& name : names_of(kind, patterns, list.first_seed)) {
        const PatternPtr pattern = pattern_of(name);
        if (!pattern) {
          std::fprintf(stderr, "%s: not found\n", name.c_str());
          continue;
        }
        const SpectrumPtr exact = run(pattern, "exact", 0);
        JobContext context(pool());
        const EstimatedFeatures reference = decode_rows(*pattern, rounding_floor(*pattern), context);
        const Features* sigma = method == "elastic" || !reference.errors ? nullptr : &*reference.errors;
        for (const int block : {4, 8, 16, 32, 64, 128}) {
          try {
            of_kind.add(*run(pattern, method, block), *exact->features, sigma);
          } catch (const Failure& refused) {  // for its memory
            std::fprintf(stderr, "%s, b = %d: %s\n", name.c_str(), block, refused.what());
          }
        }
      }
      of_kind.print(kind.name);
      all.add(of_kind);
    }
  }
  all.print("**all**");
  print_features(all.coverage);
}

/// Patterns `first` … `last` of each kind of the independent list, from 1.
std::vector<std::string> of_each_kind(std::size_t first, std::size_t last) {
  std::vector<std::string> names;
  for (const Kind& kind : kIndependent.kinds) {
    const std::vector<std::string> all = names_of(kind, static_cast<int>(last), kIndependent.first_seed);
    for (std::size_t k = first - 1; k < all.size(); ++k) names.push_back(all[k]);
  }
  return names;
}

}  // namespace
}  // namespace spyctrum::bench

int main(int count, char** arguments) {
  using namespace spyctrum::bench;
  if (count > 1 && std::string(arguments[count - 1]) == "signed") entry_weights = EntryWeights::both_signs;
  if (count > 1 && std::string(arguments[count - 1]) == "heavy") entry_weights = EntryWeights::heavy;
  if (entry_weights != EntryWeights::none) --count;
  const std::string list = count > 1 ? arguments[1] : "independent";
  const std::string method = count > 2 ? arguments[2] : "exact";
  const int number = count > 3 ? std::atoi(arguments[3]) : method == "exact" ? 20 : 3;
  if (list != "independent" && list != "fitted" && (list != "further" || method != "exact")) {
    std::fprintf(stderr, "%s is no list: independent, fitted, and further for exact\n", list.c_str());
    return 1;
  }
  const bool is_fitted = list == "fitted";
  if (method == "exact")
    measure(number, is_fitted ? kFittedStreams : list == "further" ? of_each_kind(2, 8) : of_each_kind(1, 1));
  else
    measure_samples(method, is_fitted ? kFitted : std::vector{kIndependent}, number);
}
