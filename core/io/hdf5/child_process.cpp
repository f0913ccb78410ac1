// SPDX-License-Identifier: Apache-2.0
#include "core/io/hdf5/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/own_files.hpp"
#include "core/io/hdf5/messages.hpp"

namespace spyctrum::hdf5 {

namespace {

constexpr int kPollMilliseconds = 20;
/// The longest time between the child's closing of its socket and its end: a crafted file might keep it
/// running.
constexpr int kEndMilliseconds = 500;
/// Memory that the HDF5 library needs for a small file.
constexpr std::uint64_t kLeastBytes = std::uint64_t{512} << 20U;

/// Duplicates of descriptors above those of the child, so that none is overwritten before it was passed on.
int above(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, kSocketDescriptor + 1); }

struct FileActions {
  FileActions() { posix_spawn_file_actions_init(&actions); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t actions{};
};

/// Signals that this program ignores or blocks end the child all the same.
struct Attributes {
  Attributes() {
    posix_spawnattr_init(&attributes);
    sigset_t signals{};
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  posix_spawnattr_t attributes{};
};

}  // namespace

ChildProcess::ChildProcess(int descriptor, bool balanced, const std::string& name, JobContext& context)
    : name_(name), context_(context) {
  const auto fail = [&](const std::string& why) {
    throw Failure(ErrorCode::bad_input,
                  name + ": this is an HDF5 file, which this installation cannot read: " + why + ".",
                  "Install the whole package, or build with libhdf5-dev and liblzf-dev.");
  };
  const OwnFile program = own_file(kChildName);
  if (program.path.empty()) fail(program.missing);
  // A socket in place of pipes: sending to a child that has ended is an error then, not a signal.
  int ends[2] = {-1, -1};
  const bool has_socket = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
  const int file = has_socket ? above(descriptor) : -1;
  const int child_end = file < 0 ? -1 : above(ends[1]);
  if (child_end < 0) {
    const int problem = errno;
    for (const int opened : {ends[0], ends[1], file})
      if (opened >= 0) close(opened);
    throw Failure(
        ErrorCode::bad_input,
        name + ": the process that reads HDF5 gets no file descriptor (" + std::strerror(problem) + ").",
        "Raise the limit of open files (ulimit -n), or close files.");
  }
  socket_ = ends[0];
  close(ends[1]);

  FileActions files;
  for (int k = 0; k <= 2; ++k)
    posix_spawn_file_actions_addopen(&files.actions, k, "/dev/null", k == 0 ? O_RDONLY : O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files.actions, file, kFileDescriptor);
  posix_spawn_file_actions_adddup2(&files.actions, child_end, kSocketDescriptor);
  posix_spawn_file_actions_addclosefrom_np(&files.actions, kSocketDescriptor + 1);
  const std::uint64_t bytes = std::max(kLeastBytes, context.memory().allowance());
  std::string child_name = kChildName;
  std::string limit = std::to_string(bytes);
  std::string balance = kBalanced;
  char* arguments[] = {child_name.data(), limit.data(), balanced ? balance.data() : nullptr, nullptr};
  char no_locks[] = "HDF5_USE_FILE_LOCKING=FALSE";
  char no_plugins[] = "HDF5_PLUGIN_PRELOAD=::";
  char* environment[] = {no_locks, no_plugins, nullptr};
  const Attributes attributes;
  const int failed = posix_spawn(&process_, program.path.c_str(), &files.actions, &attributes.attributes,
                                 arguments, environment);
  close(file);
  close(child_end);
  if (failed == 0) return;
  process_ = -1;
  close(socket_);
  fail(program.path.string() + " cannot be started (" + std::strerror(failed) + ")");
}

ChildProcess::~ChildProcess() {
  close(socket_);
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::check_end() {
  int status = 0;
  pid_t ended = 0;
  for (int waited = 0; ended == 0 && process_ >= 0 && waited < kEndMilliseconds; ++waited) {
    context_.check_stop();
    ended = waitpid(process_, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (ended <= 0) return;
  process_ = -1;
  if (!WIFSIGNALED(status)) return;
  if (WTERMSIG(status) == SIGXCPU)
    throw Failure(ErrorCode::bad_input,
                  name_ + ": reading it takes more processor time than a file of HDF5 may take (" +
                      std::to_string(kMostSeconds) + " s).",
                  "Check that the file is complete; programs such as h5repack write it anew.");
  throw Failure(ErrorCode::bad_input,
                name_ + ": the process that reads HDF5 was ended (" + sigdescr_np(WTERMSIG(status)) +
                    "); the file is damaged, or made to do harm.",
                "Get the file again.");
}

void ChildProcess::request(const std::string& words) const {
  // Where the child has ended, read() says why.
  (void)send(socket_, (words + "\n").data(), words.size() + 1, MSG_NOSIGNAL);
}

std::size_t ChildProcess::read(std::span<char> bytes) {
  for (;;) {
    context_.check_stop();
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, kPollMilliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(socket_, bytes.data(), bytes.size());
    if (count > 0) return static_cast<std::size_t>(count);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    check_end();
    return 0;
  }
}

}  // namespace spyctrum::hdf5
