// SPDX-License-Identifier: Apache-2.0
// Integers of JSON files. The JSON library would convert a number that does not fit by a cast, which gives
// another number or is undefined.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.hpp"
#include "core/io/json_text.hpp"

namespace spyctrum {

/// The integer in `json`. Throws Failure{bad_input} if it is something else, or an integer outside the range
/// of T.
template <class T>
[[nodiscard]] T whole_number(const nlohmann::json& json) {
  if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>())) return json.get<T>();
  if (json.is_number_integer() && !json.is_number_unsigned() && std::in_range<T>(json.get<std::int64_t>()))
    return json.get<T>();
  throw Failure(ErrorCode::bad_input,
                "A whole number within its limits is expected in place of " + json_text(json) + ".");
}

/// The integer of the field `key`, or `otherwise` if there is no such field. Throws as whole_number().
template <class T>
[[nodiscard]] T whole_number(const nlohmann::json& json, const char* key, T otherwise) {
  return json.contains(key) ? whole_number<T>(json.at(key)) : otherwise;
}

}  // namespace spyctrum
