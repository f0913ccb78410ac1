// SPDX-License-Identifier: Apache-2.0
// spyctrum-hdf5, without arguments, parses an HDF5 file for the program that started it. It receives the open
// file from the socket at descriptor 4, writes the list of the matrices to that socket, then the answers to
// the requests that come from it (messages.hpp). Before it reads the file, it limits its memory and processor
// time and confines itself (sandbox.hpp). The library is initialised before the file is received; a process
// that is started in advance also rehearses with a file of its own.
#include <hdf5.h>
#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>

#include "core/io/hdf5/child/answers.hpp"
#include "core/io/hdf5/child/layouts.hpp"
#include "core/io/hdf5/child/sandbox.hpp"
#include "core/io/hdf5/messages.hpp"

namespace {

using namespace spyctrum::hdf5;

constexpr std::size_t kPage = 4096;

/// Initialises the library, and has the system map the memory that the library takes for a file, most of it a
/// table of half a MiB.
void prepare_library() {
  constexpr int kKept = 8 << 20;
  constexpr std::size_t kTaken = std::size_t{640} << 10U;
  H5open();
  mallopt(M_MMAP_THRESHOLD, kKept);  // freed memory stays in the process
  mallopt(M_TRIM_THRESHOLD, kKept);
  volatile char* const taken = static_cast<char*>(std::malloc(kTaken));
  if (taken == nullptr) return;
  for (std::size_t at = 0; at < kTaken; at += kPage) taken[at] = 0;
  std::free(const_cast<char*>(taken));
}

/// Makes a small file in memory and lists its matrix, so that the system has mapped the code and the memory
/// that this takes before the file arrives. What the library refuses is ignored.
void rehearse() {
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5Pset_fapl_core(access.get(), kPage, false);  // the file is never written
  const Id file(H5Fcreate("rehearsal", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  constexpr int kNumbers[] = {1, 2};
  constexpr hsize_t kCount = std::size(kNumbers);
  const Id space(H5Screate_simple(1, &kCount, nullptr), H5Sclose);
  for (const char* const name : {"data", "indices", "indptr", "shape"}) {
    const Id array(
        H5Dcreate2(file.get(), name, H5T_NATIVE_INT, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    H5Dwrite(array.get(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, kNumbers);
  }
  try {
    (void)contents_of(Group(Id(H5Gopen2(file.get(), "/", H5P_DEFAULT), H5Gclose), ""), false);
  } catch (const std::exception&) {
  }
}

bool has_file_arrived() {
  pollfd waiting{kSocketDescriptor, POLLIN, 0};
  return poll(&waiting, 1, 0) != 0;
}

/// Receives the file, as kFileDescriptor, and returns the line that was sent with it. Ends the process if the
/// other program has ended.
std::string receive_file() {
  char text[64];
  int descriptor = -1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)]{};
  iovec place{text, sizeof text};
  msghdr message{};
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t count = recvmsg(kSocketDescriptor, &message, 0);
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  if (count <= 0 || head == nullptr || head->cmsg_type != SCM_RIGHTS) _exit(1);
  std::memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
  if (descriptor != kFileDescriptor) _exit(1);
  return {text, static_cast<std::size_t>(count)};
}

/// Bytes to be written together, so that the other program wakes up once for an answer.
std::string gathered;
constexpr std::size_t kMostGathered = std::size_t{1} << 16U;

void write_gathered() {
  for (std::size_t at = 0; at < gathered.size();) {
    const ssize_t written = ::write(kSocketDescriptor, gathered.data() + at, gathered.size() - at);
    if (written <= 0) _exit(1);  // the other program has ended
    at += static_cast<std::size_t>(written);
  }
  gathered.clear();
}

void gather(const void* data, std::size_t bytes) {
  gathered.append(static_cast<const char*>(data), bytes);
  if (gathered.size() >= kMostGathered) write_gathered();
}

/// The next request, after everything was written. The program sends one at a time, so that a single read()
/// gets it; empty at the end.
std::string next_request() {
  write_gathered();
  char text[64];
  const ssize_t count = ::read(kSocketDescriptor, text, sizeof text);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(0, count))};
}

}  // namespace

int main(int count, char** /*arguments*/) {
  if (count > 1) return 2;  // a program of another version, which would wait for an answer
  prepare_library();
  if (!has_file_arrived()) rehearse();
  const std::string words = receive_file();
  std::uint64_t memory_bytes = 0;
  std::from_chars(words.data(), words.data() + words.size(), memory_bytes);
  struct stat file {};
  fstat(kFileDescriptor, &file);
  confine(memory_bytes, most_list_seconds(static_cast<std::uint64_t>(file.st_size)), kMostSeconds);
  answer_requests(kFileDescriptor, words.find(kBalanced) != std::string::npos, next_request, gather);
  write_gathered();
  _exit(0);  // HDF5's exit handlers would free lists that a damaged file may have corrupted
}
