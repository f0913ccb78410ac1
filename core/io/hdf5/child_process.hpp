// SPDX-License-Identifier: Apache-2.0
// Runs the program that parses HDF5 (child/), which gets the file and a pipe and nothing else.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "core/base/job_context.hpp"

namespace spyctrum::hdf5 {

class ChildProcess {
 public:
  /// Starts it on the open file `descriptor`, with the arguments after the memory it may use. Throws
  /// Failure{bad_input} that begins with `name` where this installation cannot read HDF5.
  ChildProcess(int descriptor, const std::vector<std::string>& arguments, const std::string& name,
               JobContext& context);
  /// Kills the child if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// 1 … bytes.size() bytes of what it writes; 0 once it has ended by itself. Throws Failure{cancelled}
  /// within 20 ms of a stop, Failure{bad_input} where a signal ended it: a crash, or the limit of processor
  /// time.
  std::size_t read(std::span<char> bytes);

 private:
  void check_end();

  std::string name_;
  JobContext& context_;
  pid_t process_ = -1;
  int pipe_ = -1;
};

}  // namespace spyctrum::hdf5
