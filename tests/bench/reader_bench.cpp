// SPDX-License-Identifier: Apache-2.0
// How long does a Matrix Market file take to read? A whole load (text to sorted pattern) beside
// fast_matrix_market's read of the same file into unsorted triplets, on the same number of threads, in one
// run. Medians of 10 after a warm-up.
// Usage: bench_reader [FILE.mtx …]; without files it writes one of 3 million random entries.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fast_matrix_market/fast_matrix_market.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/io/reader.hpp"
#include "core/io/writer.hpp"
#include "core/matrix/generators.hpp"

namespace {

using namespace spyctrum;

template <class Work>
double median_seconds(const Work& work) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < 10; ++run) {
    const auto began = std::chrono::steady_clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + 5, seconds.end());
  return seconds[5];
}

void peer_read(const std::string& path, int threads) {
  std::ifstream file(path);
  fast_matrix_market::matrix_market_header header;
  std::vector<std::int64_t> row;
  std::vector<std::int64_t> col;
  std::vector<double> values;
  fast_matrix_market::read_options options;
  options.num_threads = threads;
  options.generalize_symmetry = false;
  fast_matrix_market::read_matrix_market_triplet(file, header, row, col, values, options);
}

/// The stage "read" alone, and the whole load.
void report(const std::string& path, ThreadPool& pool) {
  double read_stage = 1e300;
  const double ours = median_seconds([&] {
    JobContext context(pool);
    const auto loaded = load_matrix(path, {}, context);
    if (!loaded) {
      std::fprintf(stderr, "%s\n", loaded.error().message().c_str());
      std::exit(3);
    }
    for (const auto& [stage, seconds] : context.finish_stages()) {
      if (stage == "read") read_stage = std::min(read_stage, seconds);
    }
  });
  const double peer = median_seconds([&] { peer_read(path, static_cast<int>(pool.threads())); });
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  std::printf("%-40s %8.1f %10.4f %10.4f %10.4f %10.2f\n", std::filesystem::path(path).filename().c_str(),
              megabytes, ours, read_stage, peer, peer / ours);
}

}  // namespace

int main(int argc, char** argv) {
  ThreadPool pool;
  std::vector<std::string> files(argv + 1, argv + argc);
  const std::string generated =
      (std::filesystem::temp_directory_path() / "spyctrum_reader_bench.mtx").string();
  if (files.empty()) {
    JobContext context(pool);
    const auto made = generate("gen:random:n=100000,nnz=3000000,seed=1", context);
    if (!made || !write_matrix(*made, *find_writer("matrix_market"), generated, "benchmark", context))
      return 1;
    files.push_back(generated);
  }
  std::printf(
      "%u threads; seconds, medians of 10 (read only: stage of the load, fastest); peer: "
      "fast_matrix_market\n",
      pool.threads());
  std::printf("%-40s %8s %10s %10s %10s %10s\n", "file", "MB", "load", "read only", "peer", "peer/load");
  for (const std::string& file : files) report(file, pool);
  std::filesystem::remove(generated);
  return 0;
}
