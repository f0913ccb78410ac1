// SPDX-License-Identifier: Apache-2.0
// Declarations of the FFT and layout loops of one instruction set; they are documented in
// core/kernels/kernel_table.hpp. Internal to core/kernels/isa.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>

#include "core/kernels/isa/vector.hpp"
#include "core/kernels/kernel_table.hpp"

namespace spyctrum::kernels {

/// DUCC0 has no vectors wider than 32 bytes.
constexpr std::size_t kFftBytes = std::min<std::size_t>(kVectorBytes, 32);
template <class T>
constexpr std::size_t kFftLanes = kFftBytes / sizeof(T);

template <class T>
struct FftLoops {
  static FftPlan* plan(std::size_t length);
  static FftPlan* real_plan(std::size_t length);
  static T* fft_lanes(const FftPlan* plan, T* buffer, T* work, bool forward);
  static void fft_single(const FftPlan* plan, std::complex<T>* data, T* work, bool forward);
  static void rfft_lanes(const FftPlan* plan, T* buffer, T* output, T* work);
};

template <class T>
struct LayoutLoops {
  using Complex = std::complex<T>;
  static void rows_to_lanes(const Complex* rows, std::size_t stride, std::size_t count, std::size_t length,
                            T* lanes);
  static void lanes_to_rows(const T* lanes, std::size_t length, Complex* rows, std::size_t stride,
                            std::size_t count);
  static void real_rows_to_lanes(const T* rows, std::size_t stride, std::size_t count, std::size_t length,
                                 T* lanes);
  static void columns_to_lanes(const Complex* columns, std::size_t stride, std::size_t count,
                               std::size_t length, T* lanes);
  static void lanes_to_columns(const T* lanes, std::size_t length, Complex* columns, std::size_t stride,
                               std::size_t count);
  static void lanes_to_scaled_columns(const T* lanes, std::size_t length, std::complex<float>* columns,
                                      std::size_t stride, std::size_t count, const T* row_factors,
                                      const T* column_factors);
};

template <class T>
void spread(const Spread<T>& to, const std::uint64_t* points, std::size_t count, const float* weights);

extern template struct FftLoops<float>;
extern template struct FftLoops<double>;
extern template struct LayoutLoops<float>;
extern template struct LayoutLoops<double>;

}  // namespace spyctrum::kernels
