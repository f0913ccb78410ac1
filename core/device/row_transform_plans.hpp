// SPDX-License-Identifier: Apache-2.0
// How the FFT of a row is done on a CUDA device. RowAlgorithm::paper, the BS-FFT paper's rule: directly, or
// by Bluestein's algorithm. RowAlgorithm::optimized: rows of length n = A·(n/A), A one of cuda::kSplits, as A
// transforms of length n/A, joined by one radix-A butterfly, where cuFFT transforms the parts in one pass
// through memory (only the library knows for which lengths it does); all other rows by resampling onto L
// cells, L a fast length (a one-dimensional non-uniform FFT, core/fft/resampled_row.hpp).
#pragma once

#include <vector>

#include "core/base/backend.hpp"
#include "core/device/interface/module.hpp"
#include "core/device/interface/rows.hpp"

namespace spyctrum {

/// Row transform plans of rows of n values, as cuda::RowTask takes them: by ascending width, the plan of
/// whole rows last. `symmetric_half`: with RowAlgorithm::optimized also narrower plans, for rows of which
/// only |v| ≤ u is wanted. Asks cuFFT for work areas (fft_work_bytes.hpp).
[[nodiscard]] std::vector<cuda::RowTransformPlan> row_transform_plans(std::uint64_t n,
                                                                      cuda::RowAlgorithm algorithm,
                                                                      Backend backend, bool symmetric_half);

}  // namespace spyctrum
