// SPDX-License-Identifier: Apache-2.0
// The paper's algorithms and ours on one CUDA device, in one run, on generated graphs of the sizes of the
// paper's table (power law, exponent 2.3): the full complex half spectrum by BS-FFT as in Algorithm 1, by
// ours and by dense cuFFT, all left on the device; Elastic by Algorithm 2 and by the lattice engine; Density
// Map. Median of ten runs after a warm-up, device time by events, preparation (upload, tables, plans) and
// copies to the host not counted. Errors: relative L2 of four rows against inner sums and FFT in double
// precision. bench_cuda [FILE.json [ROWS OF THE TABLE [T [FIRST ROW]]]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cuda_loader.hpp"
#include "core/fft/fft.hpp"
#include "core/matrix/generators.hpp"
#include "core/methods/cuda_lattice.hpp"
#include "core/methods/plane.hpp"
#include "core/methods/sampling.hpp"

namespace spyctrum {
namespace {

struct Size {
  const char* like;
  std::uint64_t n;
  std::uint64_t nonzeros;
};
constexpr Size kSizes[] = {{"Wiki-CS", 11701, 290519},
                           {"Amazon Computers", 13752, 491722},
                           {"Coauthor CS", 18333, 163788},
                           {"CoraFull", 19793, 126842},
                           {"Facebook Page-Page", 22470, 341646},
                           {"Deezer Europe", 28281, 185504},
                           {"Coauthor Physics", 34493, 495924},
                           {"GitHub", 37700, 578006},
                           {"Penn94", 41554, 2724458},
                           {"PPI", 56944, 1587264},
                           {"Yelp2018", 69716, 3122812},
                           {"Gowalla", 70839, 2054740},
                           {"Flickr", 89250, 899756},
                           {"ogbl-biokg", 93773, 3540566},
                           {"IGB-tiny", 100000, 447076}};
constexpr int kRuns = 10;
constexpr Backend kDevice{BackendKind::cuda, 0, false};

struct Measured {
  bool ran = false;
  double median = 0, lower = 0, upper = 0;  // milliseconds: median and quartiles
  std::uint64_t bytes = 0;                  // of the device at the peak
};

/// One warm-up, ten runs. What does not fit is not measured.
Measured measure(const std::function<CudaUse()>& run) {
  Measured measured;
  std::vector<double> times;
  try {
    (void)run();
    for (int k = 0; k < kRuns; ++k) {
      const CudaUse use = run();
      times.push_back(1e3 * use.seconds);
      measured.bytes = use.bytes;
    }
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::out_of_memory) throw;
    return measured;
  }
  std::sort(times.begin(), times.end());
  measured.ran = true;
  measured.median = (times[kRuns / 2 - 1] + times[kRuns / 2]) / 2;
  measured.lower = times[kRuns / 4];
  measured.upper = times[kRuns - 1 - kRuns / 4];
  return measured;
}

class Bench {
 public:
  Bench(PatternPtr pattern, std::uint64_t tile, JobContext& context)
      : pattern_(std::move(pattern)), context_(context), tile_(tile) {}

  [[nodiscard]] CudaUse half_spectrum(cuda::RowAlgorithm algorithm) {
    std::vector<std::uint32_t> u(half_rows(pattern_->rows()));
    std::iota(u.begin(), u.end(), 0U);
    cuda::RowTask task = task_of(algorithm, u);
    task.output =
        algorithm == cuda::RowAlgorithm::paper ? cuda::RowOutput::paper_half : cuda::RowOutput::rows;
    return run(task, nullptr);
  }

  [[nodiscard]] CudaUse dense() {
    CudaHost host(kDevice, context_);
    const cuda::Timing timing = cuda_module().dense(0, view_of(*pattern_), nullptr, host);
    return {timing.device_seconds, host.device_memory().peak()};
  }

  [[nodiscard]] CudaUse elastic_paper(std::uint64_t block) {
    const FrequencyGrid grid = paper_grid(pattern_->rows(), pattern_->cols(), block);
    const auto reduced = [](const FrequencyAxis& axis) {
      std::vector<std::uint32_t> list(axis.count());
      for (std::uint64_t k = 0; k < list.size(); ++k)
        list[k] = static_cast<std::uint32_t>(dft_index(axis.at(k), static_cast<std::int64_t>(axis.size())));
      return list;
    };
    const std::vector<std::uint32_t> u = reduced(grid.rows);
    const std::vector<std::uint32_t> v = reduced(grid.cols);
    cuda::RowTask task = task_of(cuda::RowAlgorithm::paper, u);
    task.columns = v.data();
    task.width = v.size();
    task.output = cuda::RowOutput::gather;
    return run(task, nullptr);
  }

