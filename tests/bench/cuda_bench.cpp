// SPDX-License-Identifier: Apache-2.0
// How much faster are our methods on a GPU than the paper's algorithms? Both are measured in one run, on
// generated graphs of the sizes of the paper's table, with power-law degrees (exponent 2.3) and uniform ones,
// and on the matrices in the folder SPYCTRUM_SHARED_DATA. Compared: the exact half spectrum by BS-FFT as in
// the paper's Algorithm 1, by our BS-FFT and by dense cuFFT, left on the device; samples by the paper's
// Algorithm 2 and by the lattice engine (by rows where no lattice meets the tolerance); Density Map. Median
// of ten runs after a warm-up, device time by events; preparation (upload, tables, plans) and copies to the
// host are not counted. Error: L2 of twelve rows against inner sums and FFT in double precision, relative to
// the root mean square of all rows. With 0 rows and without that folder only windows and weights are
// measured. bench_cuda [FILE.json [ROWS OF THE TABLE [T [FIRST ROW]]]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "app/study/study.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_module.hpp"
#include "core/device/interface/grids.hpp"
#include "core/device/row_transform_plans.hpp"
#include "core/engine/device_grid.hpp"
#include "core/fft/fft.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/io/reader.hpp"
#include "core/matrix/generators.hpp"
#include "core/spectrum/row_consumer.hpp"
#include "tests/bench/device_times.hpp"
#include "tests/bench/shared_matrices.hpp"
#include "tests/support/signed_weights.hpp"

namespace spyctrum {
namespace {

using bench::all_memory;
using bench::DeviceTimes;
using bench::json_of;
using bench::measure;

constexpr Backend kDevice{BackendKind::cuda, 0, false};

class Bench {
 public:
  Bench(PatternPtr pattern, std::uint64_t tile, JobContext& context)
      : pattern_(std::move(pattern)), context_(context), tile_(tile) {}

  [[nodiscard]] DeviceUse half_spectrum(cuda::RowAlgorithm algorithm) {
    std::vector<std::uint32_t> u(half_rows(pattern_->rows()));
    std::iota(u.begin(), u.end(), 0U);
    cuda::RowTask task = task_of(algorithm, u);
    task.output =
        algorithm == cuda::RowAlgorithm::paper ? cuda::RowOutput::paper_half : cuda::RowOutput::rows;
    return run(task, nullptr);
  }

  [[nodiscard]] DeviceUse dense() {
    return DeviceJob(kDevice, context_).run(cuda::DenseTask{view_of(*pattern_)});
  }

