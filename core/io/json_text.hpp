// SPDX-License-Identifier: Apache-2.0
// JSON as text. Names of files and arguments are bytes that need not be UTF-8, which RFC 8259 requires:
// invalid UTF-8 is written as U+FFFD. NaN and infinities, which JSON does not have, are written as null.
#pragma once

#include <string>

namespace spyctrum {

/// `json` (nlohmann's) on one line, or with an indentation of `indent` blanks per level. Never throws because
/// of its contents.
template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace spyctrum
