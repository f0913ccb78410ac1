// SPDX-License-Identifier: Apache-2.0
// BS-FFT on the CPU, streamed: rows u = 0 … ⌊m/2⌋ in tiles, reduced while they are in the cache.
#pragma once

#include "core/methods/row_stream.hpp"

namespace spyctrum {

/// Passes every computed row to the sinks; stores tiles only.
void bs_fft_stream_cpu(const SparsePattern& pattern, const RowPlan& plan, std::span<RowSink* const> sinks,
                       JobContext& context);

}  // namespace spyctrum
