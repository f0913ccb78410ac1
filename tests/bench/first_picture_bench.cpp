// SPDX-License-Identifier: Apache-2.0
// How long does a person wait for the first exact spectrum? Each process starts as the window does (the
// device wakes while the file is read), opens one matrix after the other, and polls like a window with
// pictures of 1080 × 1080 pixels. The times run from the end of reading
//   spectrum  to the end of the exact spectrum's job,
//   picture   to the picture of that spectrum,
//   all       to the end of everything else (samples, reconstructions, their pictures).
// The stages of the exact spectrum's job follow, a line each.
//
// What waking the device costs, by stage, is printed first.
//   bench_first_picture [MATRIX[+MATRIX…]…]  one process for each argument and backend
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/controller/controller.hpp"
#include "app/controller/device_runs.hpp"
#include "core/device/backends.hpp"
#include "core/device/device_cache.hpp"
#include "core/device/device_pictures.hpp"
#include "core/device/loader.hpp"
#include "tests/support/wait_until_idle.hpp"

namespace {

using namespace spyctrum;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

struct Waited {
  double reading = 0;   ///< milliseconds since the matrix was requested
  double spectrum = 0;  ///< from the end of reading, like the others
  double picture = 0;
  double all = 0;
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
  const auto wait_until = [&](auto is_there) {
    while (!is_there() && milliseconds_since(read) < 60e3) {
      controller.poll();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return milliseconds_since(read);
  };
  const auto exact = [&]() -> const Column& { return controller.state().columns.front(); };
  waited.spectrum = wait_until([&] { return exact().spectrum && !exact().busy; });
  const auto picture = [&]() -> const Picture& { return exact().picture(Row::spectrum); };
  waited.picture = wait_until(
      [before = picture().version, &picture] { return picture().version != before || !picture().busy; });
  test::wait_until_idle(controller, 60);
  waited.all = milliseconds_since(read);
  return waited;
}

void print(const std::string& source, const Waited& waited, const Controller& controller) {
  const SpectrumPtr& spectrum = controller.state().columns.front().spectrum;
  std::printf("%-44.44s %8.1f %8.1f %8.1f %8.1f  %s\n", source.c_str(), waited.reading, waited.spectrum,
              waited.picture, waited.all, spectrum ? spectrum->provenance.backend.c_str() : "none");
  if (spectrum) {
    for (const auto& [name, seconds] : spectrum->provenance.stages)
      std::printf("  %-42s %17.1f\n", name.c_str(), seconds * 1e3);
    std::printf("  %-42s %17.1f\n", "outside these", waited.spectrum - spectrum->provenance.seconds * 1e3);
  }
  std::fflush(stdout);
}

void one_process(const std::string& backend, const std::vector<std::string>& matrices) {
  Controller::Options options;
  options.backend = backend;
  Controller controller(options);
  for (const Plane plane : {Plane::pattern, Plane::spectrum})
    controller.dispatch(action::SetPictureSize{plane, {1080, 1080}});
  for (const std::string& matrix : matrices) print(matrix, open_matrix(controller, matrix), controller);
}

void stages() {
  if (const std::string reason = cuda_unavailable_reason(); !reason.empty())
    return (void)std::printf("no device: %s\n", reason.c_str());
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
  (void)cuda::loaded_module().module->facts(0);
  lap("asking for its properties and free memory");
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

std::vector<std::string> parts_of(const std::string& argument) {
  std::vector<std::string> parts;
  std::istringstream in(argument);
  for (std::string part; std::getline(in, part, '+');) parts.push_back(part);
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> processes(argv + 1, argv + argc);
  if (processes.empty())  // the next matrix of the same size, and one of another size
    processes = {
        "gen:power-law:n=2000,nnz=20000+gen:power-law:n=2000,nnz=20000,seed=7+gen:power-law:n=1987,nnz=20000",
        "gen:power-law:n=5300,nnz=22000+gen:power-law:n=5300,nnz=22000,seed=7+gen:power-law:n=5281,nnz=22000",
        "gen:power-law:n=20000,nnz=130000+gen:power-law:n=20000,nnz=130000,seed=7+"
        "gen:power-law:n=19793,nnz=130000"};
  // Nothing of CUDA may happen before a fork.
  in_child(stages);
  for (const std::string& matrices : processes)
    for (const char* backend : {"auto", "cuda", "cpu"}) {
      std::printf("\n%-44s %8s %8s %8s %8s\n", (std::string("backend ") + backend + ", ms").c_str(),
                  "reading", "spectrum", "picture", "all");
      in_child([&] { one_process(backend, parts_of(matrices)); });
    }
  return 0;
}