  [[nodiscard]] CudaUse elastic(std::uint64_t block) {
    const FrequencyGrid grid = off_axis_grid(pattern_->rows(), pattern_->cols(), block);
    const CudaGridPlan plan = plan_cuda_grid(*pattern_, grid, GridEngine::lattice, 1e-6, 0, kDevice);
    CudaUse use;
    (void)compute_cuda_grid(*pattern_, plan, kDevice, context_, use);
    return use;
  }

  [[nodiscard]] CudaUse density_map(std::uint64_t block) {
    CudaHost host(kDevice, context_);
    const cuda::Timing timing = cuda_module().density_map(0, view_of(*pattern_), block, nullptr, host);
    return {timing.device_seconds, host.device_memory().peak()};
  }

  /// Relative L2 error of rows 1, m/3, m/3+100 and m/2 of a run of consecutive rows each.
  [[nodiscard]] double error(cuda::RowAlgorithm algorithm) {
    double wrong = 0;
    double power = 0;
    for (const std::uint64_t first : {std::uint64_t{1}, pattern_->rows() / 3, pattern_->rows() / 2 - 200}) {
      std::vector<std::uint32_t> u(200);
      std::iota(u.begin(), u.end(), static_cast<std::uint32_t>(first));
      cuda::RowTask task = task_of(algorithm, u);
      Keeper keeper(pattern_->cols(), 150);
      (void)run(task, &keeper);
      const auto expected = double_row(u[150]);
      for (std::size_t v = 0; v < expected.size(); ++v) {
        wrong += std::norm(std::complex<double>(keeper.row[v]) - expected[v]);
        power += std::norm(expected[v]);
      }
    }
    return std::sqrt(wrong / power);
  }

 private:
  struct Keeper : cuda::RowReceiver {
    Keeper(std::uint64_t row_width, std::uint64_t wanted) : width(row_width), index(wanted), row(row_width) {}
    void take(std::uint64_t first, std::uint64_t count, const float* values) override {
      if (index < first || index >= first + count) return;
      const auto* from = reinterpret_cast<const std::complex<float>*>(values) + (index - first) * width;
      std::copy_n(from, width, row.begin());
    }
    std::uint64_t width;
    std::uint64_t index;
    std::vector<std::complex<float>> row;
  };

  [[nodiscard]] cuda::RowTask task_of(cuda::RowAlgorithm algorithm,
                                      const std::vector<std::uint32_t>& u) const {
    cuda::RowTask task;
    task.pattern = view_of(*pattern_);
    task.frequencies = u.data();
    task.count = u.size();
    task.width = pattern_->cols();
    task.algorithm = algorithm;
    task.tile = tile_;
    return task;
  }

  CudaUse run(cuda::RowTask task, cuda::RowReceiver* receiver) {
    if (RowResampling::wanted(pattern_->cols(), task.algorithm)) {
      if (!resampling_) resampling_.emplace(pattern_->cols());
      task.resampling = &resampling_->view();
    }
    CudaHost host(kDevice, context_);
    const cuda::Timing timing = cuda_module().rows(0, task, receiver, host);
    return {timing.device_seconds, host.device_memory().peak()};
  }

  [[nodiscard]] std::vector<std::complex<double>> double_row(std::uint64_t u) const {
    std::vector<std::complex<double>> row(pattern_->cols());
    const double m = static_cast<double>(pattern_->rows());
    for (std::size_t k = 0; k < pattern_->column_ids().size(); ++k) {
      std::complex<double> sum = 0;
      for (std::int64_t t = pattern_->column_starts()[k]; t < pattern_->column_starts()[k + 1]; ++t) {
        const std::uint64_t place =
            u * pattern_->row_indices()[static_cast<std::size_t>(t)] % pattern_->rows();
        sum += std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(place) / m);
      }
      row[pattern_->column_ids()[k]] = sum;
    }
    fft_rows(row.data(), row.size(), 1, row.size());
    return row;
  }

  PatternPtr pattern_;
  JobContext& context_;
  std::uint64_t tile_;
  std::optional<RowResampling> resampling_;
};

std::string json_of(const Measured& measured) {
  if (!measured.ran) return "null";
  char text[160];
  std::snprintf(text, sizeof text,
                R"({"median_ms": %.4f, "quartiles_ms": [%.4f, %.4f], "device_bytes": %llu})", measured.median,
                measured.lower, measured.upper, static_cast<unsigned long long>(measured.bytes));
  return text;
}

std::string cell(const Measured& measured) {
  if (!measured.ran) return "does not fit";
  char text[48];
  std::snprintf(text, sizeof text, "%.3f", measured.median);
  return text;
}

