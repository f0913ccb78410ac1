// SPDX-License-Identifier: Apache-2.0
// Ways to compute the FFT of a row of length n on a CUDA device. RowAlgorithm::paper (the BS-FFT paper's
// rule): directly, or by Bluestein's algorithm if n has a prime factor above 7. RowAlgorithm::optimized: if
// n = A·M, A one of cuda::kSplits, and cuFFT transforms length M in one pass through memory, as A transforms
// of length M joined by one radix-A butterfly; else by resampling onto L cells, L a fast length (a
// one-dimensional non-uniform FFT, core/fft/resampled_row.hpp), in one kernel if the device can run it and
// its shared memory holds L cells.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/backend.hpp"
#include "core/device/interface/fft_shape.hpp"
#include "core/device/interface/rows.hpp"

namespace spyctrum {

/// Bytes of cuFFT's work area for a transform of this shape, remembered after the first call. 0 if cuFFT
/// cannot plan the transform; a run then fails with the reason.
[[nodiscard]] std::uint64_t device_fft_work_bytes(Backend backend, const cuda::FftShape& shape);

/// Row transform plans for rows of n values, as cuda::RowTask takes them: by ascending half_width, the plan
/// of whole rows last. `symmetric_half`: with RowAlgorithm::optimized also narrower plans, for rows of which
/// only |v| ≤ u is needed. cuFFT takes one pass for lengths for which it needs no work area.
[[nodiscard]] std::vector<cuda::RowTransformPlan> row_transform_plans(std::uint64_t n,
                                                                      cuda::RowAlgorithm algorithm,
                                                                      Backend backend, bool symmetric_half);

/// The tables of inner sums by FFTs of columns, computed once. Thread-safe.
[[nodiscard]] const cuda::ColumnTransform& column_transform();

}  // namespace spyctrum
