// SPDX-License-Identifier: Apache-2.0
// The table of spreading functions, their taps as polynomials, and their transforms by quadrature.
#include "core/fft/spread_shape.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/base/error.hpp"

namespace spyctrum {

double resampling_beta(double width, double oversampling) {
  return 0.98 * std::numbers::pi * width * (1 - 0.5 / oversampling);
}

double spread_value(const SpreadShape& shape, double z) {
  const double x = 2 * z / static_cast<double>(shape.width);
  const double inside = 1 - x * x;
  return inside <= 0 ? (inside < -1e-9 ? 0.0 : std::exp(-shape.beta))
                     : std::exp(shape.beta * (std::sqrt(inside) - 1));
}

namespace {

struct Quadrature {
  std::vector<double> nodes;    // on (−1, 1)
  std::vector<double> weights;  // sum 2
};

/// Gauss–Legendre by Newton's method on the three-term recurrence.
Quadrature gauss_legendre(std::size_t n) {
  Quadrature q;
  const auto size = static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (size + 0.5));
    double derivative = 0;
    for (int step = 0; step < 100; ++step) {
      double before = 1;
      double p = x;
      for (std::size_t k = 2; k <= n; ++k) {
        const auto degree = static_cast<double>(k);
        const double next = ((2 * degree - 1) * x * p - (degree - 1) * before) / degree;
        before = p;
        p = next;
      }
      derivative = size * (x * p - before) / (x * x - 1);
      const double correction = p / derivative;
      x -= correction;
      if (std::abs(correction) < 1e-15) break;
    }
    q.nodes.push_back(x);
    q.weights.push_back(2 / ((1 - x * x) * derivative * derivative));
  }
  return q;
}

/// cos(2πkz/fine) goes through at most w/2·(1/2σ)·2 ≤ w/2 periods over the support.
Quadrature quadrature_of(const SpreadShape& shape) {
  Quadrature q = gauss_legendre(2 * shape.width + 24);
  const double half = static_cast<double>(shape.width) / 2;
  for (std::size_t node = 0; node < q.nodes.size(); ++node) {
    q.nodes[node] *= half;
    q.weights[node] *= half * spread_value(shape, q.nodes[node]);
  }
  return q;
}

SpreadNumbers make_numbers(const SpreadShape& shape) {
  const TapPolynomials polynomials(shape);
  return {polynomials.coefficients().size() / shape.width, polynomials.coefficients(), spread_nodes(shape)};
}

}  // namespace

