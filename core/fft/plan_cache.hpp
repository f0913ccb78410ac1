// SPDX-License-Identifier: Apache-2.0
// A cache of FFT plans, shared between threads: the least recently used plans are
// dropped when the tables of all exceed 64 MB.
#pragma once

#include <cstddef>
#include <memory>

#include "core/kernels/kernel_table.hpp"

namespace spyctrum {

using PlanPtr = std::shared_ptr<const kernels::FftPlan>;

/// Plan of complex transforms of `length` ≥ 1 values of T (float or double). Thread-safe.
template <class T>
[[nodiscard]] PlanPtr complex_plan(std::size_t length);
/// Plan of real-to-complex transforms of float. Thread-safe.
[[nodiscard]] PlanPtr real_plan(std::size_t length);

/// The kernels of the instruction set in use, for T.
template <class T>
[[nodiscard]] const kernels::Loops<T>& loops();

}  // namespace spyctrum
