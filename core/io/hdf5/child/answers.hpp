// SPDX-License-Identifier: Apache-2.0
// The list of matrices and the answers to requests (messages.hpp), separate from main(), which confines the
// process: the fuzz target hdf5_in_process calls answer_requests() many times in one process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace spyctrum::hdf5 {

/// Takes the next bytes of an answer.
using Write = std::function<void(const void* data, std::size_t bytes)>;

/// Writes the list of the HDF5 file that is open as `descriptor`, then the answers to the requests that
/// `next` returns, such as "0 places", until a request is empty or an `error` was written. A std::exception,
/// also one of `write`, is written as an `error`; other exceptions of `write` are passed on.
void answer_requests(int descriptor, bool balanced, const std::function<std::string()>& next,
                     const Write& write);

}  // namespace spyctrum::hdf5
