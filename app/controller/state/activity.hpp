// SPDX-License-Identifier: Apache-2.0
// Jobs as the user sees them, log and toasts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/controller/state/ids.hpp"
#include "app/controller/state/matrices.hpp"
#include "core/base/job_context.hpp"

namespace spyctrum {

struct JobView {
  JobId id = 0;
  std::string title;    ///< "Exact · corafull"
  ColumnId column = 0;  ///< 0: none
  Progress progress;
  bool running = false;  ///< false: waits in its lane
  bool stopping = false;
  bool background = false;  ///< errors, sweep: not what the user waits for
  double seconds = 0;
  std::optional<double> seconds_left{};
};

enum class Level { info, warning, error };

struct LogEntry {
  WallTime time;
  Level level = Level::info;
  std::string text;
};

/// A file that could not be read, and how it may be read.
struct ReadingOffer {
  std::string label;  ///< "Read again: vertices = names"
  std::string source;
  Reading reading;
};

struct Toast {
  std::uint64_t id = 0;
  Level level = Level::info;
  std::string text;
  SteadyTime expires;   ///< MessageService removes it then
  bool pinned = false;  ///< it stays until it is dismissed
  std::optional<ReadingOffer> offer{};
};

}  // namespace spyctrum
