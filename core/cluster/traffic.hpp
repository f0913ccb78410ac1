// SPDX-License-Identifier: Apache-2.0
// What this process exchanged with the other ranks of its job.
#pragma once

#include <cstdint>

namespace spyctrum {

/// Bytes that this rank has received from other ranks so far, by all calls of Communicator::gather().
[[nodiscard]] std::uint64_t bytes_received();

}  // namespace spyctrum
