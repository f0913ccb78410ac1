// SPDX-License-Identifier: Apache-2.0
// Conversion between rows or columns of values and lane format. Rows take a square transpose of `lanes`
// vectors, columns one split into even and odd values.
#include <utility>

#include "core/kernels/isa/fft_kernels.hpp"

namespace spyctrum::kernels {
namespace {

template <class T>
using V = Vector<T, kFftBytes>;

template <std::size_t step, class W, std::size_t... k>
inline void exchange(W& a, W& b, std::index_sequence<k...>) {
  constexpr std::size_t n = sizeof...(k);
  const W low = __builtin_shufflevector(a, b, ((k & step) != 0 ? n + k - step : k)...);
  const W high = __builtin_shufflevector(a, b, ((k & step) != 0 ? n + k : k + step)...);
  a = low;
  b = high;
}

template <std::size_t step, class W, std::size_t n>
inline void transpose_steps(W (&v)[n]) {
  for (std::size_t i = 0; i < n; ++i)
    if ((i & step) == 0) exchange<step>(v[i], v[i + step], std::make_index_sequence<n>());
  if constexpr (step > 1) transpose_steps<step / 2>(v);
}

/// n vectors of n lanes, transposed in place by exchanges of ever smaller blocks.
template <class W, std::size_t n>
inline void transpose(W (&v)[n]) {
  transpose_steps<n / 2>(v);
}

template <class T, std::size_t... k>
inline V<T> even_of(const V<T>& a, const V<T>& b, std::index_sequence<k...>) {
  return __builtin_shufflevector(a, b, (2 * k)...);
}
template <class T, std::size_t... k>
inline V<T> odd_of(const V<T>& a, const V<T>& b, std::index_sequence<k...>) {
  return __builtin_shufflevector(a, b, (2 * k + 1)...);
}
template <class T, std::size_t... k>
inline V<T> zip_low(const V<T>& a, const V<T>& b, std::index_sequence<k...>) {
  constexpr std::size_t n = sizeof...(k);
  return __builtin_shufflevector(a, b, (k / 2 + (k % 2) * n)...);
}
template <class T, std::size_t... k>
inline V<T> zip_high(const V<T>& a, const V<T>& b, std::index_sequence<k...>) {
  constexpr std::size_t n = sizeof...(k);
  return __builtin_shufflevector(a, b, (n / 2 + k / 2 + (k % 2) * n)...);
}

}  // namespace

template <class T>
void LayoutLoops<T>::rows_to_lanes(const Complex* rows, std::size_t stride, std::size_t count,
                                   std::size_t length, T* lanes) {
  constexpr std::size_t n = kFftLanes<T>;
  constexpr std::size_t elements = n / 2;  // complex values per vector
  const std::size_t whole = length / elements * elements;
  for (std::size_t k = 0; k < whole; k += elements) {
    V<T> v[n];
    for (std::size_t l = 0; l < n; ++l) v[l] = l < count ? load<V<T>>(rows + l * stride + k) : V<T>{};
    transpose(v);
    for (std::size_t l = 0; l < n; ++l) store(lanes + 2 * k * n + l * n, v[l]);
  }
  for (std::size_t k = whole; k < length; ++k)
    for (std::size_t l = 0; l < n; ++l) {
      lanes[2 * k * n + l] = l < count ? rows[l * stride + k].real() : T(0);
      lanes[(2 * k + 1) * n + l] = l < count ? rows[l * stride + k].imag() : T(0);
    }
}

template <class T>
void LayoutLoops<T>::lanes_to_rows(const T* lanes, std::size_t length, Complex* rows, std::size_t stride,
                                   std::size_t count) {
  constexpr std::size_t n = kFftLanes<T>;
  constexpr std::size_t elements = n / 2;
  const std::size_t whole = length / elements * elements;
  for (std::size_t k = 0; k < whole; k += elements) {
    V<T> v[n];
    for (std::size_t l = 0; l < n; ++l) v[l] = load<V<T>>(lanes + 2 * k * n + l * n);
    transpose(v);
    if (count == n) {
      for (std::size_t l = 0; l < n; ++l) store(rows + l * stride + k, v[l]);
    } else {
      for (std::size_t l = 0; l < count; ++l) store(rows + l * stride + k, v[l]);
    }
  }
  for (std::size_t k = whole; k < length; ++k)
    for (std::size_t l = 0; l < count; ++l)
      rows[l * stride + k] = {lanes[2 * k * n + l], lanes[(2 * k + 1) * n + l]};
}

template <class T>
void LayoutLoops<T>::real_rows_to_lanes(const T* rows, std::size_t stride, std::size_t count,
                                        std::size_t length, T* lanes) {
  constexpr std::size_t n = kFftLanes<T>;
  const std::size_t whole = length / n * n;
  for (std::size_t k = 0; k < whole; k += n) {
    V<T> v[n];
    for (std::size_t l = 0; l < n; ++l) v[l] = l < count ? load<V<T>>(rows + l * stride + k) : V<T>{};
    transpose(v);
    for (std::size_t l = 0; l < n; ++l) store(lanes + (k + l) * n, v[l]);
  }
  for (std::size_t k = whole; k < length; ++k)
    for (std::size_t l = 0; l < n; ++l) lanes[k * n + l] = l < count ? rows[l * stride + k] : T(0);
}

template <class T>
void LayoutLoops<T>::columns_to_lanes(const Complex* columns, std::size_t stride, std::size_t count,
                                      std::size_t length, T* lanes) {
  constexpr std::size_t n = kFftLanes<T>;
  constexpr auto k_all = std::make_index_sequence<n>();
  for (std::size_t k = 0; k < length; ++k) {
    const Complex* from = columns + k * stride;
    V<T> a{};
    V<T> b{};
    if (count == n) {
      a = load<V<T>>(from);
      b = load<V<T>>(from + n / 2);
    } else {
      T part[2 * n] = {};
      std::memcpy(part, from, count * sizeof(Complex));
      a = load<V<T>>(part);
      b = load<V<T>>(part + n);
    }
    store(lanes + 2 * k * n, even_of<T>(a, b, k_all));
    store(lanes + (2 * k + 1) * n, odd_of<T>(a, b, k_all));
  }
}

template <class T>
void LayoutLoops<T>::lanes_to_columns(const T* lanes, std::size_t length, Complex* columns,
                                      std::size_t stride, std::size_t count) {
  constexpr std::size_t n = kFftLanes<T>;
  constexpr auto k_all = std::make_index_sequence<n>();
  for (std::size_t k = 0; k < length; ++k) {
    const V<T> re = load<V<T>>(lanes + 2 * k * n);
    const V<T> im = load<V<T>>(lanes + (2 * k + 1) * n);
    T part[2 * n];
    Complex* to = columns + k * stride;
    T* direct = count == n ? reinterpret_cast<T*>(to) : part;
    store(direct, zip_low<T>(re, im, k_all));
    store(direct + n, zip_high<T>(re, im, k_all));
    if (count != n) std::memcpy(static_cast<void*>(to), part, count * sizeof(Complex));
  }
}

template <class T>
void LayoutLoops<T>::lanes_to_scaled_columns(const T* lanes, std::size_t length, std::complex<float>* columns,
                                             std::size_t stride, std::size_t count, const T* row_factors,
                                             const T* column_factors) {
  constexpr std::size_t n = kFftLanes<T>;
  T padded[n] = {};
  std::copy_n(column_factors, count, padded);
  const V<T> factors = load<V<T>>(padded);
  constexpr auto k_all = std::make_index_sequence<n>();
  for (std::size_t k = 0; k < length; ++k) {
    const V<T> factor = factors * row_factors[k];
    const V<T> re = load<V<T>>(lanes + 2 * k * n) * factor;
    const V<T> im = load<V<T>>(lanes + (2 * k + 1) * n) * factor;
    T part[2 * n];
    store(part, zip_low<T>(re, im, k_all));
    store(part + n, zip_high<T>(re, im, k_all));
    auto* to = reinterpret_cast<float*>(columns + k * stride);
    if constexpr (sizeof(T) == sizeof(float)) {
      if (count == n) {
        std::memcpy(to, part, sizeof part);
        continue;
      }
    }
    for (std::size_t l = 0; l < 2 * count; ++l) to[l] = static_cast<float>(part[l]);
  }
}

template struct LayoutLoops<float>;
template struct LayoutLoops<double>;

}  // namespace spyctrum::kernels
