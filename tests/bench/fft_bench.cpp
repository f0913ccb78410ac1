// SPDX-License-Identifier: Apache-2.0
// How long does the transform of one row take? For row lengths of the test matrices: DUCC0 on several rows at
// once in SIMD lanes, as the methods use it, against FFTW, one thread each; then inner sums and row
// transforms together for both length rules. Processor time, which other work on the machine changes little;
// medians of 7 after a warm-up.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <random>

#include "core/fft/fft.hpp"
#include "core/fft/row_transform.hpp"
#include "core/kernels/kernel_table.hpp"
#ifdef SPYCTRUM_HAVE_FFTW
#include <fftw3.h>
#endif

namespace {

using namespace spyctrum;
using Values = std::vector<std::complex<float>>;

template <class Work>
double milliseconds(const Work& work) {
  work();
  std::vector<double> times;
  for (int run = 0; run < 7; ++run) {
    const std::clock_t begin = std::clock();
    work();
    times.push_back(1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::nth_element(times.begin(), times.begin() + 3, times.end());
  return times[3];
}

constexpr std::size_t kRows = 64;

double ours(std::size_t length) {
  Values data(kRows * length, 1.0F);
  return milliseconds([&] {
           fft_rows(data.data(), length, kRows, length);
           for (auto& value : data) value *= 1e-3F;
         }) /
         kRows;
}

double fftw([[maybe_unused]] std::size_t length) {
#ifdef SPYCTRUM_HAVE_FFTW
  Values data(kRows * length, 1.0F);
  auto* values = reinterpret_cast<fftwf_complex*>(data.data());
  const int n = static_cast<int>(length);
  fftwf_plan plan = fftwf_plan_many_dft(1, &n, kRows, values, nullptr, 1, n, values, nullptr, 1, n,
                                        FFTW_FORWARD, FFTW_MEASURE);
  std::fill(data.begin(), data.end(), 1.0F);
  const double time = milliseconds([&] {
    fftwf_execute(plan);
    for (auto& value : data) value *= 1e-3F;
  });
  fftwf_destroy_plan(plan);
  return time / kRows;
#else
  return 0;
#endif
}

void pipeline(std::size_t size, std::size_t entries) {
  std::mt19937_64 random(entries);
  std::vector<Index> row(entries);
  std::vector<Index> col(entries);
  for (std::size_t t = 0; t < entries; ++t) {
    row[t] = static_cast<Index>(random() % size);
    col[t] = static_cast<Index>(random() % size);
  }
  const auto pattern = SparsePattern::from_coordinates(size, size, std::move(row), std::move(col)).value();
  for (const auto& [name, rule] :
       {std::pair{"library", LengthRule::library}, std::pair{"paper", LengthRule::paper}}) {
    const RowTransform engine(pattern, rule);
    Values output(kRows * engine.length());
    Values scratch(engine.scratch_size(kRows));
    std::vector<std::int64_t> u(kRows);
    std::iota(u.begin(), u.end(), 100);
    const double time =
        milliseconds([&] { engine.transform(u, output.data(), engine.length(), scratch); }) / kRows;
    const std::size_t half = size / 2 + 1;
    std::printf("inner sums and transform, %zu, K %zu, %s rule: %.3f ms a row, %.2f s for half of the rows\n",
                size, entries, name, time, time * static_cast<double>(half) / 1e3);
  }
}

}  // namespace

int main() {
  std::printf("instruction set %s; one thread, processor time\n", kernels::kernels().name);
  for (const std::size_t length : {1250U, 1920U, 13'752U, 19'793U, 28'281U, 40'000U, 69'716U, 100'000U}) {
    const double mine = ours(length);
    const double peer = fftw(length);
    std::printf("rows of %6zu: %.4f ms", length, mine);
    if (peer > 0) std::printf(", FFTW (measured) %.4f ms: ratio %.2f", peer, mine / peer);
    std::printf("\n");
    std::fflush(stdout);
  }
  pipeline(19'793, 126'842);
  pipeline(13'752, 491'722);
  return 0;
}
