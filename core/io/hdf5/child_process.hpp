// SPDX-License-Identifier: Apache-2.0
// Runs the program that parses HDF5 (child/), which can access only the file and a socket to this process.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "core/base/job_context.hpp"

namespace spyctrum::hdf5 {

class ChildProcess {
 public:
  /// Sends the open file `descriptor` to the process that start_next() has started, or to a new one, which
  /// then sends the list of the file's matrices (messages.hpp). `balanced`: counts of contact maps are
  /// multiplied by balancing weights. Throws Failure{bad_input}, which begins with `name`, if this
  /// installation cannot read HDF5.
  ChildProcess(int descriptor, bool balanced, const std::string& name, JobContext& context);
  /// Kills the child if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Sends a request to the child, whose previous answer must have been read to its end.
  void request(const std::string& words);
  /// Ends the requests, whereupon the child ends by itself.
  void dismiss() const;
  /// Reads up to bytes.size() bytes of its output and returns their number; 0 after it has ended normally.
  /// Throws Failure{cancelled} within 20 ms of a stop, Failure{bad_input} if a signal ended it: a crash, or
  /// the limit of processor time, which is lower before the first request.
  std::size_t read(std::span<char> bytes);

  /// To be called after a file was read. From the second file of a thread on, starts the process for the
  /// thread's next file in advance, since its start takes longer than parsing a file of usual size. The
  /// process waits for the file until the thread ends.
  static void start_next();

 private:
  void check_end();

  std::string name_;
  JobContext& context_;
  pid_t process_ = -1;
  std::uint64_t most_seconds_ = 0;  ///< of processor time
  int socket_ = -1;                 ///< requests to the child and its messages
  std::vector<char> buffer_;        ///< bytes that were read from the socket
  std::span<const char> left_;      ///< those of them that read() has not returned
};

}  // namespace spyctrum::hdf5
