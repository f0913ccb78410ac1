// SPDX-License-Identifier: Apache-2.0
// Parses the HDF5 file at descriptor 3 for the program that started this one, and writes what it holds into
// the pipe at descriptor 4 (messages.hpp):
//   spyctrum-hdf5 BYTES list [balanced]       the matrices of the file
//   spyctrum-hdf5 BYTES read K [balanced] [places] [stored]    the entries of the K-th of them
// It has BYTES of memory and a limit of processor time, and confines itself (sandbox.hpp) before it looks at
// the file.
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <vector>

#include "core/io/hdf5/child/answers.hpp"
#include "core/io/hdf5/child/sandbox.hpp"
#include "core/io/hdf5/messages.hpp"

namespace {

using namespace spyctrum::hdf5;

void write_all(const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(kPipeDescriptor, at, bytes);
    if (written <= 0) _exit(1);  // the program is gone
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  std::uint64_t memory_bytes = 0;
  std::from_chars(arguments[1], arguments[1] + std::strlen(arguments[1]), memory_bytes);
  const std::vector<std::string> request(arguments + 2, arguments + count);
  confine(memory_bytes, request.front() == kList ? kListSeconds : kReadSeconds);
  answer(request, kFileDescriptor, write_all);
  _exit(0);  // the library's own end would free what a damaged file may have made of its lists
}
