// SPDX-License-Identifier: Apache-2.0
// Spreading for the type-1 NUFFT of the lattice engine: adds value × row tap × column taps to `row_taps`
// pieces of grid rows, multiplied by the point's weight if there are weights. Taps belong to the rows and
// columns of the pattern, not to points, so none is evaluated here. The products of the value and the column
// taps stay in registers during the loop over the rows.
#include "core/kernels/isa/fft_kernels.hpp"

namespace spyctrum::kernels {
namespace {

template <class T>
inline std::complex<T> value_of(const Spread<T>& to, std::uint32_t row, std::uint32_t column) {
  const std::complex<T> a = to.row_phase[row];
  const std::complex<T> b = to.column_phase[column];
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// The same times weight k; if not `weighted`, no weight is read.
template <bool weighted, class T>
inline std::complex<T> value_of(const Spread<T>& to, std::uint32_t row, std::uint32_t column,
                                const float* weights, std::size_t k) {
  const std::complex<T> value = value_of(to, row, column);
  if constexpr (weighted) return value * static_cast<T>(weights[k]);
  return value;
}

/// (re, im, re, im, …)
template <class T>
inline Vector<T> repeated(std::complex<T> value) {
  Vector<T> v;
  for (std::size_t k = 0; k < kLanes<Vector<T>, T>; ++k) v[k] = k % 2 == 0 ? value.real() : value.imag();
  return v;
}

/// Column taps in `vectors` registers.
template <class T, std::size_t vectors, bool weighted>
void spread_points(const Spread<T>& to, const std::uint64_t* points, std::size_t count,
                   const float* weights) {
  using V = Vector<T>;
  constexpr std::size_t n = kLanes<V, T>;
  for (std::size_t k = 0; k < count; ++k) {
    const auto row = static_cast<std::uint32_t>(points[k]);
    const auto column = static_cast<std::uint32_t>(points[k] >> 32);
    const V value = repeated<T>(value_of<weighted>(to, row, column, weights, k));
    const T* column_weights = to.column_weights + vectors * n * column;
    V taps[vectors];
    for (std::size_t q = 0; q < vectors; ++q) taps[q] = load<V>(column_weights + q * n) * value;
    const T* row_weights = to.row_weights + to.row_taps * row;
    T* cells = reinterpret_cast<T*>(to.grid + to.stride * to.row_start[row] + to.column_start[column]);
    for (std::size_t a = 0; a < to.row_taps; ++a) {
      for (std::size_t q = 0; q < vectors; ++q)
        store(cells + q * n, load<V>(cells + q * n) + taps[q] * row_weights[a]);
      cells += 2 * to.stride;
    }
  }
}

/// One cell per row tap.
template <class T, bool weighted>
void fold_points(const Spread<T>& to, const std::uint64_t* points, std::size_t count, const float* weights) {
  for (std::size_t k = 0; k < count; ++k) {
    const auto row = static_cast<std::uint32_t>(points[k]);
    const auto column = static_cast<std::uint32_t>(points[k] >> 32);
    const std::complex<T> value = value_of<weighted>(to, row, column, weights, k);
    const T* row_weights = to.row_weights + to.row_taps * row;
    std::complex<T>* cell = to.grid + to.stride * to.row_start[row] + to.column_start[column];
    for (std::size_t a = 0; a < to.row_taps; ++a, cell += to.stride) *cell += value * row_weights[a];
  }
}

/// Any number of vectors, for instruction sets with short ones.
template <class T, bool weighted>
void spread_wide(const Spread<T>& to, const std::uint64_t* points, std::size_t count, const float* weights) {
  using V = Vector<T>;
  constexpr std::size_t n = kLanes<V, T>;
  for (std::size_t k = 0; k < count; ++k) {
    const auto row = static_cast<std::uint32_t>(points[k]);
    const auto column = static_cast<std::uint32_t>(points[k] >> 32);
    const V value = repeated<T>(value_of<weighted>(to, row, column, weights, k));
    const T* column_weights = to.column_weights + to.column_values * column;
    const T* row_weights = to.row_weights + to.row_taps * row;
    T* cells = reinterpret_cast<T*>(to.grid + to.stride * to.row_start[row] + to.column_start[column]);
    for (std::size_t a = 0; a < to.row_taps; ++a, cells += 2 * to.stride)
      for (std::size_t q = 0; q < to.column_values; q += n)
        store(cells + q, load<V>(cells + q) + load<V>(column_weights + q) * (value * row_weights[a]));
  }
}

/// Chooses the function by the number of column taps: for up to six vectors of column values there is a loop
/// that is compiled for their number.
template <class T, bool weighted, std::size_t vectors = 0>
void spread_all(const Spread<T>& to, const std::uint64_t* points, std::size_t count, const float* weights) {
  if constexpr (vectors > 6)
    spread_wide<T, weighted>(to, points, count, weights);
  else if (to.column_values / kLanes<Vector<T>, T> != vectors)
    spread_all<T, weighted, vectors + 1>(to, points, count, weights);
  else if constexpr (vectors == 0)
    fold_points<T, weighted>(to, points, count, weights);
  else
    spread_points<T, vectors, weighted>(to, points, count, weights);
}

/// A separate function, so that the code for patterns stays small.
template <class T>
[[gnu::noinline]] void spread_weighted(const Spread<T>& to, const std::uint64_t* points, std::size_t count,
                                       const float* weights) {
  spread_all<T, true>(to, points, count, weights);
}

}  // namespace

template <class T>
void spread(const Spread<T>& to, const std::uint64_t* points, std::size_t count, const float* weights) {
  if (weights != nullptr) return spread_weighted<T>(to, points, count, weights);
  spread_all<T, false>(to, points, count, nullptr);
}

template void spread(const Spread<float>&, const std::uint64_t*, std::size_t, const float*);
template void spread(const Spread<double>&, const std::uint64_t*, std::size_t, const float*);

}  // namespace spyctrum::kernels
