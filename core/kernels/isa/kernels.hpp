// SPDX-License-Identifier: Apache-2.0
// Declarations of the loops that form the table of one instruction set. Internal to core/kernels/isa.
#pragma once

#include "core/kernels/kernel_table.hpp"

namespace spyctrum::kernels {

PowerSums power_sums(const std::complex<float>* values, std::size_t count);
void single_power_sums(const std::complex<float>* values, std::size_t count, float* terms);

void inner_sums(const InnerSums& sums, std::size_t blocks, float* const* output);
void scale_lanes(float* buffer, const std::complex<float>* factors, std::size_t count, bool conjugate);
void combine_lanes(const LaneCombination& sums, std::size_t rows, float* output);
void resample_lanes(const LaneResampling& how, float* output);

void free_plan(FftPlan* plan);
std::size_t workspace(const FftPlan* plan);
std::size_t plan_bytes(const FftPlan* plan);
}  // namespace spyctrum::kernels
