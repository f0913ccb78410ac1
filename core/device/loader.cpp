// SPDX-License-Identifier: Apache-2.0
// The programs link no CUDA library, so that they start without a driver or cuFFT and can be built without a
// toolkit. The reason in LoadedModule says which of these is missing.
#include "core/device/loader.hpp"

#include <dlfcn.h>
#include <sys/resource.h>

#include <mutex>

#include "core/base/memory_ledger.hpp"
#include "core/base/own_files.hpp"
#include "core/device/interface_hash.hpp"

namespace spyctrum::cuda {

namespace {

std::string error_of_loader() {
  const char* text = dlerror();  // NOLINT(concurrency-mt-unsafe): per thread in glibc
  return text != nullptr ? text : "unknown error of the dynamic loader";
}

std::mutex loss_mutex;
std::string loss_reason;

LoadedModule find_module() {
#ifdef SPYCTRUM_CUDA_BUILT
  // CUDA maps the memory of the machine and of its devices. In a smaller address space CUDA cannot start, and
  // its libraries would take the addresses that the matrix needs.
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur < physical_memory_bytes())
    return {nullptr, "the address space is limited to " + format_bytes(space.rlim_cur) +
                         " (ulimit -v), less than the memory of this machine"};
  const OwnFile file = own_file(kModuleFileName);
  return file.path.empty() ? LoadedModule{nullptr, file.missing} : load_module(file.path.string());
#else
  return {nullptr, "this build contains no CUDA backend"};
#endif
}

}  // namespace

void note_loss(const std::string& reason) {
  const std::lock_guard lock(loss_mutex);
  if (loss_reason.empty() || reason.empty()) loss_reason = reason;
}

std::string loss() {
  const std::lock_guard lock(loss_mutex);
  return loss_reason.empty() ? "" : "CUDA is lost until the program is started again: " + loss_reason;
}

LoadedModule load_module(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {nullptr, "the CUDA module cannot be loaded: " + error_of_loader()};
  void* symbol = dlsym(library, kModuleEntryName);
  if (symbol == nullptr) return {nullptr, path + " is not a CUDA module: " + error_of_loader()};
  Module* module = reinterpret_cast<ModuleEntry>(symbol)(kInterfaceHash);
  if (module == nullptr) return {nullptr, path + " belongs to another version of the program"};
  std::string reason = module->unavailable_reason();
  if (!reason.empty()) module = nullptr;
  return {module, std::move(reason)};
}

const LoadedModule& loaded_module() {
  static const LoadedModule loaded = find_module();
  return loaded;
}

}  // namespace spyctrum::cuda
