// SPDX-License-Identifier: Apache-2.0
// Parses the HDF5 file at descriptor 3 for the program that started this one: spyctrum-hdf5 BYTES [balanced].
// Writes the list of the matrices to the socket at descriptor 4, then the answers to the requests that come
// from it (messages.hpp). It has BYTES of memory and a limit of processor time, and confines itself
// (sandbox.hpp) before it looks at the file.
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "core/io/hdf5/child/answers.hpp"
#include "core/io/hdf5/child/sandbox.hpp"
#include "core/io/hdf5/messages.hpp"

namespace {

using namespace spyctrum::hdf5;

void write_all(const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(kSocketDescriptor, at, bytes);
    if (written <= 0) _exit(1);  // the program is gone
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

/// The next line from the socket; empty at its end.
std::string next_request() {
  std::string line;
  for (char byte = 0; ::read(kSocketDescriptor, &byte, 1) == 1 && byte != '\n';) line += byte;
  return line;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  std::uint64_t memory_bytes = 0;
  std::from_chars(arguments[1], arguments[1] + std::strlen(arguments[1]), memory_bytes);
  confine(memory_bytes, kMostSeconds);
  answer_requests(kFileDescriptor, count > 2 && std::string_view(arguments[2]) == kBalanced, next_request,
                  write_all);
  _exit(0);  // HDF5's exit handlers would free lists that a damaged file may have corrupted
}
