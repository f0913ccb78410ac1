// SPDX-License-Identifier: Apache-2.0
// How long do samples and windows take on a GPU? Samples at every 4th, 8th and 16th frequency of both axes
// for generated graphs of the sizes of the paper's table, and windows of 1,080 × 1,920 exact coefficients.
// Execution (tables of the axes, spreading, FFT, selection of outputs; device time by events, values left on
// the device) and the sort of the entries (wall clock), which serves all lattices of the same steps and
// sizes, are measured apart; the whole call, the processor's part included, by the wall clock. cuFINUFFT is
// measured beside it where SPYCTRUM_CUFINUFFT names its library: the same points, strengths and tolerance,
// its defaults, execution apart from plan and points, wall clock around a synchronised call. Error: root mean
// square over 24 random outputs against direct sums in double precision, divided by √K. Medians of ten after
// a warm-up. bench_cuda_lattice [FILE.json [SIZES OF THE TABLE [WITH 50 M [FIRST SIZE, and no windows]]]]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#ifdef SPYCTRUM_HAVE_CUDART
#include <cuda_runtime_api.h>
#endif

#include "app/study/study.hpp"
#include "core/device/device_cache.hpp"
#include "core/device/device_job.hpp"
#include "core/device/device_module.hpp"
#include "core/engine/device_grid.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/io/reader.hpp"
#include "core/matrix/generators.hpp"
#include "core/methods/finufft/finufft_library.hpp"
#include "core/pictures/cell_axis.hpp"
#include "tests/bench/device_times.hpp"
#include "tests/bench/shared_matrices.hpp"

namespace spyctrum {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRuns = 10;
constexpr int kChecked = 24;  // outputs compared with a direct sum
constexpr Backend kDevice{BackendKind::cuda, 0, false};

double median(const std::function<double()>& run) {
  std::vector<double> times;
  (void)run();
  for (int k = 0; k < kRuns; ++k) times.push_back(run());
  std::sort(times.begin(), times.end());
  return (times[kRuns / 2 - 1] + times[kRuns / 2]) / 2;
}

double milliseconds_of(const std::function<void()>& run) {
  const auto began = Clock::now();
  run();
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

/// (step·index) mod size, and its root of unity.
std::complex<double> root(std::uint64_t frequency, std::uint64_t index, std::uint64_t size) {
  const auto turn = static_cast<double>(frequency * index % size) / static_cast<double>(size);
  return std::polar(1.0, -2 * std::numbers::pi * turn);
}

/// Outputs chosen at random, with their values in double precision.
struct Checks {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> outputs;
  std::vector<std::complex<double>> values;

  Checks(const SparsePattern& pattern, const FrequencyGrid& grid, ThreadPool& pool)
      : values(static_cast<std::size_t>(kChecked)) {
    std::mt19937_64 random(7);
    for (int k = 0; k < kChecked; ++k)
      outputs.emplace_back(random() % grid.rows.count(), random() % grid.cols.count());
    pool.parallel_for(values.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t k = begin; k < end; ++k) values[k] = direct(pattern, grid, outputs[k]);
    });
  }
  static std::complex<double> direct(const SparsePattern& pattern, const FrequencyGrid& grid,
                                     std::pair<std::uint64_t, std::uint64_t> output) {
    const std::uint64_t u = dft_index(grid.rows.at(output.first), pattern.rows());
    const std::uint64_t v = dft_index(grid.cols.at(output.second), pattern.cols());
    std::vector<std::complex<double>> rows(pattern.rows());
    for (std::uint64_t i = 0; i < pattern.rows(); ++i) rows[i] = root(u, i, pattern.rows());
    std::complex<double> sum;
    for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
      std::complex<double> column;
      for (std::int64_t t = pattern.column_starts()[k]; t < pattern.column_starts()[k + 1]; ++t)
        column += rows[pattern.row_indices()[static_cast<std::size_t>(t)]];
      sum += column * root(v, pattern.column_ids()[k], pattern.cols());
    }
    return sum;
  }
  [[nodiscard]] double error(const std::vector<std::complex<float>>& got, std::uint64_t width,
                             std::int64_t nonzeros) const {
    double wrong = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
      wrong += std::norm(std::complex<double>(got[outputs[k].first * width + outputs[k].second]) - values[k]);
    return std::sqrt(wrong / kChecked / static_cast<double>(nonzeros));
  }
};

