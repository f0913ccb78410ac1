// SPDX-License-Identifier: Apache-2.0
// The dense transform on CUDA.
#pragma once

#include "core/device/device_job.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/byte_terms.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// Adds the host bytes: page-locked rows for copies from the device.
void add_dense_cuda_terms(ByteTerms& terms, std::uint64_t m, std::uint64_t n);

/// Streams the rows u = 0 … ⌊m/2⌋ to every consumer, begin() and finish() included, from one real
/// two-dimensional in-place cuFFT of the 0/1 grid: 8·h·n bytes and cuFFT's work area on the device. Throws
/// Failure{cancelled}, {out_of_memory}, {backend_unavailable}, {internal}.
DeviceUse dense_stream_cuda(const SparsePattern& pattern, Backend backend,
                            std::span<RowConsumer* const> consumers, JobContext& context);

/// The half spectrum, as dense_cpu().
[[nodiscard]] BookedVector<std::complex<float>> dense_cuda(const SparsePattern& pattern, Backend backend,
                                                           JobContext& context);

}  // namespace spyctrum
