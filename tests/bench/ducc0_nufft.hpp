// SPDX-License-Identifier: Apache-2.0
// DUCC0's NUFFT behind one C function, for comparison in bench_lattice. The library is built with
// -DSPYCTRUM_BENCH_DUCC0_NUFFT=ON only, because that part of DUCC0 is under the GPL.
#pragma once

#include <cstddef>

/// Type 1, forward, single precision: values[k][l] = Σ_t strengths[t]·exp(−2πi(k·y_t + l·x_t)) for k from
/// −⌊rows/2⌋ and l from −⌊cols/2⌋, row-major, unnormalised. `places`: pairs (y, x) in [0, 1), double
/// precision; `strengths` and `values`: pairs of real and imaginary part. `tolerance`: relative L2 error, as
/// DUCC0 defines it. Ends the program where DUCC0 refuses.
extern "C" void ducc0_type1(std::size_t points, const double* places, const float* strengths,
                            std::size_t rows, std::size_t cols, double tolerance, std::size_t threads,
                            float* values);
