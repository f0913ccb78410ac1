// SPDX-License-Identifier: Apache-2.0
// How well do signatures find a matrix again, and matrices of the same kind? A collection of generated
// matrices (each of twelve kinds at sizes and parameters drawn by a fixed seed) is searched for each of its
// matrices after a change: entries deleted, entries added at random places (noise), a corner cut off (crop),
// transposed, rows and columns permuted at random. Recall@k: the share of queries whose original is among the
// k nearest. Then for each matrix the nearest among those whose number of rows differs by more than a factor
// of two: do they have its kind? Then the changes once more among matrices that all have the same size.
//   bench_similar [matrices of each kind, default 8] [seed, default 1] [signatures of the scan, default
//   100000]
// Compared are the signature as `spyctrum-cli similar` uses it, its stored and its canonical view alone,
// sizes alone (m, n, K) and sizes with the counts of rows and columns.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>

#include "core/base/stopwatch.hpp"
#include "core/collection/fingerprint.hpp"
#include "core/collection/nearest.hpp"
#include "core/matrix/generators.hpp"
#include "core/matrix/random.hpp"
#include "core/matrix/reordering.hpp"
#include "tests/bench/generated_texts.hpp"

namespace {

using namespace spyctrum;

constexpr std::uint64_t kSmallest = 400;
constexpr double kOctaves = 4;  ///< largest/smallest = 16
constexpr std::uint64_t kOneSize = 1024;

struct Sample {
  std::string kind;
  PatternPtr pattern;
  Signature signature;
};

ThreadPool& pool() {
  static ThreadPool shared;
  return shared;
}

struct Entries {
  std::vector<Index> rows, cols;
};

Entries entries_of(const SparsePattern& pattern) {
  Entries list;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k)
    for (const Index row : pattern.column(k)) {
      list.rows.push_back(row);
      list.cols.push_back(pattern.column_ids()[k]);
    }
  return list;
}

SparsePattern made(std::uint64_t rows, std::uint64_t cols, Entries list) {
  return or_throw(SparsePattern::from_coordinates(rows, cols, std::move(list.rows), std::move(list.cols)));
}

using Change = std::function<SparsePattern(const SparsePattern&, JobContext&)>;

Change deleted(double share) {
  return [share](const SparsePattern& pattern, JobContext&) {
    const CounterRandom random(7, 1);
    Entries all = entries_of(pattern);
    Entries kept;
    for (std::size_t k = 0; k < all.rows.size(); ++k)
      if (random.unit(k) >= share) {
        kept.rows.push_back(all.rows[k]);
        kept.cols.push_back(all.cols[k]);
      }
    return made(pattern.rows(), pattern.cols(), std::move(kept));
  };
}

Change noisy(double share) {
  return [share](const SparsePattern& pattern, JobContext&) {
    const CounterRandom random(7, 2);
    Entries all = entries_of(pattern);
    const auto added = static_cast<std::uint64_t>(share * static_cast<double>(all.rows.size()));
    for (std::uint64_t k = 0; k < added; ++k) {
      all.rows.push_back(static_cast<Index>(random.below(2 * k, pattern.rows())));
      all.cols.push_back(static_cast<Index>(random.below(2 * k + 1, pattern.cols())));
    }
    return made(pattern.rows(), pattern.cols(), std::move(all));
  };
}

/// The leading `share` of rows and columns.
Change cropped(double share) {
  return [share](const SparsePattern& pattern, JobContext&) {
    const auto rows = static_cast<std::uint64_t>(share * static_cast<double>(pattern.rows()));
    const auto cols = static_cast<std::uint64_t>(share * static_cast<double>(pattern.cols()));
    const Entries all = entries_of(pattern);
    Entries kept;
    for (std::size_t k = 0; k < all.rows.size(); ++k)
      if (all.rows[k] < rows && all.cols[k] < cols) {
        kept.rows.push_back(all.rows[k]);
        kept.cols.push_back(all.cols[k]);
      }
    return made(rows, cols, std::move(kept));
  };
}

SparsePattern turned(const SparsePattern& pattern, JobContext&) { return pattern.transposed(); }

SparsePattern shuffled(const SparsePattern& pattern, JobContext& context) {
  return permuted(pattern, compute_permutation(pattern, Order::random, 77, context), context);
}

Signature sign(const PatternPtr& pattern) {
  JobContext context(pool());
  return or_throw(fingerprint_of(pattern, Backend{}, context)).signature;
}

