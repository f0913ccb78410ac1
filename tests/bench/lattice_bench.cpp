// SPDX-License-Identifier: Apache-2.0
// How long do windows and Elastic's samples take by the lattice engine, and by other libraries in the same
// run? FINUFFT where SPYCTRUM_FINUFFT names its library, DUCC0's NUFFT where it was built
// (SPYCTRUM_BENCH_DUCC0_NUFFT), and a dense FFTW transform where it is installed and fits. Errors are against
// direct sums. Prints a table; medians of 10 after a warm-up, wall clock and processor time.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <numbers>
#include <random>

#include "core/fft/fft.hpp"
#include "core/fft/lattice.hpp"
#include "core/kernels/kernel_table.hpp"
#include "core/methods/finufft/finufft_cpu.hpp"
#include "core/methods/finufft/finufft_library.hpp"
#ifdef SPYCTRUM_HAVE_DUCC0_NUFFT
#include "tests/bench/ducc0_nufft.hpp"
#endif
#ifdef SPYCTRUM_HAVE_FFTW
#include <fftw3.h>
#endif

namespace {

using namespace spyctrum;

double wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double processor() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

struct Times {
  double wall_ms;
  double processor_ms;
};

template <class Work>
Times measure(const Work& work) {
  work();
  std::vector<double> walls;
  std::vector<double> processors;
  for (int run = 0; run < 10; ++run) {
    const double w = wall();
    const double p = processor();
    work();
    walls.push_back(1e3 * (wall() - w));
    processors.push_back(1e3 * (processor() - p));
  }
  return {median(walls), median(processors)};
}

SparsePattern random_pattern(std::uint64_t size, std::size_t entries) {
  std::mt19937_64 random(entries);
  std::vector<Index> row(entries);
  std::vector<Index> col(entries);
  for (std::size_t t = 0; t < entries; ++t) {
    row[t] = static_cast<Index>(random() % size);
    col[t] = static_cast<Index>(random() % size);
  }
  return SparsePattern::from_coordinates(size, size, std::move(row), std::move(col)).value();
}

FrequencyGrid grid_of(std::uint64_t size, std::int64_t origin, std::int64_t step, std::uint64_t rows,
                      std::uint64_t cols) {
  return {FrequencyAxis::progression(size, origin, step, rows),
          FrequencyAxis::progression(size, origin, step, cols)};
}

/// Root mean square error of evenly spread rows of the lattice against the direct sum, relative to √K. (The
/// outermost rows have the largest errors but are few.)
double error_of(const SparsePattern& pattern, const FrequencyGrid& grid,
                const std::vector<std::complex<float>>& values, JobContext& context) {
  constexpr std::uint64_t kRows = 16;
  const std::uint64_t cols = grid.cols.count();
  double sum = 0;
  for (std::uint64_t k = 0; k < kRows; ++k) {
    const std::uint64_t p = (2 * k + 1) * grid.rows.count() / (2 * kRows);
    const FrequencyGrid row{FrequencyAxis::progression(pattern.rows(), grid.rows.at(p), 1, 1), grid.cols};
    const auto exact = direct_transform(pattern, row, context);
    for (std::uint64_t q = 0; q < cols; ++q)
      sum += std::norm(std::complex<double>(values[p * cols + q]) - exact[q]);
  }
  return std::sqrt(sum / static_cast<double>(kRows * cols) / static_cast<double>(pattern.nonzeros()));
}

void peer_row(const char* name, const SparsePattern& pattern, const FrequencyGrid& grid, double tolerance,
              const Times& times, const std::vector<std::complex<float>>& values, const Times& ours,
              JobContext& context) {
  std::printf("%-34s K %8lld  tol %.0e  wall %8.2f ms  cpu %8.2f ms  error of 16 rows %.1e  ours/its %.2f\n",
              name, static_cast<long long>(pattern.nonzeros()), tolerance, times.wall_ms, times.processor_ms,
              error_of(pattern, grid, values, context), ours.wall_ms / times.wall_ms);
}

#ifdef SPYCTRUM_HAVE_DUCC0_NUFFT
/// Input of DUCC0 for one axis: positions step·i/size mod 1, and phase factors of the frequency in the middle
/// of the axis, since DUCC0's modes are centred on 0.
struct PeerAxis {
  std::vector<double> places;
  std::vector<std::complex<double>> phases;

  explicit PeerAxis(const FrequencyAxis& axis) : places(axis.size()), phases(axis.size()) {
    const auto size = static_cast<std::int64_t>(axis.size());
    const std::int64_t middle = axis.at(axis.count() / 2);
    for (std::int64_t i = 0; i < size; ++i) {
      const auto at = static_cast<std::size_t>(i);
      places[at] = static_cast<double>(dft_index(axis.step() * i, size)) / static_cast<double>(size);
      phases[at] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(dft_index(middle * i, size)) /
                                       static_cast<double>(size));
    }
  }
};

