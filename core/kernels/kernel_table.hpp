// SPDX-License-Identifier: Apache-2.0
// The inner loops as one table of functions per instruction set. Each table is
// linked from a relocatable object of its own in which every symbol but the one
// that returns the table has been made local (CMakeLists.txt), so that no
// inline function compiled for AVX can be picked by the linker for code that
// runs on a processor without it.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

namespace spyctrum::kernels {

/// A prepared one-dimensional FFT of one length; opaque.
struct FftPlan;

struct KernelTable {
  const char* name;  ///< "x86-64-v3", …

  /// See reductions.hpp.
  std::size_t (*power_log_sums)(const std::complex<float>* values, std::size_t count, double* sum_power,
                                double* sum_power_log_power, double* sum_log_power);
};

/// The table for this processor: the widest of those built that it can run, or
/// the one that the environment variable SPYCTRUM_ISA names (baseline, v3, v4)
/// if it can run that.
[[nodiscard]] const KernelTable& kernels();

/// The table named `name` (baseline, v3, v4), or nullptr where it was not built
/// or this processor cannot run it. For tests and benchmarks.
[[nodiscard]] const KernelTable* kernels_for(const char* name);

}  // namespace spyctrum::kernels
