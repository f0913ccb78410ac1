// SPDX-License-Identifier: Apache-2.0
// A call of cuFINUFFT's guru interface (cufinufft.h, version 2): the programs find and open the library, the
// module owns the device memory.
#pragma once

#include <complex>
#include <cstdint>

namespace spyctrum::cuda {

/// Functions return 0, 1 (a warning about the tolerance) or an error. Arrays are on the device; null
/// `options` stand for the library's defaults, on device 0.
template <class T>
struct NufftCalls {
  using Plan = void*;
  int (*make_plan)(int type, int dim, const std::int64_t* modes, int sign, int transforms, T tolerance,
                   Plan* plan, void* options) = nullptr;
  int (*set_points)(Plan plan, std::int64_t sources, T* x, T* y, T* z, int targets, T* s, T* t,
                    T* u) = nullptr;
  int (*execute)(Plan plan, std::complex<T>* strengths, std::complex<T>* result) = nullptr;
  int (*destroy)(Plan plan) = nullptr;
};

/// A forward transform in two dimensions: copies points and strengths to the device, calls cuFINUFFT, and
/// copies the result back. Arrays belong to the host.
template <class T>
struct NufftTask {
  static constexpr const char* kName = sizeof(T) == sizeof(float) ? "nufft, single" : "nufft, double";
  NufftCalls<T> calls;
  int type = 1;             ///< 1: `modes`; 3: `targets`
  std::int64_t modes[2]{};  ///< the first coordinate runs fastest
  T tolerance = 0;
  std::uint64_t sources = 0;
  const T* x = nullptr;                        ///< [sources]
  const T* y = nullptr;                        ///< [sources]
  const std::complex<T>* strengths = nullptr;  ///< [sources]
  std::uint64_t targets = 0;
  const T* s = nullptr;  ///< [targets]
  const T* t = nullptr;  ///< [targets]
  std::uint64_t results = 0;
  std::complex<T>* result = nullptr;  ///< [results]
  /// receives the library's error code, 0 for none; on an error the result is not written
  int* code = nullptr;
  std::uint64_t library_bytes = 0;  ///< bytes that the library is expected to allocate itself
};

}  // namespace spyctrum::cuda
