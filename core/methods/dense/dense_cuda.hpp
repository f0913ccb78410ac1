// SPDX-License-Identifier: Apache-2.0
// The dense transform on CUDA.
#pragma once

#include "core/device/device_job.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/byte_terms.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// Host bytes: the page-locked rows on their way out.
void add_dense_cuda_terms(ByteTerms& terms, std::uint64_t m, std::uint64_t n);

/// Every row u = 0 … ⌊m/2⌋ to every consumer, begin() and finish() included, from the full 0/1 grid by one
/// real two-dimensional cuFFT in place: 8·h·n bytes and cuFFT's work area on the device.
DeviceUse dense_stream_cuda(const SparsePattern& pattern, Backend backend,
                            std::span<RowConsumer* const> consumers, JobContext& context);

/// The half spectrum, row-major.
[[nodiscard]] BookedVector<std::complex<float>> dense_cuda(const SparsePattern& pattern, Backend backend,
                                                           JobContext& context);

}  // namespace spyctrum
