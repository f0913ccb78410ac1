// SPDX-License-Identifier: Apache-2.0
// Finding and opening libfinufft.so and libcufinufft.so.
#include "core/methods/finufft/finufft_library.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace spyctrum {

namespace {

namespace fs = std::filesystem;

/// The names of a library for messages, files, packages and the environment.
struct Names {
  std::string label;     ///< FINUFFT
  std::string package;   ///< of pip; the file is lib<package>.so in a folder of that name
  std::string variable;  ///< of the environment
  [[nodiscard]] std::string file() const { return "lib" + package + ".so"; }
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread writes the environment
  return value != nullptr ? value : "";
}

/// Whether `file` belongs to the administrator or to the user who runs this program.
bool is_owned(const fs::path& file) {
  struct stat facts {};
  return stat(file.c_str(), &facts) == 0 && (facts.st_uid == 0 || facts.st_uid == geteuid());
}

/// Adds the paths of the library's file in the package folders below `prefix`/lib/python3*. None below a
/// relative prefix, which would mean another folder wherever the program is started.
void add_wheels(const Names& names, const fs::path& prefix, std::vector<std::string>& paths) {
  if (!prefix.is_absolute()) return;
  std::error_code error;
  std::vector<fs::path> versions;
  for (fs::directory_iterator at(prefix / "lib", error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().rfind("python3", 0) == 0) versions.push_back(at->path());
  std::sort(versions.rbegin(), versions.rend());
  for (const fs::path& version : versions) {
    for (const char* packages : {"site-packages", "dist-packages"}) {
      const fs::path file = version / packages / names.package / names.file();
      if (is_owned(file)) paths.push_back(file.string());
    }
  }
}

std::vector<std::string> candidates(const Names& names, const std::string& named) {
  if (!named.empty()) {
    std::error_code error;
    if (!fs::is_directory(named, error)) return {named};
    return {(fs::path(named) / names.file()).string(),
            (fs::path(named) / names.package / names.file()).string()};
  }
  std::vector<std::string> paths{names.file(), names.file() + ".2"};
  if (const std::string active = environment("VIRTUAL_ENV"); !active.empty())
    add_wheels(names, active, paths);
  if (const std::string home = environment("HOME"); !home.empty()) add_wheels(names, home + "/.local", paths);
  for (const char* prefix : {"/usr/local", "/usr"}) add_wheels(names, prefix, paths);
  return paths;
}

template <class Function>
bool find(void* library, const std::string& name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name.c_str()));
  return function != nullptr;
}

template <class Calls>
bool find_calls(void* library, const std::string& prefix, Calls& calls) {
  if constexpr (requires { calls.default_options; })
    if (!find(library, prefix + "_default_opts", calls.default_options)) return false;
  return find(library, prefix + "_makeplan", calls.make_plan) &&
         find(library, prefix + "_setpts", calls.set_points) &&
         find(library, prefix + "_execute", calls.execute) &&
         find(library, prefix + "_destroy", calls.destroy);
}

template <class Library>
Library open_library(const Names& names) {
  Library found;
  const std::string named = environment(names.variable.c_str());
  std::string last;
  for (const std::string& path : candidates(names, named)) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      last = dlerror();  // NOLINT(concurrency-mt-unsafe): per thread in glibc
      continue;
    }
    if (find_calls(library, names.package, found.d) && find_calls(library, names.package + "f", found.f)) {
      found.path = path;
      return found;
    }
    last = path + " has no guru interface of " + names.label + " 2";
  }
  found.reason = named.empty()
                     ? names.label + " is not installed (pip install " + names.package + ", or name its " +
                           names.file() + " in the environment variable " + names.variable + ")"
                     : names.variable + " names " + named + ", and that cannot be opened: " + last;
  return found;
}

}  // namespace

const FinufftLibrary& finufft_library() {
  static const auto library = open_library<FinufftLibrary>({"FINUFFT", "finufft", "SPYCTRUM_FINUFFT"});
  return library;
}

const CufinufftLibrary& cufinufft_library() {
  static const auto library =
      open_library<CufinufftLibrary>({"cuFINUFFT", "cufinufft", "SPYCTRUM_CUFINUFFT"});
  return library;
}

std::string finufft_error_text(int code) {
  const std::string number = " (its error " + std::to_string(code) + ")";
  switch (code) {
    case 2:
      return "its internal grid would be larger than it allows" + number;
    case 3:
      return "its internal grid is too small for its kernel" + number;
    case 5:
    case 11:
      return "it could not allocate its internal arrays" + number;
    case 7:
      return "its upsampling factor is too small for the tolerance" + number;
    default:
      return "it failed" + number;
  }
}

}  // namespace spyctrum
