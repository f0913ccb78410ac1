// SPDX-License-Identifier: Apache-2.0
// The dense transform on CUDA.
#pragma once

#include "core/methods/cuda_job.hpp"

namespace spyctrum {

/// Host bytes: the page-locked rows on their way out.
void add_dense_cuda_terms(ByteTerms& terms, std::uint64_t m, std::uint64_t n);

/// Every row u = 0 … ⌊m/2⌋ to every sink, begin() and finish() included, from the full 0/1 grid by one real
/// two-dimensional cuFFT in place: 8·h·n bytes and cuFFT's work area on the device.
CudaUse dense_stream_cuda(const SparsePattern& pattern, Backend backend, std::span<RowSink* const> sinks,
                          JobContext& context);

/// The half spectrum, row-major.
[[nodiscard]] BookedVector<std::complex<float>> dense_cuda(const SparsePattern& pattern, Backend backend,
                                                           JobContext& context);

}  // namespace spyctrum
