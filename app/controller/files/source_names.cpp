// SPDX-License-Identifier: Apache-2.0
// Paths become absolute and normal; everything else stays as it is.
#include "app/controller/files/source_names.hpp"

#include <charconv>
#include <filesystem>
#include <string_view>

#include "core/io/quote.hpp"
#include "core/io/reader.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum {

namespace {

constexpr std::string_view kUri = "file://";

}  // namespace

std::string short_name(const std::string& source) {
  if (source == "-" || is_generator_text(source)) return source;
  const std::string path = path_of_matrix(source);
  return escaped(std::filesystem::path(path).filename().string() + source.substr(path.size()));
}

std::string text_of_source(const std::string& source) {
  if (source == "-" || is_generator_text(source)) return source;
  if (escaped(source) == source && !source.starts_with(kUri)) return source;
  std::string text(kUri);
  for (const char letter : source) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte > 0x20 && byte < 0x7F && letter != '%') {
      text += letter;
    } else {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      text.append({'%', kDigits[byte >> 4U], kDigits[byte & 0xFU]});
    }
  }
  return text;
}

std::string source_from_text(const std::string& text) {
  if (!text.starts_with(kUri)) return text;
  std::string source;
  for (std::size_t k = kUri.size(); k < text.size(); ++k) {
    unsigned byte = 0;
    const char* const digits = text.data() + k + 1;
    const bool is_code = text[k] == '%' && k + 2 < text.size() &&
                         std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    source += is_code ? static_cast<char>(byte) : text[k];
    if (is_code) k += 2;
  }
  return source;
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