  [[nodiscard]] DeviceUse elastic_paper(std::uint64_t block) {
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

  [[nodiscard]] DeviceUse elastic(std::uint64_t block) {
    const FrequencyGrid grid = off_axis_grid(pattern_->rows(), pattern_->cols(), block);
    const DeviceGridPlan plan = plan_device_grid(*pattern_, grid, GridEngine::automatic, 1e-6, 0, kDevice);
    return bench::compute_on_device(pattern_, plan, kDevice, context_);
  }

  [[nodiscard]] DeviceUse window(double tolerance) {
    const FrequencyGrid grid{FrequencyAxis::progression(pattern_->rows(), 1000, 1, 1080),
                             FrequencyAxis::progression(pattern_->cols(), 2000, 1, 1920)};
    const DeviceGridPlan plan = plan_device_grid(*pattern_, grid, GridEngine::lattice, tolerance, 0, kDevice);
    return bench::compute_on_device(pattern_, plan, kDevice, context_);
  }

  [[nodiscard]] DeviceUse density_map(std::uint64_t block) {
    return DeviceJob(kDevice, context_).run(cuda::DensityMapTask{view_of(*pattern_), block});
  }

  /// L2 error of twelve rows spread over the half, four of as many rows as one FFT of a column gives, evenly
  /// spread over these, relative to the root mean square of all rows (n·K by Parseval), since single rows may
  /// be nearly zero.
  [[nodiscard]] double error(cuda::RowAlgorithm algorithm) {
    double wrong = 0;
    double values = 0;
    const std::uint64_t half = half_rows(pattern_->rows());
    const std::uint64_t count = std::min<std::uint64_t>(cuda::kColumnRows, half / 3);
    for (const std::uint64_t first : {std::uint64_t{1}, pattern_->rows() / 3, half - count}) {
      std::vector<std::uint32_t> u(count);
      std::iota(u.begin(), u.end(), static_cast<std::uint32_t>(first));
      Keeper keeper(pattern_->cols(), {count / 8, count * 3 / 8, count * 5 / 8, count * 7 / 8});
      (void)run(task_of(algorithm, u), &keeper);
      for (std::size_t k = 0; k < keeper.places.size(); ++k) {
        auto& expected = expected_[u[keeper.places[k]]];
        if (expected.empty()) expected = double_row(u[keeper.places[k]]);
        for (std::size_t v = 0; v < expected.size(); ++v)
          wrong += std::norm(std::complex<double>(keeper.rows[k][v]) - expected[v]);
        values += static_cast<double>(expected.size());
      }
    }
    return std::sqrt(wrong / values / static_cast<double>(pattern_->nonzeros()));
  }

 private:
  struct Keeper : cuda::RowReceiver {
    Keeper(std::uint64_t row_width, std::vector<std::uint64_t> indices)
        : width(row_width), places(std::move(indices)), rows(places.size()) {}
    void take(std::uint64_t first, std::uint64_t count, const float* values) override {
      for (std::size_t k = 0; k < places.size(); ++k) {
        if (places[k] < first || places[k] >= first + count) continue;
        const auto* from = reinterpret_cast<const std::complex<float>*>(values) + (places[k] - first) * width;
        rows[k].assign(from, from + width);
      }
    }
    std::uint64_t width;
    std::vector<std::uint64_t> places;
    std::vector<std::vector<std::complex<float>>> rows;
  };

  [[nodiscard]] cuda::RowTask task_of(cuda::RowAlgorithm algorithm,
                                      const std::vector<std::uint32_t>& u) const {
    cuda::RowTask task;
    task.pattern = view_of(*pattern_);
    task.frequencies = u.data();
    task.count = u.size();
    task.width = pattern_->cols();
    task.algorithm = algorithm;
    task.column_transform = &column_transform();
    task.tile = tile_;
    return task;
  }

  DeviceUse run(cuda::RowTask task, cuda::RowReceiver* receiver) {
    const auto plans = row_transform_plans(pattern_->cols(), task.algorithm, kDevice, false);
    task.plans = plans.data();
    task.plan_count = plans.size();
    task.receiver = receiver;
    return DeviceJob(kDevice, context_).run(task);
  }

  [[nodiscard]] std::vector<std::complex<double>> double_row(std::uint64_t u) const {
    std::vector<std::complex<double>> row(pattern_->cols());
    const auto m = static_cast<double>(pattern_->rows());
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
  std::map<std::uint32_t, std::vector<std::complex<double>>> expected_;  ///< rows in double precision
};

std::string cell(const DeviceTimes& measured) {
  if (!measured.ran) return "does not fit";
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", measured.median);
  return text;
}

/// One matrix: prints its line of the table while it is measured, and collects the same as JSON.
class Row {
 public:
  /// `kind`: how the degrees are generated, or the kind of the real matrix.
  Row(const std::string& name, const char* kind) {
    text_ = R"({"like": ")" + name + R"(", "degrees": ")" + kind + '"';
    std::printf("| %s, %s |", name.c_str(), kind);
  }
  /// For the JSON only.
  void note(const char* name, std::uint64_t value) {
    text_ += std::string(", \"") + name + "\": " + std::to_string(value);
  }
  void add(const char* name, const DeviceTimes& measured) {
    text_ += std::string(", \"") + name + "\": " + json_of(measured);
    std::printf(" %s |", cell(measured).c_str());
    std::fflush(stdout);
  }
  void add(const char* name, double value, const char* format) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    text_ += std::string(", \"") + name + "\": " + text;
    std::printf(" %s |", text);
  }
  [[nodiscard]] std::string finish() {
    std::printf("\n");
    std::fflush(stdout);
    return text_ + "}";
  }

