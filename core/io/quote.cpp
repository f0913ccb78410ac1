// SPDX-License-Identifier: Apache-2.0
// Escaping and shortening of text from files (UTF-8, RFC 3629).
#include "core/io/quote.hpp"

#include <array>
#include <cstdio>

namespace spyctrum {

namespace {

// Length of the UTF-8 character at the start of the text; 0 where there is none. Overlong forms and
// surrogates are accepted: they are harmless where text is only shown.
std::size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((static_cast<unsigned char>(text[k]) & 0xC0U) != 0x80U) return 0;
  }
  // U+0080 … U+009F are control characters too.
  if (length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0) return 0;
  return length;
}

std::string code_of(unsigned char byte) {
  if (byte == '\n') return "\\n";
  if (byte == '\r') return "\\r";
  if (byte == '\t') return "\\t";
  std::array<char, 8> code{};
  std::snprintf(code.data(), code.size(), "\\x%02X", byte);
  return code.data();
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const std::size_t length = byte < 0x20 || byte == 0x7F ? 0 : utf8_length(text);
    if (length == 0)
      out += code_of(byte);
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string in_quotes(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  if (cut) {
    text = text.substr(0, most);
    // Remove the beginning of a character that was cut in two.
    for (std::size_t k = 0;
         k < 3 && !text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U; ++k)
      text.remove_suffix(1);
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0U) text.remove_suffix(1);
  }
  return '"' + escaped(text) + (cut ? "…\"" : "\"");
}

std::string quoted_path(std::string_view path) { return "'" + escaped(path) + "'"; }

}  // namespace spyctrum
