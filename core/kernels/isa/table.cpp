// SPDX-License-Identifier: Apache-2.0
// The one symbol that leaves this instruction set's module. SPYCTRUM_ISA_NAME
// and SPYCTRUM_ISA_ENTRY come from CMakeLists.txt.
#include "core/kernels/isa/kernels.hpp"

namespace spyctrum::kernels {
namespace {

constexpr KernelTable kTable = {
    .name = SPYCTRUM_ISA_NAME,
    .power_log_sums = power_log_sums,
};

}  // namespace
}  // namespace spyctrum::kernels

extern "C" __attribute__((visibility("default"))) const spyctrum::kernels::KernelTable* SPYCTRUM_ISA_ENTRY() {
  return &spyctrum::kernels::kTable;
}
