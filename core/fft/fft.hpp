// SPDX-License-Identifier: Apache-2.0
// Dense FFTs on the CPU (DUCC0, pocketfft lineage), forward sign e^{−2πi…}, unnormalised. The library is
// confined to core/kernels, where it is compiled once per instruction set.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "core/base/job_context.hpp"

namespace spyctrum {

/// `count` transforms in place, each of `length` contiguous values, row k at data[k·stride]; e^{+2πi…} where
/// `forward` is false. T: float, or double for the axes u = 0 and v = 0 and for references. Single-threaded:
/// callers spread tiles over the pool. Plans are cached.
template <class T>
void fft_rows(std::complex<T>* data, std::size_t length, std::size_t count, std::size_t stride,
              bool forward = true);

/// rows×cols complex 2-D transform in place, over the pool.
void fft_2d(std::complex<float>* data, std::size_t rows, std::size_t cols, JobContext& context,
            bool forward = true);

/// rows×cols real input → (⌊cols/2⌋+1)×rows complex output[v·rows + r], over the pool: v = 0 … ⌊cols/2⌋ is
/// the frequency along the input's rows, r that along its columns. Of an m×n matrix stored by columns (rows =
/// n, cols = m) it returns the spectrum with rows u = 0 … ⌊m/2⌋ contiguous.
void fft_2d_real_transposed(const float* input, std::complex<float>* output, std::size_t rows,
                            std::size_t cols, JobContext& context);

/// The smallest 2^a·3^b·5^c·7^d ≥ n.
[[nodiscard]] std::uint64_t smooth_size(std::uint64_t n);
[[nodiscard]] bool is_smooth(std::uint64_t n);  ///< no prime factor above 7

/// Name of the instruction set in use ("x86-64-v3", "baseline", …), for reports.
[[nodiscard]] const char* instruction_set();

}  // namespace spyctrum
