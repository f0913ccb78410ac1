// SPDX-License-Identifier: Apache-2.0
// The inner sums of BS-FFT in lane format: lanes are consecutive frequencies, a
// column's sums stay in registers while its nonzeros are read once. Per term two
// additions and one complex rotation, no sine, no gather.
#include <algorithm>

#include "core/kernels/isa/fft_kernels.hpp"
#include "core/kernels/isa/kernels.hpp"

namespace spyctrum::kernels {
namespace {

constexpr std::size_t kL = kFftLanes<float>;
using V = Vector<float, kFftBytes>;

template <std::size_t blocks>
inline void add_term(const InnerSums& sums, std::uint32_t slot, V (&re)[blocks], V (&im)[blocks]) {
  const float* rotation = sums.rotations + 2 * kL * slot;
  const float* phase = sums.phases + std::size_t{4} * slot;
  const V rotation_re = load<V>(rotation);
  const V rotation_im = load<V>(rotation + kL);
  V zr = rotation_re * phase[0] - rotation_im * phase[1];
  V zi = rotation_re * phase[1] + rotation_im * phase[0];
  for (std::size_t b = 0; b < blocks; ++b) {
    re[b] += zr;
    im[b] += zi;
    if (b + 1 < blocks) {
      const V next = zr * phase[2] - zi * phase[3];
      zi = zr * phase[3] + zi * phase[2];
      zr = next;
    }
  }
}

inline void add_rotation(const InnerSums& sums, std::uint32_t slot, V& re, V& im) {
  re += load<V>(sums.rotations + 2 * kL * slot);
  im += load<V>(sums.rotations + 2 * kL * slot + kL);
}

template <std::size_t blocks, bool with_phases>
void sum_columns(const InnerSums& sums, float* const* output) {
  constexpr std::int64_t kAhead = 12;  // nonzeros
  const std::int64_t last = sums.column_starts[sums.columns] - 1;
  std::uint64_t next = sums.column_begin;
  const auto fill_to = [&](std::uint64_t column) {
    for (std::size_t b = 0; b < blocks; ++b)
      std::memset(output[b] + 2 * kL * (next - sums.column_begin), 0,
                  2 * kL * sizeof(float) * (column - next));
  };
  for (std::size_t k = 0; k < sums.columns; ++k) {
    V re[blocks] = {};
    V im[blocks] = {};
    for (std::int64_t t = sums.column_starts[k]; t < sums.column_starts[k + 1]; ++t) {
      // The tables outgrow the nearer caches and are read in no order.
      const std::size_t ahead = sums.slots[std::min(t + kAhead, last)];
      __builtin_prefetch(sums.rotations + 2 * kL * ahead);
      if constexpr (with_phases) __builtin_prefetch(sums.phases + 4 * ahead);
      if constexpr (with_phases)
        add_term<blocks>(sums, sums.slots[t], re, im);
      else
        add_rotation(sums, sums.slots[t], re[0], im[0]);
    }
    const std::uint64_t column = sums.column_ids[k];
    fill_to(column);
    for (std::size_t b = 0; b < blocks; ++b) {
      float* to = output[b] + 2 * kL * (column - sums.column_begin);
      store(to, re[b]);
      store(to + kL, im[b]);
    }
    next = column + 1;
  }
  fill_to(sums.column_end);
}

}  // namespace

void inner_sums(const InnerSums& sums, std::size_t blocks, float* const* output) {
  if (sums.phases == nullptr) return sum_columns<1, false>(sums, output);
  switch (blocks) {
    case 1:
      return sum_columns<1, true>(sums, output);
    case 2:
      return sum_columns<2, true>(sums, output);
    case 3:
      return sum_columns<3, true>(sums, output);
    default:
      return sum_columns<4, true>(sums, output);
  }
}

void scale_lanes(float* buffer, const std::complex<float>* factors, std::size_t count, bool conjugate) {
  const float sign = conjugate ? -1.0F : 1.0F;
  for (std::size_t k = 0; k < count; ++k) {
    float* at = buffer + 2 * kL * k;
    const V re = load<V>(at);
    const V im = load<V>(at + kL);
    const float fr = factors[k].real();
    const float fi = sign * factors[k].imag();
    store(at, re * fr - im * fi);
    store(at + kL, re * fi + im * fr);
  }
}

}  // namespace spyctrum::kernels
