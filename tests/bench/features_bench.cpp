// SPDX-License-Identifier: Apache-2.0
// How long do the exact features of a whole spectrum take? BS-FFT, row by row, against the dense transform,
// of the method dense and by FFTW, of the same matrix in the same run. FFTW is timed on the transform alone,
// planned by estimate, without features.
#include "tests/bench/bench_matrices.hpp"

#ifdef SPYCTRUM_HAVE_FFTW
#include <fftw3.h>
#endif

namespace spyctrum::bench {
namespace {

constexpr RequestedOutputs kFeatures{false, true, false, 1024};

void bs_fft(benchmark::State& state) { run_rounds(state, "bs-fft", corafull(), {}, kFeatures); }
void bs_fft_and_pyramid(benchmark::State& state) {
  run_rounds(state, "bs-fft", corafull(), {}, {false, true, true, 1024});
}
void bs_fft_amazon(benchmark::State& state) {
  run_rounds(state, "bs-fft", amazon_computers(), {}, kFeatures);
}
void bs_fft_facebook(benchmark::State& state) {
  run_rounds(state, "bs-fft", facebook_page_page(), {}, kFeatures);
}
void bs_fft_paper(benchmark::State& state) { run_rounds(state, "bs-fft-paper", corafull(), {}, kFeatures); }
void dense(benchmark::State& state) { run_rounds(state, "dense", corafull(), {}, kFeatures); }

#ifdef SPYCTRUM_HAVE_FFTW
void fftw_dense(benchmark::State& state, const BenchMatrix& matrix) {
  const SparsePattern& pattern = *matrix.pattern;
  const auto m = static_cast<int>(pattern.rows());
  const auto n = static_cast<int>(pattern.cols());
  const std::size_t width = static_cast<std::size_t>(n) / 2 + 1;
  auto* grid = fftwf_alloc_real(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
  auto* spectrum = fftwf_alloc_complex(static_cast<std::size_t>(m) * width);
  if (grid == nullptr || spectrum == nullptr) {
    state.SkipWithError("the dense arrays do not fit");
  } else {
#ifdef SPYCTRUM_HAVE_FFTW_THREADS
    fftwf_init_threads();
    fftwf_plan_with_nthreads(static_cast<int>(pool().threads()));
#endif
    fftwf_plan plan = fftwf_plan_dft_r2c_2d(m, n, grid, spectrum, FFTW_ESTIMATE);
    std::fill(grid, grid + static_cast<std::size_t>(m) * static_cast<std::size_t>(n), 0.0F);
    for (std::size_t k = 0; k < pattern.column_ids().size(); ++k)
      for (std::int64_t t = pattern.column_starts()[k]; t < pattern.column_starts()[k + 1]; ++t)
        grid[pattern.row_indices()[static_cast<std::size_t>(t)] * static_cast<std::size_t>(n) +
             pattern.column_ids()[k]] = 1.0F;
    std::fill(&spectrum[0][0], &spectrum[0][0] + 2 * static_cast<std::size_t>(m) * width, 0.0F);
    for (auto round : state) {
      static_cast<void>(round);
      fftwf_execute(plan);
    }
    if (std::abs(spectrum[0][0] / static_cast<float>(pattern.nonzeros()) - 1.0F) > 1e-3F)
      state.SkipWithError("FFTW's F[0,0] is not K");
    fftwf_destroy_plan(plan);
    state.SetLabel(matrix.name);
    // Google Benchmark's CSV needs the same counters in every row; here they are the bytes of the two dense
    // arrays.
    const double bytes = 4.0 * m * static_cast<double>(n) + 8.0 * m * static_cast<double>(width);
    state.counters["MB_forecast"] = bytes / 1e6;
    state.counters["MB_peak"] = bytes / 1e6;
  }
  fftwf_free(grid);
  fftwf_free(spectrum);
}
void fftw_corafull(benchmark::State& state) { fftw_dense(state, corafull()); }
void fftw_facebook(benchmark::State& state) { fftw_dense(state, facebook_page_page()); }
#endif

void timed(const char* name, void (*run)(benchmark::State&), int rounds) {
  benchmark::RegisterBenchmark(name, run)
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Iterations(rounds);
}

void register_all() {
#ifdef SPYCTRUM_HAVE_FFTW
  timed("transform only: FFTW dense r2c", fftw_corafull, 1);
  timed("transform only: FFTW dense r2c", fftw_facebook, 1);
#endif
  timed("exact features: bs-fft", bs_fft, 3);
  timed("exact features and pyramid: bs-fft", bs_fft_and_pyramid, 2);
  timed("exact features: bs-fft-paper", bs_fft_paper, 1);
  timed("exact features: dense", dense, 1);
  timed("exact features: bs-fft", bs_fft_facebook, 3);
  timed("exact features: bs-fft", bs_fft_amazon, 2);
}

}  // namespace
}  // namespace spyctrum::bench

int main(int count, char** arguments) {
  return spyctrum::bench::run_registered(spyctrum::bench::register_all, count, arguments);
}