/// Milliseconds of elastic-paper's samples (the paper's Algorithm 2) at the same block size, device time.
double paper_samples(const SparsePattern& pattern, std::uint64_t block, JobContext& context) {
  const FrequencyGrid grid = paper_grid(pattern.rows(), pattern.cols(), block);
  const auto reduced = [](const FrequencyAxis& axis) {
    std::vector<std::uint32_t> list(axis.count());
    for (std::uint64_t k = 0; k < list.size(); ++k)
      list[k] = static_cast<std::uint32_t>(dft_index(axis.at(k), axis.size()));
    return list;
  };
  const std::vector<std::uint32_t> u = reduced(grid.rows);
  const std::vector<std::uint32_t> v = reduced(grid.cols);
  cuda::RowTask task;
  task.pattern = view_of(pattern);
  task.frequencies = u.data();
  task.count = u.size();
  task.columns = v.data();
  task.width = v.size();
  task.algorithm = cuda::RowAlgorithm::paper;
  task.output = cuda::RowOutput::gather;
  return 1e3 * median([&] { return DeviceJob(kDevice, context).run(task).seconds; });
}

struct Result {
  double execute = 0;  // milliseconds
  double call = 0;     // by the wall clock; 0: not measured
  double paper = 0;    // elastic-paper; 0: not measured
  double prepare = 0;
  double error = 0;
  std::uint64_t bytes = 0;
  std::string note;
};

Result bench_ours(const PatternPtr& pattern, const FrequencyGrid& grid, double tolerance,
                  const Checks& checks, JobContext& context) {
  const DeviceGridPlan plan = plan_device_grid(*pattern, grid, GridEngine::lattice, tolerance, 0, kDevice);
  const DeviceLattice& lattice = plan.in_groups ? *plan.in_groups : *plan.lattice;
  Result result;
  const auto execute = [&](const DeviceGridPlan& by) {
    return 1e3 * median([&] {
             const DeviceUse use = bench::compute_on_device(pattern, by, kDevice, context);
             result.bytes = use.bytes;
             return use.seconds;
           });
  };
  DeviceGridPlan on_fine_grid = plan;
  on_fine_grid.in_groups.reset();
  const double without_groups = plan.in_groups ? execute(on_fine_grid) : 0;
  result.execute = execute(plan);
  result.call = median([&] {
    return milliseconds_of([&] { (void)bench::compute_on_device(pattern, plan, kDevice, context); });
  });
  const auto cache = device_cache(0);
  DeviceJob host(kDevice, context);
  const DeviceCache::DataPtr points = cache->pattern(pattern, host);
  const cuda::LatticeAxisSpec rows = lattice.row_spec(plan.grid.rows);
  const cuda::LatticeAxisSpec cols = lattice.col_spec(plan.grid.cols);
  const cuda::LatticeOrder kind =
      plan.in_groups ? cuda::LatticeOrder::groups : choose_order(*pattern, rows, cols);
  result.prepare = median([&] {
    DeviceCache::DataPtr order;
    const double time = milliseconds_of(
        [&] { order.reset(cuda_module().pictures().sort_order(0, *points, rows, cols, kind, host)); });
    return time;
  });
  DeviceUse use;
  const auto values = compute_device_grid(pattern, plan, kDevice, context, use);
  result.error = checks.error(values, grid.cols.count(), pattern->nonzeros());
  char text[160];
  constexpr const char* kOrders[] = {"tiles", "cells", "groups"};
  std::snprintf(text, sizeof text, "w %zu, %zu x %zu cells, %llu x %llu cosets, %s", lattice.shape.width,
                lattice.rows.fine, lattice.cols.fine, static_cast<unsigned long long>(lattice.row_cosets),
                static_cast<unsigned long long>(lattice.col_cosets), kOrders[static_cast<int>(kind)]);
  result.note = text;
  if (plan.in_groups) {
    std::snprintf(text, sizeof text, " (on a fine grid %zu x %zu, %llu x %llu cosets, %.3f ms)",
                  plan.lattice->rows.fine, plan.lattice->cols.fine,
                  static_cast<unsigned long long>(plan.lattice->row_cosets),
                  static_cast<unsigned long long>(plan.lattice->col_cosets), without_groups);
    result.note += text;
  }
  return result;
}

