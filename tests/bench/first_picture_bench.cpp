// SPDX-License-Identifier: Apache-2.0
// How long does a person wait for the first exact spectrum? Each line is a process of its own that starts as
// the window does (the device wakes while the file is read), opens one matrix, then a second one, and polls
// like a window. The times run from the end of reading to the end of the exact spectrum's job, and to the
// picture.
//
// What waking the device costs, by stage, is printed first.
//   bench_first_picture [MATRIX…]           one process for each matrix and backend
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "app/controller/controller.hpp"
#include "app/controller/device_runs.hpp"
#include "core/device/backends.hpp"
#include "core/device/device_cache.hpp"
#include "core/device/device_pictures.hpp"
#include "core/device/loader.hpp"

namespace {

using namespace spyctrum;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

struct Waited {
  double reading = 0;   ///< milliseconds since the matrix was requested
  double spectrum = 0;  ///< from the end of reading
  double all = 0;       ///< until every column and picture is complete, from the end of reading
};

Waited open_matrix(Controller& controller, const std::string& source) {
  Waited waited;
  const auto began = Clock::now();
  const std::size_t before = controller.state().matrices.size();
  controller.dispatch(action::OpenFile{source});
  while (controller.state().matrices.size() == before && controller.load_failures().empty() &&
         milliseconds_since(began) < 60e3) {
    controller.poll();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  waited.reading = milliseconds_since(began);
  const auto read = Clock::now();
  const auto exact = [&]() -> const Column& { return controller.state().columns.front(); };
  while (!exact().spectrum || exact().busy) {
    if (milliseconds_since(read) > 60e3) break;
    controller.poll();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  waited.spectrum = milliseconds_since(read);
  controller.wait_until_idle(60);
  waited.all = milliseconds_since(read);
  return waited;
}

void print(const char* which, const std::string& source, const Waited& waited, const Controller& controller) {
  const SpectrumPtr& spectrum = controller.state().columns.front().spectrum;
  std::printf("%-7s %-44.44s %8.1f %8.1f %8.1f %8.1f  %s", which, source.c_str(), waited.reading,
              waited.spectrum, waited.all, spectrum ? spectrum->provenance.seconds * 1e3 : 0.0,
              spectrum ? spectrum->provenance.backend.c_str() : "none");
  if (spectrum)
    for (const auto& [name, seconds] : spectrum->provenance.stages)
      std::printf(" %s %.1f", name.c_str(), seconds * 1e3);
  std::printf("\n");
  std::fflush(stdout);
}

void one_process(const std::string& backend, const std::string& first, const std::string& second) {
  Controller::Options options;
  options.backend = backend;
  Controller controller(options);
  print("first", first, open_matrix(controller, first), controller);
  print("second", second, open_matrix(controller, second), controller);
}

void stages() {
  auto began = Clock::now();
  const auto lap = [&](const char* what) {
    std::printf("%-44s %8.1f\n", what, milliseconds_since(began));
    std::fflush(stdout);
    began = Clock::now();
  };
  (void)cuda::loaded_module();
  lap("opening the module, counting devices");
  (void)device_name({BackendKind::cuda, 0, false});
  lap("creating the device's context");
  ThreadPool pool(0);
  JobContext context(pool);
  const Backend backend{BackendKind::cuda, 0, false};
  wake_device(backend, context);
  lap("waking planes");
  wake_other_work(backend, nullptr, context);
  lap("waking samples and windows");
  auto pictures =
      std::make_shared<DevicePictures>(cuda::loaded_module().module->pictures(), backend, device_cache(0));
  wake_other_work(backend, pictures, context);
  lap("waking the pictures");
}

/// Runs `work` in a process of its own: what a process loads once is paid for again.
template <class Work>
void in_child(Work work) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    work();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  (void)waitpid(child, &status, 0);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> matrices(argv + 1, argv + argc);
  if (matrices.empty())
    matrices = {"gen:power-law:n=2000,nnz=20000", "gen:power-law:n=5300,nnz=22000",
                "gen:power-law:n=20000,nnz=130000"};
  // Nothing of CUDA may happen before a fork.
  in_child(stages);
  std::printf("%-7s %-44s %8s %8s %8s %8s\n", "matrix", "ms", "reading", "spectrum", "all", "job");
  for (const std::string& matrix : matrices)
    for (const char* backend : {"auto", "cuda", "cpu"})
      in_child([&] {
        one_process(backend, matrix,
                    matrix.starts_with("gen:") ? matrix + ",seed=7" : "gen:power-law:n=5300,nnz=22000");
      });
  return 0;
}
