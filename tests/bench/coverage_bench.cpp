// SPDX-License-Identifier: Apache-2.0
// Do the error bars of `features --method exact --until E` hold? Runs that differ in pattern, seed and wanted
// error E; printed for each kind of pattern and for each feature: how many estimates lie within one and two
// error bars of the exact feature (68.3 and 95.4 % if errors are normal), and the farthest, in bars. Runs
// that go to the last row are exact and do not count. Arguments: number of seeds (20), matrices (those
// below). With the argument "fitted" or "independent" the same of the features of a method with a block size,
// over one of two lists of patterns, with the largest errors; then the method (elastic) and the number of
// patterns of each kind (3).
#include <cstdio>
#include <cstdlib>

#include "core/features/feature_errors.hpp"
#include "tests/bench/bench_matrices.hpp"
#include "tests/support/coverage.hpp"

namespace spyctrum::bench {
namespace {

const std::vector<std::string> kPatterns{
    "gen:random:n=3000,nnz=12000",
    "gen:random:rows=2000,cols=3001,nnz=20000",
    "gen:random:n=8000,nnz=30000",
    "gen:power-law:n=3000,nnz=20000",
    "gen:power-law:n=3000,nnz=20000,shuffle=1",
    "gen:rmat:n=2048,seed=12",
    "gen:rmat:n=4096,nnz=30000,seed=3",
    "gen:stochastic-blocks:n=2400,blocks=6",
    "gen:stochastic-blocks:n=3000,blocks=25,p_in=0.1,p_out=0.001",
    "gen:band:n=2500,lower=3,upper=5",
    "gen:band:rows=2003,cols=2801,bandwidth=40",
    "gen:block-diagonal:n=2400,block=24",
    "gen:checkerboard:n=2048,cell=16",
    "gen:circulant:n=2407,degree=9,stride=31",
    "gen:arrow:n=2500,head=3",
    "gen:laplacian-2d:nx=53,ny=51",
    "gen:laplacian-2d:n=48,points=9,periodic=1",
    "gen:laplacian-3d:nx=13,ny=14,nz=15",
    "sci_bcspwr10",
    "sci_tols4000",
    "sci_rajat01",
    "sci_ani4",
    "sci_zenios",
    "sci_cryg10000",
    "sci_trefethen2000",
};
constexpr double kUntil[] = {0.01, 0.003, 0.001};

PatternPtr pattern_of(const std::string& name) {
  JobContext context(pool());
  std::string path = name;
  if (name.starts_with("sci_")) {
    const auto file =
        std::filesystem::path(SPYCTRUM_SOURCE_DIR) / ".." / "shared" / "data" / (name + ".mtx.gz");
    if (!std::filesystem::exists(file)) return nullptr;
    path = file.string();
  }
  const auto matrix = load_matrix(path, {}, context);
  return matrix ? matrix->pattern : nullptr;
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
  std::printf("%zu error bars, of which %.3f %% are exceeded fivefold\n", all.cases().size(),
              100 * (1 - all.within(5)));
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

/// Kinds of patterns of side `side` + step·s, s = 0, 1, …; `seeded`: with seed s + 1 + the list's first seed.
struct Kind {
  const char* name;
  bool seeded = false;
  int side = 2000;
  const char* key = "n";
  int step = 97;
};
/// The patterns to which the constants of core/features/stratified_errors.cpp were fitted.
const std::vector<Kind> kFitted{
    {"random:nnz=9000", true},
    {"random:cols=3001,nnz=12000", true, 1800, "rows"},
    {"random:nnz=60000", true, 2900},
    {"power-law:nnz=14000", true},
    {"power-law:nnz=30000,shuffle=1", true, 2400},
    {"rmat:nnz=16000", true},
    {"stochastic-blocks:blocks=6", true},
    {"stochastic-blocks:blocks=25,p_in=0.1,p_out=0.001", true, 2400},
    {"band:lower=3,upper=5"},
    {"band:bandwidth=40", false, 2300},
    {"band:cols=2801,bandwidth=9", false, 2000, "rows"},
    {"block-diagonal:block=24"},
    {"block-diagonal:block=250", false, 2500},
    {"checkerboard:cell=16"},
    {"circulant:degree=9,stride=31"},
    {"arrow:head=3"},
    {"laplacian-2d:ny=41", false, 50, "nx", 3},
    {"laplacian-3d:ny=7,nz=4", false, 75, "nx", 3},
    {"diagonal:cols=2911,offset=100", false, 2000, "rows"},
};
/// Patterns that no constant was fitted to.
const std::vector<Kind> kIndependent{
    {"random:nnz=25000", true, 1700, "n", 111},
    {"random:cols=1499,nnz=8000", true, 2600, "rows", 111},
    {"power-law:nnz=9000,exponent=3", true, 1600, "n", 111},
    {"power-law:nnz=40000,exponent=2.1,shuffle=1", true, 2700, "n", 111},
    {"rmat:nnz=30000,a=0.45,b=0.22,c=0.22", true, 1900, "n", 111},
    {"stochastic-blocks:blocks=3", true, 1700, "n", 111},
    {"stochastic-blocks:blocks=40,p_in=0.2,p_out=0.0005", true, 2300, "n", 111},
    {"band:lower=0,upper=12", false, 2111, "n", 111},
    {"band:cols=1501,bandwidth=25", false, 2222, "rows", 111},
    {"block-diagonal:block=60", false, 2050, "n", 111},
    {"block-diagonal:cols=2600,block=33", false, 2100, "rows", 111},
    {"checkerboard:cell=7", false, 1600, "n", 111},
    {"checkerboard:cols=1811,cell=5", false, 1500, "rows", 111},
    {"circulant:degree=5,stride=97,offset=3", false, 2222, "n", 111},
    {"arrow:head=10", false, 2050, "n", 111},
    {"laplacian-2d:ny=59,points=9", false, 37, "nx", 4},
    {"laplacian-2d:ny=36,periodic=1", false, 61, "nx", 4},
    {"laplacian-3d:ny=9,nz=11,points=27", false, 21, "nx", 2},
    {"diagonal:cols=1711,offset=-40", false, 2400, "rows", 111},
    {"sci_bcspwr10"},
    {"sci_tols4000"},
    {"sci_rajat01"},
    {"sci_ani4"},
    {"sci_zenios"},
    {"sci_activsg2000"},
    {"sci_bcsstk13"},
    {"sci_trefethen2000"},
    {"sci_radixnet_n1024_l1"},
};

/// Names of `patterns` patterns of the kind: gen:…, or one file.
std::vector<std::string> names_of(const Kind& kind, int patterns, int first_seed) {
  if (std::string(kind.name).starts_with("sci_")) return {kind.name};
  std::vector<std::string> names;
  for (int s = 0; s < patterns; ++s) {
    names.push_back(std::string("gen:") + kind.name + "," + kind.key + "=" +
                    std::to_string(kind.side + kind.step * s));
    if (kind.seeded) names.back() += ",seed=" + std::to_string(first_seed + s + 1);
  }
  return names;
}

/// Coverage of a kind's estimates, and the largest errors among them.
struct SampleErrors {
  test::Coverage coverage;
  double entropy = 0, radial = 0, sectors = 0;
  double share = 0;  ///< of the plane that was computed, the largest

  void add(const Spectrum& found, const Features& exact) {
    if (!found.feature_errors) return;
    coverage.add(*found.features, *found.feature_errors, exact);
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

SpectrumPtr run(const PatternPtr& pattern, const char* method, int block) {
  Request request;
  request.pattern = pattern;
  if (block > 0) request.parameters["block"] = std::to_string(block);
  JobContext context(pool());
  return *run_method(*find_method(method), request, context);
}

/// Do the error bars of the features of a method with a block size hold? Blocks 4 … 128, `patterns` of each
/// kind.
void measure_samples(const char* method, const std::vector<Kind>& kinds, int patterns, int first_seed) {
  SampleErrors all;
  std::printf(
      "| pattern | runs | within 1 bar | 2 bars | farthest | largest error: entropy | radial H | directional "
      "H | "
      "computed, at most |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const Kind& kind : kinds) {
    SampleErrors of_kind;
    for (const std::string& name : names_of(kind, patterns, first_seed)) {
      const PatternPtr pattern = pattern_of(name);
      if (!pattern) {
        std::fprintf(stderr, "%s: not found\n", name.c_str());
        continue;
      }
      const SpectrumPtr exact = run(pattern, "exact", 0);
      for (const int block : {4, 8, 16, 32, 64, 128})
        of_kind.add(*run(pattern, method, block), *exact->features);
    }
    of_kind.print(kind.name);
    all.add(of_kind);
  }
  all.print("**all**");
  print_features(all.coverage);
}

}  // namespace
}  // namespace spyctrum::bench

int main(int count, char** arguments) {
  using namespace spyctrum::bench;
  const std::string first = count > 1 ? arguments[1] : "";
  if (first == "fitted" || first == "independent") {
    const bool is_fitted = first == "fitted";
    measure_samples(count > 2 ? arguments[2] : "elastic", is_fitted ? kFitted : kIndependent,
                    count > 3 ? std::atoi(arguments[3]) : 3, is_fitted ? 0 : 100);
    return 0;
  }
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 20;
  measure(seeds, count > 2 ? std::vector<std::string>(arguments + 2, arguments + count) : kPatterns);
}
