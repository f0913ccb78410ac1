// SPDX-License-Identifier: Apache-2.0
// Limits what a crafted file can make the parsing process do to computing, reading the open file and writing
// to the socket.
#pragma once

#include <cstdint>

namespace spyctrum::hdf5 {

/// Confines this process for the rest of its life: `bytes` of memory, `seconds` of processor time, no new
/// descriptor, no file written; the process ends with the one that started it. System calls beyond reading,
/// writing, memory and its own end fail with EPERM (seccomp, on x86-64 and AArch64; a kernel without seccomp
/// keeps the limits alone). A build with sanitizers, which need more, has neither the limits on memory and
/// descriptors nor the filter of system calls.
void confine(std::uint64_t bytes, std::uint64_t seconds);

}  // namespace spyctrum::hdf5
