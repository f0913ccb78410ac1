// SPDX-License-Identifier: Apache-2.0
// Prepared transforms, shared between threads and kept for the next call: the
// least recently used are dropped when their tables pass 64 MB together.
#pragma once

#include <cstddef>
#include <memory>

#include "core/kernels/kernel_table.hpp"

namespace spyctrum {

using PlanPtr = std::shared_ptr<const kernels::FftPlan>;

/// Complex transforms of `length` ≥ 1 values of T (float or double). Thread-safe.
template <class T>
[[nodiscard]] PlanPtr complex_plan(std::size_t length);
/// Real to complex.
template <class T>
[[nodiscard]] PlanPtr real_plan(std::size_t length);

/// The loops of the instruction set in use, for T.
template <class T>
[[nodiscard]] const kernels::Loops<T>& loops();

}  // namespace spyctrum
