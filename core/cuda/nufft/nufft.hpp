// SPDX-License-Identifier: Apache-2.0
// cuFINUFFT between two copies.
#pragma once

#include "core/device/interface/module.hpp"

namespace spyctrum::cuda {

/// See Module::nufft(). `code`: the library's error, 0 for none.
template <class T>
Timing run_nufft(const NufftTask<T>& task, int& code, Host& host);

}  // namespace spyctrum::cuda
