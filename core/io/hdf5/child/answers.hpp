// SPDX-License-Identifier: Apache-2.0
// The list and the answers to requests (messages.hpp), apart from the process that confines itself before it
// gives them: the fuzz target hdf5_in_process asks for them many times in one process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace spyctrum::hdf5 {

/// Takes the next bytes of an answer.
using Write = std::function<void(const void* data, std::size_t bytes)>;

/// Writes the list of the HDF5 file that is open as `descriptor`, then the answers to the requests, such as
/// "0 places", that `next` returns until one is empty or has an `error`. Throws only what `write` throws,
/// unless that is a std::exception: an `error` is written then.
void answer_requests(int descriptor, bool balanced, const std::function<std::string()>& next,
                     const Write& write);

}  // namespace spyctrum::hdf5
