// SPDX-License-Identifier: Apache-2.0
// The transform of the chirp is computed once; each row then takes two FFTs of length L.
#include "core/fft/chirp.hpp"

#include <algorithm>

#include "core/fft/fft.hpp"
#include "core/fft/phase_table.hpp"

namespace spyctrum {

namespace {

using Complex = std::complex<float>;

void scale(Complex* row, const std::vector<Complex>& factors) {
  for (std::size_t k = 0; k < factors.size(); ++k) row[k] = product(row[k], factors[k]);
}

}  // namespace

Chirp::Chirp(std::size_t n, std::size_t padded) : factors_(n), response_(padded) {
  const auto twice = static_cast<std::uint64_t>(2 * n);
  std::vector<std::complex<double>> kernel(padded);
  for (std::size_t j = 0; j < n; ++j) {
    const std::uint64_t square = (static_cast<std::uint64_t>(j) * j) % twice;  // j < 2^32
    const std::complex<double> c = root_of_unity(square, twice);               // e^{−πi j²/n}
    factors_[j] = Complex(c);
    kernel[j] = std::conj(c) / static_cast<double>(padded);
    if (j > 0) kernel[padded - j] = kernel[j];
  }
  fft_rows(kernel.data(), padded, 1, padded);
  std::transform(kernel.begin(), kernel.end(), response_.begin(),
                 [](std::complex<double> value) { return Complex(value); });
}

float* Chirp::transform_lanes(const kernels::FftPlan* plan, float* lanes, float* work) const {
  const auto& table = kernels::kernels();
  const std::size_t element = 2 * table.f.lanes;
  const std::size_t n = factors_.size();
  table.scale_lanes(lanes, factors_.data(), n, false);
  std::fill(lanes + element * n, lanes + element * length(), 0.0F);
  float* there = table.f.fft_lanes(plan, lanes, work, true);
  table.scale_lanes(there, response_.data(), length(), false);
  if (there != lanes) {  // the plan needs its input outside its work space
    std::copy_n(there, element * length(), lanes);
    there = lanes;
  }
  float* back = table.f.fft_lanes(plan, there, work, false);
  table.scale_lanes(back, factors_.data(), n, false);
  return back;
}

void Chirp::transform_row(const kernels::FftPlan* plan, Complex* row, float* work) const {
  const auto& loop = kernels::kernels().f;
  scale(row, factors_);
  std::fill(row + factors_.size(), row + length(), Complex());
  loop.fft_single(plan, row, work, true);
  scale(row, response_);
  loop.fft_single(plan, row, work, false);
  scale(row, factors_);
}

}  // namespace spyctrum
