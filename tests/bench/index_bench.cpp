// SPDX-License-Identifier: Apache-2.0
// How fast does `spyctrum-cli index` make fingerprints? Different matrices of every generated kind in turn,
// of 10³ to 10⁶ rows (the logarithm uniform; checkerboards are smaller), are indexed into a new collection in
// a temporary folder: those of at most 10⁵ rows and 10⁵ entries, then three groups by size and all together.
// The time of a matrix includes its generation, which stands for reading it, and its transaction; the first
// group contains the start of a device.
//   bench_index [matrices, default 120] [seed, default 1] [backend, default cpu]
//   bench_index list [matrices] [seed] [from rows] [below rows]: prints their texts, for `spyctrum-cli index
//     --list`
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/base/stopwatch.hpp"
#include "core/collection/index.hpp"
#include "core/device/backends.hpp"
#include "core/matrix/generators.hpp"
#include "core/matrix/random.hpp"
#include "tests/bench/generated_texts.hpp"

namespace {

using namespace spyctrum;

constexpr double kFewest = 1e3, kMost = 1e6;

struct Sample {
  std::uint64_t rows;
  std::string text;
};

std::vector<Sample> samples_of(std::size_t count, std::uint64_t seed) {
  const CounterRandom random(seed, 25);
  std::uint64_t counter = 0;
  const auto draw = [&] { return random.unit(counter++); };
  std::vector<Sample> samples;
  std::set<std::string> known;  // of some kinds there are few
  for (std::size_t k = 0; samples.size() < count; ++k) {
    const auto n = static_cast<std::uint64_t>(kFewest * std::pow(kMost / kFewest, draw()));
    const std::string text = bench::text_of(bench::kKinds.at(k % bench::kKinds.size()), n, draw);
    if (known.insert(text).second) samples.push_back({n, text});
  }
  return samples;
}

double processor_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

void measure(const char* name, const std::vector<std::string>& texts, const Backend& backend) {
  if (texts.empty()) return;
  namespace fs = std::filesystem;
  const fs::path file =
      fs::temp_directory_path() / ("spyctrum_bench_index_" + std::to_string(getpid()) + ".db");
  fs::remove(file);
  ThreadPool pool;
  JobContext context(pool);
  IndexResult result;
  double processor = processor_seconds();
  {
    Database database = Database::open_or_create(file.string(), {});
    result = or_throw(index_folders(texts, database, backend, context));
  }
  processor = (processor_seconds() - processor) / static_cast<double>(texts.size());
  std::printf("| %s | %zu | %zu | %.2f | %.1f | %.3f |\n", name, texts.size(), result.failed.size(),
              result.seconds, static_cast<double>(texts.size()) / result.seconds, processor);
  std::fflush(stdout);
  fs::remove(file);
}

}  // namespace

int main(int count, char** arguments) {
  const bool lists = count > 1 && std::string(arguments[1]) == "list";
  const int first = lists ? 2 : 1;
  const std::size_t matrices = count > first ? std::strtoul(arguments[first], nullptr, 10) : 120;
  const std::uint64_t seed = count > first + 1 ? std::strtoul(arguments[first + 1], nullptr, 10) : 1;
  const std::vector<Sample> samples = samples_of(matrices, seed);
  if (lists) {
    const std::uint64_t from = count > 4 ? std::strtoul(arguments[4], nullptr, 10) : 0;
    const std::uint64_t below = count > 5 ? std::strtoul(arguments[5], nullptr, 10) : ~std::uint64_t{0};
    for (const Sample& sample : samples)
      if (sample.rows >= from && sample.rows < below) std::printf("%s\n", sample.text.c_str());
    return 0;
  }
  const Backend backend = or_throw(parse_backend(count > 3 ? arguments[3] : "cpu"));
  std::printf(
      "| rows | matrices | failed | s | matrices/s | processor s a matrix "
      "|\n|---|---:|---:|---:|---:|---:|\n");
  const auto within = [&](double low, double high) {
    std::vector<std::string> texts;
    for (const Sample& sample : samples)
      if (static_cast<double>(sample.rows) >= low && static_cast<double>(sample.rows) < high)
        texts.push_back(sample.text);
    return texts;
  };
  std::vector<std::string> small;
  ThreadPool pool;
  JobContext context(pool);
  for (const Sample& sample : samples)
    if (sample.rows <= 100'000)
      if (const auto matrix = generate(sample.text, context);
          matrix && matrix->pattern->nonzeros() <= 100'000)
        small.push_back(sample.text);
  measure("K ≤ 10⁵", small, backend);
  measure("10³ to 10⁴", within(1e3, 1e4), backend);
  measure("10⁴ to 10⁵", within(1e4, 1e5), backend);
  measure("10⁵ to 10⁶", within(1e5, 1e6), backend);
  measure("10³ to 10⁶", within(1e3, 1e6), backend);
  return 0;
}
