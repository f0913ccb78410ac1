// SPDX-License-Identifier: Apache-2.0
// How long does a picture of a pattern take, from its hierarchy and by counting its entries, in one run?
// Patterns of 10^6 … 10^8 entries, spread evenly and crowded into a corner; views from the whole pattern to
// single entries, at twelve places each. Medians and the slowest, as wall clock and as processor time of all
// threads. The two pictures must agree bit by bit. Arguments: numbers of entries (default
// 1e7 5e7 1e8).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "core/matrix/packed_entries.hpp"
#include "core/matrix/pattern_hierarchy.hpp"
#include "core/pictures/view.hpp"
#include "tests/bench/bench_matrices.hpp"

namespace spyctrum::bench {
namespace {

struct Seconds {
  double wall = 0;
  double processor = 0;
};

template <class Work>
Seconds timed(Work&& work) {
  const auto began = std::chrono::steady_clock::now();
  const std::clock_t used = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(),
          static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC};
}

/// `power` 1: entries are spread evenly; 3: they crowd towards row and column 0, a fifth of them in the first
/// hundredth of the rows.
PatternPtr make(std::uint64_t side, std::size_t entries, double power, bool symmetric) {
  JobContext context(pool());
  constexpr std::size_t kChunk = std::size_t{1} << 20U;
  std::vector<std::vector<std::uint64_t>> chunks;
  std::mt19937_64 random(side + entries);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto index = [&] {
    return static_cast<Index>(static_cast<double>(side - 1) * std::pow(uniform(random), power));
  };
  for (std::size_t made = 0; made < entries;) {
    std::vector<std::uint64_t> chunk;
    while (chunk.size() < kChunk && made < entries) {
      const Index i = index(), j = index();
      chunk.push_back(pack_entry(i, j));
      if (symmetric) chunk.push_back(pack_entry(j, i));
      made += symmetric ? 2 : 1;
    }
    chunks.push_back(std::move(chunk));
  }
  return std::make_shared<const SparsePattern>(
      SparsePattern::from_packed(side, side, std::move(chunks), context));
}

struct Times {
  std::vector<double> wall, processor;
  void add(Seconds seconds) {
    wall.push_back(1e3 * seconds.wall);
    processor.push_back(1e3 * seconds.processor);
  }
};
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

void measure(const char* label, const PatternPtr& pattern) {
  constexpr int kPlaces = 12;
  JobContext context(pool());
  std::unique_ptr<PatternHierarchy> hierarchy;
  const Seconds built = timed([&] { hierarchy = std::make_unique<PatternHierarchy>(pattern, context); });
  std::printf(
      "\n%s: side %llu, K = %lld, %s; pattern %.0f MB; hierarchy %.0f MB in %.2f s (processor %.2f s)\n",
      label, static_cast<unsigned long long>(pattern->rows()), static_cast<long long>(pattern->nonzeros()),
      pattern->symmetric() ? "symmetric" : "not symmetric", static_cast<double>(pattern->bytes()) / 1e6,
      static_cast<double>(hierarchy->bytes()) / 1e6, built.wall, built.processor);
  std::printf(
      "| cells | of each side | hierarchy: wall, ms (slowest) | processor | entries: wall (slowest) | "
      "processor | ratio |\n");
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto side = static_cast<double>(pattern->rows());
  for (const auto& size : {std::pair{600U, 600U}, {1080U, 1920U}}) {
    const std::uint32_t height = size.first, width = size.second;
    for (const double share : {1.0, 0.5, 0.2, 0.1, 0.03, 0.001, 1e-5}) {
      Times with, without;
      for (int k = 0; k < (share == 1.0 ? 4 : kPlaces); ++k) {
        // Most places of crowded patterns have few entries, so every other view is at the corner.
        const double shown = side * share;
        const double room = k % 2 == 0 ? side - shown : std::min(side - shown, shown);
        const double top = room * uniform(random), left = room * uniform(random);
        const PlaneRect rect{top, left, top + shown, left + shown};
        CellImage fast, counted;
        with.add(timed([&] {
          fast = pattern_image(*pattern, {rect, height, width}, context, hierarchy.get());
        }));
        without.add(timed([&] { counted = pattern_image(*pattern, {rect, height, width}, context); }));
        if (std::memcmp(fast.cells.data(), counted.cells.data(), sizeof(float) * fast.cells.size()) != 0) {
          std::printf("The pictures differ.\n");
          std::exit(1);
        }
      }
      std::printf("| %u × %u | %g | %.1f (%.1f) | %.1f (%.1f) | %.1f (%.1f) | %.1f (%.1f) | %.2f |\n", height,
                  width, share, median(with.wall), largest(with.wall), median(with.processor),
                  largest(with.processor), median(without.wall), largest(without.wall),
                  median(without.processor), largest(without.processor),
                  median(with.processor) / median(without.processor));
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace spyctrum::bench

int main(int count, char** arguments) {
  using namespace spyctrum::bench;
  std::vector<double> sizes;
  for (int k = 1; k < count; ++k) sizes.push_back(std::atof(arguments[k]));
  if (sizes.empty()) sizes = {1e7, 5e7, 1e8};
  for (const double size : sizes) {
    const auto entries = static_cast<std::size_t>(size);
    const auto tenth = static_cast<std::uint64_t>(entries / 10);
    measure("even, ten to a row", make(tenth, entries, 1, true));
    measure("crowded", make(tenth, entries, 3, false));
    measure("even, side 2^32 - 1", make(4294967295U, entries, 1, false));
  }
}
