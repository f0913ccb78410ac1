// SPDX-License-Identifier: Apache-2.0
// The shared libraries FINUFFT (Barnett, Magland, af Klinteberg, SISC 41(5) 2019) and, on CUDA, cuFINUFFT
// (Shih, Wright, Andén, Blaschke, Barnett 2021), opened at run time: the programs do not link them and start
// without them. Prototypes are those of the guru interface since version 2 (finufft.h); all options but the
// number of threads and the warnings have the library's defaults.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/device/interface/nufft.hpp"

namespace spyctrum {

/// The guru interface in one precision. Functions return 0, 1 (a warning about the tolerance) or an error
/// code.
template <class T>
struct FinufftCalls {
  using Plan = void*;
  int (*make_plan)(int type, int dim, const std::int64_t* modes, int sign, int transforms, T tolerance,
                   Plan* plan, void* options) = nullptr;
  int (*set_points)(Plan plan, std::int64_t sources, const T* x, const T* y, const T* z, std::int64_t targets,
                    const T* s, const T* t, const T* u) = nullptr;
  int (*execute)(Plan plan, std::complex<T>* strengths, std::complex<T>* result) = nullptr;
  int (*destroy)(Plan plan) = nullptr;
  void (*default_options)(void* options) = nullptr;
};

/// A library whose guru interface is `Calls`, as it was found and opened.
template <template <class> class Calls>
struct NufftLibrary {
  std::string path;    ///< where it was found; empty where it was not
  std::string reason;  ///< what is missing and what to install
  Calls<float> f;
  Calls<double> d;
  [[nodiscard]] bool available() const { return reason.empty(); }
  template <class T>
  [[nodiscard]] const Calls<T>& calls() const {
    if constexpr (std::is_same_v<T, float>)
      return f;
    else
      return d;
  }
};
using FinufftLibrary = NufftLibrary<FinufftCalls>;
using CufinufftLibrary = NufftLibrary<cuda::NufftCalls>;

/// The library, searched for once: if SPYCTRUM_FINUFFT is set, only the file or folder that it names; else
/// libfinufft.so where the dynamic loader finds it, then what pip installs (finufft/libfinufft.so) in the
/// active virtual environment and in the user's and the system's Python folders.
[[nodiscard]] const FinufftLibrary& finufft_library();

/// cuFINUFFT, searched for in the same way: SPYCTRUM_CUFINUFFT, libcufinufft.so, pip's cufinufft folder.
[[nodiscard]] const CufinufftLibrary& cufinufft_library();

/// What an error code of either library means, in words.
[[nodiscard]] std::string finufft_error_text(int code);

}  // namespace spyctrum
