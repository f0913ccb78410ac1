// SPDX-License-Identifier: Apache-2.0
// What the sources of one instruction set define for its table. Internal to
// core/kernels/isa.
#pragma once

#include "core/kernels/kernel_table.hpp"

namespace spyctrum::kernels {

std::size_t power_log_sums(const std::complex<float>* values, std::size_t count, double* sum_power,
                           double* sum_power_log_power, double* sum_log_power);

}  // namespace spyctrum::kernels
