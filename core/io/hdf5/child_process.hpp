// SPDX-License-Identifier: Apache-2.0
// Runs the program that parses HDF5 (child/) with access to the file and a pipe only.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "core/base/job_context.hpp"

namespace spyctrum::hdf5 {

class ChildProcess {
 public:
  /// Starts the program on the open file `descriptor`; its arguments are the memory that it may use and
  /// `arguments`. Throws Failure{bad_input}, which begins with `name`, if this installation cannot read HDF5.
  ChildProcess(int descriptor, const std::vector<std::string>& arguments, const std::string& name,
               JobContext& context);
  /// Kills the child if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Reads up to bytes.size() bytes of its output and returns their number; 0 after it has ended normally.
  /// Throws Failure{cancelled} within 20 ms of a stop, Failure{bad_input} if a signal ended it: a crash, or
  /// the limit of processor time.
  std::size_t read(std::span<char> bytes);

 private:
  void check_end();

  std::string name_;
  JobContext& context_;
  pid_t process_ = -1;
  int pipe_ = -1;
};

}  // namespace spyctrum::hdf5
