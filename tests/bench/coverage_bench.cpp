// SPDX-License-Identifier: Apache-2.0
// Do the error bars of `features --method exact --until E` hold? Runs that differ in pattern, seed and wanted
// error E; printed for each kind of pattern and for each feature: how many estimates lie within one and two
// error bars of the exact feature (68.3 and 95.4 % if errors are normal), and the farthest, in bars. Runs
// that go to the last row are exact and do not count. Arguments: number of seeds (20), matrices (those
// below). With the argument "samples" the same of the features that Elastic decodes, then the number of
// patterns of each kind (4).
#include <cstdio>
#include <cstdlib>

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

void print_samples(const char* pattern, const test::Coverage& coverage) {
  const test::Coverage::Case most = coverage.farthest();
  std::printf("| %s | %d | %.1f %% | %.1f %% | %.1f (%s %zu) |\n", pattern, coverage.runs(),
              100 * coverage.within(1), 100 * coverage.within(2), most.distance,
              kFeatureTable[most.feature].stem, most.index);
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

/// Kinds of patterns of side `side` + 97·s, s = 0, 1, …; `seeded`: with seed s + 1.
struct Kind {
  const char* name;
  bool seeded = false;
  int side = 2000;
  const char* key = "n";
};
const std::vector<Kind> kKinds{
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
    {"laplacian-2d:ny=41", false, 50, "nx"},
    {"laplacian-3d:ny=7,nz=4", false, 75, "nx"},
    {"diagonal:cols=2911,offset=100", false, 2000, "rows"},
};

/// Do the standard errors of Elastic's features hold? Blocks 4 … 128, `patterns` of each kind.
void measure_samples(int patterns) {
  test::Coverage all;
  std::printf("| pattern | runs | within 1 bar | 2 bars | farthest |\n|---|---:|---:|---:|---:|\n");
  for (const Kind& kind : kKinds) {
    test::Coverage of_kind;
    for (int s = 0; s < patterns; ++s) {
      const int step = kind.side < 500 ? 3 : 97;
      std::string name =
          std::string("gen:") + kind.name + "," + kind.key + "=" + std::to_string(kind.side + step * s);
      if (kind.seeded) name += ",seed=" + std::to_string(s + 1);
      const PatternPtr pattern = pattern_of(name);
      if (!pattern) {
        std::printf("%s: not generated\n", name.c_str());
        continue;
      }
      const auto run = [&](const char* method, int block) {
        Request request;
        request.pattern = pattern;
        if (block > 0) request.parameters["block"] = std::to_string(block);
        JobContext context(pool());
        return *run_method(*find_method(method), request, context);
      };
      const SpectrumPtr exact = run("exact", 0);
      for (const int block : {4, 8, 16, 32, 64, 128})
        if (const SpectrumPtr found = run("elastic", block); found->feature_errors)
          of_kind.add(*found->features, *found->feature_errors, *exact->features);
    }
    print_samples(kind.name, of_kind);
    all.add(of_kind);
  }
  print_samples("**all**", all);
  print_features(all);
}

}  // namespace
}  // namespace spyctrum::bench

int main(int count, char** arguments) {
  using namespace spyctrum::bench;
  if (count > 1 && std::string(arguments[1]) == "samples") {
    measure_samples(count > 2 ? std::atoi(arguments[2]) : 4);
    return 0;
  }
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 20;
  measure(seeds, count > 2 ? std::vector<std::string>(arguments + 2, arguments + count) : kPatterns);
}
