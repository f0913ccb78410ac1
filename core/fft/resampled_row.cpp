// SPDX-License-Identifier: Apache-2.0
// Chooses the bands by a cost model; the weights come from the spreading function of the lattice engine.
#include "core/fft/resampled_row.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/fft/fft.hpp"
#include "core/fft/spread_shape.hpp"

namespace spyctrum {

namespace {

/// With kWidth taps: aliasing 2e−7, rounding noise amplified twofold.
constexpr double kOversampling = 1.5;
constexpr std::size_t kWidth = 9;
/// Number of bands |v| ≤ k·n/(2·kBands), each with tables of its own.
constexpr std::size_t kBands = 8;
/// Rows shorter than this are not resampled: the plain FFT is as fast.
constexpr std::size_t kShortest = 48;

const SpreadShape& shape_in_use() {
  const auto& shapes = spread_shapes();
  return *std::find_if(shapes.begin(), shapes.end(), [](const SpreadShape& shape) {
    return shape.oversampling == kOversampling && shape.width == kWidth;
  });
}

// Nanoseconds per value, measured on one core with AVX2; only their ratios matter. A prime factor p above 7
// costs O(p) per value up to kLongestPass; a larger one is transformed by a convolution, which above
// kLongPrime does not fit the caches.
constexpr double kPassPerBit = 0.11;  // factors up to 7
constexpr double kPassPerUnit = 0.055;
constexpr std::size_t kLongestPass = 109;
constexpr std::size_t kLongPrime = 4096;
constexpr double kConvolution = 3.0;
constexpr double kLongConvolution = 8.0;
constexpr double kPerTap = 0.065;
constexpr double kPerCell = 0.2;  // beside the FFT: written, read and corrected

double pass_cost(std::size_t prime) {
  if (prime <= 7) return kPassPerBit * std::log2(static_cast<double>(prime));
  if (prime <= kLongestPass) return kPassPerUnit * static_cast<double>(prime);
  return prime < kLongPrime ? kConvolution : kLongConvolution;
}

double fft_cost(std::size_t n) {
  double per_point = 0;
  std::size_t rest = n;
  for (std::size_t p = 2; p * p <= rest; ++p)
    for (; rest % p == 0; rest /= p) per_point += pass_cost(p);
  if (rest > 1) per_point += pass_cost(rest);
  return per_point * static_cast<double>(n);
}

ResampledRowShape resampled_shape(std::size_t n, std::size_t half_width) {
  const double least = std::ceil(kOversampling * static_cast<double>(2 * half_width + 1));
  ResampledRowShape shape;
  shape.half_width = half_width;
  shape.cells = smooth_size(std::max<std::uint64_t>(static_cast<std::uint64_t>(least), 2 * kWidth));
  shape.taps = kWidth * n / shape.cells + 1;
  return shape;
}

double resampled_cost(std::size_t n, const ResampledRowShape& shape) {
  const auto cells = static_cast<double>(shape.cells);
  return fft_cost(shape.cells) + kPerTap * cells * static_cast<double>(shape.taps) +
         kPerCell * (cells + static_cast<double>(n));
}

std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

}  // namespace

std::vector<ResampledRowShape> resampled_row_shapes(std::size_t n, bool narrow) {
  const ResampledRowShape whole{n / 2, n, 0};
  if (n < kShortest) return {whole};
  const double direct = fft_cost(n);
  std::vector<ResampledRowShape> shapes;
  for (std::size_t k = narrow ? 1 : kBands; k <= kBands; ++k) {
    const std::size_t half_width = (k * (n / 2) + kBands - 1) / kBands;
    const ResampledRowShape shape = resampled_shape(n, half_width);
    if (resampled_cost(n, shape) >= 0.9 * direct) {
      shapes.push_back(whole);
      break;
    }
    shapes.push_back(shape);
  }
  return shapes;
}

std::uint64_t ResampledRow::bytes(const ResampledRowShape& shape) {
  if (!shape.resampled()) return 0;
  return 4 * std::uint64_t{shape.cells} * (shape.taps + 1) + 8 * (2 * std::uint64_t{shape.half_width} + 1);
}

ResampledRow::ResampledRow(std::size_t n, const ResampledRowShape& shape)
    : n_(n), shape_(shape), first_(shape.cells), weights_(shape.cells * shape.taps) {
  if (n == 0 || !shape.resampled() || shape.cells == 0)
    throw Failure(ErrorCode::internal, "A row that is not resampled has no tables.");
  const auto values = static_cast<std::int64_t>(n);
  const auto cells = static_cast<std::int64_t>(shape.cells);
  const auto width = static_cast<std::int64_t>(kWidth);
  // Value j falls on cell c where (2c − w)·n < 2L·j: positions in units of 1/2n cells.
  std::vector<std::int64_t> first(shape.cells);
  for (std::int64_t c = 0; c < cells; ++c) {
    const std::int64_t value = floor_of((2 * c - width) * values, 2 * cells) + 1;
    first[static_cast<std::size_t>(c)] = value;
    first_[static_cast<std::size_t>(c)] = static_cast<std::uint32_t>((value + values) % values);
  }
  const TapPolynomials polynomials(shape_in_use());
  float taps[kWidth];
  for (std::int64_t j = 0; j < values; ++j) {
    const std::int64_t left = 2 * cells * j - width * values;
    const std::int64_t start = -floor_of(-left, 2 * values);
    const std::int64_t distance = 2 * values * start - left;
    polynomials.evaluate(static_cast<double>(distance) / static_cast<double>(2 * values), taps);
    for (std::int64_t a = 0; a < width; ++a) {
      std::int64_t c = start + a;
      std::int64_t unwrapped = j;
      if (c < 0) {
        c += cells;
        unwrapped += values;
      } else if (c >= cells) {
        c -= cells;
        unwrapped -= values;
      }
      const auto cell = static_cast<std::size_t>(c);
      weights_[cell * shape.taps + static_cast<std::size_t>(unwrapped - first[cell])] = taps[a];
    }
  }
  const std::size_t h = shape.half_width;
  const std::vector<double> transform = spread_transform(shape_in_use(), shape.cells, h + 1);
  corrections_.resize(2 * h + 1);
  for (std::size_t v = 0; v <= h; ++v)
    corrections_[h + v] = corrections_[h - v] = static_cast<float>(1 / transform[v]);
}

void ResampledRow::resample(const float* values, float* cells) const {
  kernels::kernels().resample_lanes({values, n_, first_.data(), weights_.data(), shape_.taps, shape_.cells},
                                    cells);
}

void ResampledRow::correct(float* transformed, std::size_t positives, std::size_t negatives) const {
  const auto scale = kernels::kernels().scale_lanes;
  const std::size_t element = 2 * loops<float>().lanes;
  const std::complex<float>* zero = corrections_.data() + shape_.half_width;
  scale(transformed, zero, positives, false);
  scale(transformed + element * (shape_.cells - negatives), zero - negatives, negatives, false);
}

}  // namespace spyctrum
