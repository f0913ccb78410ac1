// SPDX-License-Identifier: Apache-2.0
// The inner sums of the BS-FFT paper in lane format. Lanes are consecutive frequencies; the sums of a column
// stay in registers while its entries are read once. A term takes two additions and one complex rotation: no
// sine, no gather.
#include <algorithm>

#include "core/kernels/isa/fft_kernels.hpp"
#include "core/kernels/isa/kernels.hpp"

namespace spyctrum::kernels {
namespace {

constexpr std::size_t kL = kFftLanes<float>;
using V = Vector<float, kFftBytes>;

/// Prefetch distance in entries: the tables are larger than the L1 and L2 caches and are read at scattered
/// places.
constexpr std::int64_t kAhead = 12;

/// x times the weight of entry t; if not `weighted`, x, without reading a weight.
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

/// A complex sum in each lane.
struct Sum {
  V re = {};
  V im = {};
  void add(const Sum& other) {
    re += other.re;
    im += other.im;
  }
  void store_to(float* to) const {
    store(to, re);
    store(to + kL, im);
  }
};

/// The sum of a long column's groups, and the rounding errors of its additions (D. Knuth, The Art of Computer
/// Programming 2, 4.2.2, theorem B). Near u = 0 the terms have similar phases, so the sum grows with their
/// number; without this it would lose digits that matter when other columns cancel it.
struct LongSum {
  Sum sum, lost;
  void add(const Sum& group) {
    lost.re += add_to(sum.re, group.re);
    lost.im += add_to(sum.im, group.im);
  }
  [[nodiscard]] Sum value() const { return {sum.re + lost.re, sum.im + lost.im}; }

 private:
  /// Adds `term` to `sum` and returns the rounding error of the addition.
  static V add_to(V& sum, V term) {
    const V total = sum + term;
    const V added = total - sum;
    const V lost = (sum - (total - added)) + (term - added);
    sum = total;
    return lost;
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
  [[nodiscard]] Sum product() const { return {rr - ii, ri + ir}; }
  [[nodiscard]] Sum conjugate_product() const { return {rr + ii, ir - ri}; }
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

/// After this many entries of a column the four sums of a Pair are combined. Each grows with the number of
/// terms even if their combination cancels, and would lose digits.
constexpr std::int64_t kPiece = 64;
/// Up to this many entries of a column, pieces are added without compensation; such groups are added with
/// it.
constexpr std::int64_t kGroup = 4 * kPiece;

/// Writes the sums of every column. sum_piece(begin, end, sums) sums the entries begin … end−1, at most
/// kPiece, of one column for each block.
template <std::size_t blocks, class SumPiece>
void sum_columns_in_pieces(const InnerSums& sums, float* const* output, SumPiece&& sum_piece) {
  const auto sum_group = [&](std::int64_t begin, std::int64_t end, Sum(&group)[blocks]) {
    sum_piece(begin, std::min(begin + kPiece, end), group);
    for (std::int64_t from = begin + kPiece; from < end; from += kPiece) {
      Sum piece[blocks];
      sum_piece(from, std::min(from + kPiece, end), piece);
      for (std::size_t b = 0; b < blocks; ++b) group[b].add(piece[b]);
    }
  };
  for_each_column(sums, blocks, output, [&](std::size_t k, std::size_t at) {
    const std::int64_t begin = sums.column_starts[k];
    const std::int64_t end = sums.column_starts[k + 1];
    Sum column[blocks];
    sum_group(begin, std::min(begin + kGroup, end), column);
    if (end - begin > kGroup) {
      LongSum total[blocks];
      for (std::size_t b = 0; b < blocks; ++b) total[b].sum = column[b];
      for (std::int64_t from = begin + kGroup; from < end; from += kGroup) {
        Sum group[blocks];
        sum_group(from, std::min(from + kGroup, end), group);
        for (std::size_t b = 0; b < blocks; ++b) total[b].add(group[b]);
      }
      for (std::size_t b = 0; b < blocks; ++b) column[b] = total[b].value();
    }
    for (std::size_t b = 0; b < blocks; ++b) column[b].store_to(output[b] + at);
  });
}

/// Four blocks of frequencies. Each term is rotated once, to their middle frequency; the blocks lie
/// symmetrically about it in pairs, so that one product serves two blocks by conjugation.
template <bool weighted>
void sum_columns_about_middle(const InnerSums& sums, float* const* output) {
  const std::int64_t last = sums.column_starts[sums.columns] - 1;
  sum_columns_in_pieces<4>(sums, output, [&](std::int64_t begin, std::int64_t end, Sum(&piece)[4]) {
    Pair near;
    Pair far;
    for (std::int64_t t = begin; t < end; ++t) {
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
    piece[0] = far.conjugate_product();
    piece[1] = near.conjugate_product();
    piece[2] = near.product();
    piece[3] = far.product();
  });
}

template <std::size_t blocks, bool with_phases, bool weighted>
void sum_columns(const InnerSums& sums, float* const* output) {
  const std::int64_t last = sums.column_starts[sums.columns] - 1;
  sum_columns_in_pieces<blocks>(sums, output, [&](std::int64_t begin, std::int64_t end, Sum(&piece)[blocks]) {
    V re[blocks] = {};
    V im[blocks] = {};
    for (std::int64_t t = begin; t < end; ++t) {
      const std::size_t ahead = sums.slots[std::min(t + kAhead, last)];
      __builtin_prefetch(sums.rotations + 2 * kL * ahead);
      if constexpr (with_phases) __builtin_prefetch(sums.phases + 4 * ahead);
      if constexpr (with_phases)
        add_term<blocks, weighted>(sums, t, sums.slots[t], re, im);
      else
        add_rotation<weighted>(sums, t, sums.slots[t], re[0], im[0]);
    }
    for (std::size_t b = 0; b < blocks; ++b) piece[b] = {re[b], im[b]};
  });
}

template <bool weighted>
void sum_blocks(const InnerSums& sums, std::size_t blocks, float* const* output) {
  if (sums.phases == nullptr) return sum_columns<1, false, weighted>(sums, output);
  if (blocks == 1) return sum_columns<1, true, weighted>(sums, output);
  if (blocks == 2) return sum_columns<2, true, weighted>(sums, output);
  if (blocks == 3) return sum_columns<3, true, weighted>(sums, output);
  sum_columns_about_middle<weighted>(sums, output);
}

/// A separate function, so that the code for patterns stays small.
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
