// SPDX-License-Identifier: Apache-2.0
#include "core/io/hdf5/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/own_files.hpp"
#include "core/io/hdf5/messages.hpp"

namespace spyctrum::hdf5 {

namespace {

constexpr int kPollMilliseconds = 20;
/// The longest time for which check_end() waits for the end of a child that has closed its socket: a crafted
/// file might keep it running.
constexpr int kEndMilliseconds = 500;
/// Memory that the HDF5 library needs for a small file.
constexpr std::uint64_t kLeastBytes = std::uint64_t{512} << 20U;
/// Bytes that are read from the socket at once.
constexpr std::size_t kBuffer = std::size_t{1} << 16U;

struct FileActions {
  FileActions() { posix_spawn_file_actions_init(&actions); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t actions{};
};

/// Resets the signals that this program ignores or blocks, so that they end the child.
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

/// A process that waits for its file.
struct Started {
  pid_t process = -1;
  int socket = -1;

  /// Starts a process. On failure returns none, and sets `problem`, or `reason` to errno if the system
  /// refused descriptors.
  static Started start(std::string& problem, int& reason);
  /// Sends the file and its line (messages.hpp). Returns false if the process has ended.
  [[nodiscard]] bool send_file(int descriptor, const std::string& words) const;
  /// Kills the process if it still runs.
  void end() {
    if (socket >= 0) close(socket);
    if (process >= 0) {
      kill(process, SIGKILL);
      while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    *this = {};
  }
};

Started Started::start(std::string& problem, int& reason) {
  const OwnFile program = own_file(kChildName);
  if (program.path.empty()) {
    problem = program.missing;
    return {};
  }
  // A socket instead of pipes: sending to a child that has ended is then an error, not a signal.
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    reason = errno;
    return {};
  }
  // A number above the child's descriptors, so that posix_spawn() does not overwrite it before duplicating
  // it.
  const int child_end = fcntl(ends[1], F_DUPFD_CLOEXEC, kSocketDescriptor + 1);
  reason = child_end < 0 ? errno : 0;
  close(ends[1]);
  if (child_end < 0) {
    close(ends[0]);
    return {};
  }
  FileActions files;
  for (int k = 0; k <= 2; ++k)
    posix_spawn_file_actions_addopen(&files.actions, k, "/dev/null", k == 0 ? O_RDONLY : O_WRONLY, 0);
  posix_spawn_file_actions_addclose(&files.actions, kFileDescriptor);  // where the file will be
  posix_spawn_file_actions_adddup2(&files.actions, child_end, kSocketDescriptor);
  posix_spawn_file_actions_addclosefrom_np(&files.actions, kSocketDescriptor + 1);
  std::string child_name = kChildName;
  char* arguments[] = {child_name.data(), nullptr};
  char no_locks[] = "HDF5_USE_FILE_LOCKING=FALSE";
  char no_plugins[] = "HDF5_PLUGIN_PRELOAD=::";
  char* environment[] = {no_locks, no_plugins, nullptr};
  const Attributes attributes;
  Started started{-1, ends[0]};
  const int failed = posix_spawn(&started.process, program.path.c_str(), &files.actions,
                                 &attributes.attributes, arguments, environment);
  close(child_end);
  if (failed == 0) return started;
  started.process = -1;
  started.end();
  problem = program.path.string() + " cannot be started (" + std::strerror(failed) + ")";
  return {};
}

bool Started::send_file(int descriptor, const std::string& words) const {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)]{};
  std::string line = words + "\n";
  iovec text{line.data(), line.size()};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
}

/// The process for a thread's next file. Another thread starts it, since the start takes a tenth of the time
/// of a usual file; it lives as long as the first one, since the system ends a process with the thread that
/// started it (sandbox.hpp).
class NextOfThread {
 public:
  NextOfThread() = default;
  /// Ends the process.
  ~NextOfThread();
  NextOfThread(const NextOfThread&) = delete;
  NextOfThread& operator=(const NextOfThread&) = delete;

  /// Has a process started unless there is one already; from the second call on.
  void start();
  /// The process, as soon as it is started; none if start() was not called or has failed.
  Started take();

 private:
  enum class State { none, requested, started, ends };
  void set(State state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
    changed_.notify_all();
  }
  void run();

