// SPDX-License-Identifier: Apache-2.0
// Defines the only global symbol of this instruction set's object. SPYCTRUM_ISA_NAME and SPYCTRUM_ISA_ENTRY
// come from CMakeLists.txt.
#include "core/kernels/isa/fft_kernels.hpp"
#include "core/kernels/isa/kernels.hpp"

namespace spyctrum::kernels {
namespace {

template <class T>
constexpr Loops<T> kLoops = {
    .lanes = kFftLanes<T>,
    .vector_values = kVectorBytes / sizeof(T),
    .plan = FftLoops<T>::plan,
    .real_plan = FftLoops<T>::real_plan,
    .fft_lanes = FftLoops<T>::fft_lanes,
    .fft_single = FftLoops<T>::fft_single,
    .rfft_lanes = FftLoops<T>::rfft_lanes,
    .rows_to_lanes = LayoutLoops<T>::rows_to_lanes,
    .lanes_to_rows = LayoutLoops<T>::lanes_to_rows,
    .real_rows_to_lanes = LayoutLoops<T>::real_rows_to_lanes,
    .columns_to_lanes = LayoutLoops<T>::columns_to_lanes,
    .lanes_to_columns = LayoutLoops<T>::lanes_to_columns,
    .lanes_to_scaled_columns = LayoutLoops<T>::lanes_to_scaled_columns,
    .spread = spread<T>,
};

constexpr KernelTable kTable = {
    .name = SPYCTRUM_ISA_NAME,
    .power_sums = power_sums,
    .single_power_sums = single_power_sums,
    .inner_sums = inner_sums,
    .scale_lanes = scale_lanes,
    .combine_lanes = combine_lanes,
    .resample_lanes = resample_lanes,
    .free_plan = free_plan,
    .workspace = workspace,
    .plan_bytes = plan_bytes,
    .f = kLoops<float>,
    .d = kLoops<double>,
};

}  // namespace
}  // namespace spyctrum::kernels

extern "C" __attribute__((visibility("default"))) const spyctrum::kernels::KernelTable* SPYCTRUM_ISA_ENTRY() {
  return &spyctrum::kernels::kTable;
}
