// SPDX-License-Identifier: Apache-2.0
// Calls DUCC0's type-1 transform (nu2u).
#include "tests/bench/ducc0_nufft.hpp"

#include <complex>

#include "ducc0/nufft/nufft.h"

[[gnu::visibility("default")]] void ducc0_type1(std::size_t points, const double* places,
                                                const float* strengths, std::size_t rows, std::size_t cols,
                                                double tolerance, std::size_t threads, float* values) {
  using Complex = std::complex<float>;
  const ducc0::cmav<double, 2> coordinates(places, {points, 2});
  const ducc0::cmav<Complex, 1> sources(reinterpret_cast<const Complex*>(strengths), {points});
  const ducc0::vfmav<Complex> modes(reinterpret_cast<Complex*>(values), {rows, cols});
  // The range of upsampling factors is the default of DUCC0's Python module.
  ducc0::detail_nufft::nu2u<float, float, float, float, double>(
      coordinates, sources, true, tolerance, threads, modes, 0, 1.2, 2.51, {1.0, 1.0}, false);
}
