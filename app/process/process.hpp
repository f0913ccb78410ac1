// SPDX-License-Identifier: Apache-2.0
// Obligations of a program towards its caller: files never land on a standard descriptor, signals that ask it
// to stop are received by a dedicated thread, and programs that it starts end with it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace spyctrum {

/// The exit codes of both programs, for --help and, by it, for the manual pages. README.md has the same list.
/// core/base/error.hpp has the codes of errors.
inline constexpr const char* kExitCodes =
    "Exit codes: 0 done, all results are written; 1 output cannot be written, or an internal error; 2 wrong "
    "use; 3 input cannot be read; 4 does not fit in memory; 5 backend not available; 6 the picture is "
    "incomplete because --wait ended before the jobs (spyctrum --offscreen); 130 interrupted (SIGINT, "
    "SIGTERM, SIGHUP), no incomplete file is left.";

/// Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed, so that no file opened later takes
/// its place. Standard output is opened for reading: printed text has no receiver, and writing fails (EBADF)
/// as it does on a closed descriptor. Must be the first call of main().
void open_standard_descriptors();

/// Flushes standard output, then waits until a pipe at standard output or standard error has been read empty,
/// at most ten seconds. mpirun forwards the output of ranks, but drops what it has not read when a rank ends
/// the job.
void wait_until_output_is_read();

/// From now on the program ends with the code of ErrorCode::out_of_memory and a message if an allocation is
/// refused where no exception may pass: in a destructor (that of a JSON value allocates), or in a thread of a
/// library. `clean_up` runs before. All other uncaught exceptions still abort.
void end_where_memory_is_refused(void (*clean_up)());

/// From now on up to 128 MiB of freed memory stay with the program, for the next matrix: otherwise the system
/// would clear the same pages again for each, which takes longer than to read an uncompressed file.
/// Allocations above 32 MiB are always returned when they are freed.
void keep_freed_memory();

/// Blocks SIGINT, SIGTERM, SIGHUP (unless it is ignored, as under nohup), SIGXCPU and SIGXFSZ, so that a
/// thread can wait for them, and ignores SIGPIPE, so that a write to a closed pipe fails with EPIPE. A write
/// beyond the limit on file sizes fails with EFBIG. Must be constructed in main() before any thread starts,
/// since threads inherit blocked signals.
class StopSignals {
 public:
  StopSignals();
  /// Returns when a signal was received.
  void wait() const;
  /// As wait(), but at most for `time`.
  void wait_for(std::chrono::milliseconds time) const;
  /// Unblocks the signals for the calling thread: each ends the program, as without this object.
  void release() const;

 private:
  sigset_t signals_{};
};

/// For a program that starts others through a library; these would inherit blocked signals. Calls `end` from
/// its own thread when SIGINT, SIGTERM or SIGHUP (unless it is ignored) is received, and lets writes fail as
/// StopSignals does. Started programs react to signals as usual. To be called once.
void call_on_signals(void (*end)());

/// A program started by this one, with no signal blocked. A stop request kills it.
class StartedProgram {
 public:
  /// `arguments`: the program (searched for on PATH if it contains no slash) and its arguments. `in` and
  /// `out`: descriptors of its standard input and output; negative: /dev/null. Throws Failure{internal}.
  StartedProgram(const std::vector<std::string>& arguments, int in, int out,
                 const std::stop_token& stop = {});
  StartedProgram(const StartedProgram&) = delete;
  StartedProgram& operator=(const StartedProgram&) = delete;
  ~StartedProgram();
  /// Waits for its end; returns its exit code, or 128 + the signal that ended it.
  int wait();

 private:
  pid_t child_ = -1;
  std::optional<std::stop_callback<std::function<void()>>> stop_;
  std::optional<int> code_;
};

}  // namespace spyctrum
