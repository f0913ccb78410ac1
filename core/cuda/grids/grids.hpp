// SPDX-License-Identifier: Apache-2.0
// Two-dimensional transforms of a grid in device memory: the dense baseline and Density Map (Algorithm 3 of
// the paper).
#pragma once

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// Module::dense(). Device memory: 8·n·(⌊m/2⌋+1) bytes and cuFFT's work area.
Timing run_dense(const PatternView& pattern, RowReceiver* receiver, const Reductions* reductions, Host& host);

/// Module::density_map().
Timing run_density_map(const PatternView& pattern, std::uint64_t block, float* values,
                       const Reductions* reductions, Host& host);

}  // namespace spyctrum::cuda
