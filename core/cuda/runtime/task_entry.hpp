// SPDX-License-Identifier: Apache-2.0
// The table of tasks: the source of each task defines task_entry() for it, and module.cpp lists the tasks.
#pragma once

#include "core/device/interface/host.hpp"

namespace spyctrum::cuda {

struct TaskEntry {
  const char* name;                             ///< Task::kName
  Timing (*run)(const void* task, Host& host);  ///< on the calling thread's device; `task` is a Task
};

/// A source that runs a task defines the specialisation by make_task_entry().
template <class Task>
[[nodiscard]] TaskEntry task_entry();

template <class Task, Timing (*Run)(const Task&, Host&)>
[[nodiscard]] TaskEntry make_task_entry() {
  return {Task::kName,
          [](const void* task, Host& host) { return Run(*static_cast<const Task*>(task), host); }};
}

}  // namespace spyctrum::cuda
