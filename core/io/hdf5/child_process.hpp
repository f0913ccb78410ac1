// SPDX-License-Identifier: Apache-2.0
// Runs the program that parses HDF5 (child/) with access to the file and a socket to this one only.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

#include "core/base/job_context.hpp"

namespace spyctrum::hdf5 {

class ChildProcess {
 public:
  /// Starts the program on the open file `descriptor`: it sends the list of the file (messages.hpp). Throws
  /// Failure{bad_input}, which begins with `name`, if this installation cannot read HDF5.
  ChildProcess(int descriptor, bool balanced, const std::string& name, JobContext& context);
  /// Kills the child if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Makes the child answer a request, once its answer before was read to the end.
  void request(const std::string& words) const;
  /// Reads up to bytes.size() bytes of its output and returns their number; 0 after it has ended normally.
  /// Throws Failure{cancelled} within 20 ms of a stop, Failure{bad_input} if a signal ended it: a crash, or
  /// the limit of processor time.
  std::size_t read(std::span<char> bytes);

 private:
  void check_end();

  std::string name_;
  JobContext& context_;
  pid_t process_ = -1;
  int socket_ = -1;  ///< requests to the child and its messages
};

}  // namespace spyctrum::hdf5
