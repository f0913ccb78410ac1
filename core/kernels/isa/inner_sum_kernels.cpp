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

/// Nonzeros between a fetch and its use: the tables outgrow the nearer caches and are read in no order.
constexpr std::int64_t kAhead = 12;

/// x times the weight of nonzero t; for `weighted` false x, and no weight is read.
template <bool weighted>
inline float times_weight(const InnerSums& sums, std::int64_t t, float x) {
  if constexpr (weighted) return x * sums.weights[t];
  return x;
}

template <std::size_t blocks, bool weighted>
inline void add_term(const InnerSums& sums, std::int64_t t, std::uint32_t slot, V (&re)[blocks],
                     V (&im)[blocks]) {
  const float* rotation = sums.rotations + 2 * kL * slot;
  const float* phase = sums.phases + std::size_t{4} * slot;
  const V rotation_re = load<V>(rotation);
  const V rotation_im = load<V>(rotation + kL);
  const float phase_re = times_weight<weighted>(sums, t, phase[0]);
  const float phase_im = times_weight<weighted>(sums, t, phase[1]);
  V zr = rotation_re * phase_re - rotation_im * phase_im;
  V zi = rotation_re * phase_im + rotation_im * phase_re;
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

template <bool weighted>
inline void add_rotation(const InnerSums& sums, std::int64_t t, std::uint32_t slot, V& re, V& im) {
  if constexpr (weighted) {
    re += load<V>(sums.rotations + 2 * kL * slot) * sums.weights[t];
    im += load<V>(sums.rotations + 2 * kL * slot + kL) * sums.weights[t];
  } else {
    re += load<V>(sums.rotations + 2 * kL * slot);
    im += load<V>(sums.rotations + 2 * kL * slot + kL);
  }
}

/// A sum of complex terms, one of each lane.
struct Sum {
  V re = {};
  V im = {};
  void add(V real, V imaginary) {
    re += real;
    im += imaginary;
  }
  void store_to(float* to) const {
    store(to, re);
    store(to + kL, im);
  }
};

/// The four real sums from which both Σ a·b and Σ a·conj(b) follow, for complex factors a and b.
struct Pair {
  V rr = {};
  V ii = {};
  V ri = {};
  V ir = {};
  void add(V re, V im, const float* factor) {
    rr += re * factor[0];
    ii += im * factor[1];
    ri += re * factor[1];
    ir += im * factor[0];
  }
  void add_product_to(Sum& sum) const { sum.add(rr - ii, ri + ir); }
  void add_conjugate_product_to(Sum& sum) const { sum.add(rr + ii, ir - ri); }
};

/// Calls place(column) for the occupied columns and writes zeros for the empty ones between them.
template <class Place>
void for_each_column(const InnerSums& sums, std::size_t blocks, float* const* output, Place&& place) {
  std::uint64_t next = sums.column_begin;
  const auto fill_to = [&](std::uint64_t column) {
    if (column == next) return;
    for (std::size_t b = 0; b < blocks; ++b)
      std::memset(output[b] + 2 * kL * (next - sums.column_begin), 0,
                  2 * kL * sizeof(float) * (column - next));
  };
  for (std::size_t k = 0; k < sums.columns; ++k) {
    fill_to(sums.column_ids[k]);
    place(k, 2 * kL * (sums.column_ids[k] - sums.column_begin));
    next = std::uint64_t{sums.column_ids[k]} + 1;
  }
  fill_to(sums.column_end);
}

/// Nonzeros of a column after which the four sums of a Pair are combined: each of the four grows with the
/// number of terms even where their combination cancels, and would lose digits.
constexpr std::int64_t kPiece = 64;

/// Four blocks of frequencies: each term is rotated once to their middle frequency; the blocks lie in pairs
/// symmetrically about it, so that one product serves two of them by conjugation.
template <bool weighted>
void sum_columns_about_middle(const InnerSums& sums, float* const* output) {
  const std::int64_t last = sums.column_starts[sums.columns] - 1;
  for_each_column(sums, 4, output, [&](std::size_t k, std::size_t at) {
    Sum total[4];
    const std::int64_t end = sums.column_starts[k + 1];
    for (std::int64_t piece = sums.column_starts[k]; piece < end; piece += kPiece) {
      Pair near;
      Pair far;
      const std::int64_t piece_end = std::min(piece + kPiece, end);
      for (std::int64_t t = piece; t < piece_end; ++t) {
        const std::size_t ahead = sums.slots[std::min(t + kAhead, last)];
        __builtin_prefetch(sums.rotations + 2 * kL * ahead);
        __builtin_prefetch(sums.phases + kMiddlePhases * ahead);
        const float* rotation = sums.rotations + 2 * kL * sums.slots[t];
        const float* phase = sums.phases + kMiddlePhases * sums.slots[t];
        const V rotation_re = load<V>(rotation);
        const V rotation_im = load<V>(rotation + kL);
        const float phase_re = times_weight<weighted>(sums, t, phase[0]);
        const float phase_im = times_weight<weighted>(sums, t, phase[1]);
        const V re = rotation_re * phase_re - rotation_im * phase_im;
        const V im = rotation_re * phase_im + rotation_im * phase_re;
        near.add(re, im, phase + 2);
        far.add(re, im, phase + 4);
      }
      far.add_conjugate_product_to(total[0]);
      near.add_conjugate_product_to(total[1]);
      near.add_product_to(total[2]);
      far.add_product_to(total[3]);
    }
    for (std::size_t b = 0; b < 4; ++b) total[b].store_to(output[b] + at);
  });
}

template <std::size_t blocks, bool with_phases, bool weighted>
void sum_columns(const InnerSums& sums, float* const* output) {
  const std::int64_t last = sums.column_starts[sums.columns] - 1;
  for_each_column(sums, blocks, output, [&](std::size_t k, std::size_t at) {
    V re[blocks] = {};
    V im[blocks] = {};
    for (std::int64_t t = sums.column_starts[k]; t < sums.column_starts[k + 1]; ++t) {
      const std::size_t ahead = sums.slots[std::min(t + kAhead, last)];
      __builtin_prefetch(sums.rotations + 2 * kL * ahead);
      if constexpr (with_phases) __builtin_prefetch(sums.phases + 4 * ahead);
      if constexpr (with_phases)
        add_term<blocks, weighted>(sums, t, sums.slots[t], re, im);
      else
        add_rotation<weighted>(sums, t, sums.slots[t], re[0], im[0]);
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      store(output[b] + at, re[b]);
      store(output[b] + at + kL, im[b]);
    }
  });
}

template <bool weighted>
void sum_blocks(const InnerSums& sums, std::size_t blocks, float* const* output) {
  if (sums.phases == nullptr) return sum_columns<1, false, weighted>(sums, output);
  switch (blocks) {
    case 1:
      return sum_columns<1, true, weighted>(sums, output);
    case 2:
      return sum_columns<2, true, weighted>(sums, output);
    case 3:
      return sum_columns<3, true, weighted>(sums, output);
    default:
      return sum_columns_about_middle<weighted>(sums, output);
  }
}

/// A function of its own, so that the code of patterns lies together as without weights.
[[gnu::noinline]] void sum_weighted(const InnerSums& sums, std::size_t blocks, float* const* output) {
  sum_blocks<true>(sums, blocks, output);
}

}  // namespace

void inner_sums(const InnerSums& sums, std::size_t blocks, float* const* output) {
  if (sums.weights != nullptr) return sum_weighted(sums, blocks, output);
  sum_blocks<false>(sums, blocks, output);
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