 private:
  std::string text_;
};

constexpr const char* kHead =
    "| size of | n | K | bs-fft-paper | bs-fft | error paper | error | memory paper, GB | memory, GB | "
    "elastic-paper b = 16 | elastic b = 16 |";
constexpr const char* kMore =
    " dense | dense memory, GB | elastic-paper / elastic at b = 4 | | 8 | | 32 | | 64 | | 128 | | "
    "density-map "
    "b = 16 |";

/// The text of generate() for a graph of that size with these degrees.
std::string generator_of(const PaperDataSet& size, bool power_law) {
  const std::string sizes = "n=" + std::to_string(size.nodes) + ",nnz=" + std::to_string(size.edges);
  return power_law ? "gen:power-law:" + sizes + ",exponent=2.3,shuffle=1" : "gen:random:" + sizes;
}

/// `whole`: all comparisons; else only those that depend on the degrees.
std::string bench_pattern(Row row, const PatternPtr& pattern, bool whole, std::uint64_t tile,
                          JobContext& context) {
  Bench bench(pattern, tile, context);
  row.note("rows", pattern->rows());
  row.add("n", static_cast<double>(pattern->cols()), "%.0f");
  row.add("nonzeros", static_cast<double>(pattern->nonzeros()), "%.0f");
  const DeviceTimes paper = measure([&] { return bench.half_spectrum(cuda::RowAlgorithm::paper); });
  row.add("bs_fft_paper", paper);
  const DeviceTimes ours = measure([&] { return bench.half_spectrum(cuda::RowAlgorithm::optimized); });
  row.add("bs_fft", ours);
  row.add("error_paper", bench.error(cuda::RowAlgorithm::paper), "%.1e");
  row.add("error", bench.error(cuda::RowAlgorithm::optimized), "%.1e");
  row.add("gigabytes_paper", static_cast<double>(paper.bytes) * 1e-9, "%.3f");
  row.add("gigabytes", static_cast<double>(ours.bytes) * 1e-9, "%.3f");
  const auto samples = [&](std::uint64_t block) {
    const std::string suffix = "_" + std::to_string(block);
    row.add(("elastic_paper" + suffix).c_str(), measure([&] { return bench.elastic_paper(block); }));
    row.add(("elastic" + suffix).c_str(), measure([&] { return bench.elastic(block); }));
  };
  samples(16);
  if (!whole) return row.finish();
  const DeviceTimes dense = measure([&] { return bench.dense(); });
  row.add("dense", dense);
  row.add("gigabytes_dense", static_cast<double>(dense.bytes) * 1e-9, "%.3f");
  for (const std::uint64_t block : {4, 8, 32, 64, 128}) samples(block);
  row.add("density_map_16", measure([&] { return bench.density_map(16); }));
  return row.finish();
}

std::string bench_size(const PaperDataSet& size, bool power_law, std::uint64_t tile, ThreadPool& pool) {
  JobContext context(pool, all_memory());
  auto matrix = generate(generator_of(size, power_law), context);
  if (!matrix) throw Failure(matrix.error());
  return bench_pattern(Row(size.name, power_law ? "power law" : "uniform"), matrix->pattern, power_law, tile,
                       context);
}

std::string bench_shared(const std::filesystem::path& file, std::uint64_t tile, ThreadPool& pool) {
  JobContext context(pool, all_memory());
  const auto read = load_matrix(file.string(), {}, context);
  if (!read) throw Failure(read.error());
  return bench_pattern(
      Row(bench::shared_name(file), read->pattern->symmetric() ? "itself, symmetric" : "itself"),
      read->pattern, true, tile, context);
}

/// Windows of 1,080 × 1,920 exact coefficients.
std::string bench_window(std::uint64_t n, std::uint64_t nonzeros, ThreadPool& pool) {
  JobContext context(pool, all_memory());
  const PaperDataSet size{"window 1080×1920", "", n, static_cast<std::int64_t>(nonzeros)};
  auto matrix = generate(generator_of(size, false), context);
  if (!matrix) throw Failure(matrix.error());
  Bench bench(matrix->pattern, 0, context);
  Row row(size.name, "uniform");
  row.add("n", static_cast<double>(n), "%.0f");
  row.add("nonzeros", static_cast<double>(matrix->pattern->nonzeros()), "%.0f");
  row.add("window_1e-5", measure([&] { return bench.window(1e-5); }));
  row.add("window_1e-6", measure([&] { return bench.window(1e-6); }));
  return row.finish();
}

/// Time of the matrix with weights over that of its pattern.
std::string bench_weights(std::uint64_t n, std::uint64_t nonzeros, ThreadPool& pool) {
  JobContext context(pool, all_memory());
  const PaperDataSet size{"weights / pattern", "", n, static_cast<std::int64_t>(nonzeros)};
  auto matrix = generate(generator_of(size, true), context);
  if (!matrix) throw Failure(matrix.error());
  Bench pattern(matrix->pattern, 0, context);
  Bench weights(test::with_signed_weights(matrix->pattern), 0, context);
  Row row(size.name, "power law");
  row.add("n", static_cast<double>(n), "%.0f");
  row.add("nonzeros", static_cast<double>(matrix->pattern->nonzeros()), "%.0f");
  const auto add = [&](const char* name, const auto& run) {
    const DeviceTimes plain = measure([&] { return run(pattern); });
    const DeviceTimes weighted = measure([&] { return run(weights); });
    row.add(name, weighted.median / plain.median, "%.2f");
  };
  add("half_spectrum", [](Bench& of) { return of.half_spectrum(cuda::RowAlgorithm::optimized); });
  add("window_1e-5", [](Bench& of) { return of.window(1e-5); });
  add("elastic_4", [](Bench& of) { return of.elastic(4); });
  add("elastic_16", [](Bench& of) { return of.elastic(16); });
  add("density_map_16", [](Bench& of) { return of.density_map(16); });
  return row.finish();
}

/// Writes JSON row by row, so that an interrupted run leaves its measurements.
class Report {
 public:
  Report(const char* file, const cuda::DeviceFacts& facts) {
    if (file != nullptr) out_.open(file);
    out_ << R"({"device": ")" << facts.name << R"(", "runs": )" << bench::kDeviceRuns << R"(, "rows": [)";
  }
  ~Report() { out_ << "\n]}\n"; }
  void add(const std::string& row) {
    out_ << (first_ ? "\n" : ",\n") << row << std::flush;
    first_ = false;
  }

