// SPDX-License-Identifier: Apache-2.0
// spyctrum-cli: the command-line program. No display, no OpenGL.
// A separate thread receives Ctrl+C and SIGTERM and asks the running job to stop.
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <stop_token>
#include <thread>

#include "app/cli/commands.hpp"

int main(int argc, char** argv) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  std::stop_source stop;
  std::thread([signals, stop]() mutable {
    int caught = 0;
    sigwait(&signals, &caught);
    stop.request_stop();
    if (spyctrum::cli::exit_at_once()) _exit(spyctrum::exit_code(spyctrum::ErrorCode::cancelled));
    // A second signal ends the process at once, without waiting for a checkpoint.
    sigwait(&signals, &caught);
    _exit(spyctrum::exit_code(spyctrum::ErrorCode::cancelled));
  }).detach();

  return spyctrum::cli::run(argc, argv, stop.get_token());
}