#ifdef SPYCTRUM_HAVE_CUDART

template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::uint64_t count) {
    if (cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)) != cudaSuccess)
      throw Failure(ErrorCode::out_of_memory, "The peer's arrays do not fit.");
  }
  explicit OnDevice(const std::vector<T>& values) : OnDevice(values.size()) {
    if (cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice) != cudaSuccess)
      throw Failure(ErrorCode::internal, "The peer's arrays were not copied.");
  }
  ~OnDevice() { (void)cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::vector<T> read(std::uint64_t count) const {
    std::vector<T> values(count);
    (void)cudaMemcpy(values.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  T* data_ = nullptr;
};

Result bench_cufinufft(const SparsePattern& pattern, const FrequencyGrid& grid, double tolerance,
                       const Checks& checks) {
  Result result;
  result.note = cufinufft_library().reason;
  if (!cufinufft_library().available()) return result;
  const cuda::NufftCalls<float>& library = cufinufft_library().calls<float>();
  const auto positions = [](const FrequencyAxis& axis, std::uint64_t i) {
    const double turn = static_cast<double>(dft_index(axis.step(), axis.size()) * i % axis.size()) /
                        static_cast<double>(axis.size());
    return static_cast<float>(2 * std::numbers::pi * (turn < 0.5 ? turn : turn - 1));
  };
  const auto centre = [](const FrequencyAxis& axis) {
    return dft_index(axis.at(axis.count() / 2), axis.size());
  };
  std::vector<float> x, y;
  std::vector<std::complex<float>> strengths;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    const std::uint64_t j = pattern.column_ids()[k];
    const float across = positions(grid.cols, j);
    const std::complex<double> phase = root(centre(grid.cols), j, pattern.cols());
    for (std::int64_t t = pattern.column_starts()[k]; t < pattern.column_starts()[k + 1]; ++t) {
      const std::uint64_t i = pattern.row_indices()[static_cast<std::size_t>(t)];
      x.push_back(across);
      y.push_back(positions(grid.rows, i));
      strengths.emplace_back(phase * root(centre(grid.rows), i, pattern.rows()));
    }
  }
  const std::int64_t modes[2] = {static_cast<std::int64_t>(grid.cols.count()),
                                 static_cast<std::int64_t>(grid.rows.count())};
  OnDevice<float> device_x(x), device_y(y);
  OnDevice<std::complex<float>> device_strengths(strengths), output(grid.count());
  cuda::NufftCalls<float>::Plan plan = nullptr;
  const auto prepare = [&] {
    if (plan != nullptr) (void)library.destroy(plan);
    plan = nullptr;
    const int made = library.make_plan(1, 2, modes, -1, 1, static_cast<float>(tolerance), &plan, nullptr);
    const int set = made <= 1 ? library.set_points(plan, static_cast<std::int64_t>(x.size()), device_x.get(),
                                                   device_y.get(), nullptr, 0, nullptr, nullptr, nullptr)
                              : made;
    (void)cudaDeviceSynchronize();
    if (set > 1) throw Failure(ErrorCode::internal, "cuFINUFFT ended with " + std::to_string(set));
  };
  try {
    result.prepare = median([&] { return milliseconds_of(prepare); });
    result.execute = median([&] {
      return milliseconds_of([&] {
        if (library.execute(plan, device_strengths.get(), output.get()) > 1)
          throw Failure(ErrorCode::internal, "cuFINUFFT did not execute");
        (void)cudaDeviceSynchronize();
      });
    });
    result.error = checks.error(output.read(grid.count()), grid.cols.count(), pattern.nonzeros());
  } catch (const Failure& failure) {
    result.note = failure.error().message();
  }
  if (plan != nullptr) (void)library.destroy(plan);
  return result;
}

#else

Result bench_cufinufft(const SparsePattern&, const FrequencyGrid&, double, const Checks&) {
  Result result;
  result.note = "built without the CUDA runtime";
  return result;
}

#endif

class Report {
 public:
  explicit Report(const char* file) {
    if (file != nullptr) out_.open(file);
    out_ << R"({"device": ")" << cuda_module().facts(0).name << R"(", "runs": )" << kRuns << R"(, "rows": [)";
    std::printf(
        "| work | n | K | tolerance | execute, ms | call, ms | elastic-paper, ms | ratio | sort, ms | "
        "error/√K | "
        "MB | "
        "cuFINUFFT: execute, ms | plan and "
        "points, ms | error/√K | lattice |\n");
  }
  ~Report() { out_ << "\n]}\n"; }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  void add(const std::string& work, const SparsePattern& pattern, double tolerance, const Result& ours,
           const Result& peer) {
    char text[512];
    std::snprintf(
        text, sizeof text,
        R"(%s{"work": "%s", "n": %llu, "nonzeros": %lld, "tolerance": %.0e, "execute_ms": %.4f, )"
        R"("call_ms": %.4f, "elastic_paper_ms": %.4f, "sort_ms": %.4f, "error": %.2e, "device_bytes": %llu, "cufinufft_execute_ms": %.4f, )"
        R"("cufinufft_prepare_ms": %.4f, "cufinufft_error": %.2e})",
        first_ ? "\n" : ",\n", work.c_str(), static_cast<unsigned long long>(pattern.rows()),
        static_cast<long long>(pattern.nonzeros()), tolerance, ours.execute, ours.call, ours.paper,
        ours.prepare, ours.error, static_cast<unsigned long long>(ours.bytes), peer.execute, peer.prepare,
        peer.error);
    out_ << text << std::flush;
    first_ = false;
    std::printf(
        "| %s | %llu | %lld | %.0e | %.3f | %.3f | %.2f | %.1f | %.3f | %.1e | %.0f | %.3f | %.3f | %.1e | "
        "%s %s "
        "|\n",
        work.c_str(), static_cast<unsigned long long>(pattern.rows()),
        static_cast<long long>(pattern.nonzeros()), tolerance, ours.execute, ours.call, ours.paper,
        ours.paper / ours.execute, ours.prepare, ours.error, static_cast<double>(ours.bytes) * 1e-6,
        peer.execute, peer.prepare, peer.error, ours.note.c_str(), peer.note.c_str());
    std::fflush(stdout);
  }

 private:
  std::ofstream out_;
  bool first_ = true;
};

struct Size {
  const char* like;
  std::uint64_t n;
  std::uint64_t nonzeros;
};
constexpr Size kSizes[] = {{"ogbl-biokg", 93773, 3540566},
                           {"IGB-tiny", 100000, 447076},
                           {"Flickr", 89250, 899756},
                           {"Yelp2018", 69716, 3122812},
                           {"Gowalla", 70839, 2054740},
                           {"PPI", 56944, 1587264},
                           {"Penn94", 41554, 2724458},
                           {"GitHub", 37700, 578006},
                           {"Coauthor Physics", 34493, 495924},
                           {"Deezer Europe", 28281, 185504},
                           {"Facebook Page-Page", 22470, 341646},
                           {"CoraFull", 19793, 126842},
                           {"Coauthor CS", 18333, 163788},
                           {"Amazon Computers", 13752, 491722},
                           {"Wiki-CS", 11701, 290519}};

class Bench {
 public:
  explicit Bench(const char* file) : pool_(0), context_(pool_, bench::all_memory()), report_(file) {}

  /// `degrees`: "power-law" or "random".
  [[nodiscard]] PatternPtr graph(std::uint64_t n, std::uint64_t nonzeros, bool power_law) {
    const std::string sizes = "n=" + std::to_string(n) + ",nnz=" + std::to_string(nonzeros);
    auto made = generate(
        power_law ? "gen:power-law:" + sizes + ",exponent=2.3,shuffle=1" : "gen:random:" + sizes, context_);
    if (!made) throw Failure(made.error());
    return made->pattern;
  }
  /// `block` not 0: measures the paper's samples too.
  void add(const std::string& work, const PatternPtr& pattern, const FrequencyGrid& grid, double tolerance,
           std::uint64_t block = 0) {
    const Checks checks(*pattern, grid, pool_);
    Result ours = bench_ours(pattern, grid, tolerance, checks, context_);
    if (block != 0) ours.paper = paper_samples(*pattern, block, context_);
    (void)device_cache(0)->reclaim();
    report_.add(work, *pattern, tolerance, ours, bench_cufinufft(*pattern, grid, tolerance, checks));
  }
  void samples(const std::string& name, const PatternPtr& pattern, std::uint64_t block) {
    add("b = " + std::to_string(block) + ", " + name, pattern,
        off_axis_grid(pattern->rows(), pattern->cols(), block), 1e-6, block);
  }
  /// The matrices of the paper's table that the folder of shared matrices holds.
  void shared_matrices() {
    for (const auto& file : bench::shared_matrix_files()) {
      const std::string name = bench::shared_name(file);
      if (std::ranges::find(paper_data_sets(), name, &PaperDataSet::shared_name) == paper_data_sets().end())
        continue;
      auto read = load_matrix(file.string(), {}, context_);
      if (!read) throw Failure(read.error());
      samples(name + " itself" + (read->pattern->symmetric() ? ", symmetric" : ""), read->pattern, 16);
    }
  }
  void window(const PatternPtr& pattern, const char* degrees) {
    const FrequencyGrid grid{FrequencyAxis::progression(pattern->rows(), 1000, 1, 1080),
                             FrequencyAxis::progression(pattern->cols(), 2000, 1, 1920)};
    for (const double tolerance : {1e-5, 1e-6})
      add(std::string("window 1080 x 1920, ") + degrees, pattern, grid, tolerance);
  }

 private:
  ThreadPool pool_;
  JobContext context_;
  Report report_;
};

void bench_all(const char* file, std::size_t sizes, bool large, std::size_t first) {
  Bench bench(file);
  for (std::size_t k = first; k < std::min(sizes, std::size(kSizes)); ++k) {
    const PatternPtr pattern = bench.graph(kSizes[k].n, kSizes[k].nonzeros, true);
    for (const std::uint64_t block : {4U, 8U, 16U}) bench.samples(kSizes[k].like, pattern, block);
    if (k == 0) {
      for (const std::uint64_t block : {32U, 64U, 128U}) bench.samples(kSizes[k].like, pattern, block);
      bench.window(pattern, "power law");
    }
  }
  bench.shared_matrices();
  if (first > 0) return;
  bench.window(bench.graph(100000, 447000, false), "uniform");
  bench.window(bench.graph(93773, 3540566, false), "uniform");
  if (large) bench.window(bench.graph(1000000, 50000000, false), "uniform");
}

}  // namespace
}  // namespace spyctrum

int main(int argc, char** argv) {
  const auto number = [&](int place, std::size_t otherwise) {
    return spyctrum::bench::number_at(argc, argv, place, otherwise);
  };
  return spyctrum::bench::run_all([&](spyctrum::cuda::Module& /*module*/) {
    spyctrum::bench_all(argc > 1 ? argv[1] : nullptr, number(2, 100), number(3, 1) != 0, number(4, 0));
  });
}
