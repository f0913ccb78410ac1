// SPDX-License-Identifier: Apache-2.0
// Calls cuFINUFFT: copies its inputs to the device and its results back.
#pragma once

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// Module::nufft(). `code`: the library's error code, 0: none.
template <class T>
Timing run_nufft(const NufftTask<T>& task, int& code, Host& host);

}  // namespace spyctrum::cuda
