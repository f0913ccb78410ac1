// SPDX-License-Identifier: Apache-2.0
// Paths become absolute and normal; everything else stays as it is.
#include "app/controller/files/source_names.hpp"

#include <filesystem>

#include "core/io/reader.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum {

std::string short_name(const std::string& source) {
  if (source == "-" || is_generator_text(source)) return source;
  const std::string path = path_of_matrix(source);
  return std::filesystem::path(path).filename().string() + source.substr(path.size());
}

std::string full_source(const std::string& source) {
  if (source == "-" || is_generator_text(source)) return source;
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(source, failed);
  return failed ? source : absolute.lexically_normal().string();
}

bool is_folder(const std::string& source) {
  std::error_code failed;
  return source != "-" && !is_generator_text(source) && std::filesystem::is_directory(source, failed);
}

}  // namespace spyctrum
