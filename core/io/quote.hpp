// SPDX-License-Identifier: Apache-2.0
// Text from files within messages: quoted, shortened, without control characters, which would act on a
// terminal.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/counts_text.hpp"
#include "core/base/text.hpp"

namespace spyctrum {

/// The text with control characters and invalid UTF-8 replaced by \n, \t, \x1B and the like.
[[nodiscard]] std::string escaped(std::string_view text);

/// escaped() in double quotes. A text longer than `most` bytes is cut after a whole character and ends with
/// ….
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t most = 40);

/// escaped() between single quotes, for paths.
[[nodiscard]] std::string quoted_path(std::string_view path);

/// The numbers that are possible: "LEAST to MOST", or "LEAST" if both are the same.
[[nodiscard]] inline std::string range_text(std::uint64_t least, std::uint64_t most) {
  return grouped(least) + (least == most ? "" : " to " + grouped(most));
}

/// The texts of the first `most` of a list, separated by commas, each made by `text_of`; ", …" follows if
/// there are more.
template <class T, class TextOf>
[[nodiscard]] std::string first_few(const std::vector<T>& list, const TextOf& text_of, std::size_t most = 5) {
  const auto shown = std::span(list).first(std::min(most, list.size()));
  return joined(shown, text_of) + (shown.size() < list.size() ? ", …" : "");
}

}  // namespace spyctrum