/// One row of the table, and the same as JSON.
std::string bench_size(const Size& size, std::uint64_t tile, ThreadPool& pool) {
  JobContext::Options options;
  options.memory_bytes = std::uint64_t{1} << 40;
  JobContext context(pool, std::move(options));
  const std::string text = "gen:power-law:n=" + std::to_string(size.n) +
                           ",nnz=" + std::to_string(size.nonzeros) + ",exponent=2.3,shuffle=1";
  auto matrix = generate(text, context);
  if (!matrix) throw Failure(matrix.error());
  Bench bench(matrix->pattern, tile, context);
  const Measured paper = measure([&] { return bench.half_spectrum(cuda::RowAlgorithm::paper); });
  const Measured ours = measure([&] { return bench.half_spectrum(cuda::RowAlgorithm::ours); });
  const Measured dense = measure([&] { return bench.dense(); });
  const double paper_error = bench.error(cuda::RowAlgorithm::paper);
  const double our_error = bench.error(cuda::RowAlgorithm::ours);
  std::string json = R"({"like": ")" + std::string(size.like) + R"(", "generator": ")" + text +
                     R"(", "n": )" + std::to_string(size.n) + R"(, "nonzeros": )" +
                     std::to_string(matrix->pattern->nonzeros()) + R"(, "bs_fft_paper": )" + json_of(paper) +
                     R"(, "bs_fft": )" + json_of(ours) + R"(, "dense": )" + json_of(dense);
  char errors[96];
  std::snprintf(errors, sizeof errors, R"(, "error_paper": %.3e, "error": %.3e)", paper_error, our_error);
  json += errors;
  std::printf("| %s | %llu | %lld | %s | %s | %s | %.1e | %.1e |", size.like,
              static_cast<unsigned long long>(size.n), static_cast<long long>(matrix->pattern->nonzeros()),
              cell(paper).c_str(), cell(ours).c_str(), cell(dense).c_str(), paper_error, our_error);
  for (const std::uint64_t block : {4, 16, 64}) {
    const Measured paper_samples = measure([&] { return bench.elastic_paper(block); });
    const Measured samples = measure([&] { return bench.elastic(block); });
    json += R"(, "elastic_paper_)" + std::to_string(block) + R"(": )" + json_of(paper_samples) +
            R"(, "elastic_)" + std::to_string(block) + R"(": )" + json_of(samples);
    std::printf(" %s / %s |", cell(paper_samples).c_str(), cell(samples).c_str());
  }
  const Measured density = measure([&] { return bench.density_map(16); });
  std::printf(" %s |\n", cell(density).c_str());
  std::fflush(stdout);
  return json + R"(, "density_map_16": )" + json_of(density) + "}";
}

int bench_all(const char* file, std::size_t rows, std::uint64_t tile, std::size_t first) {
  const cuda::LoadedModule& loaded = cuda::loaded_module();
  if (loaded.module == nullptr) {
    std::printf("NOT MEASURED, no CUDA device: %s\n", loaded.reason.c_str());
    return 77;
  }
  const cuda::DeviceFacts facts = loaded.module->facts(0);
  std::printf("%s, compute capability %d.%d, %.0f GB. Milliseconds on the device, medians of %d.\n\n",
              facts.name, facts.capability / 10, facts.capability % 10,
              static_cast<double>(facts.total_bytes) * 1e-9, kRuns);
  std::printf(
      "| size of | n | K | bs-fft-paper | bs-fft | dense | error paper | error | elastic-paper / elastic b = "
      "4 | b = "
      "16 | b = 64 | density-map b = 16 |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  ThreadPool pool(0);
  std::string json = std::string(R"({"device": ")") + facts.name + R"(", "runs": )" + std::to_string(kRuns) +
                     R"(, "rows": [)";
  for (std::size_t k = first; k < std::min(first + rows, std::size(kSizes)); ++k)
    json += (k == first ? "\n" : ",\n") + bench_size(kSizes[k], tile, pool);
  if (file != nullptr) std::ofstream(file) << json << "\n]}\n";
  return 0;
}

}  // namespace
}  // namespace spyctrum

int main(int argc, char** argv) {
  const auto result = spyctrum::run_guarded([&] {
    return spyctrum::bench_all(argc > 1 ? argv[1] : nullptr,
                               argc > 2 ? static_cast<std::size_t>(std::strtoul(argv[2], nullptr, 10)) : 100,
                               argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0,
                               argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 0);
  });
  if (result) return *result;
  std::fprintf(stderr, "%s\n", result.error().message().c_str());
  return 1;
}