/// A way to compare: the distance of two signatures.
struct Comparison {
  std::string label;
  std::function<float(const Signature&, const Signature&)> distance;
};

/// Distance of the first `parts` parts alone, or of their transposes. Size alone is not bounded.
float of_counts(const Signature& a, const Signature& b, std::size_t parts) {
  float least = 1e30F;
  for (const Signature& query : {a, transposed(a)}) {
    float sum = 0;
    for (std::size_t p = 0; p < parts; ++p) {
      float part = 0;
      for (std::size_t k = kSignatureOffsets[p]; k < kSignatureOffsets[p + 1]; ++k)
        part += kSignatureParts[p].weight * (query[k] - b[k]) * (query[k] - b[k]);
      sum += parts == 1 ? part : std::min(part, kSignatureParts[p].most);
    }
    least = std::min(least, sum);
  }
  return std::sqrt(least);
}

std::vector<Comparison>& comparisons() {
  static std::vector<Comparison> all{
      {"size", [](const auto& a, const auto& b) { return of_counts(a, b, 1); }},
      {"size+counts", [](const auto& a, const auto& b) { return of_counts(a, b, 2); }},
      {"stored",
       [](const auto& a, const auto& b) { return distance_between(a, b, {.canonical = false}).distance; }},
      {"canonical",
       [](const auto& a, const auto& b) { return distance_between(a, b, {.stored = false}).distance; }},
      {"signature", [](const auto& a, const auto& b) { return distance_between(a, b).distance; }},
  };
  return all;
}

/// Number of samples that are nearer to the query than sample `own`.
std::size_t rank_of(const Signature& query, std::size_t own, const std::vector<Sample>& samples,
                    const Comparison& comparison) {
  const float distance = comparison.distance(query, samples[own].signature);
  std::size_t nearer = 0;
  for (std::size_t k = 0; k < samples.size(); ++k)
    if (k != own && comparison.distance(query, samples[k].signature) <= distance) ++nearer;
  return nearer;
}

void print_header(const char* first) {
  std::printf("| %s |", first);
  for (const Comparison& comparison : comparisons()) std::printf(" %s |", comparison.label.c_str());
  std::printf("\n|---|");
  for (std::size_t k = 0; k < comparisons().size(); ++k) std::printf("---:|");
  std::printf("\n");
}

using Changes = std::vector<std::pair<std::string, Change>>;

SparsePattern shuffled_and_deleted(const SparsePattern& pattern, JobContext& context) {
  return deleted(0.05)(shuffled(pattern, context), context);
}

void measure_recall(const std::vector<Sample>& samples, const Changes& changes) {
  print_header("recall@1 / @10, %");
  std::map<std::string, std::pair<int, int>> by_kind;  // of the signature: found first, queries
  for (const auto& [label, change] : changes) {
    std::vector<int> first(comparisons().size());
    std::vector<int> ten(comparisons().size());
    for (std::size_t own = 0; own < samples.size(); ++own) {
      JobContext context(pool());
      const auto pattern = std::make_shared<const SparsePattern>(change(*samples[own].pattern, context));
      const Signature query = sign(pattern);
      for (std::size_t c = 0; c < comparisons().size(); ++c) {
        const std::size_t rank = rank_of(query, own, samples, comparisons()[c]);
        first[c] += rank < 1 ? 1 : 0;
        ten[c] += rank < 10 ? 1 : 0;
        if (comparisons()[c].label == "signature") {
          auto& [found, queries] = by_kind[samples[own].kind];
          found += rank < 1 ? 1 : 0;
          ++queries;
        }
      }
    }
    std::printf("| %s |", label.c_str());
    const auto percent = [&](int count) { return 100.0 * count / static_cast<double>(samples.size()); };
    for (std::size_t c = 0; c < comparisons().size(); ++c)
      std::printf(" %.0f / %.0f |", percent(first[c]), percent(ten[c]));
    std::printf("\n");
    std::fflush(stdout);
  }
  std::printf("\nrecall@1 of the signature by kind, over all changes:");
  for (const auto& [kind, counts] : by_kind)
    std::printf(" %s %.0f %%,", kind.c_str(), 100.0 * counts.first / counts.second);
  std::printf("\n\n");
}