 private:
  std::ofstream out_;
  bool first_ = true;
};

void bench_all(cuda::Module& module, const char* file, std::size_t rows, std::uint64_t tile,
               std::size_t first) {
  const cuda::DeviceFacts facts = module.facts(0);
  std::printf("%s, compute capability %d.%d, %.0f GB. Milliseconds on the device, medians of %d.\n\n",
              facts.name, facts.capability / 10, facts.capability % 10,
              static_cast<double>(facts.total_bytes) * 1e-9, bench::kDeviceRuns);
  ThreadPool pool(0);
  Report report(file, facts);
  const std::size_t end = std::min(first + rows, paper_data_sets().size());
  std::printf("%s%s\n", kHead, kMore);
  for (std::size_t k = first; k < end; ++k) report.add(bench_size(paper_data_sets()[k], true, tile, pool));
  std::printf("\n%s\n", kHead);
  for (std::size_t k = first; k < end; ++k) report.add(bench_size(paper_data_sets()[k], false, tile, pool));
  // The sizes of two matrices for which another open implementation, cuSpFFT, has published times.
  for (const PaperDataSet& size :
       {PaperDataSet{"benzene", "", 8219, 242669}, {"pct20stif", "", 52329, 2698463}})
    if (first == 0 && rows > 0) report.add(bench_size(size, false, tile, pool));
  std::printf("\n%s%s\n", kHead, kMore);
  for (const auto& shared : bench::shared_matrix_files()) report.add(bench_shared(shared, tile, pool));
  if (first == 0) {
    std::printf("\n| window | n | K | tolerance 1e-5 | 1e-6 |\n|---|---|---|---|---|\n");
    report.add(bench_window(93773, 3540566, pool));
    report.add(bench_window(1000000, 50000000, pool));
    std::printf(
        "\n| weights over pattern | n | K | bs-fft | window | elastic b = 4 | b = 16 | density-map b = 16 |\n"
        "|---|---|---|---|---|---|---|---|\n");
    report.add(bench_weights(19793, 126842, pool));
    report.add(bench_weights(93773, 3540566, pool));
  }
}

}  // namespace
}  // namespace spyctrum

int main(int argc, char** argv) {
  const auto number = [&](int place, std::size_t otherwise) {
    return spyctrum::bench::number_at(argc, argv, place, otherwise);
  };
  return spyctrum::bench::run_all([&](spyctrum::cuda::Module& module) {
    spyctrum::bench_all(module, argc > 1 ? argv[1] : nullptr, number(2, 100), number(3, 0), number(4, 0));
  });
}
