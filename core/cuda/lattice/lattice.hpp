// SPDX-License-Identifier: Apache-2.0
// Coefficients at two arithmetic progressions of frequencies, delivered row by row.
#pragma once

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// See Module::lattice().
Timing run_lattice(const LatticeTask& task, float* values, Host& host);

}  // namespace spyctrum::cuda
