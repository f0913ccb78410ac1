// SPDX-License-Identifier: Apache-2.0
// Finds the file that holds this code, through the dynamic loader.
#include "core/base/own_files.hpp"

#include <dlfcn.h>
#include <link.h>

#include <system_error>

namespace spyctrum {

namespace {

/// libspyctrum.so, or the program where core is linked into it.
std::filesystem::path file_of_this_code(std::error_code& error) {
  Dl_info info{};
  link_map* loaded = nullptr;
  const bool known = dladdr1(reinterpret_cast<void*>(&file_of_this_code), &info,
                             reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) != 0;
  // The dynamic loader gives the program itself an empty name.
  if (known && loaded != nullptr && *loaded->l_name != '\0')
    return std::filesystem::canonical(loaded->l_name, error);
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace

OwnFile own_file(std::string_view name) {
  std::error_code error;
  const std::filesystem::path self = file_of_this_code(error);
  if (error) return {{}, "the folder of the program could not be found (" + error.message() + ")"};
  const std::filesystem::path folder = self.parent_path();
  const std::filesystem::path installed = folder.parent_path();
  for (const std::filesystem::path& path :
       {installed / "lib" / "spyctrum" / name, installed / "lib" / name, installed / "bin" / name,
        installed / "share" / "spyctrum" / name, folder / name})
    if (std::filesystem::exists(path, error)) return {path, {}};
  return {{},
          std::string(name) + " was not found in " + (installed / "lib" / "spyctrum").string() + " or " +
              folder.string()};
}

}  // namespace spyctrum
