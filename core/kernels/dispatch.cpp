// SPDX-License-Identifier: Apache-2.0
// Chooses the instruction set once per process. Tables are constants of modules without static initialisers:
// nothing of a module runs before it is chosen.
#include <cstdlib>
#include <cstring>

#include "core/base/error.hpp"
#include "core/kernels/kernel_table.hpp"

extern "C" {
#ifdef SPYCTRUM_KERNELS_BASELINE
const spyctrum::kernels::KernelTable* spyctrum_kernels_baseline();
#endif
#ifdef SPYCTRUM_KERNELS_V3
const spyctrum::kernels::KernelTable* spyctrum_kernels_v3();
#endif
}

namespace spyctrum::kernels {

const KernelTable* kernels_for(const char* name) {
#ifdef SPYCTRUM_KERNELS_V3
  // Clang before 18 does not know the levels of x86-64 by name: the instruction sets that level 3 added are
  // tested.
  if (std::strcmp(name, "v3") == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    return spyctrum_kernels_v3();
#endif
#ifdef SPYCTRUM_KERNELS_BASELINE
  if (std::strcmp(name, "baseline") == 0) return spyctrum_kernels_baseline();
#endif
  return nullptr;
}

namespace {

const KernelTable& choose() {
  const char* const wanted = std::getenv("SPYCTRUM_ISA");
  for (const char* name : {wanted, "v3", "baseline"})
    if (const KernelTable* table = name != nullptr ? kernels_for(name) : nullptr) return *table;
  throw Failure(ErrorCode::backend_unavailable,
                "This build is for processors with AVX2, which this one has not.",
                "Build the program on this machine, or with -DSPYCTRUM_THIS_PROCESSOR_ONLY=OFF.");
}

}  // namespace

const KernelTable& kernels() {
  static const KernelTable& chosen = choose();
  return chosen;
}

}  // namespace spyctrum::kernels