void measure_kinds(const std::vector<Sample>& samples) {
  print_header("neighbours of another size with the same kind, %");
  for (const std::size_t count : {std::size_t{1}, std::size_t{5}}) {
    std::printf("| of the %s |", count == 1 ? "nearest" : "five nearest");
    for (const Comparison& comparison : comparisons()) {
      double agreeing = 0;
      double queries = 0;
      for (const Sample& sample : samples) {
        std::vector<std::pair<float, bool>> others;
        for (const Sample& other : samples) {
          const double ratio =
              static_cast<double>(other.pattern->rows()) / static_cast<double>(sample.pattern->rows());
          if (ratio > 2 || ratio < 0.5)
            others.emplace_back(comparison.distance(sample.signature, other.signature),
                                other.kind == sample.kind);
        }
        std::ranges::sort(others);
        for (std::size_t k = 0; k < std::min(count, others.size()); ++k, ++queries)
          agreeing += others[k].second ? 1 : 0;
      }
      std::printf(" %.0f |", 100 * agreeing / queries);
    }
    std::printf("\n");
  }
}

void measure_scan(std::size_t count, const std::vector<Sample>& samples) {
  std::vector<float> all(count * kSignatureSize);
  for (std::size_t k = 0; k < count; ++k)
    std::ranges::copy(samples[k % samples.size()].signature,
                      all.begin() + static_cast<std::ptrdiff_t>(k * kSignatureSize));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] += 1e-3F * static_cast<float>(k % 97);
  std::vector<double> times;
  for (int round = 0; round < 9; ++round) {
    const Stopwatch watch;
    (void)nearest(samples[0].signature, all, 10, pool());
    times.push_back(watch.seconds());
  }
  std::ranges::sort(times);
  std::printf(
      "\nexact scan of %zu signatures of %zu bytes on %u threads: %.1f ms (median of 9), %.1f ms (best)\n",
      count, sizeof(Signature), pool().threads(), 1e3 * times[4], 1e3 * times[0]);
}

std::vector<Sample> make_samples(int of_each, std::uint64_t seed, std::uint64_t smallest, double octaves) {
  const CounterRandom random(seed, 24);
  std::uint64_t counter = 0;
  const auto draw = [&] { return random.unit(counter++); };
  std::vector<Sample> samples;
  for (const char* kind : bench::kKinds) {
    for (int k = 0; k < of_each; ++k) {
      const auto n = static_cast<std::uint64_t>(static_cast<double>(smallest) *
                                                std::exp2(octaves * (k + draw()) / of_each));
      JobContext context(pool());
      const std::string text = bench::text_of(kind, n, draw);
      const Matrix matrix = or_throw(generate(text, context));
      samples.push_back({kind, matrix.pattern, sign(matrix.pattern)});
    }
  }
  return samples;
}

}  // namespace

int main(int count, char** arguments) {
  const int of_each = count > 1 ? std::atoi(arguments[1]) : 8;
  const std::uint64_t seed = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1;
  const std::size_t scanned = count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 100000;
  const Stopwatch watch;
  const std::vector<Sample> samples = make_samples(of_each, seed, kSmallest, kOctaves);
  std::printf("%zu matrices of %zu kinds; %.0f ms each for the fingerprint\n\n", samples.size(),
              bench::kKinds.size(), 1e3 * watch.seconds() / static_cast<double>(samples.size()));
  measure_recall(samples, {{"1 % deleted", deleted(0.01)},
                           {"5 % deleted", deleted(0.05)},
                           {"10 % deleted", deleted(0.1)},
                           {"1 % noise", noisy(0.01)},
                           {"10 % noise", noisy(0.1)},
                           {"crop to 90 %", cropped(0.9)},
                           {"crop to 60 %", cropped(0.6)},
                           {"transposed", turned},
                           {"permuted", shuffled},
                           {"permuted, 5 % deleted", shuffled_and_deleted}});
  measure_kinds(samples);
  std::printf("\nall of one size, n = %llu where the kind has it\n\n",
              static_cast<unsigned long long>(kOneSize));
  measure_recall(make_samples(of_each, seed + 1, kOneSize, 0),
                 {{"10 % deleted", deleted(0.1)},
                  {"10 % noise", noisy(0.1)},
                  {"transposed", turned},
                  {"permuted", shuffled},
                  {"permuted, 5 % deleted", shuffled_and_deleted}});
  measure_scan(scanned, samples);
  return 0;
}
