// SPDX-License-Identifier: Apache-2.0
// How the FFT of a row is taken on a CUDA device. The paper's rule is direct or Bluestein. Ours puts a row of
// bad length onto a number of cells that cuFFT is fast at (a non-uniform FFT of one dimension), and cuts long
// rows into parts that cuFFT transforms in one pass through memory, joined by one butterfly. A length is bad
// where neither it nor its parts are among those that cuFFT takes in one pass, which only the library knows.
#pragma once

#include <vector>

#include "core/base/backend.hpp"
#include "core/device/interface/module.hpp"

namespace spyctrum {

/// The shapes of rows of n values for RowTask, whole rows last. `symmetric_half`: of ours also narrower ones,
/// for rows of which |v| ≤ u is wanted.
[[nodiscard]] std::vector<cuda::RowTransformPlan> row_transform_plans(std::uint64_t n,
                                                                      cuda::RowAlgorithm algorithm,
                                                                      Backend backend, bool symmetric_half);

}  // namespace spyctrum
