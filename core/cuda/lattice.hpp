// SPDX-License-Identifier: Apache-2.0
// The lattice engine on the device: a type-1 non-uniform FFT of the size of the output.
#pragma once

#include "core/base/cuda_module.hpp"

namespace spyctrum::cuda {

/// See Module::lattice().
Timing run_lattice(const LatticeTask& task, float* values, Host& host);

}  // namespace spyctrum::cuda