  bool has_read_ = false;  // whether this thread has read a file
  std::mutex mutex_;       // for `state_`: while that is `requested`, only thread_ accesses started_
  std::condition_variable changed_;
  State state_ = State::none;
  Started started_;
  std::thread thread_;
  pid_t owner_ = getpid();  // a process made by fork() has no thread_
};

NextOfThread::~NextOfThread() {
  if (!thread_.joinable()) return;
  if (owner_ != getpid()) {
    thread_.detach();
    return;
  }
  take().end();
  set(State::ends);
  thread_.join();
}

void NextOfThread::run() {
  for (std::unique_lock lock(mutex_);; lock.lock()) {
    changed_.wait(lock, [&] { return state_ == State::requested || state_ == State::ends; });
    if (state_ == State::ends) return;
    lock.unlock();
    // A failure is ignored: the constructor for the next file starts a process again.
    try {
      std::string problem;
      int reason = 0;
      started_ = Started::start(problem, reason);
    } catch (const std::exception&) {  // no memory
    }
    set(State::started);
  }
}

void NextOfThread::start() {
  if (!std::exchange(has_read_, true) || owner_ != getpid()) return;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::none) return;
  }
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  } catch (const std::exception&) {
    return;  // no thread, or no memory for one; the constructor for the next file starts a process
  }
  set(State::requested);
}

Started NextOfThread::take() {
  if (owner_ != getpid()) return {};
  std::unique_lock lock(mutex_);
  if (state_ == State::none) return {};
  changed_.wait(lock, [&] { return state_ == State::started; });
  state_ = State::none;
  return std::exchange(started_, {});
}

thread_local NextOfThread next_of_thread;

}  // namespace

ChildProcess::ChildProcess(int descriptor, bool balanced, const std::string& name, JobContext& context)
    : name_(name), context_(context), buffer_(kBuffer) {
  struct stat file {};
  fstat(descriptor, &file);
  most_seconds_ = most_list_seconds(static_cast<std::uint64_t>(file.st_size));
  std::string words = std::to_string(std::max(kLeastBytes, context.memory().allowance()));
  if (balanced) words.append(" ").append(kBalanced);
  Started started = next_of_thread.take();
  // A process that was started in advance may have ended meanwhile.
  if (started.socket < 0 || !started.send_file(descriptor, words)) {
    started.end();
    std::string problem;
    int reason = 0;
    started = Started::start(problem, reason);
    if (reason != 0)
      throw Failure(
          ErrorCode::bad_input,
          name + ": the process that reads HDF5 gets no file descriptor (" + std::strerror(reason) + ").",
          "Raise the limit of open files (ulimit -n), or close files.");
    if (!problem.empty())
      throw Failure(ErrorCode::bad_input,
                    name + ": this is an HDF5 file, which this installation cannot read: " + problem + ".",
                    "Install the whole package, or build with the libraries that third_party/README.md names "
                    "for hdf5.");
    // If the child has ended, the message of read() explains why. A child that receives no file ends.
    if (!started.send_file(descriptor, words)) shutdown(started.socket, SHUT_WR);
  }
  process_ = started.process;
  socket_ = started.socket;
}

ChildProcess::~ChildProcess() { Started{process_, socket_}.end(); }

void ChildProcess::start_next() { next_of_thread.start(); }

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
                      std::to_string(most_seconds_) + " s).",
                  "Check that the file is complete; programs such as h5repack write it anew.");
  throw Failure(ErrorCode::bad_input,
                name_ + ": the process that reads HDF5 was ended (" + sigdescr_np(WTERMSIG(status)) +
                    "); the file is damaged, or made to do harm.",
                "Get the file again.");
}

void ChildProcess::dismiss() const { shutdown(socket_, SHUT_WR); }

void ChildProcess::request(const std::string& words) {
  if (rlimit limit{}; most_seconds_ != kMostSeconds && prlimit(process_, RLIMIT_CPU, nullptr, &limit) == 0) {
    limit.rlim_cur = most_seconds_ = kMostSeconds;
    prlimit(process_, RLIMIT_CPU, &limit, nullptr);
  }
  // If the child has ended, the message of read() explains why.
  (void)send(socket_, (words + "\n").data(), words.size() + 1, MSG_NOSIGNAL);
}

std::size_t ChildProcess::read(std::span<char> bytes) {
  while (left_.empty()) {
    context_.check_stop();
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, kPollMilliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(socket_, buffer_.data(), buffer_.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) {
      check_end();
      return 0;
    }
    left_ = std::span<const char>(buffer_).first(static_cast<std::size_t>(count));
  }
  const std::size_t now = std::min(bytes.size(), left_.size());
  std::ranges::copy(left_.first(now), bytes.begin());
  left_ = left_.subspan(now);
  return now;
}

}  // namespace spyctrum::hdf5
