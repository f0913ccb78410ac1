// SPDX-License-Identifier: Apache-2.0
// Chooses the instruction set once per process. Tables are constants of modules without static initialisers:
// nothing of a module runs before it is chosen.
#include <cstdlib>
#include <cstring>

#include "core/kernels/kernel_table.hpp"

extern "C" {
const spyctrum::kernels::KernelTable* spyctrum_kernels_baseline();
#ifdef SPYCTRUM_KERNELS_V3
const spyctrum::kernels::KernelTable* spyctrum_kernels_v3();
#endif
#ifdef SPYCTRUM_KERNELS_V4
const spyctrum::kernels::KernelTable* spyctrum_kernels_v4();
#endif
}

namespace spyctrum::kernels {

namespace {

/// Whether the processor has level 3 or 4 of x86-64. Clang before 18 does not know the levels by name: there
/// the instruction sets that the level added are tested.
[[maybe_unused]] bool has_level(int level) {
#ifdef __clang__
  const bool v3 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  return level == 3 ? v3
                    : v3 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
#else
  return level == 3 ? __builtin_cpu_supports("x86-64-v3") : __builtin_cpu_supports("x86-64-v4");
#endif
}

}  // namespace

const KernelTable* kernels_for(const char* name) {
#ifdef SPYCTRUM_KERNELS_V4
  if (std::strcmp(name, "v4") == 0) return has_level(4) ? spyctrum_kernels_v4() : nullptr;
#endif
#ifdef SPYCTRUM_KERNELS_V3
  if (std::strcmp(name, "v3") == 0) return has_level(3) ? spyctrum_kernels_v3() : nullptr;
#endif
  return std::strcmp(name, "baseline") == 0 ? spyctrum_kernels_baseline() : nullptr;
}

namespace {

const KernelTable& choose() {
  if (const char* name = std::getenv("SPYCTRUM_ISA"))
    if (const KernelTable* table = kernels_for(name)) return *table;
  for (const char* name : {"v4", "v3"})
    if (const KernelTable* table = kernels_for(name)) return *table;
  return *spyctrum_kernels_baseline();
}

}  // namespace

const KernelTable& kernels() {
  static const KernelTable& chosen = choose();
  return chosen;
}

}  // namespace spyctrum::kernels
