// SPDX-License-Identifier: Apache-2.0
// POSIX calls for descriptors, signals and child processes.
#include "app/process/process.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/base/error.hpp"

namespace spyctrum {

namespace {

int chosen(int descriptor, int otherwise) { return descriptor >= 0 ? descriptor : otherwise; }

void (*clean_up_before_end)() = nullptr;
std::terminate_handler usual_end = nullptr;

// The exception for a refused allocation. It counts its objects, so that std::terminate can tell whether one
// was thrown.
class Refusal : public std::bad_alloc {
 public:
  Refusal() noexcept { ++count; }
  Refusal(const Refusal& other) noexcept : std::bad_alloc(other) { ++count; }
  Refusal& operator=(const Refusal&) = default;
  ~Refusal() override { --count; }
  static inline std::atomic<int> count = 0;
};

// Nothing here may allocate.
[[noreturn]] void end_of_memory() {
  try {
    if (std::current_exception() != nullptr) throw;
    // GCC ends an inlined noexcept function here before its exception becomes the current one.
    if (Refusal::count > 0 && std::uncaught_exceptions() > 0) throw Refusal();
  } catch (const std::bad_alloc&) {
    clean_up_before_end();
    constexpr std::string_view kText = "error: the system refused an allocation.\n";
    (void)!::write(STDERR_FILENO, kText.data(), kText.size());
    _exit(exit_code(ErrorCode::out_of_memory));
  } catch (...) {
    usual_end();
  }
  std::abort();
}

}  // namespace

void end_where_memory_is_refused(void (*clean_up)()) {
  clean_up_before_end = clean_up;
  usual_end = std::set_terminate(end_of_memory);
  std::set_new_handler([] { throw Refusal(); });
}

void keep_freed_memory() {
  constexpr int kMostOnHeap = 32 << 20;  // the most that glibc accepts
  constexpr int kKept = 128 << 20;
  // A refusal costs only speed.
  static_cast<void>(mallopt(M_MMAP_THRESHOLD, kMostOnHeap));
  static_cast<void>(mallopt(M_TRIM_THRESHOLD, kKept));
}

void open_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // open() takes the lowest free number, which is `descriptor`: all below are open.
    const int opened = ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != descriptor) ::close(opened);
  }
}

void wait_until_output_is_read() {
  constexpr int kTries = 2000;
  constexpr std::chrono::milliseconds kWait{5};
  std::fflush(stdout);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat facts {};
    int unread = 0;
    for (int k = 0; k < kTries && ::fstat(descriptor, &facts) == 0 && S_ISFIFO(facts.st_mode) &&
                    ::ioctl(descriptor, FIONREAD, &unread) == 0 && unread > 0;
         ++k)
      std::this_thread::sleep_for(kWait);
  }
}

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGXCPU, SIGXFSZ}) sigaddset(&signals_, signal);
  struct sigaction hangup {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&signals_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void StopSignals::wait() const {
  int caught = 0;
  sigwait(&signals_, &caught);
}

void StopSignals::wait_for(std::chrono::milliseconds time) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  timespec limit{};
  limit.tv_sec = seconds.count();
  limit.tv_nsec = std::chrono::nanoseconds(time - seconds).count();
  sigtimedwait(&signals_, nullptr, &limit);
}

void StopSignals::release() const { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

void call_on_signals(void (*end)()) {
  static std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;  // signals have their ordinary effect
  try {
    std::thread([end] {
      char received = 0;
      while (::read(ends[0], &received, 1) < 0 && errno == EINTR) {
      }
      end();
    }).detach();
  } catch (const std::system_error&) {
    return;
  }
  // Handlers, unlike blocked and ignored signals, are not inherited by programs that are started.
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  action.sa_handler = [](int) {
    const int reason = errno;
    (void)!::write(ends[1], "", 1);
    errno = reason;
  };
  struct sigaction hangup {};
  const bool obeys_hangup = sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  if (obeys_hangup) sigaction(SIGHUP, &action, nullptr);
  action.sa_handler = [](int) {};
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
}

StartedProgram::StartedProgram(const std::vector<std::string>& arguments, int in, int out,
                               const std::stop_token& stop) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, chosen(in, null), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, chosen(out, null), STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int refused = posix_spawnp(&child_, words.front(), &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(null);
  if (refused != 0)
    throw Failure(ErrorCode::internal, "Cannot start " + arguments.front() + ": " +
                                           std::generic_category().message(refused) + ".");
  stop_.emplace(stop, [child = child_] { ::kill(child, SIGTERM); });
}

StartedProgram::~StartedProgram() { wait(); }

int StartedProgram::wait() {
  if (code_) return *code_;
  // The system may reuse the number of the process once it was waited for, so that no later stop may use it.
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  stop_.reset();
  int status = 0;
  waitpid(child_, &status, 0);
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return *code_;
}

}  // namespace spyctrum