const std::vector<SpreadShape>& spread_shapes() {
  // {σ, w, β, aliasing, noise}. β minimises the aliasing error; it was found by a search in steps of 0.25 %
  // of πw(1 − 1/2σ). The error is the mean over 200 frequencies up to the outermost, whose error is four
  // times the mean.
  static const std::vector<SpreadShape> shapes = {
      {1.25, 3, 1.5457 * 3, 2.18e-2, 1.33},     {1.25, 4, 1.7012 * 4, 5.14e-3, 1.95},
      {1.25, 5, 1.7671 * 5, 1.30e-3, 3.22},     {1.25, 6, 1.8048 * 6, 3.30e-4, 5.74},
      {1.25, 7, 1.8237 * 7, 8.54e-5, 11.04},    {1.25, 8, 1.8378 * 8, 2.20e-5, 22.15},
      {1.25, 9, 1.8473 * 9, 5.66e-6, 46.17},    {1.25, 10, 1.8567 * 10, 1.44e-6, 97.81},
      {1.35, 3, 1.6665 * 3, 1.52e-02, 1.05},    {1.35, 4, 1.8050 * 4, 3.03e-03, 1.34},
      {1.35, 5, 1.8692 * 5, 6.27e-04, 1.86},    {1.35, 6, 1.9039 * 6, 1.31e-04, 2.76},
      {1.35, 7, 1.9236 * 7, 2.79e-05, 4.33},    {1.35, 8, 1.9335 * 8, 5.94e-06, 7.17},
      {1.35, 9, 1.9434 * 9, 1.25e-06, 12.20},   {1.35, 10, 1.9484 * 10, 2.67e-07, 21.46},
      {1.35, 11, 1.9533 * 11, 5.62e-08, 38.44}, {1.49, 3, 1.8004 * 3, 1.02e-02, 0.87},
      {1.49, 4, 1.9308 * 4, 1.72e-03, 0.98},    {1.49, 5, 1.9882 * 5, 2.93e-04, 1.18},
      {1.49, 6, 2.0143 * 6, 5.03e-05, 1.50},    {1.49, 7, 2.0352 * 7, 8.71e-06, 1.99},
      {1.49, 8, 2.0456 * 8, 1.51e-06, 2.74},    {1.49, 9, 2.0561 * 9, 2.60e-07, 3.88},
      {1.49, 10, 2.0613 * 10, 4.48e-08, 5.66},  {1.49, 11, 2.0665 * 11, 7.71e-09, 8.40},
      {1.49, 12, 2.0665 * 12, 1.35e-09, 12.82}, {1.5, 3, 1.8064 * 3, 9.98e-3, 0.86},
      {1.5, 4, 1.9373 * 4, 1.66e-3, 0.97},      {1.5, 5, 1.9949 * 5, 2.80e-4, 1.15},
      {1.5, 6, 2.0211 * 6, 4.75e-5, 1.46},      {1.5, 7, 2.0420 * 7, 8.12e-6, 1.91},
      {1.5, 8, 2.0525 * 8, 1.39e-6, 2.61},      {1.5, 9, 2.0630 * 9, 2.36e-7, 3.65},
      {1.5, 10, 2.0682 * 10, 4.02e-8, 5.27},    {1.5, 11, 2.0735 * 11, 6.84e-9, 7.74},
      {1.5, 12, 2.0787 * 12, 1.18e-9, 11.54},   {1.65, 3, 1.9214 * 3, 7.33e-3, 0.76},
      {1.65, 4, 2.0418 * 4, 1.06e-3, 0.80},     {1.65, 5, 2.0911 * 5, 1.53e-4, 0.88},
      {1.65, 6, 2.1239 * 6, 2.22e-5, 1.00},     {1.65, 7, 2.1403 * 7, 3.25e-6, 1.19},
      {1.65, 8, 2.1513 * 8, 4.73e-7, 1.45},     {1.65, 9, 2.1568 * 9, 6.92e-8, 1.81},
      {1.65, 10, 2.1622 * 10, 1.01e-8, 2.31},   {1.65, 11, 2.1677 * 11, 1.45e-9, 3.00},
      {1.65, 12, 2.1732 * 12, 2.10e-10, 3.94},  {2, 3, 2.1147 * 3, 4.62e-3, 0.67},
      {2, 4, 2.2207 * 4, 5.28e-4, 0.64},        {2, 5, 2.2678 * 5, 5.95e-5, 0.64},
      {2, 6, 2.2914 * 6, 6.79e-6, 0.66},        {2, 7, 2.3091 * 7, 7.68e-7, 0.69},
      {2, 8, 2.3209 * 8, 8.70e-8, 0.74},        {2, 9, 2.3267 * 9, 9.86e-9, 0.80},
      {2, 10, 2.3326 * 10, 1.11e-9, 0.89},      {2, 11, 2.3385 * 11, 1.26e-10, 0.99},
      {2, 12, 2.3385 * 12, 1.42e-11, 1.12},
  };
  return shapes;
}

double expected_error(const SpreadShape& shape, bool double_precision, double additions_per_cell,
                      double scatter) {
  // Measured, including the rounding of the FFT: each addition contributes a random error of half a unit in
  // the last place of the single-precision sum.
  const double rounding = 6e-8 * std::sqrt(std::max(4.0, additions_per_cell));
  return std::hypot(scatter * std::numbers::sqrt2 * shape.aliasing,
                    double_precision ? 0.0 : rounding * shape.noise);
}

TapPolynomials::TapPolynomials(const SpreadShape& shape) : width_(shape.width), degree_(shape.width + 5) {
  // Interpolation at Chebyshev nodes, then from Chebyshev to power coefficients.
  const std::size_t terms = degree_ + 1;
  coefficients_.assign(terms * width_, 0);
  const auto half = static_cast<double>(width_) / 2;
  for (std::size_t tap = 0; tap < width_; ++tap) {
    std::vector<double> chebyshev(terms);
    for (std::size_t node = 0; node < terms; ++node) {
      const double angle = std::numbers::pi * (static_cast<double>(node) + 0.5) / static_cast<double>(terms);
      const double offset = (std::cos(angle) + 1) / 2;
      const double value = spread_value(shape, static_cast<double>(tap) - half + offset);
      for (std::size_t k = 0; k < terms; ++k)
        chebyshev[k] += value * std::cos(static_cast<double>(k) * angle) * (k == 0 ? 1.0 : 2.0) /
                        static_cast<double>(terms);
    }
    std::vector<double> before(terms, 0.0);  // T_{k−1}
    std::vector<double> current(terms, 0.0);
    before[0] = 1;
    current[1] = 1;
    coefficients_[tap] += chebyshev[0];
    for (std::size_t k = 1; k < terms; ++k) {
      for (std::size_t power = 0; power < terms; ++power)
        coefficients_[power * width_ + tap] += chebyshev[k] * current[power];
      std::vector<double> next(terms, 0.0);
      for (std::size_t power = 0; power < terms; ++power)
        next[power] = (power > 0 ? 2 * current[power - 1] : 0.0) - before[power];
      before = std::move(current);
      current = std::move(next);
    }
  }
}

