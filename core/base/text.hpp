// SPDX-License-Identifier: Apache-2.0
// Numbers and lists in the texts that the program writes, and comparisons of texts.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace spyctrum {

[[nodiscard]] inline char lower_case(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// Whether `part` occurs in `text`, where capital and small letters of ASCII are the same; an empty part
/// always does.
[[nodiscard]] inline bool contains_ignoring_case(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return lower_case(a) == lower_case(b); };
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

/// `value` with at most `digits` significant digits: printf's %.*g.
[[nodiscard]] inline std::string number_text(double value, int digits) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

/// The number that the whole text is, written as std::from_chars() reads it; empty for any other text, and if
/// the number does not fit.
template <class Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The number's text with the minus sign U+2212 in place of each hyphen.
[[nodiscard]] inline std::string with_true_minus(std::string_view number) {
  std::string text;
  for (const char& letter : number) text += letter == '-' ? "\u2212" : std::string_view(&letter, 1);
  return text;
}

/// The texts of a list, each given by `text_of`, with `separator` between them.
template <class List, class TextOf = std::identity>
[[nodiscard]] std::string joined(const List& list, TextOf text_of = {}, std::string_view separator = ", ") {
  std::string text;
  for (const auto& one : list) {
    if (!text.empty()) text += separator;
    text += std::invoke(text_of, one);
  }
  return text;
}

/// The text without blanks at its ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// The text of a UTF-8 file without the byte order mark at its beginning, if there is one.
[[nodiscard]] inline std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

}  // namespace spyctrum
