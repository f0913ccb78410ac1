// SPDX-License-Identifier: Apache-2.0
// The answers to `list` and `read K` (messages.hpp), apart from the process that confines itself before it
// gives them: the fuzz target hdf5_in_process calls them many times in one process.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace spyctrum::hdf5 {

/// Takes the next bytes of an answer.
using Write = std::function<void(const void* data, std::size_t bytes)>;

/// Writes the messages that answer `request`, such as {"read", "0", "places"}, about the HDF5 file that is
/// open as `descriptor`; the last is `end` or `error`. Throws only what `write` throws, unless that is a
/// std::exception: an `error` is written then.
void answer(std::span<const std::string> request, int descriptor, const Write& write);

}  // namespace spyctrum::hdf5
