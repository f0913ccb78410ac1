// SPDX-License-Identifier: Apache-2.0
// Weighted sums of elements in lane format: a few outputs at a time share the loads of the inputs. Terms are
// added in pieces of kPiece, so that rounding does not grow with the number of all terms.
#include <algorithm>

#include "core/kernels/isa/fft_kernels.hpp"
#include "core/kernels/isa/kernels.hpp"

namespace spyctrum::kernels {
namespace {

constexpr std::size_t kL = kFftLanes<float>;
constexpr std::size_t kPiece = 128;
using V = Vector<float, kFftBytes>;

template <std::size_t rows>
void combine(const LaneCombination& sums, float* output) {
  V re[rows] = {};
  V im[rows] = {};
  for (std::size_t begin = 0; begin < sums.count; begin += kPiece) {
    const std::size_t end = std::min(sums.count, begin + kPiece);
    V part_re[rows] = {};
    V part_im[rows] = {};
    for (std::size_t k = begin; k < end; ++k) {
      const V x = load<V>(sums.input + k * sums.stride);
      const V y = load<V>(sums.input + k * sums.stride + kL);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::complex<float> w = sums.weights[r * sums.weight_stride + k];
        part_re[r] += x * w.real() - y * w.imag();
        part_im[r] += x * w.imag() + y * w.real();
      }
    }
    for (std::size_t r = 0; r < rows; ++r) {
      re[r] += part_re[r];
      im[r] += part_im[r];
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    store(output + 2 * r * kL, re[r]);
    store(output + (2 * r + 1) * kL, im[r]);
  }
}

/// Adds Σ_{k < count} weights[k] times element k from `begin` on to one cell.
inline void add_values(const float* begin, const float* weights, std::size_t count, V& re, V& im) {
  for (std::size_t k = 0; k < count; ++k) {
    const V w = V{} + weights[k];
    re += load<V>(begin + 2 * k * kL) * w;
    im += load<V>(begin + (2 * k + 1) * kL) * w;
  }
}

}  // namespace

void resample_lanes(const LaneResampling& how, float* output) {
  const float* weights = how.weights;
  for (std::size_t c = 0; c < how.cells; ++c) {
    const std::size_t first = how.first[c];
    const std::size_t unwrapped = std::min(how.taps, how.count - first);
    V re = {};
    V im = {};
    add_values(how.values + 2 * first * kL, weights, unwrapped, re, im);
    add_values(how.values, weights + unwrapped, how.taps - unwrapped, re, im);
    store(output + 2 * c * kL, re);
    store(output + (2 * c + 1) * kL, im);
    weights += how.taps;
  }
}

void combine_lanes(const LaneCombination& sums, std::size_t rows, float* output) {
  static_assert(kMostCombined == 4);
  if (rows == 1) return combine<1>(sums, output);
  if (rows == 2) return combine<2>(sums, output);
  if (rows == 3) return combine<3>(sums, output);
  combine<4>(sums, output);
}

}  // namespace spyctrum::kernels