/// DUCC0's NUFFT on the same work; points and strengths are prepared anew in each run.
void ducc0_peer(const SparsePattern& pattern, const FrequencyGrid& grid, double tolerance, const Times& ours,
                ThreadPool& pool) {
  JobContext context(pool);
  const auto entries = static_cast<std::size_t>(pattern.nonzeros());
  std::vector<std::complex<float>> values;
  const Times times = measure([&] {
    values = std::vector<std::complex<float>>(grid.count());
    std::vector<double> places(2 * entries);
    std::vector<std::complex<float>> strengths(entries);
    const PeerAxis rows(grid.rows);
    const PeerAxis cols(grid.cols);
    for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
      const Index j = pattern.column_ids()[k];
      for (std::int64_t t = pattern.column_starts()[k]; t < pattern.column_starts()[k + 1]; ++t) {
        const auto at = static_cast<std::size_t>(t);
        const Index i = pattern.row_indices()[at];
        places[2 * at] = rows.places[i];
        places[2 * at + 1] = cols.places[j];
        strengths[at] = std::complex<float>(rows.phases[i] * cols.phases[j]);
      }
    }
    ducc0_type1(entries, places.data(), reinterpret_cast<const float*>(strengths.data()), grid.rows.count(),
                grid.cols.count(), tolerance, pool.threads(), reinterpret_cast<float*>(values.data()));
  });
  peer_row("  DUCC0", pattern, grid, tolerance, times, values, ours, context);
}
#endif

/// FINUFFT on the same work, where SPYCTRUM_FINUFFT names its library: type 1 in single precision with the
/// lattice's size; plan and points are prepared anew in each run, as those of the lattice
/// engine are.
void peer(const SparsePattern& pattern, const FrequencyGrid& grid, double tolerance, const Times& ours,
          ThreadPool& pool) {
  if (!finufft_library().available()) return;
  JobContext context(pool);
  const FinufftOptions options{FinufftMode::type1_lattice, tolerance, true};
  std::vector<std::complex<float>> values;
  const Times times = measure([&] { values = finufft_cpu(pattern, grid, options, context); });
  peer_row("  FINUFFT", pattern, grid, tolerance, times, values, ours, context);
}

void row(const char* name, const SparsePattern& pattern, const FrequencyGrid& grid, double tolerance,
         ThreadPool& pool) {
  JobContext context(pool);
  std::vector<std::complex<float>> values;
  const Times times = measure([&] { values = lattice_transform(pattern, grid, {tolerance}, context); });
  std::printf("%-34s K %8lld  tol %.0e  wall %8.2f ms  cpu %8.2f ms  error of 16 rows %.1e\n", name,
              static_cast<long long>(pattern.nonzeros()), tolerance, times.wall_ms, times.processor_ms,
              error_of(pattern, grid, values, context));
  peer(pattern, grid, tolerance, times, pool);
#ifdef SPYCTRUM_HAVE_DUCC0_NUFFT
  ducc0_peer(pattern, grid, tolerance, times, pool);
#endif
  std::fflush(stdout);
}

#ifdef SPYCTRUM_HAVE_FFTW
/// A dense two-dimensional transform of the window's size, which every method of this kind contains.
void fftw_row(std::size_t rows, std::size_t cols, ThreadPool& pool) {
  auto* data = fftwf_alloc_complex(rows * cols);
  fftwf_plan plan = fftwf_plan_dft_2d(static_cast<int>(rows), static_cast<int>(cols), data, data,
                                      FFTW_FORWARD, FFTW_MEASURE);
  std::fill(&data[0][0], &data[rows * cols - 1][1] + 1, 1.0F);
  const Times fftw = measure([&] { fftwf_execute(plan); });
  JobContext context(pool);
  const Times ours =
      measure([&] { fft_2d(reinterpret_cast<std::complex<float>*>(data), rows, cols, context); });
  std::printf("dense complex %zux%zu: FFTW (measured, one thread) %.2f ms, ours cpu %.2f ms: ratio %.2f\n",
              rows, cols, fftw.processor_ms, ours.processor_ms, ours.processor_ms / fftw.processor_ms);
  fftwf_destroy_plan(plan);
  fftwf_free(data);
}
#endif

}  // namespace

int main() {
  ThreadPool pool;
  std::printf("instruction set %s, %u threads\n", kernels::kernels().name, pool.threads());
  for (const std::size_t entries : {127'000U, 500'000U, 3'500'000U}) {
    const SparsePattern pattern = random_pattern(20'011, entries);
    for (const double tolerance : {1e-3, 1e-5, 1e-6}) {
      row("window 1080x1920 of 20,011", pattern, grid_of(20'011, -400, 1, 1080, 1920), tolerance, pool);
      row("Elastic b=16 of 20,011 (spread)", pattern, grid_of(20'011, 4, 16, 1250, 1250), tolerance, pool);
    }
    row("window 512x512 of 20,011", pattern, grid_of(20'011, -400, 1, 512, 512), 1e-6, pool);
  }
  row("Elastic b=16 of 20,000 (fold)", random_pattern(20'000, 127'000), grid_of(20'000, 4, 16, 1250, 1250),
      1e-6, pool);
#ifdef SPYCTRUM_HAVE_FFTW
  fftw_row(1250, 1250, pool);
  fftw_row(2160, 3840, pool);
#endif
  return 0;
}