template <class T>
void TapPolynomials::evaluate(double offset, T* taps) const {
  const double x = 2 * offset - 1;
  constexpr std::size_t kWidest = 16;
  double sums[kWidest];
  const double* row = coefficients_.data() + degree_ * width_;
  std::copy_n(row, width_, sums);
  for (std::size_t power = degree_; power-- > 0;) {
    row -= width_;
    for (std::size_t tap = 0; tap < width_; ++tap) sums[tap] = sums[tap] * x + row[tap];
  }
  for (std::size_t tap = 0; tap < width_; ++tap) taps[tap] = static_cast<T>(sums[tap]);
}
template void TapPolynomials::evaluate(double, float*) const;
template void TapPolynomials::evaluate(double, double*) const;

SpreadNodes spread_nodes(const SpreadShape& shape) {
  // φ and the number of nodes are even.
  const Quadrature q = quadrature_of(shape);
  SpreadNodes nodes;
  for (std::size_t node = 0; node < q.nodes.size(); ++node) {
    if (q.nodes[node] < 0) continue;
    nodes.places.push_back(q.nodes[node]);
    nodes.values.push_back(2 * q.weights[node]);
  }
  return nodes;
}

const SpreadNumbers& spread_numbers(const SpreadShape& shape) {
  static const std::vector<SpreadNumbers> numbers = [] {
    std::vector<SpreadNumbers> all;
    for (const SpreadShape& one : spread_shapes()) all.push_back(make_numbers(one));
    return all;
  }();
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const SpreadShape& one = spread_shapes()[k];
    if (one.width == shape.width && one.oversampling == shape.oversampling) return numbers[k];
  }
  throw Failure(ErrorCode::internal,
                "No numbers are stored for a spreading function outside spread_shapes().");
}

double spread_at(const SpreadShape& shape, double x) {
  const SpreadNodes& nodes = spread_numbers(shape).nodes;
  double sum = 0;
  for (std::size_t k = 0; k < nodes.places.size(); ++k)
    sum += nodes.values[k] * std::cos(2 * std::numbers::pi * x * nodes.places[k]);
  return sum;
}

std::vector<double> tap_transforms(const SpreadShape& shape, const std::vector<double>& frequencies) {
  std::vector<double> sums(frequencies.size());
  if (frequencies.empty()) return sums;
  const SpreadNumbers& numbers = spread_numbers(shape);
  // Nodes per cell, where cos(2πxz) goes through x periods; to find them takes a millisecond.
  static const Quadrature q = gauss_legendre(24 + std::size_t{4} * kHighestTapFrequency);
  const std::size_t width = shape.width;
  std::vector<double> taps(q.nodes.size() * width);
  for (std::size_t node = 0; node < q.nodes.size(); ++node)
    for (std::size_t tap = 0; tap < width; ++tap) {
      double sum = 0;
      for (std::size_t power = numbers.powers; power-- > 0;)
        sum = sum * q.nodes[node] + numbers.polynomials[power * width + tap];
      taps[node * width + tap] = q.weights[node] / 2 * sum;
    }
  // e^{2πixz} at z = (tap − w/2) + (1 + node)/2 is the product of a root for the tap and one for the node.
  std::vector<std::complex<double>> roots(width);
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    const double angle = 2 * std::numbers::pi * frequencies[k];
    for (std::size_t tap = 0; tap < width; ++tap)
      roots[tap] = std::polar(1.0, angle * (static_cast<double>(tap) - static_cast<double>(width) / 2));
    for (std::size_t node = 0; node < q.nodes.size(); ++node) {
      double re = 0;
      double im = 0;
      for (std::size_t tap = 0; tap < width; ++tap) {
        re += taps[node * width + tap] * roots[tap].real();
        im += taps[node * width + tap] * roots[tap].imag();
      }
      const double at = angle * (1 + q.nodes[node]) / 2;
      sums[k] += re * std::cos(at) - im * std::sin(at);
    }
  }
  return sums;
}

std::vector<double> spread_transform(const SpreadShape& shape, std::uint64_t fine, std::size_t count) {
  const Quadrature q = quadrature_of(shape);
  std::vector<double> sums(count, 0.0);
  constexpr std::size_t kAnchor = 256;  // rotations between exact values
  for (std::size_t node = 0; node < q.nodes.size(); ++node) {
    const double weight = q.weights[node];
    const double angle = 2 * std::numbers::pi * q.nodes[node] / static_cast<double>(fine);
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    for (std::size_t from = 0; from < count; from += kAnchor) {
      double re = weight * std::cos(angle * static_cast<double>(from));
      double im = weight * std::sin(angle * static_cast<double>(from));
      for (std::size_t k = from; k < std::min(count, from + kAnchor); ++k) {
        sums[k] += re;
        const double next = re * c - im * s;
        im = re * s + im * c;
        re = next;
      }
    }
  }
  return sums;
}

}  // namespace spyctrum
