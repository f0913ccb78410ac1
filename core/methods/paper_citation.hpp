// SPDX-License-Identifier: Apache-2.0
// The paper that defines BS-FFT, Elastic BS-FFT and Density Map: the beginning of their citations.
#pragma once

namespace spyctrum {

inline constexpr const char* kPaperCitation =
    "Zhang, Manthena, Li, Shen: Scaling Fourier-Based Sparse Matrix Analysis on GPUs";

}  // namespace spyctrum
