// SPDX-License-Identifier: Apache-2.0
// spyctrum-cli: the command-line program. No display, no OpenGL.
// A thread receives the signals that ask the program to stop, and requests a stop from the running job. Where
// the job does not end within kGrace, because it is inside of a library or waits for a device, the thread
// removes what was not finished and ends the process.
#include <chrono>
#include <cstdio>
#include <new>
#include <stop_token>
#include <system_error>
#include <thread>

#include "app/cli/commands.hpp"
#include "app/process/process.hpp"
#include "core/io/export.hpp"

namespace {

/// Leaves the system time to end the process within the half second that README.md promises.
constexpr std::chrono::milliseconds kGrace{250};

void obey(const spyctrum::StopSignals& signals, const std::stop_source& stop) {
  signals.wait();
  stop.request_stop();
  signals.wait_for(kGrace);  // a second signal ends the program at once
  spyctrum::cli::end_at_once();
}

}  // namespace

int main(int argc, char** argv) {
  spyctrum::open_standard_descriptors();
  spyctrum::end_where_memory_is_refused(spyctrum::abandon_writes);
  spyctrum::keep_freed_memory();
  const spyctrum::StopSignals signals;
  try {
    std::stop_source stop;
    try {
      std::thread(obey, signals, stop).detach();
    } catch (const std::system_error&) {
      // Without a thread for them, signals have their ordinary effect.
      signals.release();
    }
    return spyctrum::cli::run(argc, argv, stop.get_token());
  } catch (const std::bad_alloc&) {
    // Written without an allocation. The code is that of ErrorCode::out_of_memory.
    std::fputs("error: the system refused an allocation.\n", stderr);
    return 4;
  }
}
