// SPDX-License-Identifier: Apache-2.0
// JSON as text, and back. Names of files and arguments are bytes that need not be UTF-8, which RFC 8259
// requires: invalid UTF-8 is written as U+FFFD. NaN and infinities, which JSON does not have, are written as
// null. Both are compiled once, for nlohmann::json and nlohmann::ordered_json.
#pragma once

#include <string>
#include <string_view>

namespace spyctrum {

/// `json` on one line, or with an indentation of `indent` blanks per level. Never throws because of its
/// contents.
template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1);

/// Parses `text`. If it is not JSON, throws Json::exception, or returns a discarded value unless `throws`.
template <class Json>
[[nodiscard]] Json parse_json(std::string_view text, bool throws = true);

}  // namespace spyctrum
