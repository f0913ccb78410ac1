// SPDX-License-Identifier: Apache-2.0
// Dense FFTs on the CPU (DUCC0, pocketfft lineage), forward sign e^{−2πi…}, unnormalised. The library is
// confined to core/kernels, where it is compiled once per instruction set.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/job_context.hpp"
#include "core/kernels/kernel_table.hpp"

namespace spyctrum {

/// Plans are kept and shared between threads: the last ones, as long as their tables take at most 64 MB.
using PlanPtr = std::shared_ptr<const kernels::FftPlan>;

/// Plan of complex transforms of `length` ≥ 1 values of T (float or double). Thread-safe.
template <class T>
[[nodiscard]] PlanPtr complex_plan(std::size_t length);
/// Plan of real-to-complex transforms of float. Thread-safe.
[[nodiscard]] PlanPtr real_plan(std::size_t length);

/// The kernels of the instruction set in use, for T.
template <class T>
[[nodiscard]] const kernels::Loops<T>& loops();
template <>
const kernels::Loops<float>& loops();
template <>
const kernels::Loops<double>& loops();

/// Transforms `count` rows in place, each of `length` contiguous values, row k at data[k·stride]; forward
/// e^{−2πi…}, or backward e^{+2πi…} where `forward` is false. T: float, or double for the axes u = 0, v = 0
/// and for references. Single-threaded: callers distribute rows over the pool. Plans are cached.
template <class T>
void fft_rows(std::complex<T>* data, std::size_t length, std::size_t count, std::size_t stride,
              bool forward = true);

/// Transforms rows×cols values in place in two dimensions, over the pool.
void fft_2d(std::complex<float>* data, std::size_t rows, std::size_t cols, JobContext& context,
            bool forward = true);

/// Transforms rows×cols real values (row-major) in two dimensions, over the pool. Writes the frequencies v =
/// 0 … ⌊cols/2⌋ along the input's rows and r = 0 … rows−1 along its columns, transposed: output[v·rows + r].
/// For an m×n matrix stored by columns (rows = n, cols = m), output holds the rows u = 0 … ⌊m/2⌋ of its
/// spectrum.
void fft_2d_real_transposed(const float* input, std::complex<float>* output, std::size_t rows,
                            std::size_t cols, JobContext& context);

/// The smallest 2^a·3^b·5^c·7^d ≥ n.
[[nodiscard]] std::uint64_t smooth_size(std::uint64_t n);
[[nodiscard]] bool is_smooth(std::uint64_t n);  ///< no prime factor above 7

}  // namespace spyctrum
