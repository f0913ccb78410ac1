// SPDX-License-Identifier: Apache-2.0
// The programs link no CUDA library: they start without a driver, without cuFFT, and when built without a
// toolkit. The reason in LoadedModule says which of these is missing.
#include "core/device/loader.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <mutex>
#include <system_error>

#include "core/device/interface_hash.hpp"

namespace spyctrum::cuda {

namespace {

std::string error_of_loader() {
  const char* text = dlerror();  // NOLINT(concurrency-mt-unsafe): per thread in glibc
  return text != nullptr ? text : "unknown error of the dynamic loader";
}

std::mutex loss_mutex;
std::string loss_reason;

#ifdef SPYCTRUM_CUDA_BUILT
/// The file that holds this code: libspyctrum.so, or the program where core is linked into it.
std::filesystem::path own_file(std::error_code& error) {
  Dl_info info{};
  link_map* loaded = nullptr;
  const bool known = dladdr1(reinterpret_cast<void*>(&own_file), &info, reinterpret_cast<void**>(&loaded),
                             RTLD_DL_LINKMAP) != 0;
  // The dynamic loader gives the program itself an empty name.
  if (known && loaded != nullptr && *loaded->l_name != '\0')
    return std::filesystem::canonical(loaded->l_name, error);
  return std::filesystem::read_symlink("/proc/self/exe", error);
}
#endif

LoadedModule find_module() {
#ifdef SPYCTRUM_CUDA_BUILT
  std::error_code error;
  const std::filesystem::path self = own_file(error);
  if (error) return {nullptr, "the folder of the program could not be found (" + error.message() + ")"};
  const std::filesystem::path folder = self.parent_path();
  const std::filesystem::path libraries = folder.parent_path() / "lib";
  // Installed, beside the programs' folder; in a build folder, beside the library or the programs.
  for (const std::filesystem::path& path :
       {libraries / "spyctrum" / kModuleFileName, libraries / kModuleFileName, folder / kModuleFileName}) {
    if (std::filesystem::exists(path, error)) return load_module(path.string());
  }
  return {nullptr, std::string(kModuleFileName) + " was not found in " + (libraries / "spyctrum").string() +
                       " or " + folder.string()};
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
