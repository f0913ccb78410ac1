// SPDX-License-Identifier: Apache-2.0
// Forwards to the table of the instruction set in use.
#include "core/kernels/reductions.hpp"

#include "core/kernels/kernel_table.hpp"

namespace spyctrum::kernels {

std::size_t power_log_sums(const std::complex<float>* values, std::size_t count, double* sum_power,
                           double* sum_power_log_power, double* sum_log_power) {
  return kernels().power_log_sums(values, count, sum_power, sum_power_log_power, sum_log_power);
}

}  // namespace spyctrum::kernels
