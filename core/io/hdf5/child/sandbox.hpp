// SPDX-License-Identifier: Apache-2.0
// Confines the process that parses a file, so that a crafted file can make it only compute, read the open
// file and write to the socket.
#pragma once

#include <cstdint>

namespace spyctrum::hdf5 {

/// Limits this process until it ends to `bytes` of memory and `seconds` of processor time, which the program
/// that started it may raise up to `most_seconds`; forbids new descriptors and written files. The process
/// ends with the one that started it. System calls other than for reading, writing, memory, time, threads and
/// its own end fail with EPERM (seccomp, on x86-64 and AArch64; without seccomp in the kernel only the limits
/// apply). A build with sanitizers, which need more, has neither the limits on memory and descriptors nor the
/// filter of system calls.
void confine(std::uint64_t bytes, std::uint64_t seconds, std::uint64_t most_seconds);

}  // namespace spyctrum::hdf5
