// SPDX-License-Identifier: Apache-2.0
// Comparisons of texts in which capital and small letters of ASCII are the same.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace spyctrum {

[[nodiscard]] inline char lower_case(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// Whether `part` occurs in `text`; an empty part always does.
[[nodiscard]] inline bool contains_ignoring_case(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return lower_case(a) == lower_case(b); };
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace spyctrum
