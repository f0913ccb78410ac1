// SPDX-License-Identifier: Apache-2.0
// BS-FFT on the CPU: F[u,v] = Σ_j (Σ_{i in column j} w_m^{ui}) w_n^{vj}, inner sums from the nonzeros, FFT
// along j at the length the FFT library likes best (the paper's Algorithm 1 with its output streamed).
#include "core/methods/bs_fft/bs_fft_cpu.hpp"

namespace spyctrum {

void bs_fft_stream_cpu(const SparsePattern& pattern, const RowPlan& plan, std::span<RowSink* const> sinks,
                       JobContext& context) {
  stream_rows(pattern, LengthRule::library, plan, sinks, context);
}

}  // namespace spyctrum
